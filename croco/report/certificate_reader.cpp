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
#include <croco/base/json_text.hpp>
#include <croco/base/random.hpp>
#include <croco/report/certificate_fields.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/first_version.hpp>
#include <croco/verify/certificate_keys.hpp>

namespace croco {
namespace {

using certificate::Fields;
using certificate::Json;

/// Samples that a counter can number.
constexpr std::uint64_t kMaxCounted = std::uint64_t{1} << 40;
/// Samples that a bound takes.
constexpr std::uint64_t kMaxSamples = 10'000'000'000;
constexpr std::uint64_t kMaxAttempts = 16;
constexpr std::uint64_t kMaxFamily = 10'000'000'000;

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
  if (fields.has("first_look")) certificate.first_look = fields.count("first_look", kMaxSamples);
  if (fields.has("attempt_stride")) {
    certificate.attempt_stride = fields.count("attempt_stride", kMaxSamples);
  }
  certificate.stop = static_cast<StopReason>(fields.choice(
      "stopped",
      {name_of(StopReason::planned), name_of(StopReason::passed), name_of(StopReason::futile)}));
}

std::vector<StatedModels::File> read_files(Fields& models, const std::string& key,
                                           bool may_be_none) {
  std::vector<StatedModels::File> out;
  if (may_be_none && models.any(key) == Json::array()) return out;
  for (Fields& file : models.objects(key)) {
    out.push_back({file.text("file"), file.fingerprint("sha256")});
    file.require_no_other();
  }
  return out;
}

void read_models(Fields models, StatedCertificate& certificate) {
  StatedModels& out = certificate.models.emplace();
  ModelChange& change = out.change;
  const Json& statements = models.any("statements");
  for (const Json& text : statements) {
    if (!text.is_string()) models.refuse("statements", "an array of texts");
    out.statements.push_back(text.get<std::string>());
  }
  change.confidence = models.share("confidence");
  change.family = models.count("family", kMaxFamily);
  change.candidates = models.count("candidates", kMaxAttempts);
  Fields joint = models.object("joint");
  change.upper = joint.share("upper");
  change.bound = joint.share("bound");
  change.rate = joint.share("rate");
  joint.require_no_other();
  Fields share = models.object("share");
  change.share_upper = share.share("upper");
  change.limit = share.share("limit");
  change.most = share.count("most", kMaxSamples);
  change.exceeding = share.count("exceeding", kMaxSamples);
  share.require_no_other();
  Fields list = models.object("list");
  change.worst_upper = list.share("upper");
  const std::string worst = list.text("worst");
  list.require_no_other();
  change.seed = models.count("seed", std::numeric_limits<std::uint64_t>::max());
  change.purpose = models.choice("purpose", {"models", "models_audit"}) == 0
                       ? Purpose::models
                       : Purpose::models_audit;
  change.shared_draws = models.any("samples_of").is_string();
  if (change.shared_draws) {
    models.choice("samples_of", {"shared"});
  } else {
    certificate.person = models.count("samples_of", Stream::kShared - 1);
  }
  change.samples = models.count("samples", kMaxSamples);
  const Json& counts = models.any("invalid");
  if (!counts.is_array() || counts.empty()) models.refuse("invalid", "an array of counts");
  for (const Json& count : counts) {
    if (!count.is_number_unsigned()) models.refuse("invalid", "an array of counts");
    change.invalid.push_back(count.get<std::size_t>());
  }
  change.rejecting = models.count("rejecting", change.invalid.size());
  out.certify = read_files(models, "certify", false);
  out.search = read_files(models, "search", true);
  const auto place = std::ranges::find(out.certify, worst, &StatedModels::File::name);
  if (place == out.certify.end()) models.refuse("list", "about one of the models that certify");
  change.worst = static_cast<std::size_t>(place - out.certify.begin());
  const Json& recipe = models.any("recipe");
  if (!recipe.is_null() && !recipe.is_object()) models.refuse("recipe", "an object or null");
  if (recipe.is_object()) {
    out.recipe = json_text(recipe, -1, BrokenText::replace);
  }
  models.require_no_other();
}

constexpr const char* kCertificateKey = "croco_certificate";

int version_of(const Json& json, const std::string& source) {
  const Json& version = Fields(json, source, "").any(kCertificateKey);
  for (int known = kFirstCertificateVersion; known <= kModelsCertificateVersion; ++known) {
    if (version == known) return known;
  }
  throw DataError(fmt::format("{}: '{}' is {}; this program reads versions {} to {}", source,
                              kCertificateKey,
                              version.is_number() ? json_text(version) : "no number",
                              kFirstCertificateVersion, kModelsCertificateVersion));
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
  if (out.version == kModelsCertificateVersion) read_models(fields.object("models"), out);
  out.program = fields.text("program");
  fields.require_no_other();
  return out;
}

}  // namespace

StatedCertificate read_certificate_noise(std::string_view json, const std::string& source) {
  check_json(json, source);
  const Json parsed = parse_json(json);
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
  const Json parsed = parse_json(json);
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
