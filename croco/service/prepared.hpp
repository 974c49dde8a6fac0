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

  /// A limit on their number. `is_too_much` says whether more memory is in use than there may be:
  /// explainers go then, for each holds on to samples that the cache may have dropped.
  PreparedExplainers(std::size_t most, std::function<bool()> is_too_much)
      : most_(most), is_too_much_(std::move(is_too_much)) {}

  /// The explainer of these options; `make` makes it when there is none.
  [[nodiscard]] Prepared get(const std::string& key, const std::function<Prepared()>& make);

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
  };
  [[nodiscard]] Prepared find(const std::string& key);
  /// Lets go of the oldest until the limits hold or one is left.
  void trim();
  /// True when it let go of one.
  [[nodiscard]] bool drop_oldest();

  std::size_t most_;
  std::function<bool()> is_too_much_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  ///< the latest use first
  Counts counts_;
};

}  // namespace croco
