// SPDX-License-Identifier: Apache-2.0
#include <croco/base/parallel.hpp>

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 4U}) {
    for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
      std::vector<std::atomic<int>> visits(count);
      parallel_for(count, threads, [&](std::size_t i) { ++visits[i]; });
      for (const auto& visit : visits) EXPECT_EQ(visit, 1);
    }
  }
}

TEST(ParallelFor, ThrowsWhatAnIterationThrows) {
  for (const unsigned threads : {1U, 4U}) {
    EXPECT_EQ(fixtures::message_of<DataError>([&] {
                parallel_for(100, threads, [](std::size_t i) {
                  if (i == 57) throw DataError("row 57 is wrong");
                });
                return 0;
              }),
              "row 57 is wrong");
  }
}

TEST(ParallelFor, StopsAfterAnException) {
  std::size_t visited = 0;
  EXPECT_THROW(parallel_for(1000, 1,
                            [&](std::size_t i) {
                              ++visited;
                              if (i == 3) throw std::runtime_error("stop");
                            }),
               std::runtime_error);
  EXPECT_EQ(visited, 4U);
}

TEST(ParallelFor, MayBeNested) {
  std::atomic<int> visits = 0;
  parallel_for(8, 4, [&](std::size_t) { parallel_for(8, 4, [&](std::size_t) { ++visits; }); });
  EXPECT_EQ(visits, 64);
}

}  // namespace
}  // namespace croco
