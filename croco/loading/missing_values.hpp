// SPDX-License-Identifier: Apache-2.0
/// People whose records lack values and stay so: the model is asked without these values, in the
/// search, in every draw and in the certificate.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <croco/data/codec.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/loading/people.hpp>
#include <croco/models/model.hpp>

namespace croco {

/// What becomes of missing values; `models` is for MissingPolicy::keep.
struct MissingValues {
  MissingPolicy policy = MissingPolicy::error;
  ModelOfCodec models = {};
};

/// What people are answered with who lack the same values.
struct PartialModel {
  std::shared_ptr<const Model> model;
  Codec codec;
};

/// Throws ModelError or DataError naming a feature and the rule. `features` are ascending, at least
/// one.
[[nodiscard]] PartialModel partial_model(const ModelOfCodec& models, const Codec& codec,
                                         const std::vector<std::size_t>& features);

/// People who lack the same values.
struct MissingPattern {
  std::vector<std::size_t> features;  ///< ascending; empty when nothing is missing
  std::vector<std::size_t> members;   ///< places among the people, ascending
};
/// In the order of their first people. Rows that could not be read lack nothing.
[[nodiscard]] std::vector<MissingPattern> missing_patterns(const Codec& codec,
                                                           std::span<const Person> people);

/// The record with an empty text for every missing value, however that is spelt.
[[nodiscard]] Record with_blanks(const Codec& codec, Record record);

}  // namespace croco
