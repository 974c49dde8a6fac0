// SPDX-License-Identifier: Apache-2.0
#include <apps/server/metrics.hpp>

#include <fstream>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

namespace croco::server {
namespace {

/// A number without labels. Names of counters end in _total.
struct Plain {
  std::string_view name;
  std::string_view help;
  double value;
};

std::string text_of(const Plain& metric) {
  const std::string_view type = metric.name.ends_with("_total") ? "counter" : "gauge";
  return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", metric.name, metric.help, type,
                     metric.value);
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
  const auto connections = static_cast<double>(connections_);
  for (const Plain& metric : {
           Plain{"croco_cancelled_total", "Requests whose client went away.", number(cancelled_)},
           {"croco_refused_connections_total", "Connections beyond the limit that were closed.",
            number(refused_)},
           {"croco_connections", "Open connections.", connections},
           {"croco_workers", "Threads that answer.", number(work.workers)},
           {"croco_workers_busy", "Threads that answer at the moment.", number(work.busy)},
           {"croco_queue_length", "Requests that wait for a thread.", number(work.waiting)},
           {"croco_explainers", "Prepared explainers that are kept.", number(cache.explainers)},
           {"croco_explainer_hits_total", "Requests that found theirs.",
            number(cache.explainer_hits)},
           {"croco_explainer_misses_total", "Requests that had to make theirs.",
            number(cache.explainer_misses)},
           {"croco_sample_bytes", "Bound samples that are kept.", number(cache.sample_bytes)},
           {"croco_sample_bytes_alive", "The same, and those in use that are no longer kept.",
            number(cache.sample_bytes_alive)},
           {"croco_sample_hits_total", "Parts of samples that were there.",
            number(cache.sample_hits)},
           {"croco_sample_misses_total", "Parts of samples that had to be made.",
            number(cache.sample_misses)},
           {"process_resident_memory_bytes", "Memory in use.", resident_bytes()},
       }) {
    out += text_of(metric);
  }
  return out;
}

}  // namespace croco::server
