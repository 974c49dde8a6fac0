// SPDX-License-Identifier: Apache-2.0
#include <croco/service/question.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/json_check.hpp>
#include <croco/base/json_text.hpp>
#include <croco/data/json_object.hpp>
#include <croco/service/record_check.hpp>
#include <croco/service/request_error.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLargestWhole = 9'007'199'254'740'991;
constexpr std::array<std::pair<const char*, MissingPolicy>, 3> kMissing{
    {{"error", MissingPolicy::error},
     {"impute", MissingPolicy::impute},
     {"keep", MissingPolicy::keep}}};
constexpr std::array<std::pair<const char*, Movement>, 3> kDirections{
    {{"both", Movement::both}, {"up", Movement::up}, {"down", Movement::down}}};
constexpr std::array<std::pair<const char*, const char*>, 4> kMethods{
    {{"certified", "certified"}, {"croco", "croco"}, {"probe", "probe"}, {"wachter", "wachter"}}};
constexpr std::array<std::pair<const char*, const char*>, 4> kScopes{
    {{"all", "all"}, {"continuous", "continuous"}, {"movable", "movable"}, {"changed", "changed"}}};

/// The JSON of a request. The parser's own message would repeat what it read.
Json parse(std::string_view text) {
  try {
    check_json(text, "the request");
  } catch (const DataError& error) {
    const std::string what = error.what();
    const std::size_t place = what.find("line ");
    const std::size_t end = what.find_first_of(":;,", place == std::string::npos ? 0 : place + 5);
    if (what.find("twice") != std::string::npos) {
      throw BadRequest("the request: a key occurs twice in one object");
    }
    throw BadRequest(fmt::format(
        "the request is no JSON text{}",
        place == std::string::npos ? "" : " (" + what.substr(place, end - place) + ")"));
  }
  try {
    return parse_json(text);
  } catch (const Json::exception&) {
    throw BadRequest("the request is no JSON text");
  }
}

template <typename Number>
void require_range(const char* name, Number value, Number least, Number most) {
  if (value >= least && value <= most) return;
  throw InvalidArgument(
      fmt::format("{} is {}; it must be a whole number from {} to {}", name, value, least, most));
}

std::size_t whole(const JsonObject& object, const char* key, std::size_t otherwise,
                  std::size_t least, std::size_t most) {
  const std::size_t value = object.count(key).value_or(otherwise);
  require_range(key, value, least, most);
  return value;
}

double open_unit(const JsonObject& object, const char* key, double otherwise) {
  const double value = object.number(key).value_or(otherwise);
  require_open_unit(key, value);
  return value;
}

std::map<std::string, double> numbers_by_feature(const JsonObject& object, const char* key,
                                                 const Schema& schema) {
  std::map<std::string, double> out;
  const Json* values = object.find(key);
  if (values == nullptr) return out;
  if (!values->is_object()) object.fail(fmt::format("'{}' must be an object", key));
  for (const auto& [name, value] : values->items()) {
    static_cast<void>(schema.index_of(name));
    if (!value.is_number()) object.fail(fmt::format("'{}' of '{}' must be a number", key, name));
    out.emplace(name, value.get<double>());
  }
  return out;
}

NoiseQuestion read_noise(const Json& json, const Schema& schema) {
  const JsonObject object(json, "noise", {"spec", "on", "scales", "flips", "falls_short"});
  NoiseQuestion out;
  out.spec = object.text_or("spec");
  if (object.find("on") != nullptr) out.scope = object.choice("on", kScopes);
  out.scales = numbers_by_feature(object, "scales", schema);
  out.flips = numbers_by_feature(object, "flips", schema);
  out.falls_short = object.truth("falls_short").value_or(false);
  return out;
}

std::vector<Restriction> read_restrictions(const Json& json, const Schema& schema) {
  if (!json.is_object()) throw BadRequest("features must be an object");
  std::vector<Restriction> out;
  for (const auto& [name, value] : json.items()) {
    const JsonObject object(value, fmt::format("features: '{}'", name),
                            {"fixed", "minimum", "maximum", "direction", "levels"});
    Restriction one{.feature = schema.index_of(name),
                    .fixed = object.truth("fixed").value_or(false),
                    .minimum = object.number("minimum"),
                    .maximum = object.number("maximum")};
    if (object.find("direction") != nullptr) one.movement = object.choice("direction", kDirections);
    if (object.find("levels") != nullptr) {
      one.levels = object.texts("levels", "level");
      if (one.levels.empty()) object.fail("'levels' must name at least one");
    }
    if (one != Restriction{.feature = one.feature}) out.push_back(std::move(one));
  }
  std::ranges::sort(out, {}, &Restriction::feature);
  return out;
}

void read_person(const Json& json, const Schema& schema, std::span<const Person> people,
                 Question& out) {
  const JsonObject object(json, "person", {"row", "record"});
  const Json* record = object.find("record");
  const std::optional<std::size_t> row = object.count("row");
  if (record != nullptr) {
    out.typed = true;
    out.person.record = read_record(*record, schema, "person: record");
    out.person.row = row.value_or(0);
    if (out.person.row > kLargestWhole) object.fail("'row' is too large");
    return;
  }
  if (!row) object.fail("either 'row' or 'record' must be there");
  if (*row >= people.size()) {
    throw NotFound(people.empty()
                       ? std::string("person: no people are loaded; give a record")
                       : fmt::format("person: there are rows 0 to {}", people.size() - 1));
  }
  out.person = people[*row];
}

