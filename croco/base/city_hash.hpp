// SPDX-License-Identifier: Apache-2.0
/// CityHash64 in its first version (Pike and Alakuijala, 2011), by which CatBoost knows texts. It
/// is no protection against anybody who looks for two texts with one hash.
#pragma once

#include <cstdint>
#include <string_view>

namespace croco {

[[nodiscard]] std::uint64_t city_hash(std::string_view text) noexcept;

}  // namespace croco
