// SPDX-License-Identifier: Apache-2.0
#include <croco/models/probability_model.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <croco/base/error.hpp>

namespace croco {
namespace {

double logit_of_share(double share) noexcept {
  return logit_of(std::clamp(share, kLeastProbability, 1 - kLeastProbability));
}

/// The largest share whose logit is at most `logit`, to the last bit.
double share_at(double logit) noexcept {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (logit_of_share(1) <= logit) return kInfinity;
  if (logit_of_share(0) > logit) return -kInfinity;
  double share = std::clamp(sigmoid(logit), kLeastProbability, 1 - kLeastProbability);
  while (logit_of_share(share) > logit) share = std::nextafter(share, -kInfinity);
  while (logit_of_share(std::nextafter(share, kInfinity)) <= logit) {
    share = std::nextafter(share, kInfinity);
  }
  return share;
}

class ProbabilityDraws final : public DrawEvaluator {
 public:
  explicit ProbabilityDraws(std::unique_ptr<DrawEvaluator> shares) : shares_(std::move(shares)) {}

  [[nodiscard]] std::size_t count() const noexcept override { return shares_->count(); }
  void logits(View point, std::size_t first, std::span<float> out) const override {
    shares_->logits(point, first, out);
    for (float& value : out) {
      value = static_cast<float>(logit_of_share(static_cast<double>(value)));
    }
  }
  void add_gradient(View /*point*/, std::size_t /*first*/, std::span<const float> /*weights*/,
                    MutableView /*gradient*/) const override {
    throw ModelError("this model has no gradient");
  }
  void count_failures(Rows points, const Cut& cut, std::span<std::size_t> failures,
                      std::vector<PointDraw>* undecided) const override {
    shares_->count_failures(points, {share_at(cut.threshold), cut.above}, failures, undecided);
  }
  [[nodiscard]] std::unique_ptr<DrawEvaluator> fixed_at(View point) const override {
    auto fixed = shares_->fixed_at(point);
    return fixed == nullptr ? nullptr : std::make_unique<ProbabilityDraws>(std::move(fixed));
  }

 private:
  std::unique_ptr<DrawEvaluator> shares_;
};

}  // namespace

ModelDescription ProbabilityModel::describe() const {
  ModelDescription out = shares_->describe();
  if (!out.structure.empty()) out.structure += ", whose sum is a probability";
  out.parameters = 0;
  return out;
}

void ProbabilityModel::logits(Rows rows, MutableView out) const {
  shares_->logits(rows, out);
  for (double& value : out) value = logit_of_share(value);
}

std::unique_ptr<DrawEvaluator> ProbabilityModel::bind(Rows draws) const {
  return std::make_unique<ProbabilityDraws>(shares_->bind(draws));
}

std::unique_ptr<DrawEvaluator> ProbabilityModel::bind_flips(Rows draws, DrawnFlips flips) const {
  return std::make_unique<ProbabilityDraws>(shares_->bind_flips(draws, std::move(flips)));
}

}  // namespace croco
