// SPDX-License-Identifier: Apache-2.0
#include <croco/models/files/catboost_file.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/models/files/catboost_features.hpp>
#include <croco/models/files/model_format.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <tests/fixtures.hpp>
#include <tests/trees.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::json;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// One symmetric tree of two questions: `a > 0.5` and `b` is the text with the hash 7.
Json document() {
  return Json::parse(R"({
    "features_info": {
      "categorical_features": [
        {"feature_id": "b", "feature_index": 0, "flat_feature_index": 1, "values": [-3, 7]}],
      "float_features": [
        {"borders": [0.25, 0.5], "feature_id": "a", "feature_index": 0, "flat_feature_index": 0,
         "has_nans": true, "nan_value_treatment": "AsTrue"}]},
    "model_info": {
      "class_params": {"class_names": ["no", "yes"], "class_to_label": [0, 1]},
      "params": {"loss_function": {"params": {}, "type": "Logloss"}}},
    "oblivious_trees": [{
      "leaf_values": [1, 2, 3, 4], "leaf_weights": [1, 1, 1, 1],
      "splits": [
        {"border": 0.5, "float_feature_index": 0, "split_index": 1, "split_type": "FloatFeature"},
        {"cat_feature_index": 0, "split_index": 3, "split_type": "OneHotFeature", "value": 7}]}],
    "scale_and_bias": [1, [0]]})");
}

/// The same questions in a tree that is not symmetric: `a > 0.5 ? 4 : (b is 7 ? 3 : 1)`.
Json lopsided() {
  Json out = document();
  const Json splits = out["oblivious_trees"][0]["splits"];
  out.erase("oblivious_trees");
  out["trees"] = Json::array({{{"split", splits[0]},
                               {"left",
                                {{"split", splits[1]},
                                 {"left", {{"value", 1}, {"weight", 2}}},
                                 {"right", {{"value", 3}, {"weight", 2}}}}},
                               {"right", {{"value", 4}, {"weight", 2}}}}});
  return out;
}

TreeEnsemble parsed(const Json& document, const RoundChoice& rounds = {}) {
  return parse_catboost(document.dump(), "m.json", rounds);
}

/// `b` is a code: 0 for the hash -3, 1 for 7, 2 for any other text.
double answer(const Json& document, const Vector& row) {
  const TreeEnsemble ensemble = parsed(document);
  return TreeModel(ensemble, InputColumns::identity(ensemble.width)).logit(row);
}

std::string fault_of(const Json& broken) {
  return message_of<ModelError>([&] { return parsed(broken); });
}

/// What is said of the document after a change.
std::string fault(const std::function<void(Json&)>& change) {
  Json broken = document();
  change(broken);
  return fault_of(broken);
}

Json& tree(Json& document) { return document["oblivious_trees"][0]; }
Json& number(Json& document) { return document["features_info"]["float_features"][0]; }
Json& category(Json& document) { return document["features_info"]["categorical_features"][0]; }

TEST(CatboostFile, AnswersAreBitsOfTheLeafsPlace) {
  EXPECT_EQ(answer(document(), {0.4, 0}), 1);
  EXPECT_EQ(answer(document(), {0.6, 0}), 2);
  EXPECT_EQ(answer(document(), {0.4, 1}), 3);
  EXPECT_EQ(answer(document(), {0.6, 1}), 4);
  EXPECT_EQ(answer(document(), {0.6, 2}), 2) << "a text that no split asks for";
}

TEST(CatboostFile, FollowsTreesThatAreNotSymmetric) {
  EXPECT_EQ(answer(lopsided(), {0.4, 0}), 1);
  EXPECT_EQ(answer(lopsided(), {0.4, 1}), 3);
  EXPECT_EQ(answer(lopsided(), {0.6, 0}), 4);
  EXPECT_EQ(answer(lopsided(), {0.6, 1}), 4);
}

TEST(CatboostFile, MissingNumbersGoWhereTheFeatureSaysIfTrainingHadMetThem) {
  EXPECT_EQ(answer(document(), {kNaN, 0}), 2);
  Json other = document();
  number(other)["has_nans"] = false;
  EXPECT_EQ(answer(other, {kNaN, 0}), 1);
  for (const char* rule : {"AsIs", "AsFalse"}) {
    other = document();
    number(other)["nan_value_treatment"] = rule;
    EXPECT_EQ(answer(other, {kNaN, 0}), 1) << rule;
  }
}

