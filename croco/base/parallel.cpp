// SPDX-License-Identifier: Apache-2.0
#include <croco/base/parallel.hpp>

#include <algorithm>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

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

}  // namespace

void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& body) {
  if (threads == 1 || count < 2) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  // TBB would silently give no more threads than there are processors.
  constexpr unsigned kMostThreads = 1024;
  threads = std::min(threads, kMostThreads);
  const tbb::global_control limit(
      tbb::global_control::max_allowed_parallelism,
      std::max<std::size_t>(threads,
                            static_cast<std::size_t>(tbb::this_task_arena::max_concurrency())));
  tbb::task_arena arena(threads == 0 ? tbb::task_arena::automatic : static_cast<int>(threads));
  Handover begin;
  Handover end;
  const auto iterate = [&](std::size_t i) {
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
