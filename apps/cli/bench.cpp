// SPDX-License-Identifier: Apache-2.0
// croco bench: milliseconds per certified answer on this machine.
#include <memory>
#include <string>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/json_summary.hpp>
#include <apps/cli/print.hpp>
#include <croco/base/error.hpp>
#include <croco/base/machine.hpp>
#include <croco/base/version.hpp>
#include <croco/experiment/speed.hpp>
#include <croco/kernels/instruction_set.hpp>

namespace croco::cli {
namespace {

struct BenchCommand {
  SpeedOptions speed;
  std::string instructions = {};  ///< the best set that may be used; empty: the processor's
  bool json = false;
};

void print_text(const SpeedResult& result) {
  print_out(
      "German Credit, a network of 50 units, target 5 %, the schema's noise, 99.9 % confidence; "
      "{} instructions\n",
      instruction_set());
  for (const SpeedRun& run : result.runs) {
    print_out("{:<10} {:>8.2f} ms per certified answer  ({} of {} rejected people in {:.1f} s)\n",
              fmt::format("{} thread{}", run.threads, run.threads == 1 ? "" : "s"),
              run.milliseconds(), run.certified, run.people, run.time.elapsed);
  }
}

void print_json(const SpeedResult& result) {
  const Machine machine = this_machine();
  JsonSummary out;
  out.add("croco", version());
  out.add("processor", machine.processor);
  out.add("instruction_set", instruction_set());
  out.add("cores", machine.cores);
  out.add("training_seconds", result.training.elapsed);
  out.add("rejected", result.rejected);
  for (const SpeedRun& run : result.runs) {
    JsonSummary part;
    part.add("threads", run.threads);
    part.add("people", run.people);
    part.add("certified", run.certified);
    part.add("seconds", run.time.elapsed);
    part.add("processor_seconds", run.time.processor);
    part.add("milliseconds_per_certified_answer", run.milliseconds());
    out.append("runs", part);
  }
  print_out("{}\n", out.text());
}

int run(const BenchCommand& options, const std::stop_token& stop) {
  constexpr double kMost = 3600;
  if (options.speed.seconds > kMost) {
    throw InvalidArgument(fmt::format("seconds is {:g}; it must be above 0 and at most {:g}",
                                      options.speed.seconds, kMost));
  }
  if (!options.instructions.empty()) limit_instruction_set(options.instructions);
  print_note("training a network on the German Credit data, then explaining whom it rejects\n");
  const SpeedResult result = measure_speed(options.speed, stop);
  if (stop.stop_requested()) {
    print_err("croco: interrupted; nothing was measured\n");
    return kInterrupted;
  }
  if (options.json) {
    print_json(result);
  } else {
    print_text(result);
  }
  return kOk;
}

}  // namespace

void add_bench(Command& program, Environment& environment) {
  auto options = std::make_shared<BenchCommand>();
  Command command =
      program.add_command("bench", "Measure milliseconds per certified answer on this machine");
  command
      .add_option("--seconds", options->speed.seconds,
                  "Time limit for each of two measurements: with one thread, and with --threads")
      .type_name("SECONDS")
      .show_default();
  command.add_option("--threads", options->speed.threads, "Number of threads; 0 for all cores")
      .show_default();
  command
      .add_option(
          "--instructions", options->instructions,
          "Use this instruction set at best, such as AVX2: what other processors would take "
          "(default: the best of this one)")
      .type_name("NAME");
  command.add_flag("--json", options->json, "Print the result as JSON");
  command.set_example("croco bench --seconds 5");
  command.set_callback(
      [options, &environment] { environment.exit_code = run(*options, environment.stop()); });
}

}  // namespace croco::cli
