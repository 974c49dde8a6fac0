// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/make_search.hpp>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/methods/certified_settings.hpp>
#include <croco/methods/change/ways.hpp>
#include <croco/methods/searches.hpp>
#include <croco/robustness/exact_rate.hpp>
#include <croco/space/distance.hpp>

namespace croco {
namespace {

/// The published methods change whatever has a slope, and know no way to change less of it.
void require_few_changes(const Problem& problem, const Method& method) {
  if (problem.space.most_changed == Space::kAnyNumber || is_as_published(method)) return;
  if (std::holds_alternative<Certified>(method)) return;
  throw InvalidArgument(fmt::format(
      "at most {} changed features can only be had with method certified; this is method {}",
      problem.space.most_changed, name_of(method)));
}

}  // namespace

std::unique_ptr<Search> make_search(const Problem& problem, const Method& method,
                                    unsigned threads) {
  validate(problem);
  const bool expensive = problem.model.queries_are_expensive() ||
                         (problem.pool && problem.pool->queries_are_expensive());
  const auto* certified = std::get_if<Certified>(&method);
  if (certified != nullptr && !has_ways(problem.space) && !has_price_curves(problem.space)) {
    // An exact certificate needs no samples, so that no number of them is too small.
    const CertifiedSettings settings = settings_of(*certified, expensive);
    if (settings.exact && has_exact_rate(problem)) return make_certified_linear(problem, settings);
  }
  validate(method, problem.goal);
  const bool has_gradient = problem.has_gradient();
  require_few_changes(problem, method);
  if (certified != nullptr) {
    if (certified->accepted && certified->accepted->width != problem.space.width()) {
      throw InvalidArgument(fmt::format("the accepted examples have {} columns; the model has {}",
                                        certified->accepted->width, problem.space.width()));
    }
    const bool automatic = certified->search == SearchKind::automatic;
    if (certified->search == SearchKind::gradient_free || (automatic && !has_gradient)) {
      return make_gradient_free(problem, settings_of(*certified, expensive));
    }
  }
  if (!has_gradient) {
    throw InvalidArgument(
        fmt::format("method {} needs a model with a gradient; this one has none", name_of(method)));
  }
  if (const auto* wachter = std::get_if<Wachter>(&method)) return make_wachter(problem, *wachter);
  if (const auto* probe = std::get_if<Probe>(&method)) return make_probe(problem, *probe);
  if (const auto* croco = std::get_if<Croco>(&method)) return make_croco(problem, *croco);
  return make_certified(problem, settings_of(*certified, expensive), threads);
}

}  // namespace croco
