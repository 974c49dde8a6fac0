// SPDX-License-Identifier: Apache-2.0
// Reads certificates that anybody may have written.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_check.hpp>
#include <croco/base/random.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/first_version.hpp>
#include <croco/verify/certificate_keys.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

/// Samples that a counter can number.
constexpr std::uint64_t kMaxCounted = std::uint64_t{1} << 40;
/// Samples that a bound takes.
constexpr std::uint64_t kMaxSamples = 10'000'000'000;
constexpr std::uint64_t kMaxAttempts = 16;
constexpr std::uint64_t kMaxFamily = 10'000'000'000;

/// One JSON object: every key is asked for by name and type, and none may be left over.
class Fields {
 public:
  Fields(const Json& object, std::string source, std::string path,
         int version = kCertificateVersion)
      : object_(object), source_(std::move(source)), path_(std::move(path)), version_(version) {
    if (!object.is_object()) fail("", object, "an object");
  }

  [[nodiscard]] bool has(const std::string& key) const { return object_.contains(key); }

  const Json& any(const std::string& key) {
    known_.insert(key);
    const auto found = object_.find(key);
    if (found == object_.end()) {
      throw DataError(
          fmt::format("{}: the key '{}{}' is missing; a certificate of version {} has "
                      "it",
                      source_, path_, key, version_));
    }
    return *found;
  }
  double number(const std::string& key, double low, double high, std::string_view rule) {
    const Json& value = any(key);
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    if (!(number >= low && number <= high)) fail(key, value, rule);
    return number;
  }
  double share(const std::string& key) { return number(key, 0, 1, "a number from 0 to 1"); }
  std::uint64_t count(const std::string& key, std::uint64_t most) {
    const Json& value = any(key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
      fail(key, value, fmt::format("a whole number from 0 to {}", most));
    }
    return value.get<std::uint64_t>();
  }
  std::string text(const std::string& key) {
    const Json& value = any(key);
    if (!value.is_string()) fail(key, value, "a text");
    return value.get<std::string>();
  }
  bool flag(const std::string& key) {
    const Json& value = any(key);
    if (!value.is_boolean()) fail(key, value, "true or false");
    return value.get<bool>();
  }
  /// The index of a text among those that are allowed.
  std::size_t choice(const std::string& key, std::initializer_list<std::string_view> allowed) {
    const Json& value = any(key);
    if (value.is_string()) {
      const auto& given = value.get_ref<const std::string&>();
      const auto* const found = std::ranges::find(allowed, std::string_view(given));
      if (found != allowed.end()) return static_cast<std::size_t>(found - allowed.begin());
    }
    fail(key, value, fmt::format("one of {}", fmt::join(allowed, ", ")));
  }
  std::string fingerprint(const std::string& key) {
    const std::string value = text(key);
    const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (value.size() != 64 || !std::ranges::all_of(value, is_hex)) {
      fail(key, any(key), "64 hexadecimal digits");
    }
    return value;
  }
  /// Null, where it may be, is NaN: a value that is missing.
  std::vector<std::pair<std::string, double>> numbers(const std::string& key,
                                                      bool may_be_missing = false) {
    Fields inner(any(key), source_, path_ + key + ".", version_);
    std::vector<std::pair<std::string, double>> out;
    constexpr double kMost = std::numeric_limits<double>::max();
    for (const auto& [name, value] : inner.object_.items()) {
      out.emplace_back(name, may_be_missing && value.is_null()
                                 ? std::nan("")
                                 : inner.number(name, -kMost, kMost, "a finite number"));
    }
    return out;
  }
  /// Null, a value that is missing, is empty.
  std::vector<std::pair<std::string, std::string>> texts(const std::string& key) {
    Fields inner(any(key), source_, path_ + key + ".", version_);
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& [name, value] : inner.object_.items()) {
      out.emplace_back(name, value.is_null() ? std::string() : inner.text(name));
    }
    return out;
  }
  /// Names and rows of as many numbers.
  StatedRows rows(const std::string& key) {
    StatedRows out;
    known_.insert("columns");
    const Json& names = any("columns");
    if (!names.is_array() || names.empty()) fail("columns", names, "an array of names");
    for (const Json& name : names) {
      if (!name.is_string()) fail("columns", names, "an array of names");
      out.columns.push_back(name.get<std::string>());
    }
    out.rows = Matrix(0, out.columns.size());
    const Json& list = any(key);
    if (!list.is_array() || list.empty()) fail(key, list, "an array of rows");
    for (const Json& row : list) {
      if (!row.is_array() || row.size() != out.columns.size()) {
        fail(key, row, fmt::format("rows of {} numbers", out.columns.size()));
      }
      for (const Json& value : row) {
        const double number = value.is_number() ? value.get<double>() : std::nan("");
        if (!std::isfinite(number)) fail(key, value, "rows of finite numbers");
        out.rows.data.push_back(number);
      }
    }
    require_no_other();
    return out;
  }
  /// The objects of an array.
  std::vector<Fields> objects(const std::string& key) {
    const Json& list = any(key);
    if (!list.is_array() || list.empty()) fail(key, list, "an array of objects");
    std::vector<Fields> out;
    for (std::size_t i = 0; i < list.size(); ++i) {
      out.emplace_back(list[i], source_, fmt::format("{}{}[{}].", path_, key, i), version_);
    }
    return out;
  }
  [[nodiscard]] Fields object(const std::string& key) {
    return {any(key), source_, path_ + key + ".", version_};
  }
  [[noreturn]] void refuse(const std::string& key, std::string_view rule) {
    fail(key, any(key), rule);
  }
  void require_no_other() const {
    for (const auto& [name, value] : object_.items()) {
      if (known_.contains(name)) continue;
      throw DataError(
          fmt::format("{}: the key '{}{}' is unknown; a certificate of version {} does not have "
                      "it here",
                      source_, path_, name, version_));
    }
  }

 private:
  [[noreturn]] void fail(const std::string& key, const Json& value, std::string_view rule) const {
    constexpr std::size_t kShown = 60;
    std::string shown = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (shown.size() > kShown) shown = shown.substr(0, kShown) + "...";
    std::string name = path_ + key;
    if (key.empty() && !name.empty()) name.pop_back();  // the object itself, not what is in it
    throw DataError(fmt::format("{}: {} is {}; it must be {}", source_,
                                name.empty() ? "the certificate" : "'" + name + "'", shown, rule));
  }

  const Json& object_;
  std::string source_;
  std::string path_;  ///< "noise." inside of it
  int version_;
  std::set<std::string> known_;
};

