// SPDX-License-Identifier: Apache-2.0
/// Workers with a queue that ends: what does not fit is refused at once instead of waiting forever.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace croco::server {

/// Thread-safe. Jobs must not throw.
class WorkQueue {
 public:
  WorkQueue(std::size_t workers, std::size_t waiting);
  /// Waits for what runs; what still waits is dropped.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// False when the queue is full.
  [[nodiscard]] bool add(std::function<void()> job);

  struct Counts {
    std::size_t workers = 0;
    std::size_t busy = 0;
    std::size_t waiting = 0;
  };
  [[nodiscard]] Counts counts() const;

 private:
  void work();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::size_t waiting_;
  std::size_t busy_ = 0;
  bool ending_ = false;
  std::vector<std::jthread> workers_;  ///< end first, before what they use
};

}  // namespace croco::server
