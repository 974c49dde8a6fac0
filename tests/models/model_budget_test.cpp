// SPDX-License-Identifier: Apache-2.0
#include <croco/models/model_budget.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/models/files/lightgbm_file.hpp>
#include <croco/models/files/model_file.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::HasSubstr;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

TEST(ModelBudget, CountsWhatStays) {
  ModelBudget budget(1'000'000, "m.onnx");
  budget.keep(1, budget.most_bytes() - 10, "the first");
  budget.borrow(1, 10, "the second");
  budget.borrow(1, 10, "the third");
  budget.keep(1, 10, "the fourth");
  EXPECT_EQ(message_of<ModelError>([&] { budget.keep(1, 1, "the fifth"); }),
            "m.onnx: the fifth would bring the model to 102.1 MB of memory; a model in a file of "
            "976.6 KB may take 102.1 MB (see docs/reference/models.md)");
}

TEST(ModelBudget, CountsWork) {
  ModelBudget budget(0);
  budget.work(1, budget.most_work(), "all");
  EXPECT_EQ(message_of<ModelError>([&] { budget.work(1, 1, "one more"); }),
            "one more would bring the reading of the model to 1.34e+08 operations; a model in a "
            "file of 0 bytes may take 1.34e+08 (see docs/reference/models.md)");
}

TEST(ModelBudget, ProductsDoNotOverflow) {
  ModelBudget budget(100);
  EXPECT_THAT(message_of<ModelError>([&] { budget.keep(kAll, kAll, "it"); }),
              HasSubstr("16 EB of memory"));
  EXPECT_THAT(message_of<ModelError>([&] { budget.work(kAll / 2, 3, "it"); }),
              HasSubstr("1.84e+19 operations"));
  // What was refused is not counted.
  budget.keep(1, budget.most_bytes(), "all");
}

TEST(ModelBudget, GrowsWithTheFileUpToALimit) {
  EXPECT_LT(ModelBudget(0).most_bytes(), ModelBudget(1 << 20).most_bytes());
  EXPECT_EQ(ModelBudget(std::size_t{1} << 30).most_bytes(), ModelBudget(kAll).most_bytes());
  ModelBudget budget(10);
  budget.add_file(1 << 20);
  EXPECT_EQ(budget.most_bytes(), ModelBudget(10 + (1 << 20)).most_bytes());
}

TEST(ModelBudget, LimitsWhatADrawTakes) {
  require_small_draws(kMaxDrawBytes, "m.json");
  EXPECT_EQ(
      message_of<ModelError>([&] { require_small_draws(400'000, "m.json"); }),
      "m.json: the model would keep 390.6 KB for each noisy copy of a person (for a network, 4 "
      "bytes for each unit of its first layer); at most 64 KB are allowed");
}

/// A full tree of 2^10 leaves, as LightGBM writes it.
std::string full_tree(int number) {
  constexpr int kLeaves = 1 << 10;
  std::string columns, thresholds, decisions, left, right, leaves;
  for (int k = 0; k + 1 < kLeaves; ++k) {
    columns += fmt::format("{} ", k % 7);
    thresholds += fmt::format("{} ", 0.001 * k + number);
    decisions += "2 ";
    const auto child = [&](int place) {
      return place + 1 < kLeaves ? place : -(place + 1 - kLeaves) - 1;
    };
    left += fmt::format("{} ", child(2 * k + 1));
    right += fmt::format("{} ", child(2 * k + 2));
  }
  for (int l = 0; l < kLeaves; ++l) leaves += fmt::format("{} ", 0.001 * l);
  return fmt::format(
      "Tree={}\nnum_leaves={}\nnum_cat=0\nsplit_feature={}\nthreshold={}\ndecision_type={}\n"
      "left_child={}\nright_child={}\nleaf_value={}\n\n",
      number, kLeaves, columns, thresholds, decisions, left, right, leaves);
}

TEST(ModelBudget, LargeForestsAreRead) {
  std::string text =
      "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=6\n"
      "objective=binary sigmoid:1\nfeature_names=a b c d e f g\n\n";
  constexpr int kTrees = 100;
  for (int t = 0; t < kTrees; ++t) text += full_tree(t);
  EXPECT_EQ(parse_lightgbm(text + "end of trees\n", "m.txt").nodes.size(), 2047U * kTrees);
}

TEST(ModelBudget, LargeNetworksAreRead) {
  // Weights of one digit take the least room in a file.
  const auto layer = [](int outputs, int inputs) {
    std::string row = "[1";
    for (int i = 1; i < inputs; ++i) row += ",1";
    std::string rows, bias;
    for (int o = 0; o < outputs; ++o) {
      rows += (o == 0 ? "" : ",") + row + "]";
      bias += o == 0 ? "0" : ",0";
    }
    return fmt::format(R"({{"weight":[{}],"bias":[{}]}})", rows, bias);
  };
  const std::string text = fmt::format(R"({{"output":"sigmoid","layers":[{},{},{}]}})",
                                       layer(1024, 784), layer(512, 1024), layer(1, 512));
  EXPECT_EQ(parse_model(text, "m.json").model->parameter_count(), 1024U * 785 + 512 * 1025 + 513);
}

}  // namespace
}  // namespace croco