void read_noise(Fields noise, StatedCertificate& out) {
  constexpr double kMost = std::numeric_limits<double>::max();
  out.noise.shape =
      static_cast<NoiseShape>(noise.choice("shape", {"gaussian", "uniform", "laplace", "student-t",
                                                     "mixed", "empirical", "correlated"}));
  if (out.noise.shape == NoiseShape::empirical) {
    out.residuals = noise.object("residuals").rows("rows");
  } else if (out.noise.shape == NoiseShape::correlated) {
    out.covariance = noise.object("covariance").rows("matrix");
  } else if (noise.has("column_scales") || out.noise.shape == NoiseShape::mixed) {
    out.column_scales = noise.numbers("column_scales");
    if (out.column_scales.empty()) noise.refuse("column_scales", "a scale for every column");
  } else {
    out.noise.scale = noise.number("scale", 0, kMost, "a finite number of at least 0");
  }
  if (out.noise.shape == NoiseShape::mixed) {
    Fields shapes = noise.object("column_shapes");
    for (const auto& [column, scale] : out.column_scales) {
      out.column_shapes.emplace_back(column, static_cast<NoiseShape>(shapes.choice(
                                                 column, {"gaussian", "uniform", "laplace"})));
    }
    shapes.require_no_other();
  }
  if (out.noise.shape == NoiseShape::student_t) {
    out.noise.degrees_of_freedom = noise.number("dof", std::numeric_limits<double>::min(), kMost,
                                                "a finite number greater than 0");
  }
  if (noise.has("flips")) {
    for (Fields& category : noise.objects("flips")) {
      out.flips.push_back(category.rows("transition"));
    }
  }
  out.noise.scope =
      static_cast<NoiseScope>(noise.choice("on", {"all", "continuous", "movable", "changed"}));
  out.noise.falls_short = noise.flag("falls_short");
  noise.require_no_other();
}

void read_samples(Fields& fields, StatedCertificate& out) {
  const std::string samples_of = certificate_key("samples_of", out.version);
  Certificate& certificate = out.certificate;
  certificate.seed = fields.count("seed", std::numeric_limits<std::uint64_t>::max());
  certificate.purpose =
      fields.choice("purpose", {"certify", "audit"}) == 0 ? Purpose::certify : Purpose::audit;
  certificate.first = fields.count(certificate_key("first_sample", out.version), kMaxCounted);
  certificate.shared_draws = fields.any(samples_of).is_string();
  if (certificate.shared_draws) {
    fields.choice(samples_of, {"shared"});
  } else {
    out.person = fields.count(samples_of, Stream::kShared - 1);
  }
  certificate.attempts = fields.count("attempts", kMaxAttempts);
  certificate.attempt = fields.count("attempt", kMaxAttempts);
  certificate.sequential = fields.choice("looks", {"one", "planned"}) == 1;
  certificate.maximum = fields.count("maximum", kMaxSamples);
  certificate.stop = static_cast<StopReason>(fields.choice(
      "stopped",
      {name_of(StopReason::planned), name_of(StopReason::passed), name_of(StopReason::futile)}));
}

