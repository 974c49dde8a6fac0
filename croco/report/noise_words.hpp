// SPDX-License-Identifier: Apache-2.0
/// What the noise is, in words: in one phrase, and feature by feature.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <croco/report/context.hpp>

namespace croco {

/// The noise of one feature.
struct NoiseOf {
  std::string feature = {};  ///< its name; of encoded one-hot columns, their names joined by " / "
  std::string name = {};     ///< for people
  std::string kind = {};     ///< `sd`, `half_width`, `scale`, `flip`, or `residuals` with their rms
  double value = 0.0;        ///< in own units; for flips the largest probability over the levels
  std::string unit = {};     ///< empty for flips
  std::string text = {};     ///< "sd 250 DM", "wrong in 2 % of cases"
  std::size_t column = 0;    ///< the first encoded column that it is about
  std::size_t columns = 1;   ///< how many
};

/// Whether noise is stated by features, and not alike for all columns.
[[nodiscard]] bool is_by_feature(const Noise& noise);
/// The features that have noise, in the order of the encoded columns.
[[nodiscard]] std::vector<NoiseOf> noise_by_feature(const ReportContext& context);

/// "gaussian noise (sd 0.1) on all columns", or with the scales of a few features in their units;
/// "... and wrong categories (savings 2 %)".
[[nodiscard]] std::string noise_phrase(const ReportContext& context);

}  // namespace croco
