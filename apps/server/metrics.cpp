// SPDX-License-Identifier: Apache-2.0
#include <apps/server/metrics.hpp>

#include <fstream>
#include <unistd.h>

#include <fmt/format.h>

namespace croco::server {
namespace {

std::string metric(const char* name, const char* type, const char* help, double value) {
  return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help, type, value);
}

/// Bytes of memory that the process has at the moment; 0 where the system does not say.
double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return file ? resident * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

void Metrics::add(const std::string& route, int status, double seconds) {
  const std::scoped_lock lock(mutex_);
  ++requests_[{route, status}];
  Times& times = times_[route];
  for (std::size_t k = 0; k < kEnds.size(); ++k) times.below[k] += seconds <= kEnds[k] ? 1U : 0U;
  ++times.count;
  times.sum += seconds;
}

void Metrics::add_cancelled() {
  const std::scoped_lock lock(mutex_);
  ++cancelled_;
}

void Metrics::add_refused() {
  const std::scoped_lock lock(mutex_);
  ++refused_;
}

void Metrics::change_connections(int by) {
  const std::scoped_lock lock(mutex_);
  connections_ += by;
}

std::string Metrics::text(const WorkQueue::Counts& work, const Service::CacheCounts& cache) const {
  const std::scoped_lock lock(mutex_);
  std::string out =
      "# HELP croco_requests_total Requests by route and status.\n"
      "# TYPE croco_requests_total counter\n";
  for (const auto& [key, count] : requests_) {
    out += fmt::format("croco_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", key.first,
                       key.second, count);
  }
  out +=
      "# HELP croco_request_seconds Time from the request's end to the answer's.\n"
      "# TYPE croco_request_seconds histogram\n";
  for (const auto& [route, times] : times_) {
    for (std::size_t k = 0; k < kEnds.size(); ++k) {
      out += fmt::format("croco_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", route,
                         kEnds[k], times.below[k]);
    }
    out += fmt::format(
        "croco_request_seconds_bucket{{route=\"{0}\",le=\"+Inf\"}} {1}\n"
        "croco_request_seconds_sum{{route=\"{0}\"}} {2}\n"
        "croco_request_seconds_count{{route=\"{0}\"}} {1}\n",
        route, times.count, times.sum);
  }
  const auto number = [](std::size_t value) { return static_cast<double>(value); };
  out += metric("croco_cancelled_total", "counter", "Requests whose client went away.",
                number(cancelled_));
  out += metric("croco_refused_connections_total", "counter",
                "Connections beyond the limit that were closed.", number(refused_));
  out +=
      metric("croco_connections", "gauge", "Open connections.", static_cast<double>(connections_));
  out += metric("croco_workers", "gauge", "Threads that answer.", number(work.workers));
  out += metric("croco_workers_busy", "gauge", "Threads that answer at the moment.",
                number(work.busy));
  out += metric("croco_queue_length", "gauge", "Requests that wait for a thread.",
                number(work.waiting));
  out += metric("croco_explainers", "gauge", "Prepared explainers that are kept.",
                number(cache.explainers));
  out += metric("croco_explainer_hits_total", "counter", "Requests that found theirs.",
                number(cache.explainer_hits));
  out += metric("croco_explainer_misses_total", "counter", "Requests that had to make theirs.",
                number(cache.explainer_misses));
  out += metric("croco_sample_bytes", "gauge", "Bound samples that are kept.",
                number(cache.sample_bytes));
  out += metric("croco_sample_hits_total", "counter", "Parts of samples that were there.",
                number(cache.sample_hits));
  out += metric("croco_sample_misses_total", "counter", "Parts of samples that had to be made.",
                number(cache.sample_misses));
  return out + metric("process_resident_memory_bytes", "gauge", "Memory in use.", resident_bytes());
}

}  // namespace croco::server
