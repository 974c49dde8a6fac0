// SPDX-License-Identifier: Apache-2.0
#include <croco/models/files/xgboost_file.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::ElementsAre;
using testing::HasSubstr;
using Json = nlohmann::json;

/// One tree: `a < 0.5 ? (b in {0, 2} goes right) : 3`.
Json document() {
  return Json::parse(R"({"learner": {
    "attributes": {},
    "feature_names": ["a", "b"],
    "gradient_booster": {"name": "gbtree", "model": {
      "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": "1"},
      "tree_info": [0],
      "trees": [{
        "left_children": [1, 3, -1, -1, -1], "right_children": [2, 4, -1, -1, -1],
        "split_indices": [0, 1, 0, 0, 0], "split_conditions": [0.5, 0, 3, 1, 2],
        "default_left": [0, 1, 0, 0, 0], "split_type": [0, 1, 0, 0, 0],
        "categories": [0, 2], "categories_nodes": [1], "categories_segments": [0],
        "categories_sizes": [2],
        "tree_param": {"num_nodes": "5", "size_leaf_vector": "1"}}]}},
    "learner_model_param": {"base_score": "5E-1", "num_class": "0", "num_feature": "2"},
    "objective": {"name": "binary:logistic"}}, "version": [2, 1, 0]})");
}

Json& tree(Json& document) { return document["learner"]["gradient_booster"]["model"]["trees"][0]; }

double answer(const Json& document, const Vector& row) {
  const TreeEnsemble ensemble = parse_xgboost(document.dump(), "m.json");
  return TreeModel(ensemble, InputColumns::identity(ensemble.width)).logit(row);
}

/// What is said of the document after a change.
std::string fault(const std::function<void(Json&)>& change) {
  Json broken = document();
  change(broken);
  return message_of<ModelError>([&] { return parse_xgboost(broken.dump(), "m.json"); });
}

TEST(XgboostFile, FollowsSplitsAndCategories) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(answer(document(), {0.5, 1}), 3);
  EXPECT_EQ(answer(document(), {0.4, 1}), 1);
  EXPECT_EQ(answer(document(), {0.4, 2}), 2);
  EXPECT_EQ(answer(document(), {0.4, 7}), 1) << "categories that are not listed go left";
  EXPECT_EQ(answer(document(), {0.4, kNaN}), 1);
  EXPECT_EQ(answer(document(), {kNaN, 1}), 3);
}

TEST(XgboostFile, RoundsValuesToSinglePrecisionAsXgboostDoes) {
  // Half way to the next smaller number is rounded to the even one, 0.5.
  const double middle = (0.5 + static_cast<double>(std::nextafter(0.5F, 0.0F))) / 2;
  EXPECT_EQ(answer(document(), {middle, 1}), 3);
  EXPECT_EQ(answer(document(), {std::nextafter(middle, 0.0), 1}), 1);
}

TEST(XgboostFile, ReadsTheSameFromUbjson) {
  const std::vector<std::uint8_t> bytes = Json::to_ubjson(document(), true, true);
  const std::string text(bytes.begin(), bytes.end());
  const TreeEnsemble ensemble = parse_xgboost_ubjson(text, "m.ubj");
  const TreeModel model(ensemble, InputColumns::identity(2));
  EXPECT_EQ(model.logit(Vector{0.4, 2}), 2);
}

TEST(XgboostFile, BaseScoreIsAProbability) {
  Json with = document();
  with["learner"]["learner_model_param"]["base_score"] = "[7.5E-1]";
  EXPECT_FLOAT_EQ(static_cast<float>(answer(with, {0.5, 1})), 3 + std::log(3.0F));
  with["learner"]["objective"]["name"] = "binary:logitraw";
  EXPECT_EQ(answer(with, {0.5, 1}), 3.75);
}

