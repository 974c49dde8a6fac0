// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/bundle.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/base64.hpp>
#include <croco/base/error.hpp>
#include <croco/base/json_check.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/sha256.hpp>
#include <croco/data/json_object.hpp>
#include <croco/loading/foreign_model.hpp>
#include <croco/models/files/model_file.hpp>
#include <croco/models/model_budget.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVersionKey = "croco_bundle";
static_assert(std::endian::native == std::endian::little, "examples are little-endian doubles");

std::string bytes_of(View values) {
  std::string out(values.size_bytes(), '\0');
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

Json reading_json(const Bundle& bundle) {
  Json out = Json::object();
  if (!bundle.rounds.empty()) out["rounds"] = bundle.rounds;
  if (!bundle.category_orders.empty()) out["category_orders"] = bundle.category_orders;
  if (!bundle.score.empty()) out["score"] = bundle.score;
  if (!bundle.decision.empty()) out["decision"] = bundle.decision;
  return out;
}

std::string decoded(const JsonObject& object, const char* key) {
  const Json& value = object.get(key);
  if (!value.is_string()) object.fail(fmt::format("'{}' must be a string of base64", key));
  std::optional<std::string> bytes = from_base64(value.get_ref<const std::string&>());
  if (!bytes) object.fail(fmt::format("'{}' is no base64, or was cut off", key));
  return *std::move(bytes);
}

std::shared_ptr<const Matrix> parse_examples(const Json& json, const std::string& where) {
  const JsonObject object(json, where, {"width", "values"});
  const std::size_t width = object.count("width").value_or(0);
  const std::string bytes = decoded(object, "values");
  if (width == 0 || bytes.size() % (width * sizeof(double)) != 0) {
    object.fail(
        fmt::format("'values' are {} bytes, which are no rows of {} numbers", bytes.size(), width));
  }
  auto out = std::make_shared<Matrix>(bytes.size() / (width * sizeof(double)), width);
  std::memcpy(out->data.data(), bytes.data(), bytes.size());
  for (const double value : out->data) {
    if (!std::isfinite(value)) object.fail("'values' hold a number that is not finite");
  }
  return out;
}

Goal parse_goal(const Json& json, const std::string& where) {
  const JsonObject object(json, where, {"threshold", "wanted"});
  const double threshold = object.number("threshold").value_or(0.5);
  const std::size_t wanted = object.count("wanted").value_or(1);
  try {
    return Goal(threshold, static_cast<int>(std::min<std::size_t>(wanted, 2)));
  } catch (const InvalidArgument& error) {
    object.fail(error.what());
  }
}

/// What a bundle says is its own business.
void require_no_reading(const LoadModelOptions& options, const std::string& source) {
  const bool stated = options.rounds.kind != RoundChoice::Kind::unstated ||
                      !options.category_orders.empty() || options.score != ScoreChoice{};
  if (stated || options.encoded || options.box || options.freeze_immutable) {
    throw InvalidArgument(
        fmt::format("{} is a bundle, which says itself how its model is read; leave out {}", source,
                    stated ? "rounds, category-order, score and decision"
                           : "encoded, box and freeze-immutable"));
  }
}

LoadModelOptions reading_of(const Bundle& bundle) {
  LoadModelOptions out;
  if (!bundle.rounds.empty()) out.rounds = parse_rounds(bundle.rounds);
  out.category_orders = parse_category_orders(bundle.category_orders);
  out.score = {parse_score_kind(bundle.score), parse_decided_by(bundle.decision)};
  return out;
}

LoadedModel bound(const Bundle& bundle, const Codec& codec, const std::string& source) {
  const LoadModelOptions reading = reading_of(bundle);
  if (bundle.examples && bundle.examples->width != codec.width()) {
    throw DataError(fmt::format("{}: the examples have {} columns; the encoding has {}", source,
                                bundle.examples->width, codec.width()));
  }
  if (const auto foreign = read_foreign_model(bundle.model, source, reading)) {
    return load_foreign_on(*foreign, reading, source,
                           fingerprint_of(bundle.model, *foreign, reading), codec, bundle.examples);
  }
  const ModelFile file = parse_model(bundle.model, source);
  if (codec.width() != file.model->width()) {
    throw ModelError(fmt::format("{}: the model takes {} columns; its encoding has {}", source,
                                 file.model->width(), codec.width()));
  }
  require_small_draws(file.model->evaluator_bytes_per_draw(), source);
  return {file.name, source, sha256(bundle.model), file.model, codec, {}};
}

}  // namespace

std::string bundle_json(const Bundle& bundle) {
  Json out;
  out[kVersionKey] = kBundleVersion;
  out["goal"] = {{"threshold", bundle.goal.threshold()}, {"wanted", bundle.goal.wanted()}};
  out["encoding"] = parse_json(bundle.encoding);
  const Json reading = reading_json(bundle);
  if (!reading.empty()) out["reading"] = reading;
  if (!bundle.extra.empty()) out["extra"] = parse_json(bundle.extra);
  out["model"] = base64(bundle.model);
  if (bundle.examples) {
    out["examples"] = {{"width", bundle.examples->width},
                       {"values", base64(bytes_of(bundle.examples->data))}};
  }
  return json_text(out, 1) + "\n";
}

Bundle parse_bundle(std::string_view json, const std::string& source) {
  ModelBudget budget(json.size(), source);
  budget.keep(check_json(json, source));
  const Json document = parse_json(json);
  check_version(document, kVersionKey, kBundleVersion, source);
  const JsonObject object(
      document, source, {kVersionKey, "goal", "encoding", "reading", "extra", "model", "examples"});
  Bundle out{.model = decoded(object, "model"), .encoding = json_text(object.get("encoding"))};
  if (const Json* reading = object.find("reading")) {
    const JsonObject said(*reading, source + ": reading",
                          {"rounds", "category_orders", "score", "decision"});
    out.rounds = said.text_or("rounds");
    out.category_orders = said.texts("category_orders", "order");
    out.score = said.text_or("score");
    out.decision = said.text_or("decision");
  }
  if (const Json* goal = object.find("goal")) out.goal = parse_goal(*goal, source + ": goal");
  if (const Json* examples = object.find("examples")) {
    out.examples = parse_examples(*examples, source + ": examples");
  }
  if (const Json* extra = object.find("extra")) out.extra = json_text(*extra);
  return out;
}

LoadedModel load_bundle(std::string_view json, const std::string& source,
                        const LoadModelOptions& options) {
  require_no_reading(options, source);
  const Bundle bundle = parse_bundle(json, source);
  Codec codec = Codec::from_json(bundle.encoding, source + ": encoding");
  if (options.schema) codec = codec.with_schema(*options.schema);
  codec = codec.with_cost(options.cost);
  try {
    LoadedModel out = bound(bundle, codec, source);
    out.goal = bundle.goal;
    return out;
  } catch (const InvalidArgument& error) {  // of what the bundle says, not of what was asked for
    throw ModelError(fmt::format("{}: {}", source, error.what()));
  }
}

}  // namespace croco
