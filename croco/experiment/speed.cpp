// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/speed.hpp>

#include <algorithm>
#include <limits>
#include <span>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/data/catalog.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/loading/fitted_model.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/loading/people.hpp>

namespace croco {
namespace {

ExplainOptions options_of(unsigned threads) {
  ExplainOptions out{.method = Certified{.target = 0.05}};
  out.threads = threads;
  return out;
}

/// Those who need advice: everybody else is answered by a single query.
std::vector<Person> rejected(const LoadedModel& model, const std::vector<Person>& people) {
  const Goal goal;
  std::vector<Person> out;
  for (const Person& person : people) {
    const Vector point = model.codec.encode(person.record, person.where);
    if (!goal.reached(model.model->logit(point))) out.push_back(person);
  }
  return out;
}

SpeedRun measure(const LoadedModel& model, std::span<const Person> people, unsigned threads,
                 double seconds, const std::stop_token& stop) {
  SpeedRun out;
  out.threads = thread_count(threads);
  // Enough for every thread to be busy, few enough to end in time.
  const std::size_t batch = 8 * out.threads;
  const Stopwatch watch;
  const Explainer explainer(model, options_of(threads));
  while (out.people < people.size() && watch.read().elapsed < seconds) {
    const auto part = people.subspan(out.people, std::min(batch, people.size() - out.people));
    const std::vector<Explanation> answers = explainer.explain(part, stop);
    if (stop.stop_requested()) break;
    out.people += answers.size();
    out.certified += static_cast<std::size_t>(std::ranges::count_if(
        answers, [](const Explanation& answer) { return answer.target_met.value_or(false); }));
  }
  out.time = watch.read();
  return out;
}

}  // namespace

double SpeedRun::milliseconds() const {
  return certified == 0 ? std::numeric_limits<double>::infinity()
                        : 1000 * time.elapsed / static_cast<double>(certified);
}

SpeedResult measure_speed(const SpeedOptions& options, const std::stop_token& stop) {
  if (!(options.seconds > 0)) {
    throw InvalidArgument(fmt::format("seconds is {}; it must be above 0", options.seconds));
  }
  SpeedResult out;
  const CatalogEntry& german = *find_entry("german");
  const CsvTable table = load_dataset(german);
  const Stopwatch watch;
  const FittedModel fitted = fit_model(table, catalog_schema(german), MissingPolicy::error,
                                       {.seed = 1}, "german", {}, stop);
  if (stop.stop_requested()) return out;
  out.training = watch.read();
  const LoadedModel model = load_model_bytes(fitted.file, "german");
  const std::vector<Person> people =
      rejected(model, read_people(table, model.codec.schema(), 0, table.rows.size()));
  out.rejected = people.size();
  out.runs.push_back(measure(model, people, 1, options.seconds, stop));
  if (thread_count(options.threads) > 1 && !stop.stop_requested()) {
    out.runs.push_back(measure(model, people, options.threads, options.seconds, stop));
  }
  return out;
}

}  // namespace croco
