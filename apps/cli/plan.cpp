// SPDX-License-Identifier: Apache-2.0
// croco plan: which m and K the paper's bound needs, and what the certificate needs instead.
#include <croco/methods/plan.hpp>

#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/print.hpp>
#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/report/narrate.hpp>
#include <croco/robustness/model_population.hpp>

namespace croco::cli {
namespace {

struct PlanCommand {
  PlanRequest request;
  std::size_t certificate_samples = 100'000;
  bool models = false;
  std::optional<std::size_t> count;
  double model_confidence = 0.95;
};

/// How many of them may fail at a point always, when the others never do.
std::size_t failing_models(std::size_t count, double target, double confidence) {
  const double share = passing_share(count, target, confidence).value_or(0);
  return static_cast<std::size_t>(std::lround(share * static_cast<double>(count)));
}

/// How many certifying models the statements about retraining need.
int run_models(const PlanCommand& options) {
  const double target = options.request.target;
  const double confidence = options.model_confidence;
  require_open_unit("target", target);
  require_open_unit("model-confidence", confidence);
  print_out(
      "Certifying models for a target of {:.4g} at {:.6g} confidence; by default half as many "
      "again "
      "are for\nthe search\n\n"
      "Joint: at most {:.4g} of cases fail over retrained models and noise\n"
      "  failure rate aimed at   certifying models   trained in all\n",
      target, confidence, target);
  for (const double share : {0.0, 0.25, 0.5, 0.75, 0.9}) {
    const std::size_t needed = models_for_joint(share * target, target, confidence).value_or(0);
    print_out("  {:<22.4g}  {:>17}   {:>14}\n", share * target, with_thousands(needed),
              with_thousands((3 * needed + 1) / 2));
  }
  print_out(
      "\nShare: at most that share of models fails in more than {:.4g} of cases\n"
      "  models that may exceed it       0        1        2        5\n",
      target);
  for (const double share : {0.2, 0.1, 0.05, 0.02}) {
    print_out("  share of {:<18.4g}", share);
    for (const std::size_t exceeding : {0UL, 1UL, 2UL, 5UL}) {
      print_out("  {:>7}", with_thousands(models_for_share(exceeding, share, confidence)));
    }
    print_out("\n");
  }
  if (!options.count) return kOk;
  const std::size_t count = *options.count;
  if (count < 1) throw InvalidArgument("certifying is 0; it must be at least 1");
  const std::optional<double> passing = passing_joint_rate(count, target, confidence);
  print_out("\nWith {} certifying models the joint bound is never below {:.4g}",
            with_thousands(count), joint_upper(Vector(count, 0.0), confidence));
  if (!passing) {
    print_out(": the target is out of reach\n");
    return kOk;
  }
  print_out(
      ". It passes up to a rate of {:.4g}\nwhere all of them fail alike, or where {} of them fail "
      "always and the others never\n",
      *passing, with_thousands(failing_models(count, target, confidence)));
  return kOk;
}

int run(const PlanCommand& options) {
  if (options.models) return run_models(options);
  if (options.count) throw InvalidArgument("certifying is for --models, which is not given");
  const PlanRequest& request = options.request;
  const BoundPlan plan = plan_bound(request);
  const double alpha = 1 - request.confidence;
  print_out(
      "Target {:.4g}, confidence {:.6g}, threshold {:.4g}\n\n"
      "The paper's bound, (m + soft rate) / (1 - t):\n"
      "  m (margin)               {:.6g}\n"
      "  K (samples)              {}\n"
      "  confidence               {:.6g}   1 - exp(-2 m^2 K)\n"
      "  never below              {:.4g}   m / (1 - t)\n"
      "  soft rate must be below  {:.6g}   target (1 - t) - m\n\n",
      request.target, request.confidence, request.threshold, plan.margin,
      with_thousands(plan.samples), plan.confidence, plan.floor, plan.soft_allowance);
  const std::size_t samples = options.certificate_samples;
  print_out("The certificate (Clopper-Pearson on the rate itself, {} fresh samples):\n",
            with_thousands(samples));
  if (const auto passing = largest_passing_count(samples, request.target, request.confidence)) {
    print_out("  passes with at most      {} failures, a measured rate of {:.4g}\n",
              with_thousands(*passing),
              static_cast<double>(*passing) / static_cast<double>(samples));
  } else {
    print_out("  cannot pass: even 0 failures bound the rate only by {:.4g}\n",
              clopper_pearson_upper(0, samples, request.confidence));
  }
  print_out("  fewest samples possible  {}   without a failure\n",
            with_thousands(static_cast<std::size_t>(
                std::ceil(std::log(alpha) / std::log1p(-request.target)))));
  return kOk;
}

}  // namespace

void add_plan(Command& program, Environment& environment) {
  auto options = std::make_shared<PlanCommand>();
  Command command = program.add_command(
      "plan", "Choose m and K for a target and a confidence, or explain why none exist");
  command.add_option("--target", options->request.target, "Highest acceptable invalidation rate")
      .show_default();
  command.add_option("--confidence", options->request.confidence, "Confidence of the bound")
      .show_default();
  command.add_option("--threshold", options->request.threshold, "Decision threshold t")
      .show_default();
  command.add_option("--margin", options->request.margin, "Fix m");
  command.add_option("--bound-samples,--draws", options->request.samples, "Fix K");
  command.add_option("--samples", options->certificate_samples, "Samples of a certificate")
      .show_default()
      .positive();
  command.add_flag("--models", options->models,
                   "How many retrained models certificates need instead, with --target and "
                   "--model-confidence");
  command.add_option("--certifying", options->count,
                     "With --models: what this many certifying models can state");
  command
      .add_option("--model-confidence", options->model_confidence,
                  "With --models: confidence of each statement about retrained models")
      .show_default();
  command.set_example("croco plan --target 0.05 --confidence 0.999");
  command.set_callback([options, &environment] { environment.exit_code = run(*options); });
}

}  // namespace croco::cli