constexpr const char* kCertificateKey = "croco_certificate";

int version_of(const Json& json, const std::string& source) {
  const Json& version = Fields(json, source, "").any(kCertificateKey);
  for (int known = kFirstCertificateVersion; known <= kCertificateVersion; ++known) {
    if (version == known) return known;
  }
  throw DataError(fmt::format("{}: '{}' is {}; this program reads versions {} and {}", source,
                              kCertificateKey, version.is_number() ? version.dump() : "no number",
                              kFirstCertificateVersion, kCertificateVersion));
}

StatedCertificate read_fields(const Json& json, const std::string& source) {
  StatedCertificate out;
  out.source = source;
  // First, so that another version is not asked for keys that it need not have.
  out.version = version_of(json, source);
  Fields fields(json, source, "", out.version);
  static_cast<void>(fields.any(kCertificateKey));
  Certificate& certificate = out.certificate;
  out.statement = fields.text("statement");
  certificate.upper = fields.share("upper");
  certificate.confidence = fields.share("confidence");
  certificate.family = fields.count("family", kMaxFamily);
  certificate.bound = static_cast<BoundKind>(
      fields.choice("bound", {name_of(BoundKind::clopper_pearson), name_of(BoundKind::hoeffding),
                              name_of(BoundKind::empirical_bernstein), name_of(BoundKind::exact)}));
  certificate.bound_confidence = fields.share("bound_confidence");
  certificate.samples = fields.count("samples", kMaxSamples);
  certificate.invalid = fields.count("invalid", kMaxSamples);
  certificate.rate = fields.share("rate");
  if (fields.has("target")) out.target = fields.share("target");
  if (fields.has("target_met")) out.target_met = fields.flag("target_met");
  if (certificate.bound != BoundKind::exact) read_samples(fields, out);
  read_noise(fields.object("noise"), out);
  const double threshold = fields.share("threshold");
  const std::uint64_t wanted = fields.count("wanted", 1);
  try {
    out.goal = Goal(threshold, static_cast<int>(wanted));
  } catch (const InvalidArgument& error) {
    throw DataError(fmt::format("{}: {}", source, error.what()));
  }
  out.model_fingerprint = fields.fingerprint("model_sha256");
  out.schema_fingerprint = fields.fingerprint("schema_sha256");
  out.before = fields.texts("before");
  out.recommended = fields.texts(certificate_key("recommended", out.version));
  out.origin = fields.numbers("origin", true);
  out.point = fields.numbers("point", true);
  out.program = fields.text("program");
  fields.require_no_other();
  return out;
}

}  // namespace

StatedCertificate read_certificate_noise(std::string_view json, const std::string& source) {
  check_json(json, source);
  const Json parsed = Json::parse(json);
  StatedCertificate out;
  out.source = source;
  read_noise(Fields(parsed, source, "noise."), out);
  return out;
}

std::optional<StatedCertificate> read_certificate(std::string_view json,
                                                  const std::string& source) {
  if (json.size() > kMaxCertificateBytes) {
    throw DataError(fmt::format("{}: has {} bytes; a certificate has at most {}", source,
                                json.size(), kMaxCertificateBytes));
  }
  check_json(json, source);
  const Json parsed = Json::parse(json);
  if (!parsed.is_object() || parsed.contains("croco_certificate")) {
    return read_fields(parsed, source);
  }
  const auto inner = parsed.find("certificate");
  if (inner == parsed.end()) {
    // An answer without advice has no certificate; anything else is no file of ours.
    if (parsed.contains("row") && parsed.contains("status")) return std::nullopt;
    for (const char* key : {"row", "status"}) {
      if (parsed.contains(key) || !parsed.contains("cost_kind")) continue;
      throw DataError(fmt::format("{}: the key '{}' is missing; an answer has it", source, key));
    }
    return read_fields(parsed, source);
  }
  StatedCertificate out = read_fields(*inner, source);
  if (parsed.contains("row") && parsed["row"].is_number_unsigned()) {
    out.row = parsed["row"].get<std::size_t>();
  }
  const std::string alternative = alternative_key(out.version);
  if (parsed.contains(alternative) && parsed[alternative].is_number_unsigned()) {
    out.alternative = parsed[alternative].get<std::size_t>();
  }
  return out;
}

}  // namespace croco
