// SPDX-License-Identifier: Apache-2.0
// Models that users write themselves: one that only answers, and one with a linear form.
#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/explain/explainer.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

/// A model that only answers, owned.
class AnsweringModel final : public Model {
 public:
  [[nodiscard]] std::size_t width() const noexcept override { return model_->width(); }
  void logits(Rows rows, MutableView out) const override { model_->logits(rows, out); }

 private:
  std::shared_ptr<const Mlp> model_ = people::model();
};

TEST(OwnModels, WithoutAGradientAreCertified) {
  ExplainOptions options = people::options();
  options.method = Certified{.target = 0.1};
  const auto people = people::everyone();
  const auto seen = Explainer(people::model(), people::codec(), options).explain(people);
  const auto unseen =
      Explainer(std::make_shared<AnsweringModel>(), people::codec(), options).explain(people);
  for (std::size_t i = 0; i < people.size(); ++i) {
    EXPECT_EQ(unseen[i].status, seen[i].status) << i;
    if (seen[i].status != Status::found) continue;
    EXPECT_TRUE(*unseen[i].target_met);
    EXPECT_LE(unseen[i].distance.l1, 1.05 * seen[i].distance.l1 + 0.01) << "a step of income";
  }
  ASSERT_TRUE(unseen[2].obstacle);
  EXPECT_EQ(unseen[2].obstacle->kind, ObstacleKind::no_valid_point);
  EXPECT_EQ(unseen[2].obstacle->record, seen[2].obstacle->record);
  EXPECT_EQ(unseen[2].obstacle->limits, seen[2].obstacle->limits);
}

/// A linear model that is not one of croco's own.
class OwnLinear final : public Model {
 public:
  explicit OwnLinear(LinearForm form, double off = 0) : form_(std::move(form)), off_(off) {}
  [[nodiscard]] std::size_t width() const noexcept override { return form_.weights.size(); }
  void logits(Rows rows, MutableView out) const override {
    for (std::size_t k = 0; k < rows.count(); ++k) {
      out[k] = form_.bias + off_;
      for (std::size_t j = 0; j < width(); ++j) out[k] += form_.weights[j] * rows[k][j];
    }
  }
  [[nodiscard]] const LinearForm* linear_form() const noexcept override { return &form_; }

 private:
  LinearForm form_;
  double off_;
};

TEST(OwnModels, LinearOnesHaveExactCertificates) {
  const LinearForm form{{6, -4, 0.5, 0, 0.5}, -3};
  ExplainOptions options = people::options();
  options.method = Certified{.target = 0.1};
  options.certify = {};
  const auto certificate = [&](std::shared_ptr<const Model> model) {
    return Explainer(std::move(model), people::codec(), options)
        .explain(std::vector{people::everyone()[0]})[0]
        .certificate.value();
  };
  const Certificate own = certificate(std::make_shared<OwnLinear>(form));
  EXPECT_EQ(own.bound, BoundKind::exact);
  EXPECT_EQ(own.upper, certificate(people::model()).upper);
  EXPECT_THAT(fixtures::message_of<ModelError>(
                  [&] { return certificate(std::make_shared<OwnLinear>(form, 0.5)); }),
              testing::HasSubstr("the model's linear form gives a logit of -3 where the model "
                                 "answers -2.5; they must agree"));
}

}  // namespace
}  // namespace croco
