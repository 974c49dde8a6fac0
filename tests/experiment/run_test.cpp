// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/run.hpp>

#include <filesystem>
#include <map>
#include <unistd.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/experiment/findings.hpp>
#include <croco/experiment/page.hpp>

namespace croco {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A few applicants of German Credit, a small network, two noises, two targets.
Experiment small() {
  Experiment out;
  out.title = "small";
  out.people = 6;
  out.rate_samples = 4000;
  out.certificate_samples = 20'000;
  out.prove_people = 2;
  out.datasets = {{.name = "german", .data = "german"}};
  out.datasets[0].train.hidden = {8};
  out.datasets[0].train.epochs = 20;
  for (const char* sd : {"0.02", "0.05"}) {
    ExperimentNoise noise{.name = sd};
    noise.noise = parse_noise(std::string("gaussian:sd=") + sd);
    noise.noise.scope = NoiseScope::continuous;
    out.noises.push_back(noise);
  }
  out.targets = {0.1, 0.3};
  out.methods = {{.name = "w", .method = "wachter"},
                 {.name = "c", .method = "croco"},
                 {.name = "z", .method = "certified"}};
  out.methods[1].settings.as_published = true;
  return out;
}

class SlowRun : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  /// Every file below a folder of this test, by name.
  [[nodiscard]] std::map<std::string, std::string> files(const std::string& name) const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / name)) {
      if (entry.is_regular_file()) {
        out[fs::relative(entry.path(), folder_ / name).string()] = read_file(entry.path());
      }
    }
    return out;
  }
  ExperimentResult run_in(const std::string& name, const Experiment& experiment,
                          const RunOptions& options = {.times = false}) const {
    return *run(experiment, ResultStore(folder_ / name), options);
  }
  fs::path folder_ = fs::temp_directory_path() / ("croco-run-" + std::to_string(::getpid()));
};

TEST_F(SlowRun, FillsTheGrid) {
  const ExperimentResult result = run_in("a", small(), {.threads = 2});
  // Once per noise for Wachter, per noise and target for the others.
  ASSERT_EQ(result.configurations.size(), 2U + 2 * 2 * 2);
  ASSERT_EQ(result.datasets.size(), 1U);
  EXPECT_TRUE(result.datasets[0].trained);
  EXPECT_GT(*result.datasets[0].test_accuracy, 0.6);
  EXPECT_EQ(result.datasets[0].continuous, 7U);
  EXPECT_EQ(result.resumed, 0U);
  for (std::size_t i = 0; i < result.configurations.size(); ++i) {
    const ConfigurationResult& cell = result.configurations[i];
    const Aggregate& a = result.aggregates[i];
    EXPECT_EQ(a.asked, 6U);  // the people are chosen among the rejected
    ASSERT_TRUE(cell.time);
    EXPECT_GT(cell.time->elapsed, 0);
    for (std::size_t p = 0; p < cell.people.size(); ++p) {
      const PersonResult& person = cell.people[p];
      EXPECT_EQ(person.row, p);
      if (!person.has_advice()) continue;
      EXPECT_GE(person.upper, person.rate - 0.05);
      EXPECT_NEAR(person.rate, double(person.invalid) / 4000, 1e-9);
      EXPECT_NEAR(person.paper_bound, 2 * (0.1 + person.soft_rate), 1e-8);
      const bool certified = cell.configuration.method == 2;
      if (certified && person.status == Status::found) {
        EXPECT_LE(person.upper, *cell.configuration.target);
      }
      if (cell.over_lower[p] && certified) {
        EXPECT_GE(*cell.over_lower[p], 1.0);
      }
    }
    if (cell.configuration.method == 2) {
      EXPECT_GT(a.proved, 0U);
    }
  }
  EXPECT_TRUE(fs::exists(folder_ / "a/results/german/0.02/any/w.csv"));
  EXPECT_TRUE(fs::exists(folder_ / "a/results/german/0.05/0.3/z.csv"));
  EXPECT_TRUE(fs::exists(folder_ / "a/times/german/0.05/0.3/z.csv"));
  EXPECT_TRUE(fs::exists(folder_ / "a/models/german.json"));
  EXPECT_TRUE(fs::exists(folder_ / "a/people/german.csv"));
}

