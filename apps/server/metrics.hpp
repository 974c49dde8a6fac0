// SPDX-License-Identifier: Apache-2.0
/// Counts and times of a server, in the text format of Prometheus.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <apps/server/work_queue.hpp>
#include <croco/service/service.hpp>

namespace croco::server {

/// Thread-safe.
class Metrics {
 public:
  void add(const std::string& route, int status, double seconds);
  void add_cancelled();
  void add_refused();
  void change_connections(int by);

  [[nodiscard]] std::string text(const WorkQueue::Counts& work,
                                 const Service::CacheCounts& cache) const;

 private:
  static constexpr std::array<double, 10> kEnds{0.001, 0.005, 0.01, 0.025, 0.05,
                                                0.1,   0.25,  1,    5,     30};
  struct Times {
    std::array<std::size_t, kEnds.size()> below = {};
    std::size_t count = 0;
    double sum = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::size_t> requests_;
  std::map<std::string, Times> times_;
  std::size_t cancelled_ = 0;
  std::size_t refused_ = 0;
  long connections_ = 0;
};

}  // namespace croco::server
