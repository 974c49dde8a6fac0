// SPDX-License-Identifier: Apache-2.0
// Usage: alone_time [MODEL DATA [PEOPLE [ROUNDS]]]
// How long one person alone takes, certificate included, on one thread: cold, with samples that are
// made for this person; warm, with samples that are kept; and again, with kept samples and a new
// explainer, as for another target. A person's time is the least of the rounds (3 unless given),
// since other programs disturb. Prints medians and largest times over people in milliseconds, and
// checks that all give the same answers. Without arguments: a network of 50 units that is trained
// on the German Credit data.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <croco/data/catalog.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/loading/fitted_model.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/report/writer.hpp>
#include <croco/robustness/sample_cache.hpp>

namespace {

using namespace croco;

/// Elapsed and processor time of each person.
struct Answered {
  std::vector<double> milliseconds;
  std::vector<double> processor;
  std::string lines;
};

double processor_milliseconds() {
  return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

template <typename Explainers>
Answered answer(const std::vector<Person>& people, Explainers explainer_of) {
  Answered out;
  for (const Person& person : people) {
    const auto start = std::chrono::steady_clock::now();
    const double processor = processor_milliseconds();
    const auto& explainer = explainer_of();
    const std::vector<Explanation> answers = explainer->explain({&person, 1});
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    out.milliseconds.push_back(took.count());
    out.processor.push_back(processor_milliseconds() - processor);
    out.lines += json_line(report_context(*explainer), answers.at(0));
  }
  return out;
}

/// The least of several rounds, person by person.
template <typename Explainers>
Answered least(std::size_t rounds, const std::vector<Person>& people, Explainers explainer_of) {
  Answered out = answer(people, explainer_of);
  for (std::size_t round = 1; round < rounds; ++round) {
    const Answered next = answer(people, explainer_of);
    const auto smaller = [](double a, double b) { return std::min(a, b); };
    std::ranges::transform(out.milliseconds, next.milliseconds, out.milliseconds.begin(), smaller);
    std::ranges::transform(out.processor, next.processor, out.processor.begin(), smaller);
  }
  return out;
}

void print(const char* name, Answered answered) {
  std::vector<double>& all = answered.milliseconds;
  std::ranges::sort(all);
  std::ranges::sort(answered.processor);
  const std::size_t middle = all.size() / 2;
  fmt::print(
      "{:<6} median {:8.3f} ms, largest {:8.3f} ms; on the processor {:8.3f} ms, "
      "largest {:8.3f} ms\n",
      name, all[middle], all.back(), answered.processor[middle], answered.processor.back());
}

LoadedModel load(int argc, char** argv, CsvTable& table) {
  const CatalogEntry& german = *find_entry("german");
  if (argc > 2) {
    const CatalogEntry* entry = find_entry(argv[2]);
    table = entry != nullptr ? load_dataset(*entry) : read_csv(argv[2]);
    LoadModelOptions options;
    options.training = [&] {
      return TrainingData{catalog_schema(entry != nullptr ? *entry : german), table};
    };
    return load_model(argv[1], options);
  }
  table = load_dataset(german);
  const FittedModel fitted =
      fit_model(table, catalog_schema(german), MissingPolicy::error, {.seed = 1}, "german");
  return load_model_bytes(fitted.file, "german");
}

}  // namespace

int main(int argc, char** argv) {
  CsvTable table;
  const LoadedModel model = load(argc, argv, table);
  const std::size_t wanted = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 60;
  const std::size_t rounds = argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 3;
  std::vector<Person> people;
  for (Person& person : read_people(table, model.codec.schema(), 0, table.rows.size())) {
    const double logit = model.model->logit(model.codec.encode(person.record, person.where));
    if (logit <= 0 && people.size() < wanted) people.push_back(std::move(person));
  }
  ExplainOptions options{.method = Certified{.target = 0.05}, .reasons = false};
  const Answered cold =
      answer(people, [&] { return std::make_unique<const Explainer>(model, options); });
  options.samples = std::make_shared<SampleCache>(std::size_t{256} << 20);
  const auto kept = std::make_shared<const Explainer>(model, options);
  static_cast<void>(answer(people, [&] { return kept; }));  // fills what is kept
  const Answered warm = least(rounds, people, [&] { return kept; });
  const Answered rebuilt =
      least(rounds, people, [&] { return std::make_unique<const Explainer>(model, options); });
  fmt::print("{} people, {} columns\n", people.size(), model.codec.width());
  print("cold", cold);
  print("warm", warm);
  print("again", rebuilt);
  const bool same = cold.lines == warm.lines && cold.lines == rebuilt.lines;
  fmt::print("{}\n", same ? "the answers are the same" : "THE ANSWERS DIFFER");
  return same ? 0 : 1;
}
