// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/load_remote.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/data/csv.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/remote/remote_model.hpp>
#include <tests/fixtures.hpp>
#include <tests/remote/applicants.hpp>

namespace croco {
namespace {

using applicants::command;
using fixtures::message_of;
using testing::HasSubstr;

/// Everything that an answer says, bit for bit.
std::string told(const Explanation& answer) {
  std::string out =
      fmt::format("{} {} {:a} {:a} {:a} {}", name_of(answer.status), fmt::join(answer.after, ","),
                  answer.score_before, answer.score, answer.distance.l1, answer.steps);
  for (const double value : answer.point) out += fmt::format(" {:a}", value);
  if (answer.certificate) {
    out += fmt::format("; {} of {}, {:a}", answer.certificate->invalid, answer.certificate->samples,
                       answer.certificate->upper);
  }
  return out;
}

std::vector<std::string> explained(std::shared_ptr<const Model> model, unsigned threads) {
  const Codec codec = applicants::codec();
  Noise noise{.scale = 0.05};
  noise.scope = NoiseScope::continuous;
  const Explainer explainer(
      std::move(model), codec,
      {.method = Certified{.target = 0.2, .calibration_samples = 1024, .search_budget = 8'000},
       .noise = noise,
       .certify = {.samples = 2000},
       .threads = threads,
       .reasons = false});
  const std::vector<Person> people{{0, "a", {"30", "rent, or \"none\"", "20"}},
                                   {1, "b", {"90", "own", "5"}},
                                   {2, "c", {"15", "own", "30.5"}}};
  std::vector<std::string> out;
  for (const Explanation& answer : explainer.explain(people)) out.push_back(told(answer));
  return out;
}

TEST(LoadRemote, AdviceAndCertificatesAreThoseOfTheSameModelHere) {
  const Codec codec = applicants::codec();
  const auto here = explained(std::make_shared<applicants::LocalModel>(codec), 1);
  EXPECT_THAT(here,
              testing::ElementsAre(HasSubstr("found"), HasSubstr("already"), HasSubstr("found")));
  RemoteOptions options = command(applicants::binary_script());
  options.protocol = RemoteProtocol::binary;
  EXPECT_EQ(explained(std::make_shared<RemoteModel>(options, codec), 1), here);
  options.workers = 2;
  options.batch = 500;
  EXPECT_EQ(explained(std::make_shared<RemoteModel>(options, codec), 2), here);
}

LoadModelOptions with_training() {
  LoadModelOptions options;
  options.training = [] {
    return TrainingData{applicants::codec().schema(),
                        parse_csv("income,home,debt\n7,own,3\n107,own,43\n20,\"rent, or "
                                  "\"\"none\"\"\",9\n",
                                  "training.csv")};
  };
  return options;
}

TEST(LoadRemote, LearnsRangesFromTrainingData) {
  const LoadedModel loaded = load_remote_model(command(applicants::script()), with_training());
  EXPECT_EQ(loaded.codec.scales()[2].maximum, 43);
  EXPECT_EQ(loaded.examples->count(), 3);
  EXPECT_EQ(loaded.fingerprint,
            RemoteModel(command(applicants::script()), applicants::codec()).fingerprint());
  EXPECT_EQ(loaded.remote.get(), loaded.model.get());
  EXPECT_TRUE(loaded.model->queries_are_expensive());
}

TEST(LoadRemote, SaysWhatIsMissing) {
  EXPECT_EQ(message_of<ModelError>([] { return load_remote_model(command("python x.py")); }),
            "model command 'python x.py': a remote model does not save what its columns mean to "
            "people; a schema and the data that the model was trained on are needed");
  EXPECT_EQ(message_of<ModelError>(
                [] { return load_remote_model(command("python x.py"), {.encoded = true}); }),
            "model command 'python x.py': encoded data are matched by column name, and only a "
            "schema says these names");
}

/// The applicants' model as a function of records.
LoadedModel function_model(ScoreFunction function) {
  LoadModelOptions options;
  options.training = [] {
    return TrainingData{applicants::codec().schema(),
                        parse_csv("income,home,debt\n10,own,0\n90,own,70\n", "train.csv")};
  };
  return load_function("rules", std::move(function), options);
}

TEST(LoadFunction, SeesRecordsInTheSchemasOrder) {
  std::vector<double> seen;
  const LoadedModel loaded = function_model([&](Rows values, MutableView probabilities) {
    for (std::size_t k = 0; k < values.count(); ++k) {
      if (values[k][0] == 55) seen.assign(values[k].begin(), values[k].end());
      probabilities[k] = values[k][0] > 50 ? 0.9 : 0.1;
    }
  });
  const Codec& codec = loaded.codec;
  const Vector point = codec.encode({"55", "own", "30"}, "");
  EXPECT_NEAR(sigmoid(loaded.model->logit(point)), 0.9, 1e-12);
  EXPECT_THAT(seen, testing::ElementsAre(55, 0, 30));
  EXPECT_EQ(loaded.source, "model function 'rules'");
  EXPECT_EQ(loaded.model->gradient(), nullptr);
}

TEST(LoadFunction, WhatItLeavesUnsetIsNoAnswer) {
  bool quiet = false;
  const LoadedModel loaded = function_model([&](Rows values, MutableView probabilities) {
    for (std::size_t k = 0; k < values.count(); ++k) {
      if (!quiet || k + 1 == values.count()) probabilities[k] = 0.75;
    }
  });
  quiet = true;
  EXPECT_TRUE(std::isnan(loaded.model->logit(loaded.codec.encode({"55", "own", "30"}, ""))));
}

TEST(LoadFunction, RefusesWhatIsNoModel) {
  EXPECT_THAT(message_of<InvalidArgument>([] { return function_model({}); }),
              HasSubstr("the model function is empty"));
  EXPECT_THAT(message_of<ModelError>([] {
                return function_model([](Rows, MutableView out) { std::ranges::fill(out, 7.0); });
              }),
              HasSubstr("it answered 7"));
  EXPECT_THAT(
      message_of<std::runtime_error>([] {
        return function_model([](Rows, MutableView) { throw std::runtime_error("out of order"); });
      }),
      HasSubstr("out of order"));
}

}  // namespace
}  // namespace croco
