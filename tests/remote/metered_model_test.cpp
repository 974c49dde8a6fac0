// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/metered_model.hpp>

#include <string>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

class SumModel final : public Model {
 public:
  [[nodiscard]] std::size_t width() const noexcept override { return 2; }
  void logits(Rows rows, MutableView out) const override {
    asked += rows.count();
    for (std::size_t k = 0; k < rows.count(); ++k) out[k] = rows[k][0] + rows[k][1];
  }
  mutable std::size_t asked = 0;
};

TEST(MeteredModel, CountsWhatTheModelIsAskedFor) {
  const SumModel sum;
  const MeteredModel metered(sum, nullptr, 10);
  const Matrix rows(7, 2);
  Vector out(7);
  metered.logits(rows.rows(), out);
  EXPECT_EQ(metered.used(), 7U);
  EXPECT_EQ(metered.left(), 3U);
  EXPECT_EQ(sum.asked, 7U);
  EXPECT_EQ(metered.price(5), 5U);
}

TEST(MeteredModel, RefusesToAskForMoreThanIsLeft) {
  const SumModel sum;
  const MeteredModel metered(sum, nullptr, 10);
  const Matrix rows(11, 2);
  Vector out(11);
  try {
    metered.logits(rows.rows(), out);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "11 rows were about to be asked of the model; 10 of 10 in the query budget are left");
  }
  EXPECT_EQ(sum.asked, 0U);
  EXPECT_EQ(metered.used(), 0U);
}

TEST(MeteredModel, BoundSamplesCountToo) {
  const SumModel sum;
  const MeteredModel metered(sum, nullptr);
  Matrix draws(5, 2);
  draws.data[0] = -3;
  const auto bound = metered.bind(draws.rows());
  const Vector point{1, 1};
  std::size_t failures = 0;
  bound->count_failures({point, 2}, {.threshold = 0, .above = true}, {&failures, 1}, nullptr);
  EXPECT_EQ(failures, 1U);
  EXPECT_EQ(metered.used(), 5U);
  EXPECT_EQ(sum.asked, 5U);
}

TEST(MeteredModel, HasNoCapabilityBesidesAnswers) {
  const SumModel sum;
  const MeteredModel metered(sum, nullptr);
  EXPECT_EQ(metered.gradient(), nullptr);
  EXPECT_EQ(metered.linear_form(), nullptr);
  EXPECT_TRUE(metered.queries_are_expensive());
}

}  // namespace
}  // namespace croco
