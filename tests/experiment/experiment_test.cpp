// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/experiment.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/experiment/configuration.hpp>

namespace croco {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Json = nlohmann::ordered_json;

/// A smallest experiment, to be changed.
Json small() {
  return Json::parse(R"({
    "croco_experiment": 1,
    "datasets": [{"name": "mine", "data": "german"}],
    "noises": [{"name": "a", "noise": "gaussian:sd=0.1"}],
    "targets": [0.05, 0.2],
    "methods": [{"name": "certified", "method": "certified"}]
  })");
}

Experiment parse(const Json& json) { return parse_experiment(json.dump(), "mine.json", "/there"); }

TEST(Experiment, IsThePapersWhenNothingElseIsSaid) {
  const Experiment paper = paper_experiment();
  ASSERT_EQ(paper.datasets.size(), 3U);
  EXPECT_EQ(paper.datasets[2].name, "give_me_some_credit");
  EXPECT_EQ(paper.datasets[0].train.hidden, std::vector<std::size_t>{50});
  EXPECT_EQ(paper.datasets[0].train.test_share, 0.25);
  EXPECT_THAT(paper.targets, ElementsAre(0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35));
  std::vector<double> variances;
  for (const ExperimentNoise& noise : paper.noises) {
    EXPECT_EQ(noise.noise.scope, NoiseScope::all);
    variances.push_back(noise.noise.scale * noise.noise.scale);
  }
  EXPECT_THAT(variances,
              ElementsAre(testing::DoubleNear(0.005, 1e-15), testing::DoubleNear(0.01, 1e-15),
                          testing::DoubleNear(0.015, 1e-15), testing::DoubleNear(0.02, 1e-15)));
  std::vector<std::string> methods;
  for (const ExperimentMethod& method : paper.methods) methods.push_back(method.name);
  EXPECT_THAT(methods, ElementsAre("wachter", "probe", "croco", "croco-prose", "certified"));
  EXPECT_EQ(paper.people, 500U);
  EXPECT_EQ(paper.rate_samples, 100'000U);
}

TEST(Experiment, HasPathsThatStartAtItsFolder) {
  Json json = small();
  json["datasets"][0] = {{"name", "own"},          {"data", "rows.csv"}, {"schema", "s.json"},
                         {"model", "/abs/m.json"}, {"people", "p.csv"},  {"limits", "schema"}};
  json["methods"].push_back({{"name", "other"}, {"counterfactuals", {"a.csv", "b.csv"}}});
  const Experiment experiment = parse(json);
  EXPECT_EQ(experiment.datasets[0].data, "/there/rows.csv");
  EXPECT_EQ(experiment.datasets[0].schema, "/there/s.json");
  EXPECT_EQ(experiment.datasets[0].model, "/abs/m.json");
  EXPECT_EQ(experiment.datasets[0].people, "/there/p.csv");
  EXPECT_EQ(experiment.datasets[0].limits, Limits::schema);
  EXPECT_THAT(
      experiment.methods[1].counterfactuals,
      ElementsAre(std::filesystem::path("/there/a.csv"), std::filesystem::path("/there/b.csv")));
}

TEST(Experiment, KeepsTheEndsOfItsGridWhenQuick) {
  const Experiment fast = quick(paper_experiment());
  EXPECT_EQ(fast.people, 100U);
  EXPECT_THAT(fast.targets, ElementsAre(0.05, 0.15, 0.25, 0.35));
  ASSERT_EQ(fast.noises.size(), 2U);
  EXPECT_EQ(fast.noises[0].name, "0.005");
  EXPECT_EQ(fast.noises[1].name, "0.02");
  EXPECT_EQ(fast.methods.size(), 5U);
}

TEST(Experiment, NamesWhatIsWrong) {
  struct Mistake {
    Json patch;  // merged into the smallest experiment
    std::string message;
  };
  const auto method = [](const Json& more) {
    Json entry{{"name", "m"}};
    entry.update(more);
    return Json{{"methods", {entry}}};
  };
  const auto dataset = [](const Json& more) {
    Json entry{{"name", "d"}};
    entry.update(more);
    return Json{{"datasets", {entry}}};
  };
  const std::vector<Mistake> mistakes{
      {{{"croco_experiment", 2}}, "'croco_experiment' is 2, but this build reads versions up to 1"},
      {{{"target", {0.1}}}, "mine.json: unknown key 'target'; did you mean 'targets'?"},
      {{{"targets", Json::array()}}, "mine.json: there are no targets"},
      {{{"targets", {0.2, 0.1}}}, "target 0.1 follows 0.2; targets must rise"},
      {{{"targets", {1.5}}}, "target 1.5 must be between 0 and 1"},
      {{{"targets", {"0.1"}}}, "'targets' holds \"0.1\"; each must be a number"},
      {{{"people", 0}}, "'people' is 0; it must be between 1 and 10000000"},
      {{{"people", 1.5}}, "'people' must be a whole number of at least 0, not 1.5"},
      {{{"certificate", {{"confidence", 1}}}},
       "'certificate: confidence' is 1; it must be between"},
      {{{"certificate", {{"draws", 1}}}}, "mine.json: certificate: unknown key 'draws'"},
      {{{"noises", {{{"name", "a"}, {"noise", "gauss:sd=1"}}}}},
       "mine.json: noise 'a': noise 'gauss:sd=1': the shape"},
      {{{"noises", {{{"name", "a b"}, {"noise", "gaussian:sd=1"}}}}},
       "the name of noise 'a b' must be letters, digits, '-', '_' and '.'"},
      {{{"noises", {{{"name", ".."}, {"noise", "gaussian:sd=1"}}}}},
       "the name of noise '..' must be"},
      {{{"noises", {{{"name", "a"}, {"noise", "gaussian:sd=1"}, {"on", "some"}}}}},
       "mine.json: noise 'a': "},
      {{{"methods", {{{"name", "A"}, {"method", "probe"}}, {{"name", "a"}, {"method", "croco"}}}}},
       "the name of method 'a' is there twice"},
      {method(Json::object()),
       "method 'm': it needs either 'method', for a method of croco, or 'counterfactuals'"},
      {method({{"method", "dice"}}),
       "method 'm': method is 'dice'; it must be certified, croco, probe or wachter"},
      {method({{"method", "probe"}, {"margin", 0.1}}),
       "method 'm': margin is for method croco; method is probe"},
      {method({{"method", "croco"}, {"margin", 0.1}, {"draws", 500}}), "method 'm': "},
      {method({{"method", "croco"}, {"margin", 0.1}, {"bound_samples", 500}}), "method 'm': "},
      {method({{"method", "croco"}, {"bound_samples", 500}, {"draws", 500}}),
       "method 'm': 'draws' is the former name of 'bound_samples'; only one can be given"},
      {method({{"method", "probe"}, {"as_published", 1}}),
       "method 'm': 'as_published' must be true or false, not 1"},
      {method({{"method", "probe"}, {"counterfactuals", {"x.csv"}}}),
       "method 'm': it needs either"},
      {dataset(Json::object()), "dataset 'd': it needs 'data' to train a model on, or a 'model'"},
      {dataset({{"model", "m.json"}}),
       "dataset 'd': it needs 'people', or 'data' whose rejected rows"},
      {dataset({{"data", "rows.csv"}}),
       "dataset 'd': to train on a file of your own it needs a 'schema'"},
      {dataset({{"data", "german"}, {"limits", "some"}}),
       "'limits' is 'some', which is none of 'none', 'schema'"},
      {dataset({{"data", "german"}, {"model", "m.json"}, {"train", Json::object()}}),
       "dataset 'd': 'train' and 'model' exclude each other"},
      {dataset({{"data", "german"}, {"train", {{"epochs", 0}}}}),
       "dataset 'd': train: epochs is 0"},
      {dataset({{"data", "german"}, {"train", {{"hidden", {-3}}}}}), "train: 'hidden' holds -3"},
      {dataset({{"data", "german"}, {"train", {{"activation", "softsign"}}}}),
       "dataset 'd': train: "},
  };
  for (const Mistake& mistake : mistakes) {
    Json json = small();
    json.update(mistake.patch);
    EXPECT_THAT([&] { static_cast<void>(parse(json)); },
                ThrowsMessage<DataError>(HasSubstr(mistake.message)))
        << mistake.patch.dump();
  }
  EXPECT_THAT([] { static_cast<void>(parse_experiment("[]", "mine.json", "")); },
              ThrowsMessage<DataError>(HasSubstr("mine.json: must be an object, not array")));
  EXPECT_THAT([] { static_cast<void>(parse_experiment("{", "mine.json", "")); },
              ThrowsMessage<DataError>(HasSubstr("mine.json")));
}

TEST(Grid, HasMethodsWithoutATargetOncePerNoise) {
  Json json = small();
  json["methods"].push_back({{"name", "w"}, {"method", "wachter"}});
  json["noises"].push_back({{"name", "b"}, {"noise", "gaussian:sd=0.2"}});
  const Experiment experiment = parse(json);
  std::vector<std::string> paths;
  for (const Configuration& cell : grid_of(experiment, {true, false})) {
    paths.push_back(path_of(experiment, cell).string());
  }
  EXPECT_THAT(paths, ElementsAre("mine/a/any/w", "mine/a/0.05/certified", "mine/a/0.2/certified",
                                 "mine/b/any/w", "mine/b/0.05/certified", "mine/b/0.2/certified"));
}

}  // namespace
}  // namespace croco
