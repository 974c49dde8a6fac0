// SPDX-License-Identifier: Apache-2.0
// Values on thresholds and next to them, through a schema whose ranges begin below 0 and have odd
// lengths: written as text, read back and decided as the model decides about the numbers
// themselves. That those are the library's decisions is what `tree_golden_test` and
// `catboost_golden_test` compare.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <croco/base/numbers.hpp>
#include <croco/base/random.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <tests/trees.hpp>

namespace croco {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::filesystem::path path_of(const std::string& file) {
  return std::filesystem::path(CROCO_GOLDEN_DIR) / "trees" / file;
}

/// Numbers at which something may happen, by column.
std::vector<Vector> atoms_of(const TreeEnsemble& ensemble) {
  constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();
  std::vector<Vector> out(ensemble.width, {0.0, -0.0, 1e-35, -1e-35, 1e-45, -1e-45, 13, -987.3});
  for (const TreeNode& node : ensemble.nodes) {
    // Beyond all values lie borders that are there for missing ones.
    if (node.is_leaf() || !(std::abs(node.number) < 1e30)) continue;
    const auto single = static_cast<float>(node.number);
    const double number = node.number;
    for (const double value :
         {number, std::nextafter(number, kInfinity), std::nextafter(number, -kInfinity),
          static_cast<double>(single), static_cast<double>(std::nextafter(single, kFloatInfinity)),
          static_cast<double>(std::nextafter(single, -kFloatInfinity))}) {
      out[node.column].push_back(value);
    }
  }
  return out;
}

class ThresholdAtoms : public testing::TestWithParam<const char*> {
 protected:
  ThresholdAtoms() : ensemble_(fixtures::golden_trees(GetParam())), atoms_(atoms_of(ensemble_)) {
    LoadModelOptions options;
    options.training = [this] {
      TrainingData out;
      std::string header;
      std::string low;
      std::string high;
      for (std::size_t j = 0; j < ensemble_.width; ++j) {
        const std::string name =
            ensemble_.names.empty() ? fmt::format("f{}", j) : ensemble_.names[j];
        out.schema.features.push_back({.name = name});
        header += (j == 0 ? "" : ",") + name;
        low += fmt::format("{}{}", j == 0 ? "" : ",", -987.3 - static_cast<double>(j));
        high += fmt::format("{}{}", j == 0 ? "" : ",", 1013.45 * static_cast<double>(j + 1) / 3);
      }
      out.rows = parse_csv(header + "\n" + low + "\n" + high + "\n", "train.csv");
      return out;
    };
    loaded_.emplace(load_model(path_of(GetParam()), options));
  }

  [[nodiscard]] Vector row(Sequence& random) const {
    Vector out;
    for (const Vector& atoms : atoms_) {
      out.push_back(atoms[random.below(static_cast<std::uint32_t>(atoms.size()))]);
    }
    return out;
  }

  TreeEnsemble ensemble_;
  std::vector<Vector> atoms_;
  std::optional<LoadedModel> loaded_;
};

TEST_P(ThresholdAtoms, AreDecidedInTheModelsOwnUnits) {
  const TreeModel own(ensemble_, InputColumns::identity(ensemble_.width));
  Sequence random({7, Purpose::train, 0});
  for (int k = 0; k < 3000; ++k) {
    const Vector values = row(random);
    Record record;
    for (const double value : values) record.push_back(format_number(value));
    const Vector point = loaded_->codec.encode(record, "here");
    ASSERT_EQ(loaded_->model->logit(point), own.logit(values))
        << GetParam() << ", row " << k << ": " << fmt::format("{}", fmt::join(record, ", "));
  }
}

/// Whole numbers and whole errors stay whole: 13 - 1 is 12 in every unit.
TEST_P(ThresholdAtoms, MeetNoiseInTheModelsOwnUnits) {
  const TreeModel own(ensemble_, InputColumns::identity(ensemble_.width));
  Sequence random({8, Purpose::train, 0});
  Matrix encoded(64, ensemble_.width);
  Matrix plain(64, ensemble_.width);
  for (std::size_t k = 0; k < 64; ++k) {
    for (std::size_t j = 0; j < ensemble_.width; ++j) {
      plain[k][j] = static_cast<double>(random.below(7)) - 3;
      encoded[k][j] = plain[k][j] / loaded_->codec.unit_of(j);
    }
  }
  const auto noisy = loaded_->model->bind(encoded.rows());
  const auto expected = own.bind(plain.rows());
  for (int k = 0; k < 200; ++k) {
    Vector values = row(random);
    for (double& value : values) value = std::round(value);
    Vector point;
    for (std::size_t j = 0; j < values.size(); ++j) {
      point.push_back(values[j] / loaded_->codec.unit_of(j));
    }
    for (const double threshold : {-0.5, 0.0, 0.5}) {
      const Cut cut{threshold, true};
      std::size_t found = 0;
      std::size_t wanted = 0;
      noisy->count_failures({point, point.size()}, cut, {&found, 1}, nullptr);
      expected->count_failures({values, values.size()}, cut, {&wanted, 1}, nullptr);
      ASSERT_EQ(found, wanted) << GetParam() << ", row " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ThresholdAtoms,
                         testing::Values("xgb_numbers.json", "xgb_dart.json", "xgb_forest.json",
                                         "xgb_raw.json", "lgb_numbers.txt", "lgb_no_missing.txt",
                                         "lgb_zeros_missing.txt", "lgb_forest.txt",
                                         "lgb_sigmoid.txt", "cat_numbers.json",
                                         "cat_depthwise.json", "cat_cross_entropy.json",
                                         "cat_scaled.json"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace croco
