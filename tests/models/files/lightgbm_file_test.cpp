// SPDX-License-Identifier: Apache-2.0
#include <croco/models/files/lightgbm_file.hpp>

#include <limits>
#include <string>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

/// One tree: `a <= 0.5 ? (b in {0, 2} ? 1 : 2) : 3`.
const std::string kText = R"(tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=binary sigmoid:1
feature_names=a b
feature_infos=[0:1] 0:1:2
tree_sizes=100

Tree=0
num_leaves=3
num_cat=1
split_feature=0 1
threshold=0.5 0
decision_type=2 1
left_child=1 -1
right_child=-3 -2
leaf_value=1 2 3
cat_boundaries=0 1
cat_threshold=5
is_linear=0
shrinkage=1


end of trees

parameters:
[categorical_feature: 1]
end of parameters

pandas_categorical:[["x", "y", "z"]]
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kText;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

double answer(const std::string& text, const Vector& row) {
  const TreeEnsemble ensemble = parse_lightgbm(text, "m.txt");
  return TreeModel(ensemble, InputColumns::identity(ensemble.width)).logit(row);
}

std::string fault(const std::string& from, const std::string& to) {
  const std::string text = with(from, to);
  return message_of<ModelError>([&] { return parse_lightgbm(text, "m.txt"); });
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(LightgbmFile, FollowsSplitsAndCategories) {
  EXPECT_EQ(answer(kText, {0.5, 0}), 1);
  EXPECT_EQ(answer(kText, {0.5, 1}), 2);
  EXPECT_EQ(answer(kText, {0.5, 2}), 1);
  EXPECT_EQ(answer(kText, {0.5, 99}), 2);
  EXPECT_EQ(answer(kText, {0.5, kNaN}), 2);
  EXPECT_EQ(answer(kText, {std::nextafter(0.5, 1.0), 0}), 3);
  const TreeEnsemble ensemble = parse_lightgbm(kText, "m.txt");
  EXPECT_THAT(ensemble.levels[1], testing::ElementsAre("x", "y", "z"));
}

TEST(LightgbmFile, MissingValuesGoWhereTheDecisionTypeSays) {
  // Not at all missing: a NaN is a 0.
  EXPECT_EQ(answer(kText, {kNaN, 0}), 1);
  EXPECT_EQ(answer(with("threshold=0.5", "threshold=-0.5"), {kNaN, 0}), 3);
  // NaN, to the left and to the right.
  EXPECT_EQ(answer(with("decision_type=2", "decision_type=10"), {kNaN, 0}), 1);
  EXPECT_EQ(answer(with("decision_type=2", "decision_type=8"), {kNaN, 0}), 3);
  // Zeros too.
  EXPECT_EQ(answer(with("decision_type=2", "decision_type=4"), {0, 0}), 3);
  EXPECT_EQ(answer(with("decision_type=2", "decision_type=4"), {1e-36, 0}), 3);
  EXPECT_EQ(answer(with("decision_type=2", "decision_type=4"), {1e-30, 0}), 1);
  EXPECT_EQ(answer(with("decision_type=2", "decision_type=4"), {kNaN, 0}), 3);
}

TEST(LightgbmFile, ForestsAreMeansAndSigmoidsFactors) {
  EXPECT_EQ(answer(with("sigmoid:1", "sigmoid:0.5"), {1, 0}), 1.5);
  EXPECT_EQ(answer(with("label_index", "average_output\nlabel_index"), {1, 0}), 3);
}

TEST(LightgbmFile, NamesThatSayNothingAreNone) {
  EXPECT_TRUE(parse_lightgbm(with("names=a b", "names=Column_0 Column_1"), "m.txt").names.empty());
}

TEST(LightgbmFile, RefusesOtherModels) {
  EXPECT_EQ(fault("objective=binary sigmoid:1", "objective=multiclass num_class:3"),
            "m.txt: the objective is 'multiclass'; binary and cross_entropy are read");
  EXPECT_EQ(fault("num_class=1", "num_class=3"),
            "m.txt: 'num_class' is 3; only binary classifiers are read");
  EXPECT_EQ(fault("is_linear=0", "is_linear=1"),
            "m.txt, tree 0: its leaves are linear models (linear_tree); only constant leaves are "
            "read");
  EXPECT_EQ(fault("end of trees", "end"),
            "m.txt: 'end of trees' is missing: the file is not complete");
}

TEST(LightgbmFile, NamesTreeNodeAndRule) {
  EXPECT_EQ(fault("left_child=1 -1", "left_child=0 -1"),
            "m.txt, tree 0, node 0: has the child 0, which has another parent");
  EXPECT_EQ(fault("left_child=1 -1", "left_child=1 -9"),
            "m.txt, tree 0, node 1: has the child -2; the tree has nodes 0 to 4");
  EXPECT_EQ(fault("split_feature=0 1", "split_feature=0 2"),
            "m.txt, tree 0, node 1: splits column 2; the model has columns 0 to 1");
  EXPECT_EQ(fault("threshold=0.5 0", "threshold=nan 0"),
            "m.txt, tree 0, node 0: the threshold is not a number");
  EXPECT_EQ(fault("threshold=0.5 0", "threshold=0.5 1"),
            "m.txt, tree 0: node 1: has the set of categories 1; there are 1");
  EXPECT_EQ(fault("leaf_value=1 2 3", "leaf_value=1 inf 3"),
            "m.txt, tree 0, node 3: the leaf has the value inf; it must be finite");
  EXPECT_EQ(fault("leaf_value=1 2 3", "leaf_value=1 2"),
            "m.txt, tree 0: 'leaf_value' has 2 entries; 3 are needed");
  EXPECT_EQ(fault("decision_type=2 1", "decision_type=12 1"),
            "m.txt, tree 0: node 0: its decision type is 12; 0 to 11 are known");
  EXPECT_EQ(fault("num_leaves=3", "num_leaves=1e12"),
            "m.txt, tree 0: 'num_leaves' is 1000000000000; it must be a whole number up to "
            "134217728");
  EXPECT_EQ(fault("cat_boundaries=0 1", "cat_boundaries=0 3"),
            "m.txt, tree 0: node 1: its categories are words 0 to 3 of 1");
  EXPECT_EQ(fault("num_leaves=3", "num_leaves=3\nnum_leaves=3"),
            "m.txt, tree 0: 'num_leaves' occurs twice");
  EXPECT_THAT(fault(R"([["x", "y", "z"]])", R"([["x"], ["y"]])"),
              HasSubstr("'pandas_categorical' has 2 lists of levels for 1 categorical columns"));
}

TEST(LightgbmFile, LevelsOfAnotherColumnAreNoticed) {
  // Two pandas columns, of which the one that is no categorical feature has the type category.
  EXPECT_EQ(fault("feature_infos=[0:1] 0:1:2", "feature_infos=[0:1] -1:20:10:30"),
            "m.txt: column 1 has the code 30, and 'pandas_categorical' 3 levels for it, so that "
            "these are another column's; give every categorical column, and no others, the pandas "
            "type category (unordered)");
}

TEST(LightgbmFile, BoundsWhatManyNodesMakeOfOneSet) {
  // A chain of nodes that all use the same set of 32 x 1,000 codes.
  constexpr int kSplits = 10'000;
  std::string columns, thresholds, decisions, left, right, leaves = "0";
  for (int k = 0; k < kSplits; ++k) {
    columns += "1 ";
    thresholds += "0 ";
    decisions += "1 ";
    left += std::to_string(-k - 1) + " ";
    right += std::to_string(k + 1 < kSplits ? k + 1 : -kSplits - 1) + " ";
    leaves += " 1";
  }
  std::string words;
  for (int w = 0; w < 1000; ++w) words += "1 ";
  const std::size_t begin = kText.find("num_leaves");
  const std::size_t end = kText.find("is_linear");
  const std::string text = kText.substr(0, begin) + "num_leaves=" + std::to_string(kSplits + 1) +
                           "\nnum_cat=1\nsplit_feature=" + columns + "\nthreshold=" + thresholds +
                           "\ndecision_type=" + decisions + "\nleft_child=" + left +
                           "\nright_child=" + right + "\nleaf_value=" + leaves +
                           "\ncat_boundaries=0 1000\ncat_threshold=" + words + "\n" +
                           kText.substr(end);
  EXPECT_EQ(
      message_of<ModelError>([&] { return parse_lightgbm(text, "m.txt"); }),
      "m.txt: its sets of categories would bring the reading of the model to 1.46e+08 "
      "operations; a model in a file of 185.8 KB may take 1.46e+08 (see docs/reference/models.md)");
}

TEST(LightgbmFile, AnyFactorOfTheSigmoidGivesExactCounts) {
  // The threshold over the factor is infinite: nothing is certain but for the rows themselves.
  const TreeEnsemble ensemble = parse_lightgbm(with("sigmoid:1", "sigmoid:1e-308"), "m.txt");
  const TreeModel model(ensemble, InputColumns::identity(2));
  Matrix draws(3, 2);
  draws[1][0] = 0.7;
  const auto bound = model.bind(draws.rows());
  const Vector point{0.1, 1.0};
  for (const double threshold : {-100.0, 100.0}) {
    std::size_t count = 0;
    std::vector<PointDraw> undecided;
    bound->count_failures({point, 2}, Cut{threshold}, {&count, 1}, &undecided);
    EXPECT_EQ(count + (threshold > 0 ? undecided.size() : 0), threshold > 0 ? 3U : 0U);
  }
}

}  // namespace
}  // namespace croco
