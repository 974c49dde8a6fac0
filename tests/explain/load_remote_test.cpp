// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/load_remote.hpp>

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
      {.method = Certified{.target = 0.2, .calibration_samples = 1024, .search_rows = 8'000},
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
  EXPECT_TRUE(is_remote(*loaded.model));
  EXPECT_FALSE(is_remote(applicants::LocalModel(applicants::codec())));
}

TEST(LoadRemote, SaysWhatIsMissing) {
  EXPECT_EQ(message_of<ModelError>([] { return load_remote_model(command("python x.py")); }),
            "model command 'python x.py': a model elsewhere does not save what its columns mean to "
            "people; a schema and the data that the model was trained on are needed");
  EXPECT_EQ(message_of<ModelError>(
                [] { return load_remote_model(command("python x.py"), {.encoded = true}); }),
            "model command 'python x.py': encoded data are matched by column name, and only a "
            "schema says these names");
}

}  // namespace
}  // namespace croco
