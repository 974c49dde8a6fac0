// SPDX-License-Identifier: Apache-2.0
#include <apps/server/work_queue.hpp>

#include <utility>

namespace croco::server {

WorkQueue::WorkQueue(std::size_t workers, std::size_t waiting) : waiting_(waiting) {
  for (std::size_t k = 0; k < workers; ++k) workers_.emplace_back([this] { work(); });
}

WorkQueue::~WorkQueue() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  workers_.clear();
}

bool WorkQueue::add(std::function<void()> job) {
  {
    const std::scoped_lock lock(mutex_);
    const std::size_t idle = workers_.size() - busy_;
    if (jobs_.size() >= waiting_ + idle) return false;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

WorkQueue::Counts WorkQueue::counts() const {
  const std::scoped_lock lock(mutex_);
  return {workers_.size(), busy_, jobs_.size()};
}

void WorkQueue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (ending_) return;
    {
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      ++busy_;
      lock.unlock();
      job();
    }
    lock.lock();
    --busy_;
  }
}

}  // namespace croco::server
