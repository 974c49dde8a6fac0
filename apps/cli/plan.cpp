// SPDX-License-Identifier: Apache-2.0
// croco plan: which m and K the paper's bound needs, and what the certificate needs instead.
#include <croco/methods/plan.hpp>

#include <memory>
#include <optional>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/print.hpp>
#include <croco/base/bounds.hpp>
#include <croco/report/narrate.hpp>

namespace croco::cli {
namespace {

struct Options {
  PlanRequest request;
  std::size_t certificate_samples = 100'000;
};

int run(const Options& options) {
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
  auto options = std::make_shared<Options>();
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
  command.set_example("croco plan --target 0.05 --confidence 0.999");
  command.set_callback([options, &environment] { environment.exit_code = run(*options); });
}

}  // namespace croco::cli
