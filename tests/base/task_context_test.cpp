// SPDX-License-Identifier: Apache-2.0
#include <croco/base/task_context.hpp>

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include <croco/base/parallel.hpp>

namespace croco {
namespace {

TEST(TaskContext, FollowsWorkThroughNestedLoops) {
  int call = 0;
  const TaskContextScope scope(&call);
  std::atomic<int> strangers = 0;
  parallel_for(8, 4, [&](std::size_t) {
    parallel_for(64, 4, [&](std::size_t) { strangers += task_context() == &call ? 0 : 1; });
  });
  EXPECT_EQ(strangers, 0);
}

TEST(TaskContext, IsRestoredAtTheEndOfTheScope) {
  int outer = 0;
  int inner = 0;
  EXPECT_EQ(task_context(), nullptr);
  {
    const TaskContextScope first(&outer);
    {
      const TaskContextScope second(&inner);
      EXPECT_EQ(task_context(), &inner);
    }
    EXPECT_EQ(task_context(), &outer);
  }
  EXPECT_EQ(task_context(), nullptr);
}

TEST(TaskContext, BelongsToItsCaller) {
  // Two callers at once, whose loops share the pool of threads.
  std::atomic<int> strangers = 0;
  const auto work = [&] {
    int call = 0;
    const TaskContextScope scope(&call);
    parallel_for(2000, 4, [&](std::size_t) { strangers += task_context() == &call ? 0 : 1; });
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(strangers, 0);
}

}  // namespace
}  // namespace croco