TEST_F(SlowRun, DoesNotDependOnThreadsOrInterruptions) {
  static_cast<void>(run_in("whole", small(), {.threads = 1, .times = false}));
  const auto whole = files("whole");

  // Stopped before the first, third and eighth configuration, and on two threads.
  for (const std::size_t last : {std::size_t{0}, std::size_t{3}, std::size_t{8}}) {
    std::stop_source source;
    RunOptions options{.threads = 2, .times = false};
    options.progress = [&](const RunProgress& progress) {
      if (progress.done >= last) source.request_stop();
    };
    EXPECT_FALSE(run(small(), ResultStore(folder_ / "parts"), options, source.get_token()));
    EXPECT_LT(files("parts").size(), whole.size());
  }
  const ExperimentResult result = run_in("parts", small(), {.threads = 2, .times = false});
  EXPECT_EQ(result.resumed, 8U);
  EXPECT_EQ(files("parts"), whole);
  const ExperimentResult again = run_in("whole", small());
  EXPECT_EQ(again.resumed, 10U);
  EXPECT_EQ(page_json(result, findings_of(result), {}, 1),
            page_json(again, findings_of(again), {}, 1));
}

TEST_F(SlowRun, TellsHowFarItIs) {
  std::vector<RunProgress> seen;
  RunOptions options{.times = false};
  options.progress = [&](const RunProgress& progress) { seen.push_back(progress); };
  static_cast<void>(run_in("a", small(), options));
  ASSERT_EQ(seen.size(), 11U);
  EXPECT_EQ(seen[0].done, 0U);
  EXPECT_EQ(seen[0].total, 10U);
  EXPECT_EQ(seen[0].configuration, "german/0.02/any/w");
  EXPECT_FALSE(seen[0].seconds_left);
  EXPECT_TRUE(seen[5].seconds_left);
  EXPECT_EQ(seen[10].done, 10U);
}

TEST_F(SlowRun, AddsToAFolderButNeverMixes) {
  Experiment first = small();
  first.targets = {0.3};
  first.methods.resize(1);
  static_cast<void>(run_in("a", first));
  EXPECT_EQ(run_in("a", small()).resumed, 2U);
  Experiment other = small();
  other.seed = 7;
  EXPECT_THAT([&] { static_cast<void>(run_in("a", other)); },
              ThrowsMessage<InvalidArgument>(HasSubstr("the setting 'seed' was 0 there and is 7")));
  other = small();
  other.methods[1].settings.learning_rate = 0.5;
  EXPECT_THAT([&] { static_cast<void>(run_in("a", other)); },
              ThrowsMessage<InvalidArgument>(HasSubstr("method 'c' was")));
  other = small();
  other.datasets[0].train.epochs = 25;  // another model under the same name
  const auto before = files("a");
  EXPECT_THAT([&] { static_cast<void>(run_in("a", other)); },
              ThrowsMessage<InvalidArgument>(
                  HasSubstr("german.json was trained with epochs = 20, and now it is 25")));
  other = small();
  other.people = 7;
  EXPECT_THAT([&] { static_cast<void>(run_in("a", other)); },
              ThrowsMessage<InvalidArgument>(HasSubstr("german.csv holds other people")));
  EXPECT_EQ(files("a"), before);
}

TEST_F(SlowRun, PreparesOnly) {
  const ExperimentResult result = run_in("a", small(), {.prepare_only = true});
  EXPECT_TRUE(result.configurations.empty());
  EXPECT_TRUE(fs::exists(folder_ / "a/models/german.json"));
  EXPECT_FALSE(fs::exists(folder_ / "a/results"));
  EXPECT_FALSE(fs::exists(folder_ / "a/manifest.json"));
}

TEST_F(SlowRun, TakesGivenModelsAndPeople) {
  const ExperimentResult trained = run_in("a", small());
  Experiment given = small();
  given.datasets[0].data.clear();
  given.datasets[0].model = folder_ / "a/models/german.json";
  given.datasets[0].people = folder_ / "a/people/german.csv";
  const ExperimentResult result = run_in("b", given);
  EXPECT_FALSE(result.datasets[0].trained);
  EXPECT_FALSE(fs::exists(folder_ / "b/models"));
  for (std::size_t i = 0; i < result.configurations.size(); ++i) {
    EXPECT_EQ(result_csv(result.configurations[i].people),
              result_csv(trained.configurations[i].people));
  }
}

