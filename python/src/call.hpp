// SPDX-License-Identifier: Apache-2.0
/// A call from Python into the library. The work runs on a thread of its own; the thread that
/// called waits for it, runs the Python model when the work asks for it, and looks for signals. So
/// Python code runs where its user called it, with its exceptions and its Ctrl-C, and threads of
/// the library never hold the interpreter's lock.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>

#include <nanobind/nanobind.h>

#include <croco/base/types.hpp>

namespace croco::python {

class Call {
 public:
  using Work = std::function<void(const std::stop_token&)>;

  /// Runs `work` to its end and throws what it throws, or what Python raised meanwhile: an
  /// exception of the model, or of a signal handler, which ends the work early. In a process that
  /// was forked during a call it throws at once. The caller holds the interpreter's lock.
  static void run(const Work& work);

  /// Asks a Python function for the answers to rows, on the thread that made the call which this
  /// work belongs to. Throws Stopped when that call is to end.
  static void ask(nanobind::handle function, Rows values, MutableView answers);
  /// Calls back without an answer.
  static void tell(const std::function<void()>& callback);

 private:
  struct Request {
    std::function<void()> action;
    std::exception_ptr error = {};
    bool done = false;
  };

  void put(Request& request);
  /// False in a child that the model forked: nobody works there.
  [[nodiscard]] bool wait_for_work();
  void answer(Request& request);
  void check_signals();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request*> queue_;
  bool finished_ = false;
  std::exception_ptr raised_;  ///< by Python, the first time
  std::stop_source stop_;
};

}  // namespace croco::python
