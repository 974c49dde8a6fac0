// SPDX-License-Identifier: Apache-2.0
// Usage: service_throughput MODEL DATA QUESTIONS SECONDS THREADS
// How many questions a second `croco::Service` answers without a server: those of a file, one a
// line, over and over. Prints answers a second and milliseconds of the processor per answer.
// benchmarks/serve_load.py compares a server with it.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <croco/data/catalog.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/loading/people.hpp>
#include <croco/service/service.hpp>

namespace {

using namespace croco;
using Clock = std::chrono::steady_clock;

Service load(const std::string& model_file, const std::string& data) {
  const CatalogEntry* entry = find_entry(data);
  const CsvTable table = entry != nullptr ? load_dataset(*entry) : read_csv(data);
  LoadModelOptions options;
  if (entry != nullptr) {
    options.training = [&] { return TrainingData{catalog_schema(*entry), table}; };
  }
  LoadedModel model = load_model(model_file, options);
  std::vector<Person> people = read_people(table, model.codec.schema(), 0, table.rows.size());
  return Service(std::move(model), std::move(people));
}

double processor_milliseconds() {
  return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: service_throughput MODEL DATA QUESTIONS SECONDS THREADS\n");
    return 2;
  }
  const Service service = load(argv[1], argv[2]);
  std::vector<std::string> questions;
  std::ifstream file(argv[3]);
  for (std::string line; std::getline(file, line);) questions.push_back(line);
  if (questions.empty()) {
    fmt::print(stderr, "service_throughput: '{}' has no question\n", argv[3]);
    return 2;
  }
  for (const std::string& question : questions) {  // fills what is kept
    static_cast<void>(service.explain(question, ""));
  }
  const std::chrono::duration<double> seconds(std::strtod(argv[4], nullptr));
  const auto threads = std::strtoul(argv[5], nullptr, 10);
  std::atomic<std::size_t> next = 0;
  const double processor = processor_milliseconds();
  const auto start = Clock::now();
  {
    std::vector<std::jthread> workers;
    for (std::size_t k = 0; k < threads; ++k) {
      workers.emplace_back([&] {
        while (Clock::now() - start < seconds) {
          static_cast<void>(service.explain(questions[next++ % questions.size()], ""));
        }
      });
    }
  }
  const std::chrono::duration<double> took = Clock::now() - start;
  const auto answers = static_cast<double>(next.load());
  fmt::print("{:.2f} {:.4f}\n", answers / took.count(),
             (processor_milliseconds() - processor) / answers);
}
