// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/bundle.hpp>

#include <bit>
#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/base/base64.hpp>
#include <croco/base/error.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/models/files/model_file.hpp>
#include <croco/report/writer.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

/// One split on the income, as LightGBM saves it.
constexpr std::string_view kStump =
    "tree\nversion=v3\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=1\n"
    "objective=binary sigmoid:1\nfeature_names=income debt\nfeature_infos=[0:6000] [0:20]\n"
    "tree_sizes=330\n\nTree=0\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\nsplit_gain=10\n"
    "threshold=3000\ndecision_type=2\nleft_child=-1\nright_child=-2\nleaf_value=-2 2\n"
    "leaf_weight=10 10\nleaf_count=10 10\ninternal_value=0\ninternal_weight=20\n"
    "internal_count=20\nis_linear=0\nshrinkage=1\n\n\nend of trees\n";

DataFrame applicants() {
  return {.source = "applicants",
          .columns = {{"income", NumberColumn{{900, 1500, 2100, 2800, 3600, 5000}}},
                      {"debt", NumberColumn{{1, 4, 9, 3, 0, 12}}}}};
}

Schema schema() {
  Feature income{.name = "income", .unit = "EUR"};
  income.step = 50;
  income.noise.sd = 100;
  return {.label = {.name = "loan", .favourable = "yes", .unfavourable = "no"},
          .features = {income, {.name = "debt"}}};
}

LoadedModel in_memory() {
  LoadModelOptions options;
  options.training = [] { return TrainingData{schema(), applicants()}; };
  return load_model_bytes(kStump, "stump", options);
}

Bundle stump() {
  const LoadedModel loaded = in_memory();
  return {.model = std::string(kStump),
          .rounds = {},
          .encoding = loaded.codec.json(),
          .goal = Goal(0.3, 0),
          .examples = loaded.examples,
          .extra = R"({"columns": ["income"]})"};
}

Json document() { return Json::parse(bundle_json(stump())); }

std::string failure(const Json& json) {
  return message_of<DataError>([&] { return load_model_bytes(json.dump(), "b.croco"); });
}
std::string model_failure(const Json& json) {
  return message_of<ModelError>([&] { return load_model_bytes(json.dump(), "b.croco"); });
}

TEST(Bundle, HoldsTheModelAsItWasLoaded) {
  const LoadedModel before = in_memory();
  const LoadedModel after = load_model_bytes(bundle_json(stump()), "b.croco");
  EXPECT_EQ(after.fingerprint, before.fingerprint);
  EXPECT_EQ(after.codec.json(), before.codec.json());
  EXPECT_EQ(after.examples->data, before.examples->data);
  EXPECT_EQ(after.program, "LightGBM");
  ASSERT_TRUE(after.goal);
  EXPECT_EQ(after.goal->threshold(), 0.3);
  EXPECT_EQ(after.goal->wanted(), 0);
  EXPECT_FALSE(before.goal);
}

TEST(Bundle, GivesTheSameAnswers) {
  const auto lines = [](LoadedModel model) {
    const Explainer explainer(std::move(model));
    const ReportContext context = report_context(explainer);
    const std::vector<Person> people{{.row = 0, .record = {"1800", "3"}},
                                     {.row = 1, .record = {"2950", "0"}}};
    std::string out;
    for (const Explanation& answer : explainer.explain(people)) out += json_line(context, answer);
    return out;
  };
  const std::string expected = lines(in_memory());
  EXPECT_THAT(expected, HasSubstr("\"found\""));
  EXPECT_EQ(lines(load_model_bytes(bundle_json(stump()), "b.croco")), expected);
}

TEST(Bundle, TakesAnotherSchemaAndCost) {
  Schema other = schema();
  other.features[0].movement = Movement::fixed;
  LoadModelOptions options;
  options.schema = other;
  options.cost = CostKind::mad;
  const LoadedModel loaded = load_model_bytes(bundle_json(stump()), "b.croco", options);
  EXPECT_EQ(loaded.codec.schema().features[0].movement, Movement::fixed);
  EXPECT_EQ(loaded.codec.cost_kind(), CostKind::mad);
}

