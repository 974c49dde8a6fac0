// SPDX-License-Identifier: Apache-2.0
/// A limit on time that everything which can be stopped honours.
#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace croco {

/// Requests a stop when some seconds have passed, or as soon as another token does.
class Deadline {
 public:
  /// `seconds` must be above 0.
  Deadline(double seconds, std::stop_token other);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  [[nodiscard]] std::stop_token token() const noexcept { return source_.get_token(); }

 private:
  struct Request {
    std::stop_source source;
    void operator()() const { static_cast<void>(source.request_stop()); }
  };

  std::stop_source source_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::stop_callback<Request> other_;
  std::jthread timer_;  ///< ends first, before what it uses
};

}  // namespace croco
