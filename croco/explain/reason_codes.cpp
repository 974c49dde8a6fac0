// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/reason_codes.hpp>

#include <algorithm>
#include <set>
#include <string_view>

#include <croco/base/error.hpp>
#include <croco/loading/reference_people.hpp>

namespace croco {
namespace {

/// Encoded columns of a feature.
std::size_t columns_of(const Codec& codec, std::size_t feature) {
  const Feature& of = codec.schema().features[feature];
  return of.type == FeatureType::categorical ? of.levels.size() : 1;
}

}  // namespace

ReasonRanking::ReasonRanking(const LoadedModel& loaded, const Goal& goal, std::size_t most)
    : goal_(goal), most_(most) {
  const auto has_code = [](const Feature& feature) { return !feature.reason_code.empty(); };
  if (std::ranges::none_of(loaded.codec.schema().features, has_code)) {
    throw InvalidArgument(
        "reason-codes is given, and no feature of the schema has a 'reason_code'");
  }
  constexpr std::size_t kMost = 512;
  accepted_ = accepted_reference(loaded, goal, 1, kMost, "reason-codes").points;
}

std::vector<ReasonCode> ReasonRanking::rank(const Model& model, const Codec& codec,
                                            View origin) const {
  const auto wanted = [&](double logit) { return sigmoid(goal_.sign() * logit); };
  const double today = wanted(model.logit(origin));
  std::vector<ReasonCode> all;
  Matrix rows(accepted_.count(), origin.size());
  Vector logits(accepted_.count());
  const std::vector<Feature>& features = codec.schema().features;
  for (std::size_t f = 0; f < features.size(); ++f) {
    if (features[f].reason_code.empty() || codec.stays_missing(f)) continue;
    const std::size_t first = codec.column_of(f);
    for (std::size_t k = 0; k < accepted_.count(); ++k) {
      std::ranges::copy(origin, rows[k].begin());
      std::ranges::copy(accepted_[k].subspan(first, columns_of(codec, f)),
                        rows[k].begin() + static_cast<std::ptrdiff_t>(first));
    }
    model.logits(rows.rows(), logits);
    double sum = 0;
    for (const double logit : logits) sum += wanted(logit) - today;
    const double gain = sum / static_cast<double>(logits.size());
    if (gain > 0) all.push_back({f, gain});
  }
  std::ranges::stable_sort(all, std::greater<>(), &ReasonCode::gain);
  std::vector<ReasonCode> out;
  std::set<std::string_view> said;
  for (const ReasonCode& one : all) {
    if (out.size() < most_ && said.insert(features[one.feature].reason_code).second) {
      out.push_back(one);
    }
  }
  return out;
}

}  // namespace croco
