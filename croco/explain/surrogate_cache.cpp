// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/surrogate_cache.hpp>

#include <algorithm>
#include <utility>

#include <croco/remote/metered_model.hpp>

namespace croco {
namespace {

constexpr std::size_t kMostKept = 16;

std::shared_ptr<const KeptSurrogate> fitted(const LoadedModel& loaded, const Problem& problem,
                                            const ExplainOptions& options) {
  const MeteredModel asked(*loaded.model, loaded.remote.get());
  const Problem own(asked, problem.space, problem.noise, options.goal, problem.seed);
  auto out = std::make_shared<KeptSurrogate>();
  out->fit = fit_surrogate(own, *loaded.examples,
                           {.rows = options.query_budget->shared_rows,
                            .method = std::get<Certified>(options.method),
                            .threads = options.threads});
  out->rows = asked.used();
  return out;
}

}  // namespace

bool SurrogateCache::same(const Entry& a, const Entry& b) {
  const bool same_model =
      a.fingerprint.empty() ? a.model == b.model : a.fingerprint == b.fingerprint;
  return same_model && a.noise == b.noise && a.goal.threshold() == b.goal.threshold() &&
         a.goal.wanted() == b.goal.wanted() && a.space == b.space && a.seed == b.seed &&
         a.target == b.target && a.rows == b.rows;
}

std::shared_ptr<const KeptSurrogate> SurrogateCache::of(const LoadedModel& loaded,
                                                        const Problem& problem,
                                                        const ExplainOptions& options) {
  Entry wanted{.fingerprint = loaded.fingerprint,
               .model = loaded.fingerprint.empty() ? loaded.model : nullptr,
               .noise = problem.noise,
               .goal = options.goal,
               .space = problem.space,
               .seed = problem.seed,
               .target = std::get<Certified>(options.method).target,
               .rows = options.query_budget->shared_rows,
               .made = {}};
  const std::scoped_lock lock(mutex_);
  const auto known =
      std::ranges::find_if(entries_, [&](const Entry& one) { return same(one, wanted); });
  if (known != entries_.end()) return known->made;
  wanted.made = fitted(loaded, problem, options);
  if (entries_.size() == kMostKept) entries_.pop_front();
  entries_.push_back(std::move(wanted));
  return entries_.back().made;
}

}  // namespace croco
