// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/surrogate_cache.hpp>

#include <algorithm>
#include <utility>

#include <croco/base/stopped.hpp>
#include <croco/remote/metered_model.hpp>

namespace croco {
namespace {

constexpr std::size_t kMostKept = 16;

std::shared_ptr<const KeptSurrogate> fitted(const LoadedModel& loaded, const Problem& problem,
                                            const ExplainOptions& options,
                                            const std::stop_token& stop) {
  const MeteredModel asked(*loaded.model, loaded.remote.get(), MeteredModel::kNoLimit, stop);
  const Problem own(asked, problem.space, problem.noise, options.goal, problem.seed);
  auto out = std::make_shared<KeptSurrogate>();
  out->fit = fit_surrogate(own, *loaded.examples,
                           {.rows = options.query_budget->shared_rows,
                            .method = std::get<Certified>(options.method),
                            .threads = options.threads},
                           stop);
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

std::shared_ptr<const KeptSurrogate> SurrogateCache::known(const Entry& wanted) const {
  const auto found =
      std::ranges::find_if(entries_, [&](const Entry& one) { return same(one, wanted); });
  return found == entries_.end() ? nullptr : found->made;
}

void SurrogateCache::end_fit(Entry entry) {
  const std::scoped_lock lock(mutex_);
  fitting_ = false;
  ended_.notify_all();
  if (entry.made == nullptr) return;
  if (entries_.size() == kMostKept) entries_.pop_front();
  entries_.push_back(std::move(entry));
}

std::shared_ptr<const KeptSurrogate> SurrogateCache::of(const LoadedModel& loaded,
                                                        const Problem& problem,
                                                        const ExplainOptions& options,
                                                        const std::stop_token& stop) {
  Entry wanted{.fingerprint = loaded.fingerprint,
               .model = loaded.fingerprint.empty() ? loaded.model : nullptr,
               .noise = problem.noise,
               .goal = options.goal,
               .space = problem.space,
               .seed = problem.seed,
               .target = std::get<Certified>(options.method).target,
               .rows = options.query_budget->shared_rows,
               .made = {}};
  {
    std::unique_lock lock(mutex_);
    std::shared_ptr<const KeptSurrogate> made;
    const auto may_go_on = [&] {
      made = known(wanted);
      return made != nullptr || !fitting_;
    };
    if (!ended_.wait(lock, stop, may_go_on)) {
      throw Stopped("stopped while another surrogate was fitted");
    }
    if (made != nullptr) return made;
    fitting_ = true;
  }
  try {
    wanted.made = fitted(loaded, problem, options, stop);
  } catch (...) {
    end_fit(std::move(wanted));
    throw;
  }
  std::shared_ptr<const KeptSurrogate> made = wanted.made;
  end_fit(std::move(wanted));
  return made;
}

}  // namespace croco
