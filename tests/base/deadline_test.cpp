// SPDX-License-Identifier: Apache-2.0
#include <croco/base/deadline.hpp>

#include <chrono>

#include <gtest/gtest.h>

namespace croco {
namespace {

TEST(Deadline, StopsWhenTheTimeIsUp) {
  const Deadline deadline(0.01, {});
  const auto begin = std::chrono::steady_clock::now();
  while (!deadline.token().stop_requested()) std::this_thread::yield();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(5));
}

TEST(Deadline, StopsWithTheOtherTokenAndAtOnceWhenThatHasStopped) {
  std::stop_source source;
  const Deadline deadline(3600, source.get_token());
  EXPECT_FALSE(deadline.token().stop_requested());
  source.request_stop();
  EXPECT_TRUE(deadline.token().stop_requested());
  EXPECT_TRUE(Deadline(3600, source.get_token()).token().stop_requested());
}

TEST(Deadline, LeavesTheOtherTokenAloneAndEndsWithoutWaiting) {
  std::stop_source source;
  const auto begin = std::chrono::steady_clock::now();
  std::stop_token token;
  {
    const Deadline deadline(1e300, source.get_token());
    token = deadline.token();
  }
  EXPECT_FALSE(token.stop_requested());
  EXPECT_FALSE(source.stop_requested());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(1));
}

}  // namespace
}  // namespace croco
