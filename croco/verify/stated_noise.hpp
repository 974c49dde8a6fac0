// SPDX-License-Identifier: Apache-2.0
/// The names in a certificate, and the model's own columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <croco/data/codec.hpp>
#include <croco/verify/verify.hpp>

namespace croco {

/// The values by the model's own order of names, which must be exactly the stated ones.
template <typename Value>
[[nodiscard]] std::optional<std::vector<Value>> in_order(
    const std::vector<std::pair<std::string, Value>>& stated,
    const std::vector<std::string>& names) {
  if (stated.size() != names.size()) return std::nullopt;
  std::vector<Value> out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    // Written in this order; whoever sorted the keys gets a search.
    auto found = stated.begin() + std::ptrdiff_t(i);
    if (found->first != names[i]) {
      found = std::ranges::find(stated, names[i], &std::pair<std::string, Value>::first);
    }
    if (found == stated.end()) return std::nullopt;
    out.push_back(found->second);
  }
  return out;
}

/// The noise that a certificate states. Throws DataError when its names are not the model's, and
/// InvalidArgument when its numbers are no noise.
[[nodiscard]] Noise stated_noise(const StatedCertificate& stated, const Codec& codec);

/// What no sample ever has must not be stated: a scale outside of the scope or of a category that
/// flips, the shape of a column without noise. Nothing that is counted could tell whether it is
/// true. Throws DataError naming the column.
void require_drawn(const Noise& noise, const Codec& codec);

}  // namespace croco
