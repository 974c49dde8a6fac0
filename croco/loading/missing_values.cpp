// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/missing_values.hpp>

#include <map>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {

PartialModel partial_model(const ModelOfCodec& models, const Codec& codec,
                           const std::vector<std::size_t>& features) {
  if (!models) {
    throw ModelError(
        fmt::format("column '{}': the value is missing, and this model takes no missing values; "
                    "--missing drop or impute says what to do with such rows",
                    codec.schema().features[features.front()].name));
  }
  Codec partial = codec.with_missing(features);
  std::shared_ptr<const Model> model = models(partial);
  return {std::move(model), std::move(partial)};
}

std::vector<MissingPattern> missing_patterns(const Codec& codec, std::span<const Person> people) {
  std::vector<MissingPattern> out;
  std::map<std::vector<std::size_t>, std::size_t> places;
  for (std::size_t i = 0; i < people.size(); ++i) {
    std::vector<std::size_t> features;
    if (people[i].problem.empty()) features = codec.missing_features(people[i].record);
    const auto [place, fresh] = places.try_emplace(features, out.size());
    if (fresh) out.push_back({std::move(features), {}});
    out[place->second].members.push_back(i);
  }
  return out;
}

Record with_blanks(const Codec& codec, Record record) {
  for (const std::size_t f : codec.missing_features(record)) record[f].clear();
  return record;
}

}  // namespace croco
