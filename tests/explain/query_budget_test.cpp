// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/random.hpp>
#include <croco/base/stopped.hpp>
#include <croco/data/csv.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/explain/spending.hpp>
#include <croco/explain/surrogate_cache.hpp>
#include <croco/loading/load_remote.hpp>
#include <tests/fixtures.hpp>
#include <tests/remote/applicants.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

constexpr std::size_t kShared = 1500;

/// The applicants' model as a function that counts its rows.
struct Counted {
  std::shared_ptr<std::atomic<std::size_t>> rows = std::make_shared<std::atomic<std::size_t>>(0);
  /// Called with the rows so far, before they are answered.
  std::shared_ptr<std::function<void(std::size_t)>> look =
      std::make_shared<std::function<void(std::size_t)>>();
  LoadedModel loaded = load();

  [[nodiscard]] LoadedModel load() const {
    LoadModelOptions options;
    options.training = [] {
      Sequence random({5, Purpose::evaluate, 0});
      std::string csv = "income,home,debt\n";
      for (int i = 0; i < 300; ++i) {
        csv += fmt::format("{},{},{:.3f}\n", 7 + random.below(101),
                           random.below(2) == 0 ? "own" : "\"rent, or \"\"none\"\"\"",
                           3 + 40 * random.uniform());
      }
      return TrainingData{applicants::codec().schema(), parse_csv(csv, "train.csv")};
    };
    const auto counter = rows;
    const auto looks = look;
    return load_function(
        "applicants",
        [counter, looks](Rows values, MutableView out) {
          *counter += values.count();
          if (*looks) (*looks)(*counter);
          for (std::size_t k = 0; k < values.count(); ++k) {
            out[k] = applicants::probability(values[k][0], values[k][1] == 0, values[k][2]);
          }
        },
        options);
  }
};

ExplainOptions budget_of(std::size_t rows) {
  Noise noise{.scale = 0.05};
  noise.scope = NoiseScope::continuous;
  return {.method = Certified{.target = 0.1},
          .noise = noise,
          .query_budget = QueryBudget{.rows = rows, .shared_rows = kShared}};
}

const std::vector<Person> kPeople{{0, "a", {"30", "rent, or \"none\"", "20"}},
                                  {1, "b", {"90", "own", "5"}},
                                  {2, "c", {"15", "own", "30.5"}},
                                  {3, "d", {"40", "own", "41"}}};

std::string of_answer(const Explanation& answer) {
  return fmt::format("{} {} {:a} {} {}", name_of(answer.status), fmt::join(answer.after, ","),
                     answer.score, answer.queries.value_or(0),
                     answer.certificate ? answer.certificate->invalid : 0);
}

TEST(SlowQueryBudget, CertifiesWithinItAndCountsEveryRow) {
  const Counted model;
  const Explainer explainer(model.loaded, budget_of(2000));
  // The model's construction asked for what it is known by; those are not the explainer's.
  const std::size_t before = *model.rows;
  const std::vector<Explanation> answers = explainer.explain(kPeople);
  std::size_t stated = 0;
  for (const Explanation& answer : answers) {
    ASSERT_TRUE(answer.queries);
    EXPECT_LE(*answer.queries, 2000U);
    stated += *answer.queries;
    if (answer.status == Status::already) {
      EXPECT_EQ(*answer.queries, 2U);  // the row, and one that keeps watch
      continue;
    }
    EXPECT_EQ(answer.status, Status::found) << answer.reason;
    EXPECT_TRUE(answer.target_met.value_or(false));
    EXPECT_LE(answer.certificate->upper, 0.1);
    // The rate itself, which is that of a linear margin under Gaussian noise.
    const auto value = [&](std::size_t f) { return std::stod(answer.after[f]); };
    const double margin =
        0.05 * value(0) - 0.1 * value(2) + (answer.after[1] == "own" ? 0.75 : 0) - 1;
    const double deviation = std::hypot(0.05 * 0.05 * 100, 0.1 * 0.05 * 40);
    EXPECT_LE(0.5 * std::erfc(margin / deviation / std::sqrt(2)), 0.1);
  }
  EXPECT_EQ(*model.rows - before, stated);
  EXPECT_LE(explainer.shared_queries(), kShared + 20);
}