std::vector<std::string> known_keys(QuestionKind kind) {
  std::vector<std::string> known{"person",      "method",      "target",       "confidence",
                                 "noise",       "features",    "alternatives", "disjoint",
                                 "max_changes", "max_samples", "threshold",    "wanted",
                                 "reasons",     "missing",     "seed"};
  if (kind == QuestionKind::tradeoff) known.emplace_back("targets");
  if (kind == QuestionKind::compare) known.emplace_back("methods");
  if (kind == QuestionKind::certify || kind == QuestionKind::cloud) known.emplace_back("after");
  if (kind == QuestionKind::cloud) known.emplace_back("count");
  return known;
}

void read_targets(const JsonObject& object, Question& out) {
  constexpr std::size_t kMostTargets = 24;
  out.targets = {0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01};
  if (object.find("targets") == nullptr) return;
  out.targets.clear();
  for (const Json& one : object.array("targets")) {
    if (!one.is_number()) object.fail("'targets' must be an array of numbers");
    out.targets.push_back(one.get<double>());
    require_open_unit("target", out.targets.back());
  }
  require_range("the number of targets", out.targets.size(), std::size_t{1}, kMostTargets);
}

void read_methods(const JsonObject& object, Question& out) {
  out.methods = {"certified", "croco", "probe", "wachter"};
  if (object.find("methods") == nullptr) return;
  out.methods = object.texts("methods", "method");
  require_range("the number of methods", out.methods.size(), std::size_t{1}, kMethods.size());
  for (const std::string& name : out.methods) {
    if (std::ranges::any_of(kMethods, [&](const auto& one) { return one.first == name; })) continue;
    object.fail("'methods' may have certified, croco, probe and wachter");
  }
}

void read_answer_options(const JsonObject& object, const ServiceOptions& defaults,
                         const Schema& schema, Question& out) {
  if (object.find("method") != nullptr) out.method = object.choice("method", kMethods);
  out.target = open_unit(object, "target", defaults.target);
  out.confidence = open_unit(object, "confidence", defaults.confidence);
  if (const Json* noise = object.find("noise")) out.noise = read_noise(*noise, schema);
  if (const Json* limits = object.find("features")) {
    out.restrictions = read_restrictions(*limits, schema);
  }
  out.alternatives = whole(object, "alternatives", 1, 1, 16);
  out.disjoint = object.truth("disjoint").value_or(false);
  if (const auto most = object.count("max_changes")) {
    require_range("max_changes", *most, std::size_t{1}, std::max<std::size_t>(*most, 1));
    out.max_changes = most;
  }
  out.max_samples = whole(object, "max_samples", out.max_samples, 1, 1'000'000);
  if (object.find("threshold") != nullptr) out.threshold = open_unit(object, "threshold", 0.5);
  if (object.find("wanted") != nullptr) {
    out.wanted = static_cast<int>(whole(object, "wanted", 1, 0, 1));
  }
  out.reasons = object.truth("reasons").value_or(true);
  if (object.find("missing") != nullptr) out.missing = object.choice("missing", kMissing);
  out.seed = whole(object, "seed", 0, 0, kLargestWhole);
}

}  // namespace

Question read_question(std::string_view json, QuestionKind kind, const LoadedModel& loaded,
                       std::span<const Person> people, const ServiceOptions& defaults) {
  const Json document = parse(json);
  const Schema& schema = loaded.codec.schema();
  Question out;
  try {
    const JsonObject object(document, "the request", known_keys(kind));
    read_person(object.get("person"), schema, people, out);
    read_answer_options(object, defaults, schema, out);
    if (kind == QuestionKind::tradeoff) read_targets(object, out);
    if (kind == QuestionKind::compare) read_methods(object, out);
    if (const Json* after = object.find("after")) {
      out.after = read_record(*after, schema, "after");
    } else if (kind == QuestionKind::certify) {
      object.fail("the key 'after' is missing");
    }
    if (kind == QuestionKind::cloud) out.count = whole(object, "count", 1000, 1, 5000);
  } catch (const DataError& error) {  // of the question's form, not of the person
    throw BadRequest(error.what());
  }
  const std::string fault = out.person.problem.empty()
                                ? record_fault(loaded.codec, out.person.record, out.missing)
                                : "the row cannot be read";
  if (!fault.empty()) throw DataError(fmt::format("person: {}", fault));
  if (out.after) {
    const std::string wrong = record_fault(loaded.codec, *out.after, out.missing);
    if (!wrong.empty()) throw DataError(fmt::format("after: {}", wrong));
  }
  return out;
}

VerifyQuestion read_verify_question(std::string_view json) {
  const Json document = parse(json);
  VerifyQuestion out;
  try {
    const JsonObject object(document, "the request", {"text", "seed", "samples"});
    const Json& text = object.get("text");
    if (!text.is_string()) object.fail("'text' must be a string");
    out.text = text.get<std::string>();
    if (object.find("seed") != nullptr) out.seed = whole(object, "seed", 0, 0, kLargestWhole);
    out.samples = whole(object, "samples", out.samples, 1, 1'000'000);
  } catch (const DataError& error) {
    throw BadRequest(error.what());
  }
  return out;
}

}  // namespace croco
