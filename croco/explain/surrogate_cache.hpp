// SPDX-License-Identifier: Apache-2.0
/// Surrogates of models, each fitted once however many explainers need it. A model is known by its
/// fingerprint, or by itself where it has none; a surrogate also depends on the noise, the goal,
/// the target, what may change, the seed and the rows it may cost.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include <croco/explain/explain_options.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/methods/surrogate/surrogate.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// A surrogate, and the rows that the model was asked for.
struct KeptSurrogate {
  Surrogate fit;
  std::size_t rows = 0;
};

/// Thread-safe. One surrogate is fitted at a time, on all threads; others are waited for.
class SurrogateCache {
 public:
  /// The surrogate for a problem, fitted now if it is not there. `problem` is of the model itself.
  /// `stop` ends the fit, or the wait for one, by Stopped; nothing is kept of it then.
  [[nodiscard]] std::shared_ptr<const KeptSurrogate> of(const LoadedModel& loaded,
                                                        const Problem& problem,
                                                        const ExplainOptions& options,
                                                        const std::stop_token& stop = {});

 private:
  struct Entry {
    std::string fingerprint;
    std::shared_ptr<const Model> model;
    Noise noise;
    Goal goal;
    Space space;
    std::uint64_t seed;
    double target;
    std::size_t rows;
    std::shared_ptr<const KeptSurrogate> made;
  };
  [[nodiscard]] static bool same(const Entry& a, const Entry& b);

  [[nodiscard]] std::shared_ptr<const KeptSurrogate> known(const Entry& wanted) const;
  /// Lets the next one fit; keeps the entry if it was made.
  void end_fit(Entry entry);

  std::mutex mutex_;
  std::condition_variable_any ended_;
  bool fitting_ = false;
  std::list<Entry> entries_;
};

}  // namespace croco