TEST(XgboostFile, RefusesOtherModels) {
  EXPECT_EQ(fault([](Json& d) { d["learner"]["objective"]["name"] = "multi:softprob"; }),
            "m.json: the objective is 'multi:softprob'; binary:logistic, binary:logitraw and "
            "reg:logistic are read");
  EXPECT_EQ(fault([](Json& d) { d["learner"]["learner_model_param"]["num_class"] = "3"; }),
            "m.json: 'num_class' is 3; only binary classifiers are read");
  EXPECT_EQ(fault([](Json& d) { d["learner"]["gradient_booster"]["name"] = "gblinear"; }),
            "m.json: the booster is 'gblinear'; gbtree and dart are read");
  EXPECT_THAT(
      fault([](Json& d) {
        Json& model = d["learner"]["gradient_booster"]["model"];
        model["trees"].push_back(model["trees"][0]);
        model["trees"].push_back(model["trees"][0]);
        d["learner"]["attributes"]["best_iteration"] = "0";
      }),
      HasSubstr("the model has 3 rounds and says that round 0, counted from 0, was the best"));
  EXPECT_EQ(fault([](Json& d) { d["learner"]["learner_model_param"]["base_score"] = "1.5"; }),
            "m.json: 'base_score' is 1.5; for binary:logistic it must be between 0 and 1");
}

TEST(XgboostFile, RoundsHaveToCoverTheTrees) {
  const auto with_rounds = [](const Json& ends) {
    return fault([&](Json& d) {
      Json& model = d["learner"]["gradient_booster"]["model"];
      model["trees"].push_back(model["trees"][0]);
      model["iteration_indptr"] = ends;
    });
  };
  EXPECT_EQ(with_rounds({0, 1}), "m.json: the rounds end with tree 1; there are 2");
  EXPECT_EQ(with_rounds({0}), "m.json: the rounds end with tree 0; there are 2");
  EXPECT_EQ(with_rounds({0, 3}), "m.json: the rounds end with tree 3; there are 2");
  EXPECT_EQ(with_rounds({0, 2, 2}), "m.json: 'iteration_indptr' must ascend");
  EXPECT_EQ(with_rounds({-1, 2}), "m.json: 'iteration_indptr' must ascend");
  EXPECT_EQ(fault([](Json& d) {
              d["learner"]["gradient_booster"]["model"]["gbtree_model_param"]["num_parallel_tree"] =
                  "2";
            }),
            "m.json: the rounds end with tree 2; there are 1");
}

TEST(XgboostFile, CategoriesWithoutLevelsAreUnexplained) {
  EXPECT_THAT(parse_xgboost(document().dump(), "m.json").unexplained_codes,
              ElementsAre(false, true))
      << "a split says that it is a category";
  Json typed = document();
  typed["learner"]["feature_types"] = {"c", "c"};
  EXPECT_THAT(parse_xgboost(typed.dump(), "m.json").unexplained_codes, ElementsAre(true, true));
  Json& model = typed["learner"]["gradient_booster"]["model"];
  model["cats"] = Json::parse(R"({"enc": [{"values": [10, 20, 30], "type": 15},
                                          {"offsets": [0, 1, 2], "values": [120, 121]}]})");
  const TreeEnsemble stored = parse_xgboost(typed.dump(), "m.json");
  EXPECT_THAT(stored.unexplained_codes, ElementsAre(false, false));
  EXPECT_THAT(stored.levels[0], ElementsAre("10", "20", "30"));
  model["cats"] = Json::parse(R"({"enc": [], "feature_segments": [], "sorted_idx": []})");
  EXPECT_THAT(parse_xgboost(typed.dump(), "m.json").unexplained_codes, ElementsAre(true, true))
      << "a slice";
  typed["learner"].erase("feature_names");
  EXPECT_THAT(parse_xgboost(typed.dump(), "m.json").unexplained_codes, ElementsAre(false, false))
      << "a matrix, whose codes are its numbers";
}

