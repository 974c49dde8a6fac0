// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/named_method.hpp>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

template <typename Options>
Options descent(const MethodSettings& settings) {
  Options options;
  options.as_published = settings.as_published;
  options.learning_rate = settings.learning_rate.value_or(options.learning_rate);
  options.lambda = settings.lambda.value_or(options.lambda);
  options.block_steps = settings.block_steps.value_or(options.block_steps);
  options.max_blocks = settings.max_blocks.value_or(options.max_blocks);
  return options;
}

}  // namespace

Method make_method(std::string_view name, const MethodSettings& settings, double target,
                   double confidence) {
  if (name == "wachter") return descent<Wachter>(settings);
  if (name == "probe") {
    auto options = descent<Probe>(settings);
    options.target = target;
    return options;
  }
  if (name == "croco") {
    auto options = descent<Croco>(settings);
    options.target = target;
    options.margin = settings.margin;
    options.samples = settings.draws;
    options.confidence = confidence;
    options.step_samples = settings.step_draws.value_or(options.step_samples);
    return options;
  }
  if (name == "certified") {
    // The explainer knows its certificates.
    return Certified{.target = target, .search = settings.search};
  }
  throw InvalidArgument(
      fmt::format("method is '{}'; it must be certified, croco, probe or wachter", name));
}

void require_own_settings(std::string_view name, const MethodSettings& settings) {
  const auto refuse = [&](bool given, std::string_view setting, std::string_view owners) {
    if (!given) return;
    throw InvalidArgument(fmt::format("{} is for method {}; method is {}", setting, owners, name));
  };
  if (name != "croco") {
    refuse(settings.margin.has_value(), "margin", "croco");
    refuse(settings.draws.has_value(), "bound-samples", "croco");
    refuse(settings.step_draws.has_value(), "step-samples", "croco");
  }
  if (name != "certified") {
    refuse(settings.search != SearchKind::automatic, "search", "certified");
    return;
  }
  constexpr std::string_view kOwners = "croco, probe or wachter";
  refuse(settings.as_published, "as-published", kOwners);
  refuse(settings.learning_rate.has_value(), "learning-rate", kOwners);
  refuse(settings.lambda.has_value(), "lambda", kOwners);
  refuse(settings.block_steps.has_value(), "block-steps", kOwners);
  refuse(settings.max_blocks.has_value(), "max-blocks", kOwners);
}

}  // namespace croco