TEST(CatboostFile, ABorderIsNotAboveItselfInSinglePrecision) {
  const double above = static_cast<double>(std::nextafter(0.5F, 1.0F));
  const double middle = (0.5 + above) / 2;
  EXPECT_EQ(answer(document(), {0.5, 0}), 1);
  EXPECT_EQ(answer(document(), {middle, 0}), 1) << "half way is rounded to the even number, 0.5";
  EXPECT_EQ(answer(document(), {std::nextafter(middle, 1.0), 0}), 2);
}

TEST(CatboostFile, TheLargestNumberThatIsNotAboveABorder) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  for (const float border : {0.0F, -0.0F, 1.0F, std::nextafter(1.0F, 2.0F), -1.0F, -0.3F, kTiny,
                             -kTiny, -kLargest, std::nextafter(kLargest, 0.0F), 3.0F}) {
    const double limit = catboost::largest_not_above(border);
    const double next = std::nextafter(limit, std::numeric_limits<double>::infinity());
    EXPECT_FALSE(static_cast<float>(limit) > border) << border;
    EXPECT_TRUE(static_cast<float>(next) > border) << border;
  }
  // Numbers that are rounded to infinity are above the largest one.
  EXPECT_EQ(catboost::largest_not_above(kLargest), std::nextafter(0x1.ffffffp127, 0.0));
}

TEST(CatboostFile, TheBiasIsAddedLastAndTheScaleMultiplies) {
  Json other = document();
  other["scale_and_bias"] = {1, {0.125}};
  EXPECT_EQ(answer(other, {0.4, 0}), 1.125);
  other["scale_and_bias"] = {0.5, {0.25}};
  EXPECT_EQ(answer(other, {0.6, 1}), 2.25);
  other["scale_and_bias"] = {2, -1};
  EXPECT_EQ(answer(other, {0.6, 1}), 7) << "a bias outside of a list, as older versions wrote it";
}