TEST_F(SlowRun, RespectsLimitsWhenAsked) {
  Experiment limited = small();
  limited.datasets[0].limits = Limits::schema;
  limited.methods.erase(limited.methods.begin());
  const ExperimentResult result = run_in("a", limited);
  const CsvTable people = read_csv(folder_ / "a/people/german.csv");
  EXPECT_TRUE(people.find("credit_amount"));  // records, not encoded columns
  // What ignores limits is not held against a bound on what respects them.
  for (std::size_t i = 0; i < result.configurations.size(); ++i) {
    if (result.configurations[i].configuration.method == 0) {
      EXPECT_THAT(result.configurations[i].over_lower, Each(std::nullopt));
    }
  }
}

TEST_F(SlowRun, ComparesAdviceFromFiles) {
  static_cast<void>(run_in("a", small(), {.prepare_only = true}));
  const CsvTable people = read_csv(folder_ / "a/people/german.csv");
  // Everybody is told to stay as they are; person 5 gets nothing.
  std::vector<std::string> header{"dataset", "target", "row", "seconds"};
  header.insert(header.end(), people.header.begin(), people.header.end());
  std::string text = csv_record(header);
  for (std::size_t i = 0; i < 5; ++i) {
    std::vector<std::string> fields{"german", "0.3", std::to_string(i), "0.01"};
    fields.insert(fields.end(), people.rows[i].fields.begin(), people.rows[i].fields.end());
    text += csv_record(fields);
  }
  write_file(folder_ / "stay.csv", text);
  Experiment experiment = small();
  experiment.methods = {{.name = "stay", .counterfactuals = {folder_ / "stay.csv"}}};
  const ExperimentResult result = run_in("a", experiment, {});
  ASSERT_EQ(result.configurations.size(), 2U);  // the other target has no rows
  const Aggregate& a = result.aggregates[0];
  EXPECT_EQ(a.asked, 6U);
  EXPECT_EQ(a.advised, 5U);
  EXPECT_EQ(a.validity, 0);
  EXPECT_EQ(a.l1_mean, 0);
  EXPECT_GT(a.rate_mean, 0.5);
  EXPECT_NEAR(*a.ms_per_person, 50.0 / 6, 1e-6);

  write_file(folder_ / "stay.csv", text + text.substr(text.find('\n') + 1));
  EXPECT_THAT(
      [&] { static_cast<void>(run_in("b", experiment)); },
      ThrowsMessage<DataError>(HasSubstr("person 0 has two answers for data set 'german'")));
  write_file(folder_ / "stay.csv", "dataset,target,row\ngerman,0.3,0\n");
  EXPECT_THAT([&] { static_cast<void>(run_in("c", experiment)); }, testing::Throws<DataError>());
  write_file(folder_ / "stay.csv", "dataset,target,row\ngerman,0.31,0\n");
  EXPECT_THAT([&] { static_cast<void>(run_in("d", experiment)); },
              ThrowsMessage<DataError>(HasSubstr("method 'stay': no row of its counterfactuals")));
}

TEST_F(SlowRun, IsAPageOfItsNumbers) {
  Experiment experiment = small();
  experiment.title = "a </script> title";
  const ExperimentResult result = run_in("a", experiment);
  const std::string text = page_json(result, findings_of(result), {}, 3);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["format"], "croco-experiment");
  EXPECT_EQ(json["threads"], 3);
  EXPECT_EQ(json["configurations"].size(), 10U);
  EXPECT_EQ(json["methods"][0]["has_target"], false);
  EXPECT_EQ(json["methods"][1]["as_published"], true);
  EXPECT_EQ(json["datasets"][0]["asked"], 6);
  for (const auto& cell : json["configurations"]) {
    EXPECT_EQ(cell["people"]["rate"].size(), cell["advised"].get<std::size_t>());
    EXPECT_TRUE(cell["ms_per_person"].is_null());  // without times
  }
  if (!has_page()) GTEST_SKIP() << "this build has no page";
  const std::string html = page_html(text);
  EXPECT_EQ(html.find("a </script> title"), std::string::npos);
  EXPECT_THAT(html, HasSubstr("a \\u003c/script> title"));
  EXPECT_EQ(html.find("/*croco-data*/"), std::string::npos);
}

}  // namespace
}  // namespace croco
