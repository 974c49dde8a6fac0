// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/method.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/methods/certified_settings.hpp>
#include <croco/methods/croco_bound.hpp>
#include <croco/robustness/error_budget.hpp>

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
    require(options.step_samples >= 1 && options.step_samples <= 1'000'000, "step-samples",
            static_cast<double>(options.step_samples), "between 1 and 1000000");
    static_cast<void>(bound_of(options, goal));
  }
  void operator()(const Certified& options) const {
    const CertifiedSettings settings = settings_of(options, false);
    if (!largest_passing_count(settings.certificate_samples, settings.target,
                               attempt_confidence(settings.confidence, 0))) {
      throw InvalidArgument(fmt::format(
          "samples is {}; even without a failure they cannot certify a target of {} at confidence "
          "{}",
          settings.certificate_samples, settings.target, settings.confidence));
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

}  // namespace croco
