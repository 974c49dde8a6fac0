// SPDX-License-Identifier: Apache-2.0
/// Explains people for one model: what to change, how far, and how often noise undoes it.
///
///     const croco::LoadedModel model = croco::load_model("model.json");
///     const croco::Explainer explainer(model, {.method = croco::Certified{.target = 0.1}});
///     for (const croco::Explanation& answer : explainer.explain(people)) { ... }
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/explain/explain_options.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/explain/feature_noise.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/models/model.hpp>

namespace croco {

struct Problem;

/// Immutable and thread-safe; what people share is made once.
class CROCO_EXPORT Explainer {
 public:
  /// The model's own accepted examples are starting points of searches without a gradient. Throws
  /// InvalidArgument, ModelError or DataError when the parts do not fit. Within a query budget the
  /// surrogate is fitted here, which may take long: `stop` ends that by an `Error`, `Stopped`.
  explicit Explainer(LoadedModel model, ExplainOptions options = {},
                     const std::stop_token& stop = {});
  /// The same for a model in code, which has no examples and no name.
  Explainer(std::shared_ptr<const Model> model, Codec codec, ExplainOptions options = {},
            const std::stop_token& stop = {});
  ~Explainer();
  Explainer(Explainer&&) noexcept;
  Explainer& operator=(Explainer&&) noexcept;

  /// One answer per person, in their order. An answer is a function of the person's row and values
  /// alone: not of the others, their order or the threads. When `stop` is requested, the answers of
  /// the people that were not finished are left out at the end.
  [[nodiscard]] std::vector<Explanation> explain(std::span<const Person> people,
                                                 const std::stop_token& stop = {}) const;

  [[nodiscard]] const LoadedModel& model() const noexcept;
  /// The model's codec, under the limit on changes that was asked for.
  [[nodiscard]] const Codec& codec() const noexcept;
  /// As they were given, with what follows from the model filled in: the noise and the starting
  /// points of the search.
  [[nodiscard]] const ExplainOptions& options() const noexcept;
  [[nodiscard]] const Noise& noise() const noexcept;
  /// Within a query budget: rows that the model was asked for once for everybody, by this explainer
  /// or by the one that fitted the surrogate; else 0.
  [[nodiscard]] std::size_t shared_queries() const noexcept;
  [[nodiscard]] NoiseSource noise_source() const noexcept;
  /// The mathematical problem behind the options.
  [[nodiscard]] const Problem& problem() const noexcept;

 private:
  class Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace croco
