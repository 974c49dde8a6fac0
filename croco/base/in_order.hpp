// SPDX-License-Identifier: Apache-2.0
/// Work on items that come one after the other, several at a time, with results in their order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <croco/base/task_context.hpp>

namespace croco {

/// Calls `next` until it has no item left, `work` on each, and `take` with the results in the order
/// of the items, until `take` returns false. `workers` items are worked on at once, each on a
/// thread of its own; as many again may wait to be taken, and no more are begun. `next` is called
/// by one thread at a time, `take` by the caller's. With one worker, or when no thread can be made,
/// all happens on the caller's thread. The first exception, in the order of the items, is thrown
/// here, after the results before it were taken.
template <typename Item, typename Result>
void work_in_order(std::size_t workers, const std::function<std::optional<Item>()>& next,
                   const std::function<Result(Item)>& work,
                   const std::function<bool(Result)>& take) {
  struct Done {
    std::optional<Result> result;
    std::exception_ptr fault;
  };
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::size_t, Done> done;
  std::size_t begun = 0;
  std::size_t taken = 0;
  bool over = false;  // nothing more is begun
  const auto run = [&, context = task_context()] {
    const TaskContextScope scope(context);
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return over || begun - taken < 2 * workers; });
      if (over) return;
      const std::size_t index = begun;
      Done one;
      std::optional<Item> item;
      try {
        item = next();  // under the lock: one at a time, and in order
      } catch (...) {
        one.fault = std::current_exception();
      }
      if (!item && !one.fault) {
        over = true;
        changed.notify_all();
        return;
      }
      ++begun;
      if (item) {
        lock.unlock();
        try {
          one.result.emplace(work(std::move(*item)));
        } catch (...) {
          one.fault = std::current_exception();
        }
        lock.lock();
      }
      if (one.fault) over = true;
      done.emplace(index, std::move(one));
      changed.notify_all();
    }
  };
  const auto take_next = [&](std::unique_lock<std::mutex>& lock) {
    auto found = done.extract(taken);
    ++taken;
    changed.notify_all();
    if (found.mapped().fault) std::rethrow_exception(found.mapped().fault);
    lock.unlock();
    const bool more = take(std::move(*found.mapped().result));
    lock.lock();
    return more;
  };

  std::vector<std::jthread> threads;
  try {
    while (workers > 1 && threads.size() < workers) threads.emplace_back(run);
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    // Fewer will do.
  }
  if (threads.empty()) {
    while (std::optional<Item> item = next()) {
      if (!take(work(std::move(*item)))) return;
    }
    return;
  }
  // Threads end before what they use, whatever happens here.
  struct End {
    std::mutex& mutex;
    std::condition_variable& changed;
    bool& over;
    std::vector<std::jthread>& threads;
    ~End() {
      {
        const std::lock_guard lock(mutex);
        over = true;
      }
      changed.notify_all();
      threads.clear();
    }
  } const end{mutex, changed, over, threads};
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return done.contains(taken) || (over && taken == begun); });
    if (!done.contains(taken) || !take_next(lock)) return;
  }
}

}  // namespace croco
