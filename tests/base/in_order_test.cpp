// SPDX-License-Identifier: Apache-2.0
#include <croco/base/in_order.hpp>

#include <atomic>
#include <chrono>
#include <stdexcept>

#include <gmock/gmock.h>

namespace croco {
namespace {

struct Outcome {
  std::vector<int> taken;
  int most_ahead = 0;
  std::string fault;
};

/// Squares of 0 to count - 1; the work on one of them throws.
Outcome squares(std::size_t workers, int count, int throws = -1, int enough = 1'000'000) {
  Outcome out;
  int next = 0;
  std::atomic<int> taken = 0;
  try {
    work_in_order<int, int>(
        workers,
        [&]() -> std::optional<int> {
          out.most_ahead = std::max(out.most_ahead, next - taken);
          if (next == count) return std::nullopt;
          return next++;
        },
        [&](int item) {
          // The earlier, the longer, so that they end in another order.
          std::this_thread::sleep_for(std::chrono::microseconds(50 * (7 - item % 8)));
          if (item == throws) throw std::runtime_error("fault " + std::to_string(item));
          return item * item;
        },
        [&](int square) {
          out.taken.push_back(square);
          return ++taken < enough;
        });
  } catch (const std::runtime_error& error) {
    out.fault = error.what();
  }
  return out;
}

TEST(InOrderTest, ResultsComeInTheOrderOfTheItems) {
  for (const std::size_t workers : {1U, 2U, 5U}) {
    for (const int count : {0, 1, 3, 200}) {
      const Outcome run = squares(workers, count);
      ASSERT_EQ(run.taken.size(), static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) EXPECT_EQ(run.taken[static_cast<std::size_t>(i)], i * i);
      EXPECT_LE(run.most_ahead, static_cast<int>(2 * workers)) << "a bounded number in flight";
    }
  }
}

TEST(InOrderTest, WhatCameBeforeAFaultIsTaken) {
  for (const std::size_t workers : {1U, 3U}) {
    const Outcome run = squares(workers, 100, 20);
    EXPECT_EQ(run.fault, "fault 20");
    EXPECT_EQ(run.taken.size(), 20U);
  }
}

TEST(InOrderTest, EndsWhenEnoughIsTaken) {
  for (const std::size_t workers : {1U, 3U})
    EXPECT_EQ(squares(workers, 100, 60, 10).taken.size(), 10U);
}

TEST(InOrderTest, AFaultOfTakingIsThrown) {
  for (const std::size_t workers : {1U, 3U}) {
    int next = 0;
    EXPECT_THROW(
        (work_in_order<int, int>(
            workers, [&]() -> std::optional<int> { return next++; }, [](int item) { return item; },
            [](int item) -> bool {
              if (item == 5) throw std::runtime_error("full");
              return true;
            })),
        std::runtime_error);
  }
}

}  // namespace
}  // namespace croco
