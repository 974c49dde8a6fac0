// SPDX-License-Identifier: Apache-2.0
/// Explainers that are ready for the next person. What they share, the samples, lies in a cache of
/// its own (`SampleCache`), so that an explainer with another target is quickly made.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <croco/explain/explainer.hpp>
#include <croco/report/report.hpp>

namespace croco {

/// An explainer and what reports say of its answers.
struct PreparedExplainer {
  PreparedExplainer(const LoadedModel& model, ExplainOptions options)
      : explainer(model, std::move(options)), context(report_context(explainer)) {}
  PreparedExplainer(const PreparedExplainer&) = delete;  // the context refers to the explainer
  PreparedExplainer& operator=(const PreparedExplainer&) = delete;

  Explainer explainer;
  ReportContext context;
};

/// Thread-safe. The one that was not asked for the longest time goes first.
class PreparedExplainers {
 public:
  using Prepared = std::shared_ptr<const PreparedExplainer>;

  /// Limits on their number and on their bytes.
  PreparedExplainers(std::size_t most, std::size_t bytes) : most_(most), bytes_(bytes) {}

  /// The explainer of these options; `make` makes it when there is none. `bytes` is what it takes.
  [[nodiscard]] Prepared get(const std::string& key, std::size_t bytes,
                             const std::function<Prepared()>& make);

  struct Counts {
    std::size_t kept = 0;
    std::size_t hits = 0;
    std::size_t misses = 0;
  };
  [[nodiscard]] Counts counts() const;

 private:
  struct Entry {
    std::string key;
    Prepared prepared;
    std::size_t bytes;
  };
  [[nodiscard]] Prepared find(const std::string& key);

  std::size_t most_;
  std::size_t bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  ///< the latest use first
  std::size_t used_ = 0;
  Counts counts_;
};

}  // namespace croco
