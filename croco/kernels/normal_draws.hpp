// SPDX-License-Identifier: Apache-2.0
/// Random words and standard normal draws, many at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include <croco/base/random.hpp>

namespace croco {

/// `out[i * count + k] = normal_quantile(to_uniform(random_words(stream, first + k, block)[i]))`
/// for i < 4 and k < count: exactly the numbers that those functions give one by one.
void normal_draws(const Stream& stream, std::uint64_t first, std::uint32_t block, std::size_t count,
                  double* out);

/// `out[i * count + k] = random_words(stream, first + k, block)[i]` for i < 4 and k < count.
void random_words_of(const Stream& stream, std::uint64_t first, std::uint32_t block,
                     std::size_t count, std::uint32_t* out);

}  // namespace croco
