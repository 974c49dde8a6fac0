// SPDX-License-Identifier: Apache-2.0
#include <croco/models/pool/model_pool.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/kernels/relu_turns.hpp>

namespace croco {
namespace {

/// Which samples of a bank are whose.
class Turns {
 public:
  Turns(std::size_t members, std::size_t length) : members_(members), length_(length) {}

  [[nodiscard]] std::size_t members() const noexcept { return members_; }
  /// How many of the first `samples` are the member's.
  [[nodiscard]] std::size_t before(std::size_t member, std::size_t samples) const noexcept {
    const std::size_t turns = samples / length_;
    const std::size_t own = turns / members_ + (member < turns % members_ ? 1U : 0U);
    return length_ * own + (turns % members_ == member ? samples % length_ : 0U);
  }
  /// The place in the bank of the member's own sample.
  [[nodiscard]] std::size_t place(std::size_t member, std::size_t own) const noexcept {
    return length_ * (own / length_ * members_ + member) + own % length_;
  }

 private:
  std::size_t members_;
  std::size_t length_;
};

/// None for members without a turn, where there are more of them than samples.
using Evaluators = std::vector<std::unique_ptr<DrawEvaluator>>;

class PooledDraws final : public DrawEvaluator {
 public:
  PooledDraws(const Turns& turns, Evaluators evaluators, std::size_t count)
      : turns_(turns), evaluators_(std::move(evaluators)), count_(count) {}

  [[nodiscard]] std::size_t count() const noexcept override { return count_; }

  void logits(View point, std::size_t first, std::span<float> out) const override {
    std::vector<float> own;
    for (std::size_t m = 0; m < turns_.members(); ++m) {
      const std::size_t begin = turns_.before(m, first);
      own.resize(turns_.before(m, first + out.size()) - begin);
      if (own.empty()) continue;
      evaluators_[m]->logits(point, begin, own);
      for (std::size_t k = 0; k < own.size(); ++k) {
        out[turns_.place(m, begin + k) - first] = own[k];
      }
    }
  }

  void add_gradient(View point, std::size_t first, std::span<const float> weights,
                    MutableView gradient) const override {
    std::vector<float> own;
    for (std::size_t m = 0; m < turns_.members(); ++m) {
      const std::size_t begin = turns_.before(m, first);
      own.resize(turns_.before(m, first + weights.size()) - begin);
      for (std::size_t k = 0; k < own.size(); ++k) {
        own[k] = weights[turns_.place(m, begin + k) - first];
      }
      // Near an order statistic few samples have a weight, and many models none.
      if (std::ranges::all_of(own, [](float weight) { return weight == 0; })) continue;
      evaluators_[m]->add_gradient(point, begin, own, gradient);
    }
  }

  void count_failures(Rows points, const Cut& cut, std::span<std::size_t> failures,
                      std::vector<PointDraw>* undecided) const override {
    std::vector<PointDraw> own;
    const std::size_t earlier = undecided == nullptr ? 0 : undecided->size();
    for (std::size_t m = 0; m < turns_.members(); ++m) {
      if (!evaluators_[m]) continue;
      own.clear();
      evaluators_[m]->count_failures(points, cut, failures, undecided == nullptr ? nullptr : &own);
      for (const PointDraw& one : own) {
        undecided->push_back({one.point, turns_.place(m, one.draw)});
      }
    }
    if (undecided != nullptr) {
      std::sort(undecided->begin() + static_cast<std::ptrdiff_t>(earlier), undecided->end());
    }
  }

  [[nodiscard]] std::unique_ptr<DrawEvaluator> fixed_at(View point) const override {
    Evaluators fixed;
    for (const auto& evaluator : evaluators_) {
      fixed.push_back(evaluator ? evaluator->fixed_at(point) : nullptr);
      if (evaluator && !fixed.back()) return nullptr;
    }
    return std::make_unique<PooledDraws>(turns_, std::move(fixed), count_);
  }

 private:
  Turns turns_;
  Evaluators evaluators_;
  std::size_t count_;
};

}  // namespace

ModelPool::ModelPool(std::vector<std::shared_ptr<const Model>> members,
                     std::span<const std::size_t> free)
    : members_(std::move(members)) {
  if (members_.empty())
    throw InvalidArgument("no model is left for the search; it needs at least 1");
  for (const auto& member : members_) {
    if (member->width() == width()) continue;
    throw ModelError(fmt::format("a model takes {} columns and another {}; they must agree",
                                 width(), member->width()));
  }
  constexpr std::size_t kLongTurn = 128;
  turn_ = gradient() == nullptr ? kLongTurn : kTurn;
  table_ = table_of(members_, free);
}

const Gradient* ModelPool::gradient() const noexcept {
  const bool all = std::ranges::all_of(
      members_, [](const auto& member) { return member->gradient() != nullptr; });
  return all ? members_[0]->gradient() : nullptr;
}

std::unique_ptr<DrawEvaluator> ModelPool::bind(Rows draws) const { return bind_flips(draws, {}); }

std::unique_ptr<DrawEvaluator> ModelPool::bind_flips(Rows draws, DrawnFlips flips) const {
  // From a block of samples for each member on it is better to bind them member by member.
  constexpr std::size_t kBlock = 64;
  if (table_ && draws.count() < kBlock * members_.size()) {
    if (auto bound = bind_turns(table_, draws, flips)) return bound;
  }
  const Turns turns(members_.size(), turn_);
  Evaluators evaluators;
  evaluators.reserve(members_.size());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const std::size_t count = turns.before(m, draws.count());
    if (count == 0) {
      evaluators.push_back(nullptr);
      continue;
    }
    Matrix own(0, draws.width);
    DrawnFlips own_flips{.categories = flips.categories};
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t place = turns.place(m, k);
      own.append(draws[place]);
      if (flips.empty()) continue;
      const auto cells = flips.of(place);
      own_flips.cells.insert(own_flips.cells.end(), cells.begin(), cells.end());
    }
    evaluators.push_back(flips.empty() ? members_[m]->bind(own.rows())
                                       : members_[m]->bind_flips(own.rows(), std::move(own_flips)));
  }
  return std::make_unique<PooledDraws>(turns, std::move(evaluators), draws.count());
}

std::size_t ModelPool::evaluator_bytes_per_draw() const noexcept {
  std::size_t most = 0;
  for (const auto& member : members_) most = std::max(most, member->evaluator_bytes_per_draw());
  return most;
}

double ModelPool::tolerance(double threshold) const noexcept {
  double most = 0;
  for (const auto& member : members_) most = std::max(most, member->tolerance(threshold));
  return most;
}

bool ModelPool::queries_are_expensive() const noexcept {
  return std::ranges::any_of(members_,
                             [](const auto& member) { return member->queries_are_expensive(); });
}

}  // namespace croco
