// SPDX-License-Identifier: Apache-2.0
/// Which of a label's two values people hope for.
#pragma once

#include <string>
#include <vector>

#include <croco/data/csv.hpp>
#include <croco/data/schema.hpp>

namespace croco {

/// The label of a column. With `favourable` empty it is taken from the values where they say it
/// themselves (good, approved, accepted, passed), and otherwise from yes, true and 1 beside no,
/// false and 0, unless the label is named after something that people hope to avoid: "yes" to
/// `default` is bad news. A guess is noted. Throws InvalidArgument when neither decides, and
/// DataError when there are not exactly two values, or `favourable` is none of them.
[[nodiscard]] LabelColumn infer_label(const CsvTable& table, std::size_t column,
                                      const std::string& favourable,
                                      std::vector<std::string>& notes);

}  // namespace croco