TEST(XgboostFile, NamesTreeNodeAndRule) {
  EXPECT_EQ(fault([](Json& d) { tree(d)["left_children"][1] = 7; }),
            "m.json, tree 0, node 1: has the child 7; the tree has nodes 0 to 4");
  EXPECT_EQ(fault([](Json& d) { tree(d)["left_children"][1] = 0; }),
            "m.json, tree 0, node 1: has the child 0, which has another parent");
  EXPECT_EQ(fault([](Json& d) { tree(d)["left_children"][1] = -1; }),
            "m.json, tree 0, node 1: has the child -1; the tree has nodes 0 to 4");
  EXPECT_EQ(fault([](Json& d) { tree(d)["split_indices"][0] = 2; }),
            "m.json, tree 0, node 0: splits column 2; the model has columns 0 to 1");
  EXPECT_EQ(fault([](Json& d) { tree(d)["split_conditions"][2] = 1e39; }),
            "m.json, tree 0, node 2: the leaf has the value inf; it must be finite");
  EXPECT_EQ(fault([](Json& d) { tree(d)["split_type"][0] = 2; }),
            "m.json, tree 0: node 0: its split is of type 2; 0 and 1 are known");
  EXPECT_EQ(fault([](Json& d) { tree(d)["categories_sizes"][0] = 9; }),
            "m.json, tree 0: node 1: has 9 categories from place 0 on; there are 2");
  EXPECT_EQ(fault([](Json& d) { tree(d)["categories"][0] = -4; }),
            "m.json, tree 0: node 1: has the category -4; they go from 0 to 16777215");
  EXPECT_EQ(fault([](Json& d) { tree(d)["default_left"] = Json::array({1}); }),
            "m.json, tree 0: 'default_left' has 1 entries; 5 are needed");
  EXPECT_EQ(fault([](Json& d) { tree(d)["tree_param"]["num_nodes"] = "0"; }),
            "m.json, tree 0: 'left_children' has 5 entries; 0 are needed");
  EXPECT_EQ(fault([](Json& d) { d["learner"].erase("objective"); }),
            "m.json: 'objective' is missing");
}

TEST(XgboostFile, BoundsWhatFewCategoriesCanTake) {
  // 40 trees whose one set ends with the largest code: 2 MB each for a few bytes.
  EXPECT_EQ(
      fault([](Json& d) {
        tree(d)["categories"][1] = (1 << 24) - 1;
        Json& trees = d["learner"]["gradient_booster"]["model"]["trees"];
        for (int t = 1; t < 40; ++t) trees.push_back(trees[0]);
      }),
      "m.json: its sets of categories would bring the reading of the model to 2.01e+08 "
      "operations; a model in a file of 13.21 KB may take 1.35e+08 (see docs/reference/models.md)");
  // Sets that share what is listed once.
  EXPECT_EQ(fault([](Json& d) {
              tree(d)["categories_nodes"] = {0, 1};
              tree(d)["categories_segments"] = {0, 1};
              tree(d)["categories_sizes"] = {2, 1};
            }),
            "m.json, tree 0: node 1: its categories begin at place 1, within those of node 0");
}

TEST(XgboostFile, LeavesMustAddUpToNumbers) {
  // Each is finite in single precision; their sum is not, and with -infinity it would be NaN.
  Json with = document();
  for (const std::size_t leaf : {2U, 3U, 4U}) tree(with)["split_conditions"][leaf] = 3e38;
  EXPECT_EQ(message_of<ModelError>([&] { return answer(with, {0.5, 1}); }),
            "the leaves of its trees add up to 3e+38; at most 1e+37 are allowed");
}

TEST(XgboostFile, BoundsWhatFewBytesOfUbjsonCanAnnounce) {
  // A list of 2^40 truths, which take no bytes at all.
  const std::string bomb("{i\x07learner[$T#L\x00\x00\x01\x00\x00\x00\x00\x00", 23);
  EXPECT_THAT(message_of<ModelError>([&] { return parse_xgboost_ubjson(bomb, "m.ubj"); }),
              HasSubstr("m.ubj: announces more values than it has bytes"));
  const std::string deep = "{i\x07learner" + std::string(100'000, '[');
  EXPECT_THAT(message_of<ModelError>([&] { return parse_xgboost_ubjson(deep, "m.ubj"); }),
              HasSubstr("m.ubj: nested deeper than 64 levels"));
}

}  // namespace
}  // namespace croco
