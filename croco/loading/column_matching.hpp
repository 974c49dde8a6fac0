// SPDX-License-Identifier: Apache-2.0
/// Finds the columns of a model of another program among the features of a schema, by name. The
/// rule is in docs/reference/models.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <croco/data/codec.hpp>
#include <croco/loading/category_codes.hpp>
#include <croco/models/input_columns.hpp>

namespace croco {

/// What a model of another program says of its columns.
struct ForeignColumns {
  std::size_t width = 0;
  /// One per column, or none: then columns go by their order.
  std::vector<std::string> names = {};
  /// By column, the levels whose places are its codes; none where the model does not say.
  std::vector<std::vector<std::string>> levels = {};
  /// By column, whether it is a category of which not even that is clear: see `CodedColumn`.
  std::vector<bool> unexplained_codes = {};
  /// By column, the hashes of a category of texts: see `TreeEnsemble::hashed_levels`.
  std::vector<std::optional<std::vector<std::int32_t>>> hashed_levels = {};
};

/// The first column whose splits ask for texts, if there is one: it takes no numbers.
[[nodiscard]] std::optional<std::size_t> text_column(const ForeignColumns& columns);

/// The columns of a model that takes encoded data. What `Codec::missing` names is NaN.
[[nodiscard]] InputColumns encoded_columns(const Codec& codec);

/// A column may be called after a numeric feature (own units), after a categorical one (a code for
/// its level), or after a level: `purpose=radio`, and the same with `_`, `.`, `:` or `__`; blanks
/// may be underscores. Without names, columns are the features, when all are numbers, or else the
/// codec's own columns, in order. `orders`: what codes are where the model does not say. What
/// `Codec::missing` names is NaN as a number or a code, and 0 in every column of a level. Throws
/// ModelError naming `source`, the column and what there is, and InvalidArgument for orders that do
/// not fit.
[[nodiscard]] InputColumns match_columns(const Codec& codec, const ForeignColumns& columns,
                                         const std::string& source,
                                         const CategoryOrders& orders = {});

}  // namespace croco