TEST(CatboostFile, SaysItsClassesItsThresholdAndTheHashesOfItsCategories) {
  Json other = document();
  other["model_info"]["binclass_probability_threshold"] = "0.3";
  const TreeEnsemble out = parsed(other);
  EXPECT_EQ(out.classes, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(out.threshold, 0.3);
  EXPECT_EQ(out.names, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(out.hashed_levels.size(), 2U);
  EXPECT_FALSE(out.hashed_levels[0]);
  EXPECT_EQ(out.hashed_levels[1], (std::vector<std::int32_t>{-3, 7}));
  const TreeEnsemble exchanged = mirrored(out);
  EXPECT_EQ(exchanged.classes, (std::vector<std::string>{"yes", "no"}));
  EXPECT_DOUBLE_EQ(exchanged.threshold.value(), 0.7);
  EXPECT_EQ(TreeModel(exchanged, InputColumns::identity(2)).logit(Vector{0.4, 1}), -3);
}

TEST(CatboostFile, NamesThatSayNothingAreNone) {
  for (const auto& [a, b] : {std::pair{"", ""}, std::pair{"0", "1"}}) {
    Json other = document();
    number(other)["feature_id"] = a;
    category(other)["feature_id"] = b;
    EXPECT_TRUE(parsed(other).names.empty());
  }
}

TEST(CatboostFile, SumsOfModelsSayTheirLossAsAText) {
  Json other = document();
  other["model_info"].erase("params");
  other["model_info"]["loss_function"] = R"({"type":"Logloss","params":{}})";
  EXPECT_EQ(answer(other, {0.4, 0}), 1);
  other["model_info"]["loss_function"] = R"({"type":"RMSE","params":{}})";
  EXPECT_THAT(fault_of(other), HasSubstr("the loss function is 'RMSE'"));
  other["model_info"]["loss_function"] = "{";
  EXPECT_THAT(fault_of(other), StartsWith("m.json, model_info, 'loss_function': "));
  other["model_info"].erase("loss_function");
  EXPECT_EQ(fault_of(other),
            "m.json, model_info: 'params' is missing, which says the loss function");
}

TEST(CatboostFile, TheBestRoundIsAskedForOnly) {
  Json other = document();
  other["oblivious_trees"].push_back(tree(other));
  other["model_info"]["training"] = R"({"metrics": {"best_iteration": 0}})";
  EXPECT_EQ(parsed(other).rounds.used, 2U);
  EXPECT_EQ(parsed(other, parse_rounds("best")).rounds.used, 1U);
  EXPECT_EQ(parsed(other, parse_rounds("1")).rounds.saved, 2U);
  EXPECT_EQ(message_of<InvalidArgument>([&] { return parsed(other, parse_rounds("3")); }),
            "rounds is 3; m.json has 2");
  other["model_info"].erase("training");
  EXPECT_THAT(message_of<InvalidArgument>([&] { return parsed(other, parse_rounds("best")); }),
              HasSubstr("does not say which of its 2 rounds was the best"));
}

TEST(CatboostFile, RefusesOtherModels) {
  EXPECT_EQ(
      fault([](Json& d) { d["model_info"]["params"]["loss_function"]["type"] = "MultiClass"; }),
      "m.json, model_info: the loss function is 'MultiClass', for several classes; binary "
      "classifiers are read, of Logloss and CrossEntropy");
  EXPECT_EQ(fault([](Json& d) { d["model_info"]["class_params"]["class_names"] = {1, 2, 3}; }),
            "m.json, model_info: 'class_names' has 3 names; only classifiers with two classes are "
            "read");
  EXPECT_EQ(fault([](Json& d) { d["model_info"]["class_params"]["class_to_label"] = {1, 0}; }),
            "m.json, model_info: 'class_to_label' must be 0, 1");
  EXPECT_EQ(fault([](Json& d) { d["scale_and_bias"] = {1, {0, 0, 0}}; }),
            "m.json: 'scale_and_bias' has 3 biases, one for each class; only binary classifiers "
            "are read");
  EXPECT_EQ(fault([](Json& d) { tree(d)["leaf_values"] = {1, 2, 3, 4, 5, 6, 7, 8}; }),
            "m.json, tree 0: leaves hold several values; only models with one output are read");
  EXPECT_EQ(fault([](Json& d) { d["features_info"]["text_features"] = {{{"feature_id", "t"}}}; }),
            "m.json, features_info: the model has 'text_features'; numbers and categories are "
            "read");
  EXPECT_EQ(message_of<ModelError>([] { return fixtures::golden_trees("cat_ctr.json"); }),
            "cat_ctr.json, features_info: the model replaces categories by statistics of the "
            "target (CTRs), which are not read. Train it with one_hot_max_size=255 and categories "
            "of at most as many levels, or give each level a column of its own "
            "(pandas.get_dummies), or ask it by --model-command");
  EXPECT_EQ(fault([](Json& d) { tree(d)["splits"][0]["split_type"] = "OnlineCtr"; }),
            "m.json, tree 0, split 0: 'split_type' is 'OnlineCtr'; FloatFeature and OneHotFeature "
            "are read");
  Json several = lopsided();
  several["trees"][0]["right"]["value"] = {1, 2, 3};
  EXPECT_EQ(fault_of(several),
            "m.json, tree 0, node 4: leaves hold several values; only models with one output are "
            "read");
}

TEST(CatboostFile, SplitsHaveToBeTheQuestionsThatTheyDescribe) {
  EXPECT_EQ(fault([](Json& d) { tree(d)["splits"][0]["border"] = 0.25; }),
            "m.json, tree 0, split 0: 'split_index' is 1, the border 0.5 of feature 0; the split "
            "describes border 0.25 of feature 0");
  EXPECT_EQ(fault([](Json& d) { tree(d)["splits"][1]["split_index"] = 2; }),
            "m.json, tree 0, split 1: 'split_index' is 2, the value -3 of feature 0; the split "
            "describes value 7 of feature 0");
  EXPECT_THAT(fault([](Json& d) { tree(d)["splits"][1]["split_index"] = 0; }),
              HasSubstr("'split_index' is 0, the border 0.25 of feature 0; the split describes "
                        "value 7"));
  EXPECT_THAT(fault([](Json& d) { tree(d)["splits"][0]["float_feature_index"] = 5; }),
              HasSubstr("describes border 0.5 of feature 5"));
  for (const Json& index : {Json(4), Json(-1), Json(0.5), Json(1e300)}) {
    EXPECT_THAT(fault([&](Json& d) { tree(d)["splits"][0]["split_index"] = index; }),
                HasSubstr("it must be a whole number from 0 to 3"));
  }
}

TEST(CatboostFile, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(fault([](Json& d) { number(d)["borders"] = {0.5, 0.25}; }),
            "m.json, features_info, float feature 0: its borders must ascend; 0.25 follows 0.5");
  EXPECT_EQ(fault([](Json& d) { number(d)["borders"] = {0.25, 1e39}; }),
            "m.json, features_info, float feature 0: the border 1e+39 is no number of single "
            "precision");
  EXPECT_THAT(fault([](Json& d) { category(d)["values"] = {-3, -3}; }),
              HasSubstr("categorical feature 0: the value -3 occurs twice"));
  EXPECT_THAT(fault([](Json& d) { category(d)["values"] = {-3, 4294967296}; }),
              HasSubstr("the value 4294967296 is no hash of 32 bits"));
  EXPECT_EQ(fault([](Json& d) { category(d)["flat_feature_index"] = 2; }),
            "m.json, features_info: 'flat_feature_index' must number the 2 features from 0; 1 is "
            "missing");
  EXPECT_EQ(fault([](Json& d) { category(d)["flat_feature_index"] = 0; }),
            "m.json, features_info: 'flat_feature_index' must number the 2 features from 0; 1 is "
            "there twice");
  EXPECT_THAT(fault([](Json& d) { category(d)["flat_feature_index"] = 1e9; }),
              HasSubstr("'flat_feature_index' is 1000000000; it must be a whole number from 0"));
  EXPECT_THAT(fault([](Json& d) { number(d)["nan_value_treatment"] = "Ignore"; }),
              HasSubstr("'nan_value_treatment' is 'Ignore'; AsIs, AsFalse and AsTrue are known"));
  EXPECT_EQ(fault([](Json& d) { tree(d)["leaf_values"] = {1, 2, 3}; }),
            "m.json, tree 0: 'leaf_values' has 3 entries; 2 splits need 4");
  EXPECT_EQ(fault([](Json& d) { tree(d)["leaf_values"][2] = nullptr; }),
            "m.json, tree 0: a leaf's value must be a number");
  EXPECT_EQ(fault([](Json& d) { tree(d)["splits"] = Json(60, tree(d)["splits"][0]); }),
            "m.json, tree 0: has 60 splits; symmetric trees have at most 16");
  EXPECT_EQ(fault([](Json& d) { d["scale_and_bias"] = {0, {0}}; }),
            "m.json: the scale is 0; it must be above 0");
  EXPECT_EQ(fault([](Json& d) { d["scale_and_bias"] = {1, {"a"}}; }),
            "m.json: 'scale_and_bias' must be a number and a list of one number");
  EXPECT_EQ(fault([](Json& d) { d["scale_and_bias"] = {1}; }),
            "m.json: 'scale_and_bias' has 1 entries; 2 are needed");
  EXPECT_THAT(fault([](Json& d) { d["model_info"]["binclass_probability_threshold"] = "1.5"; }),
              HasSubstr("'binclass_probability_threshold' is 1.5; it must be between 0 and 1"));
}

TEST(CatboostFile, RefusesWhatIsMissing) {
  for (const char* key : {"features_info", "model_info", "scale_and_bias"}) {
    EXPECT_EQ(fault([&](Json& d) { d.erase(key); }),
              "m.json: '" + std::string(key) + "' is missing");
  }
  EXPECT_EQ(fault([](Json& d) { d.erase("oblivious_trees"); }), "m.json: 'trees' is missing");
  for (const char* key : {"leaf_values", "splits"}) {
    EXPECT_EQ(fault([&](Json& d) { tree(d).erase(key); }),
              "m.json, tree 0: '" + std::string(key) + "' is missing");
  }
  for (const char* key : {"borders", "feature_id", "feature_index", "flat_feature_index",
                          "has_nans", "nan_value_treatment"}) {
    EXPECT_EQ(fault([&](Json& d) { number(d).erase(key); }),
              "m.json, features_info, float feature 0: '" + std::string(key) + "' is missing");
  }
  for (const char* key : {"split_type", "split_index", "border", "float_feature_index"}) {
    EXPECT_EQ(fault([&](Json& d) { tree(d)["splits"][0].erase(key); }),
              "m.json, tree 0, split 0: '" + std::string(key) + "' is missing");
  }
  for (const char* key : {"left", "right", "split"}) {
    Json broken = lopsided();
    broken["trees"][0].erase(key);
    EXPECT_EQ(fault_of(broken), "m.json, tree 0, node 0: '" + std::string(key) + "' is missing");
  }
  EXPECT_EQ(fault([](Json& d) { d["features_info"] = Json::object(); }),
            "m.json, features_info: there are no features; a model needs columns");
}

TEST(CatboostFile, IsRecognisedByItsKeys) {
  EXPECT_EQ(format_of(document().dump()), ModelFormat::catboost);
  EXPECT_EQ(format_of(fixtures::tree_file("cat_ctr.json")), ModelFormat::catboost);
  EXPECT_EQ(format_of(R"({"trees": [], "features_info": {}})"), ModelFormat::catboost);
  EXPECT_EQ(format_of(R"({"trees": []})"), ModelFormat::croco);
}

}  // namespace
}  // namespace croco
