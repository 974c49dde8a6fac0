// SPDX-License-Identifier: Apache-2.0
// The public class; what it does is in explainer_impl.cpp and its neighbours.
#include <croco/explain/explainer.hpp>

#include <memory>
#include <utility>

#include <croco/explain/explainer_impl.hpp>

namespace croco {

Explainer::Explainer(LoadedModel model, ExplainOptions options, const std::stop_token& stop)
    : impl_(std::make_unique<const Impl>(std::move(model), std::move(options), stop)) {}

Explainer::Explainer(std::shared_ptr<const Model> model, Codec codec, ExplainOptions options,
                     const std::stop_token& stop)
    : Explainer(LoadedModel{.name = {},
                            .source = {},
                            .fingerprint = {},
                            .model = std::move(model),
                            .codec = std::move(codec),
                            .unfrozen = {}},
                std::move(options), stop) {}

Explainer::~Explainer() = default;
Explainer::Explainer(Explainer&&) noexcept = default;
Explainer& Explainer::operator=(Explainer&&) noexcept = default;

std::vector<Explanation> Explainer::explain(std::span<const Person> people,
                                            const std::stop_token& stop) const {
  return impl_->explain(people, stop);
}

const LoadedModel& Explainer::model() const noexcept { return impl_->loaded(); }
const Codec& Explainer::codec() const noexcept { return impl_->codec(); }
const ExplainOptions& Explainer::options() const noexcept { return impl_->given(); }
const Noise& Explainer::noise() const noexcept { return impl_->problem().noise; }
std::size_t Explainer::shared_queries() const noexcept { return impl_->shared_queries(); }
NoiseSource Explainer::noise_source() const noexcept { return impl_->noise_source(); }
const Problem& Explainer::problem() const noexcept { return impl_->problem(); }

}  // namespace croco
