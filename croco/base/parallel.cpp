// SPDX-License-Identifier: Apache-2.0
#include <croco/base/parallel.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <latch>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <croco/base/task_context.hpp>

#ifdef CROCO_TSAN
// NOLINTBEGIN(bugprone-reserved-identifier): names of the sanitizer's run-time library
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
// NOLINTEND(bugprone-reserved-identifier)
#endif

namespace croco {
namespace {

/// ThreadSanitizer does not see how TBB synchronises. What threads did before `give` on a handover
/// has happened for those who then `take` it. Does nothing in other builds.
class Handover {
 public:
  void give() noexcept {
#ifdef CROCO_TSAN
    __tsan_release(&place_);
#endif
  }
  void take() noexcept {
#ifdef CROCO_TSAN
    __tsan_acquire(&place_);
#endif
  }

 private:
  [[maybe_unused]] char place_ = 0;
};

/// How many threads there are in this process.
std::size_t running_threads() {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return error ? 1 : static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

/// Makes as many threads as the system allows, `count` at most, and ends them again.
std::size_t try_threads(std::size_t count) {
  const std::size_t before = running_threads();
  std::vector<std::thread> made;
  made.reserve(count);
  std::latch end(1);
  try {
    while (made.size() < count) made.emplace_back([&] { end.wait(); });
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    // That is all there are.
  }
  end.count_down();
  for (std::thread& thread : made) thread.join();
  // One that has been joined may still count against the limit for a moment.
  for (int i = 0; i < 1000 && running_threads() > before; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return made.size();
}

/// The threads to use when `wanted` are asked for: TBB ends the process when it cannot make one, so
/// that limits of the system (RLIMIT_NPROC, control groups, memory) are found out first. Where
/// there are fewer, half are left for everything else.
std::size_t usable_threads(std::size_t wanted) {
  static std::mutex mutex;
  static std::size_t known = 1;
  static bool limited = false;
  const std::lock_guard lock(mutex);
  if (!limited && wanted > known) {
    const std::size_t others = try_threads(wanted - 1);
    limited = others + 1 < wanted;
    known = limited ? std::max(known, 1 + others / 2) : wanted;
  }
  return std::min(wanted, known);
}

}  // namespace

void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& body) {
  const auto one_by_one = [&] {
    for (std::size_t i = 0; i < count; ++i) body(i);
  };
  if (threads == 1 || count < 2) return one_by_one();
  const auto current = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  // TBB would silently give no more threads than there are processors.
  constexpr std::size_t kMostThreads = 1024;
  const std::size_t wanted = threads == 0 ? current : std::min<std::size_t>(threads, kMostThreads);
  const std::size_t usable = usable_threads(wanted);
  if (usable == 1) return one_by_one();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  usable < wanted ? usable : std::max(wanted, current));
  tbb::task_arena arena(threads == 0 && usable == wanted ? tbb::task_arena::automatic
                                                         : static_cast<int>(usable));
  Handover begin;
  Handover end;
  void* const context = task_context();
  const auto iterate = [&, context](std::size_t i) {
    const TaskContextScope scope(context);
    begin.take();
    try {
      body(i);
    } catch (...) {
      end.give();
      throw;
    }
    end.give();
  };
  begin.give();
  try {
    arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, iterate); });
  } catch (...) {
    end.take();
    throw;
  }
  end.take();
}

std::size_t thread_count(unsigned threads) {
  return threads != 0 ? threads : static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
}

}  // namespace croco
