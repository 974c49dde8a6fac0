// SPDX-License-Identifier: Apache-2.0
/// Values of a line of a report, as the code that makes it again needs them.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_text.hpp>
#include <croco/data/codec.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/proof/proof.hpp>
#include <croco/report/record_json.hpp>
#include <croco/verify/stated_noise.hpp>

namespace croco::row {

using Json = nlohmann::ordered_json;

/// What a line would have to say and does not.
class Fault : public Error {
 public:
  using Error::Error;
};

inline std::optional<double> number_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (!found->is_number()) {
    throw Fault(
        fmt::format("'{}' is {}; it must be a number", key, json_text(*found).substr(0, 60)));
  }
  return found->get<double>();
}

template <typename Name>
Name choice(const Json& object, const char* key, std::initializer_list<Name> allowed) {
  const Json value = object.value(key, Json());
  for (const Name name : allowed) {
    if (value == name_of(name)) return name;
  }
  throw Fault(fmt::format("'{}' is {}, which is none of its words", key, json_text(value)));
}

/// The texts of a record in the schema's order, empty for null; nothing when it does not name
/// exactly the features.
inline std::optional<Record> record_of(const Json& object, const Schema& schema) {
  if (!object.is_object()) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [name, value] : object.items()) {
    const std::optional<std::string> text = record_text(value);
    if (!text) return std::nullopt;
    texts.emplace_back(name, *text);
  }
  std::vector<std::string> features;
  for (const Feature& feature : schema.features) features.push_back(feature.name);
  return in_order(texts, features);
}

/// Plausibility as a row states it, which rests on people who are in no report.
inline std::optional<Plausibility> plausibility_of(const Json& row,
                                                   std::vector<std::string>& unchecked) {
  const auto found = row.find("plausibility");
  if (found == row.end()) return std::nullopt;
  unchecked.emplace_back("plausibility: how unusual the record is");
  return Plausibility{found->at("distance").get<double>(), found->at("share").get<double>(),
                      found->at("nearest").get<std::size_t>()};
}

/// Reason codes as a row states them, each of which has to be its feature's own. Their order and
/// gains are for a run that is made again to check: no report has the accepted people.
inline std::vector<ReasonCode> reason_codes_of(const Json& row, const Schema& schema,
                                               std::vector<std::string>& unchecked) {
  std::vector<ReasonCode> out;
  if (!row.contains("reason_codes")) return out;
  unchecked.emplace_back("reason_codes: which cost most score");
  for (const Json& one : row.at("reason_codes")) {
    const auto name = one.at("feature").get<std::string>();
    const auto found = std::ranges::find(schema.features, name, &Feature::name);
    if (found == schema.features.end() || found->reason_code.empty() ||
        one.at("code") != found->reason_code) {
      throw Fault(fmt::format("'reason_codes' has {} for '{}', which is not the schema's",
                              json_text(one.at("code")), name));
    }
    out.push_back(
        {static_cast<std::size_t>(found - schema.features.begin()), one.at("gain").get<double>()});
  }
  return out;
}

/// A proof as a row states it.
inline Proof proof_of(const Json& json) {
  Proof proof;
  proof.basis =
      choice(json, "basis",
             {ProofBasis::none, ProofBasis::smoothing, ProofBasis::sampling, ProofBasis::exact});
  proof.confidence = number_of(json, "confidence").value_or(0);
  proof.infeasible = json.value("infeasible", Json()) == true;
  proof.lower = proof.infeasible ? std::numeric_limits<double>::infinity()
                                 : number_of(json, "cost_lower").value_or(0);
  if (const auto sampled = json.find("sampled"); sampled != json.end() && sampled->is_object()) {
    proof.samples = sampled->value("samples", std::size_t{0});
    proof.allowed = sampled->value("allowed", std::size_t{0});
    proof.sampled_cost = number_of(*sampled, "cost");
    proof.solved = sampled->value("solved", Json()) == true;
    proof.boxes = sampled->value("boxes", std::size_t{0});
  }
  return proof;
}

}  // namespace croco::row