TEST(Bundle, HoldsFilesOfCrocoToo) {
  const std::string file = model_json({.name = "people",
                                       .model = people::model(),
                                       .inputs = {.names = people::codec().column_names()},
                                       .target = "accepted",
                                       .encoding = people::codec().json()});
  const Bundle bundle{.model = file, .encoding = people::codec().json()};
  const LoadedModel loaded = load_model_bytes(bundle_json(bundle), "b.croco");
  EXPECT_EQ(loaded.fingerprint, load_model_bytes(file, "m.json").fingerprint);
  EXPECT_EQ(loaded.name, "people");
  EXPECT_EQ(loaded.examples, nullptr);
}

TEST(Bundle, KeepsWhatAnotherProgramAdds) {
  EXPECT_EQ(Json::parse(parse_bundle(bundle_json(stump()), "b").extra), Json::parse(stump().extra));
}

TEST(Bundle, SaysItselfHowItsModelIsRead) {
  LoadModelOptions rounds;
  rounds.rounds = parse_rounds("1");
  LoadModelOptions encoded;
  encoded.encoded = true;
  const auto refused = [](const LoadModelOptions& options) {
    return message_of<InvalidArgument>(
        [&] { return load_model_bytes(bundle_json(stump()), "b.croco", options); });
  };
  EXPECT_EQ(refused(rounds),
            "b.croco is a bundle, which says itself how its model is read; leave out rounds, "
            "category-order, score and decision");
  EXPECT_THAT(refused(encoded), EndsWith("leave out encoded, box and freeze-immutable"));
}

TEST(Bundle, RefusesWhatIsNoBundle) {
  Json json = document();
  json["croco_bundle"] = 2;
  EXPECT_THAT(failure(json), HasSubstr("a newer croco is needed"));
  json = document();
  json["modell"] = "";
  EXPECT_THAT(failure(json), HasSubstr("unknown key 'modell'; did you mean 'model'?"));
  json = document();
  json.erase("encoding");
  EXPECT_EQ(failure(json), "b.croco: the key 'encoding' is missing");
  json = document();
  json["model"] = json["model"].get<std::string>().substr(1);
  EXPECT_EQ(failure(json), "b.croco: 'model' is no base64, or was cut off");
  json = document();
  json["goal"]["threshold"] = 1.5;
  EXPECT_THAT(failure(json), StartsWith("b.croco: goal: threshold"));
  json = document();
  json["goal"]["wanted"] = 3;
  EXPECT_THAT(failure(json), StartsWith("b.croco: goal: "));
  json = document();
  json["examples"]["width"] = 5;
  EXPECT_THAT(failure(json), HasSubstr("96 bytes, which are no rows of 5 numbers"));
  json = document();
  json["examples"]["width"] = 3;
  EXPECT_THAT(failure(json), HasSubstr("the examples have 3 columns; the encoding has 2"));
  json = document();
  const auto infinite = std::bit_cast<std::array<char, 16>>(std::array{1.0 / 0.0, 1.0});
  json["examples"]["values"] = base64({infinite.data(), infinite.size()});
  EXPECT_THAT(failure(json), HasSubstr("'values' hold a number that is not finite"));
}

TEST(Bundle, RefusesModelsThatDoNotFit) {
  Json json = document();
  json["model"] = base64(bundle_json(stump()));
  EXPECT_EQ(model_failure(json), "b.croco: a bundle holds a model, and no further bundle");
  json = document();
  json["encoding"]["schema"]["features"][0]["name"] = "wage";
  EXPECT_THAT(model_failure(json), HasSubstr("income"));
  json = document();
  json["reading"]["rounds"] = "some";
  EXPECT_THAT(model_failure(json), HasSubstr("b.croco: rounds is 'some'"));
  json = document();
  json["reading"]["score"] = "logit";
  EXPECT_EQ(model_failure(json), "b.croco: score is for ONNX files; b.croco is none");
}

}  // namespace
}  // namespace croco
