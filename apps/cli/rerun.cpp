// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/rerun.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <apps/cli/answer_options.hpp>
#include <croco/base/error.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/writer.hpp>
#include <croco/verify/stated_noise.hpp>

namespace croco::cli {
namespace {

constexpr std::size_t kBatch = 256;

/// Noise that the options state in full, and not in a file, is the one that the manifest states.
void require_noise(const AnswerOptions& asked, const ReportContext& context,
                   const std::string& source) {
  if (!asked.noise.residuals.empty() || !asked.noise.covariance.empty()) return;
  ReportContext stated = context;
  stated.noise = asked.noise.resolve(context.codec);
  if (certificate_noise_json(stated) == certificate_noise_json(context)) return;
  throw DataError(fmt::format("{}: 'noise' is not what 'options' say", source));
}

}  // namespace

std::map<std::size_t, std::vector<std::string>> rerun(
    const StatedRun& run, const LoadedModel& loaded, std::shared_ptr<const ModelPopulation> models,
    std::span<const Person> people, unsigned threads, const std::stop_token& stop) {
  AnswerOptions asked = answer_options(run.run, run.source);
  if (asked.time_limit || asked.prove_time) {
    throw InvalidArgument(fmt::format(
        "again: the run had --{}, so that its answers depend on the machine's speed; they cannot "
        "be made again",
        asked.time_limit ? "time-limit" : "prove-time"));
  }
  asked.proof.threads = threads;
  LoadedModel model = loaded;
  model.codec = loaded.codec.with_cost(run.cost);
  ExplainOptions resolved =
      asked.resolve(model, stated_noise(run.noise, model.codec), run.run.asked);
  resolved.models = models;
  const Explainer explainer(model, std::move(resolved), stop);
  ReportContext context =
      report_context(explainer.model(), explainer.noise(), explainer.options().goal, asked.method,
                     target_of(explainer.options().method));
  context.models = std::move(models);
  require_noise(asked, context, run.source);
  std::map<std::size_t, std::vector<std::string>> out;
  for (std::size_t begin = 0; begin < people.size(); begin += kBatch) {
    const auto part = people.subspan(begin, std::min(kBatch, people.size() - begin));
    for (const Explanation& answer : explainer.explain(part, stop)) {
      std::vector<std::string>& lines = out[answer.row];
      lines.push_back(json_line(context, answer));
      for (const Explanation& other : answer.alternatives)
        lines.push_back(json_line(context, other));
    }
    if (stop.stop_requested()) break;
  }
  return out;
}

}  // namespace croco::cli
