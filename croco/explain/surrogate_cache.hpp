// SPDX-License-Identifier: Apache-2.0
/// Surrogates of models, each fitted once however many explainers need it. A model is known by its
/// fingerprint, or by itself where it has none; a surrogate also depends on the noise, the goal,
/// the target, what may change, the seed and the rows it may cost.
#pragma once

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

/// Thread-safe; a surrogate that is being fitted is waited for.
class SurrogateCache {
 public:
  /// The surrogate for a problem, fitted now if it is not there. `problem` is of the model itself.
  [[nodiscard]] std::shared_ptr<const KeptSurrogate> of(const LoadedModel& loaded,
                                                        const Problem& problem,
                                                        const ExplainOptions& options);

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

  std::mutex mutex_;
  std::list<Entry> entries_;
};

}  // namespace croco
