// SPDX-License-Identifier: Apache-2.0
/// Which numbers stand for the levels of a category in a model of another program. The rule is in
/// docs/reference/models.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/data/schema.hpp>
#include <croco/loading/loaded_model.hpp>

namespace croco {

/// The same, in one text: equal orders have equal texts.
[[nodiscard]] std::string text_of(const CategoryOrders& orders);

/// A column of the model that takes codes, as far as its file tells.
struct CodedColumn {
  std::string name = {};
  /// The levels whose places are the codes; empty when the file does not hold them.
  std::vector<std::string> levels = {};
  /// Without these: whether even levels that are numbers may have been replaced by their places.
  bool unexplained = false;
  /// Of a category of texts, the hashes whose places are the codes.
  std::optional<std::vector<std::int32_t>> hashes = {};
};

/// The codes of a categorical feature's levels: places among the model's own, NaN for a level that
/// it does not have; places of their hashes, or the one behind the last; else what is stated of
/// this feature; else the numbers that the levels are, when they must be the codes; else what is
/// stated of all features. Throws ModelError that begins with `source` when nothing says what the
/// codes are, and InvalidArgument when what is stated cannot be.
[[nodiscard]] Vector category_codes(const Feature& feature, const CodedColumn& column,
                                    const CategoryOrders& orders, const std::string& source);

/// For a feature that is a number: throws ModelError unless its numbers are what the model takes.
void require_number(const Feature& feature, const CodedColumn& column, const CategoryOrders& orders,
                    const std::string& source);

}  // namespace croco
