// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/method.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/methods/croco_bound.hpp>
#include <croco/methods/searches.hpp>
#include <croco/methods/ways.hpp>
#include <croco/robustness/error_budget.hpp>
#include <croco/robustness/exact_rate.hpp>
#include <croco/space/distance.hpp>

namespace croco {
namespace {

constexpr std::array<std::string_view, std::variant_size_v<Method>> kNames{"wachter", "probe",
                                                                           "croco", "certified"};

constexpr std::array<std::string_view, 3> kSearches{"auto", "gradient", "gradient-free"};

void require(bool holds, std::string_view field, double value, std::string_view rule) {
  if (!holds) throw InvalidArgument(fmt::format("{} is {}; it must be {}", field, value, rule));
}

/// The fields that all three have.
template <typename Options>
void validate_descent(const Options& options) {
  require(options.learning_rate > 0 && std::isfinite(options.learning_rate), "learning-rate",
          options.learning_rate, "greater than 0");
  require(options.lambda >= 0 && std::isfinite(options.lambda), "lambda", options.lambda,
          "at least 0");
  require(options.lambda_step > 0 && std::isfinite(options.lambda_step), "lambda-step",
          options.lambda_step, "greater than 0");
  require(options.block_steps >= 1 && options.block_steps <= 1'000'000, "block-steps",
          static_cast<double>(options.block_steps), "between 1 and 1000000");
  require(options.max_blocks >= 1 && options.max_blocks <= 100'000, "max-blocks",
          static_cast<double>(options.max_blocks), "between 1 and 100000");
}

void require_fields(const Certified& options) {
  require_open_unit("target", options.target);
  require_confidence(options.confidence);
  require(options.certificate_samples >= 1, "samples", 0, "at least 1");
  require(options.search_samples >= 64, "search-samples",
          static_cast<double>(options.search_samples), "at least 64");
  require(options.calibration_samples >= 64, "calibration-samples",
          static_cast<double>(options.calibration_samples), "at least 64");
  require(options.search_rows >= 1, "search-rows", 0, "at least 1");
  require(options.thrifty_rows >= 1, "thrifty-rows", 0, "at least 1");
}

struct Validate {
  const Goal& goal;

  void operator()(const Wachter& options) const { validate_descent(options); }
  void operator()(const Probe& options) const {
    require_open_unit("target", options.target);
    validate_descent(options);
    require(options.rate_weight >= 0, "rate-weight", options.rate_weight, "at least 0");
    require(options.check_samples >= 1, "check-samples", 0, "at least 1");
  }
  void operator()(const Croco& options) const {
    require_open_unit("target", options.target);
    validate_descent(options);
    require(options.step_samples >= 1 && options.step_samples <= 1'000'000, "step-draws",
            static_cast<double>(options.step_samples), "between 1 and 1000000");
    static_cast<void>(bound_of(options, goal));
  }
  void operator()(const Certified& options) const {
    require_fields(options);
    if (!largest_passing_count(options.certificate_samples, options.target,
                               attempt_confidence(options.confidence, 0))) {
      throw InvalidArgument(fmt::format(
          "samples is {}; even without a failure they cannot certify a target of {} at confidence "
          "{}",
          options.certificate_samples, options.target, options.confidence));
    }
  }
};

}  // namespace

std::string_view name_of(SearchKind kind) noexcept {
  return kSearches[static_cast<std::size_t>(kind)];
}

SearchKind parse_search(std::string_view text) {
  const auto found = std::ranges::find(kSearches, text);
  if (found == kSearches.end()) {
    throw InvalidArgument(
        fmt::format("search is '{}'; it must be auto, gradient or gradient-free", text));
  }
  return static_cast<SearchKind>(found - kSearches.begin());
}

std::string_view name_of(const Method& method) noexcept { return kNames[method.index()]; }

std::optional<double> target_of(const Method& method) noexcept {
  if (const auto* probe = std::get_if<Probe>(&method)) return probe->target;
  if (const auto* croco = std::get_if<Croco>(&method)) return croco->target;
  if (const auto* certified = std::get_if<Certified>(&method)) return certified->target;
  return std::nullopt;
}

bool is_as_published(const Method& method) noexcept {
  return std::visit(
      [](const auto& options) {
        if constexpr (requires { options.as_published; }) return options.as_published;
        return false;
      },
      method);
}

void validate(const Method& method, const Goal& goal) { std::visit(Validate{goal}, method); }

std::vector<Counterfactual> Search::find_all(std::span<const View> origins, unsigned threads,
                                             const std::stop_token& stop) const {
  std::vector<Counterfactual> found(origins.size());
  parallel_for(origins.size(), threads, [&](std::size_t i) {
    found[i].termination = Termination::cancelled;
    if (!stop.stop_requested()) found[i] = find(origins[i], stop);
  });
  return found;
}

std::vector<Judgement> Search::judge_all(std::span<const Attempt> points, unsigned threads) const {
  std::vector<Judgement> judged(points.size());
  parallel_for(points.size(), threads, [&](std::size_t i) {
    judged[i] = judge(points[i].origin, points[i].point, points[i].number);
  });
  return judged;
}

std::vector<Counterfactual> Search::retry_all(std::span<const Attempt> failed, unsigned /*threads*/,
                                              const std::stop_token& /*stop*/) const {
  std::vector<Counterfactual> found;
  for (const Attempt& attempt : failed) {
    found.push_back({.point = Vector(attempt.point.begin(), attempt.point.end()),
                     .termination = Termination::unmet});
  }
  return found;
}

std::vector<Counterfactual> Search::find_others(std::span<const OtherWay> /*people*/,
                                                unsigned /*threads*/,
                                                const std::stop_token& /*stop*/) const {
  throw InvalidArgument("several options need method certified");
}

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
  if (const auto* certified = std::get_if<Certified>(&method);
      certified != nullptr && certified->exact && has_exact_rate(problem) &&
      !has_ways(problem.space) && !has_price_curves(problem.space)) {
    // Its certificates need no draws, so no number of them is too small.
    require_fields(*certified);
    return make_certified_linear(problem, *certified);
  }
  validate(method, problem.goal);
  const bool has_gradient = problem.model.gradient() != nullptr;
  require_few_changes(problem, method);
  if (const auto* certified = std::get_if<Certified>(&method)) {
    if (certified->donors && certified->donors->width != problem.space.width()) {
      throw InvalidArgument(fmt::format("the donors have {} columns; the model has {}",
                                        certified->donors->width, problem.space.width()));
    }
    const bool automatic = certified->search == SearchKind::automatic;
    if (certified->search == SearchKind::gradient_free || (automatic && !has_gradient)) {
      return make_gradient_free(problem, *certified);
    }
  }
  if (!has_gradient) {
    throw InvalidArgument(
        fmt::format("method {} needs a model with a gradient; this one has none", name_of(method)));
  }
  if (const auto* wachter = std::get_if<Wachter>(&method)) return make_wachter(problem, *wachter);
  if (const auto* probe = std::get_if<Probe>(&method)) return make_probe(problem, *probe);
  if (const auto* croco = std::get_if<Croco>(&method)) return make_croco(problem, *croco);
  return make_certified(problem, std::get<Certified>(method), threads);
}

}  // namespace croco
