// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <pthread.h>
#include <stdexcept>
#include <thread>

#include <nanobind/ndarray.h>

#include <croco/base/error.hpp>
#include <croco/base/stopped.hpp>
#include <croco/base/task_context.hpp>

#include "call.hpp"

namespace nb = nanobind;

namespace croco::python {
namespace {

using Answers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Python may keep what it is given, so that it gets a copy.
nb::object copied(Rows values) {
  auto* data = new double[values.data.size()];
  std::ranges::copy(values.data, data);
  const nb::capsule owner(data,
                          [](void* memory) noexcept { delete[] static_cast<double*>(memory); });
  return nb::cast(
      nb::ndarray<nb::numpy, double, nb::ndim<2>>(data, {values.count(), values.width}, owner));
}

/// A fork copies the locks of all threads, but only the thread that forks. Locks that others held
/// are held for ever in the child, where the next call would wait for one without an end. So calls
/// are counted, and a child that was forked during one refuses to make any.
std::atomic<int> running = 0;
std::atomic<bool> forked_during_a_call = false;

void remember_running_calls() noexcept {
  if (running > 0) forked_during_a_call = true;
}

void refuse_in_a_forked_child() {
  if (!forked_during_a_call) return;
  throw std::runtime_error(
      "this process was forked while a thread of its parent was inside croco, whose locks the "
      "child cannot open. Start processes with the method 'spawn' or 'forkserver', such as "
      "multiprocessing.get_context('spawn'), or fork before other threads use croco");
}

class RunningCall {
 public:
  RunningCall() {
    [[maybe_unused]] static const int registered =
        pthread_atfork(nullptr, nullptr, &remember_running_calls);
    refuse_in_a_forked_child();
    ++running;
  }
  ~RunningCall() { --running; }
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;
};

}  // namespace

void Call::run(const Work& work) {
  const RunningCall counted;
  auto call = std::make_unique<Call>();
  std::exception_ptr failure;
  auto worker = std::make_unique<std::thread>([&] {
    const TaskContextScope scope(call.get());
    try {
      work(call->stop_.get_token());
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(call->mutex_);
    call->finished_ = true;
    call->changed_.notify_all();
  });
  {
    const nb::gil_scoped_release free;
    if (call->wait_for_work()) {
      worker->join();
    } else {
      // The worker is a thread of the parent: here it can neither be joined nor stop waiting.
      (void)worker.release();
      (void)call.release();
    }
  }
  if (worker == nullptr) refuse_in_a_forked_child();
  if (call->raised_) std::rethrow_exception(call->raised_);
  if (failure) std::rethrow_exception(failure);
}

bool Call::wait_for_work() {
  constexpr auto kLook = std::chrono::milliseconds(100);
  auto next_look = std::chrono::steady_clock::now() + kLook;
  std::unique_lock lock(mutex_);
  while (!finished_) {
    changed_.wait_until(lock, next_look, [this] { return finished_ || !queue_.empty(); });
    if (!queue_.empty()) {
      Request& request = *queue_.front();
      queue_.pop_front();
      lock.unlock();
      answer(request);
      if (forked_during_a_call) return false;
      lock.lock();
      request.done = true;
      changed_.notify_all();
    }
    if (std::chrono::steady_clock::now() < next_look) continue;
    lock.unlock();
    check_signals();
    lock.lock();
    next_look = std::chrono::steady_clock::now() + kLook;
  }
  return true;
}

void Call::answer(Request& request) {
  const nb::gil_scoped_acquire gil;
  try {
    request.action();
  } catch (const nb::python_error&) {
    if (!raised_) raised_ = std::current_exception();
    request.error = std::make_exception_ptr(Stopped("the Python model raised an exception"));
    stop_.request_stop();
  } catch (...) {
    request.error = std::current_exception();
  }
}

void Call::check_signals() {
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() == 0) return;
  try {
    throw nb::python_error();
  } catch (...) {
    if (!raised_) raised_ = std::current_exception();
  }
  stop_.request_stop();
}

void Call::put(Request& request) {
  std::unique_lock lock(mutex_);
  if (stop_.stop_requested()) throw Stopped("the call was interrupted");
  queue_.push_back(&request);
  changed_.notify_all();
  changed_.wait(lock, [&] { return request.done; });
  if (request.error) std::rethrow_exception(request.error);
}

void Call::ask(nb::handle function, Rows values, MutableView answers) {
  auto* call = static_cast<Call*>(task_context());
  if (call == nullptr) throw ModelError("a Python model was asked outside of a call from Python");
  Request request{[&] {
    const nb::object given = function(copied(values));
    const auto numbers = nb::cast<Answers>(given);
    if (numbers.shape(0) != answers.size()) {
      throw ModelError("the model must answer with one number for each row");
    }
    std::copy_n(numbers.data(), answers.size(), answers.begin());
  }};
  call->put(request);
}

void Call::tell(const std::function<void()>& callback) {
  auto* call = static_cast<Call*>(task_context());
  if (call == nullptr) return;
  Request request{callback};
  call->put(request);
}

}  // namespace croco::python