TEST(SlowQueryBudget, AnswersDependOnNeitherThreadsNorCompany) {
  const Counted model;
  ExplainOptions options = budget_of(1500);
  const auto one = Explainer(model.loaded, options).explain(kPeople);
  options.threads = 3;
  const Explainer several(model.loaded, options);
  const auto other = several.explain(kPeople);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(of_answer(one[i]), of_answer(other[i]));
  const auto alone = several.explain(std::span(kPeople).subspan(2, 1));
  EXPECT_EQ(of_answer(alone.front()), of_answer(one[2]));
}

TEST(SlowQueryBudget, AlternativesShareIt) {
  const Counted model;
  ExplainOptions options = budget_of(2000);
  options.alternatives = 2;
  const Explainer explainer(model.loaded, options);
  const std::size_t before = *model.rows;
  const std::vector<Person> people{{0, "a", {"50", "rent, or \"none\"", "25"}}};
  const auto answers = explainer.explain(people);
  EXPECT_EQ(*model.rows - before, answers.front().queries);
  EXPECT_LE(*answers.front().queries, 2000U);
  EXPECT_EQ(answers.front().certificate->family, 2U);
  EXPECT_TRUE(answers.front().target_met.value_or(false));
  for (const Explanation& other : answers.front().alternatives) {
    EXPECT_TRUE(other.target_met.value_or(false));
    EXPECT_FALSE(other.queries);  // the first answer has those of all
  }
}

TEST(SlowQueryBudget, ASurrogateIsFittedOnceForAllExplainers) {
  const Counted model;
  ExplainOptions options = budget_of(1500);
  options.surrogates = std::make_shared<SurrogateCache>();
  const Explainer first(model.loaded, options);
  const std::size_t before = *model.rows;
  options.certify.family = 10;
  const Explainer second(model.loaded, options);
  EXPECT_EQ(*model.rows, before);
  EXPECT_EQ(first.shared_queries(), second.shared_queries());
  options.method = Certified{.target = 0.2};
  const Explainer third(model.loaded, options);
  EXPECT_GT(*model.rows, before);
}

// While rows are asked for, between two fits, and in the last one, which no query follows.
TEST(SlowQueryBudget, AStopEndsTheFitAndKeepsNothingOfIt) {
  const Counted model;
  ExplainOptions options = budget_of(1500);
  const std::size_t before = *model.rows;
  const Explainer whole(model.loaded, options);
  const std::size_t shared = *model.rows - before;
  EXPECT_EQ(shared, whole.shared_queries());
  const auto expected = whole.explain(kPeople);
  for (const std::size_t at : {std::size_t{1}, shared / 2, shared}) {
    options.surrogates = std::make_shared<SurrogateCache>();
    std::stop_source source;
    std::chrono::steady_clock::time_point asked;
    const std::size_t begin = *model.rows;
    *model.look = [&](std::size_t rows) {
      if (rows - begin < at || !source.request_stop()) return;
      asked = std::chrono::steady_clock::now();
    };
    EXPECT_THROW(Explainer(model.loaded, options, source.get_token()), Stopped);
    EXPECT_TRUE(source.stop_requested());
    EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(1));
    EXPECT_LE(*model.rows - begin, shared);
    *model.look = nullptr;
    // The same cache has nothing of it: the model is asked for everything again.
    const std::size_t again = *model.rows;
    const Explainer explainer(model.loaded, options);
    EXPECT_EQ(*model.rows - again, shared);
    const auto answers = explainer.explain(kPeople);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      EXPECT_EQ(of_answer(answers[i]), of_answer(expected[i]));
    }
  }
}

