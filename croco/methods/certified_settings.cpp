// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/certified_settings.hpp>

#include <string_view>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>

namespace croco {
namespace {

/// What a search asks of a model, and the samples of its calibration.
struct Effort {
  std::size_t calibration_samples;
  std::size_t search_budget;
  std::size_t soft_search_budget;
};

constexpr Effort kUsual{32'768, 4'000'000, 4'000'000};
constexpr Effort kExpensive{8192, 1'600'000, 200'000};
/// Of a pool of retrained models: how they differ says more about the next one than further samples
/// of each.
constexpr std::size_t kPooledCalibration = 8192;

void require_least(std::string_view field, std::size_t value, std::size_t least) {
  if (value < least) {
    throw InvalidArgument(fmt::format("{} is {}; it must be at least {}", field, value, least));
  }
}

}  // namespace

CertifiedSettings settings_of(const Certified& options, bool expensive_queries) {
  const CertificatePlan plan = options.certificate.value_or(CertificatePlan{});
  Effort effort = expensive_queries ? kExpensive : kUsual;
  if (!plan.aims.empty()) effort.calibration_samples = kPooledCalibration;
  CertifiedSettings out{
      .target = options.target,
      .confidence = plan.confidence,
      .certificate_samples = plan.samples,
      .exact = plan.exact,
      .aims = plan.aims,
      .calibrate_for_certificate = options.calibrate_for_certificate,
      .search_samples = options.search_samples,
      .calibration_samples = options.calibration_samples.value_or(effort.calibration_samples),
      .search_budget = options.search_budget.value_or(effort.search_budget),
      .soft_search_budget = options.soft_search_budget.value_or(effort.soft_search_budget),
      .accepted = options.accepted};
  require_open_unit("target", out.target);
  require_confidence(out.confidence);
  require_least("samples", out.certificate_samples, 1);
  require_least("search-samples", out.search_samples, 64);
  require_least("calibration-samples", out.calibration_samples, 64);
  require_least("search-budget", out.search_budget, 1);
  require_least("soft-search-budget", out.soft_search_budget, 1);
  return out;
}

}  // namespace croco