TEST(SlowQueryBudget, AStopEndsTheWaitForTheFitOfAnother) {
  const Counted model;
  ExplainOptions options = budget_of(1500);
  options.surrogates = std::make_shared<SurrogateCache>();
  std::atomic<bool> asked = false;
  std::atomic<bool> go_on = false;
  *model.look = [&](std::size_t) {
    asked = true;
    asked.notify_all();
    go_on.wait(false);
  };
  std::size_t shared = 0;
  std::jthread first([&] { shared = Explainer(model.loaded, options).shared_queries(); });
  asked.wait(false);
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(Explainer(model.loaded, options, source.get_token()), Stopped);
  go_on = true;
  go_on.notify_all();
  first.join();
  const std::size_t before = *model.rows;
  EXPECT_EQ(Explainer(model.loaded, options).shared_queries(), shared);
  EXPECT_EQ(*model.rows, before);
}

TEST(SlowQueryBudget, TooSmallOnesAreRefusedWithWhatIsNeeded) {
  const Counted model;
  ExplainOptions options = budget_of(100);
  const std::size_t before = *model.rows;
  const std::string text =
      message_of<InvalidArgument>([&] { return Explainer(model.loaded, options); });
  EXPECT_THAT(text, HasSubstr("query_budget is 100; certificates of target 0.1 at confidence "
                              "0.999 need at least "));
  EXPECT_EQ(*model.rows, before);
  const std::size_t at = text.find("at least ");
  const std::size_t needed = std::stoul(text.substr(at + 9));
  options.query_budget->rows = needed - 1;
  EXPECT_THROW(Explainer(model.loaded, options), InvalidArgument);
  options.query_budget->rows = needed;
  EXPECT_NO_THROW(Explainer(model.loaded, options));
}

TEST(QueryBudget, WhatItCannotBeCombinedWithIsNamed) {
  const Counted model;
  const auto text = [&](auto change) {
    ExplainOptions options = budget_of(2000);
    change(options);
    return message_of<InvalidArgument>([&] { return Explainer(model.loaded, options); });
  };
  EXPECT_THAT(text([](ExplainOptions& o) { o.method = Wachter{}; }),
              HasSubstr("query_budget is for method certified; method is wachter"));
  EXPECT_THAT(text([](ExplainOptions& o) { o.prove.emplace(); }), HasSubstr("a proof"));
  EXPECT_THAT(text([](ExplainOptions& o) { o.time_limit = 5; }), HasSubstr("a time limit"));
  EXPECT_THAT(text([](ExplainOptions& o) { o.missing = MissingPolicy::keep; }),
              HasSubstr("missing values that are kept"));
  EXPECT_THAT(text([](ExplainOptions& o) { o.query_budget->shared_rows = 999; }),
              HasSubstr("shared_rows is 999; a surrogate needs at least 1000"));
}

TEST(QueryBudget, ModelsWithoutExamplesAreRefused) {
  const Counted model;
  LoadedModel bare = model.loaded;
  bare.examples = nullptr;
  EXPECT_THAT(message_of<InvalidArgument>([&] { return Explainer(bare, budget_of(2000)); }),
              HasSubstr("query_budget needs people such as the model was trained on"));
}

TEST(QueryBudget, AModelOfOneAnswerHasNoSurrogate) {
  Counted model;
  LoadModelOptions options;
  options.training = [] {
    return TrainingData{applicants::codec().schema(),
                        parse_csv("income,home,debt\n10,own,0\n90,own,70\n", "train.csv")};
  };
  const LoadedModel never =
      load_function("never", [](Rows, MutableView out) { std::ranges::fill(out, 0.2); }, options);
  EXPECT_THAT(message_of<DataError>([&] { return Explainer(never, budget_of(2000)); }),
              HasSubstr("the model gives the same answer for all of"));
}

TEST(QueryBudget, CertificatesOfOtherAdviceKeepToIt) {
  const Counted model;
  const CertifyOptions within = certificates_within(model.loaded, {}, 0.1, 500);
  EXPECT_LT(within.samples, 500U);
  EXPECT_GT(within.samples, 450U);
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { return certificates_within(model.loaded, {}, 0.1, 60); }),
      HasSubstr("query_budget is 60; a certificate of target 0.1 at confidence 0.999 needs "
                "at least "));
}

}  // namespace
}  // namespace croco
