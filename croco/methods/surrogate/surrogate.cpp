// SPDX-License-Identifier: Apache-2.0
#include <croco/methods/surrogate/surrogate.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/base/random.hpp>
#include <croco/base/stopped.hpp>
#include <croco/methods/surrogate/surrogate_rows.hpp>
#include <croco/methods/surrogate/surrogate_search.hpp>
#include <croco/models/network/ensemble.hpp>
#include <croco/models/training/train.hpp>

namespace croco {
namespace {

constexpr double kAsTheyAre = 0.12;
constexpr double kExplored = 0.28;
constexpr double kFocused = 0.2;  ///< in each round, the rehearsal among them
constexpr std::size_t kFocusRounds = 2;
/// Rows for one person of a round, and for one whose shift is measured.
constexpr std::size_t kRowsAlong = 24;
constexpr std::size_t kRowsMeasured = 48;
/// Of the explored rows, those around people whom the model does not accept.
constexpr double kFromRejected = 0.7;

/// Networks of the last fit; earlier ones only say where to look.
constexpr std::size_t kNetworks = 2;
constexpr std::array<std::size_t, 2> kUnits{128, 64};
constexpr std::size_t kEpochs = 100;
constexpr std::size_t kSketchEpochs = 20;

std::size_t share_of(double share, std::size_t rows) {
  return static_cast<std::size_t>(share * static_cast<double>(rows));
}

class SurrogateFit {
 public:
  SurrogateFit(const Problem& problem, const Matrix& examples, const SurrogateOptions& options,
               const std::stop_token& stop)
      : problem_(problem),
        examples_(examples),
        options_(options),
        stop_(stop),
        rows_(problem, examples),
        points_(0, examples.width),
        rates_(surrogate_rates(options.method.target)) {}

  [[nodiscard]] Surrogate run() {
    ask_examples();
    explore();
    for (std::size_t round = 0; round < kFocusRounds; ++round) focus(round);
    Surrogate out;
    rehearse(out);
    out.model = fitted(kNetworks, kEpochs, kFocusRounds + 1);
    return out;
  }

 private:
  /// The model's logits, as far above the threshold as they are: 0 is the border. What is no clear
  /// answer is not the wanted one.
  void ask(Rows rows, MutableView margins) const {
    if (stop_.stop_requested()) throw Stopped("stopped while a surrogate was fitted");
    if (margins.empty()) return;
    problem_.model.logits(rows, margins);
    const double none = -problem_.goal.sign() * 1e6;
    for (double& one : margins) {
      one = std::isnan(one) ? none : one - problem_.goal.logit_threshold();
    }
  }

  void learn(const Matrix& rows) {
    const std::size_t known = scores_.size();
    points_.data.insert(points_.data.end(), rows.data.begin(), rows.data.end());
    scores_.resize(known + rows.count());
    ask(rows.rows(), MutableView(scores_).subspan(known));
    for (std::size_t i = known; i < scores_.size(); ++i) scores_[i] = sigmoid(scores_[i]);
  }

  void ask_examples() {
    const std::size_t count = std::min(examples_.count(), share_of(kAsTheyAre, options_.rows));
    std::vector<std::size_t> order(examples_.count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Sequence({problem_.seed, Purpose::train, Stream::kShared - 16}).shuffle(order);
    Matrix rows(0, examples_.width);
    for (std::size_t i = 0; i < count; ++i) rows.append(examples_[order[i]]);
    learn(rows);
    for (std::size_t i = 0; i < count; ++i) {
      const bool accepted = problem_.goal.sign() * (scores_[i] - 0.5) > 0;
      if (!accepted) rejected_.push_back(order[i]);
    }
    everybody_ = std::move(order);
  }

  void explore() {
    const std::size_t count = share_of(kExplored, options_.rows);
    const std::size_t rejected = rejected_.empty() ? 0 : share_of(kFromRejected, count);
    if (rejected > 0) learn(rows_.explored(rejected_, rejected, 1));
    learn(rows_.explored(everybody_, count - rejected, 2));
  }

  /// Samples where searches on what is known so far lead.
  void focus(std::size_t round) {
    const std::size_t people = share_of(kFocused, options_.rows) / kRowsAlong;
    if (rejected_.empty() || people == 0) return;
    const auto sketch = fitted(1, kSketchEpochs, round);
    Matrix all(0, examples_.width);
    const Led led = lead(*sketch, people, round * people, {1024, 4096});
    for (std::size_t i = 0; i < led.people.size(); ++i) {
      const Matrix rows =
          rows_.along(examples_[led.people[i]], led.points[i], kRowsAlong, 3 + round, i);
      all.data.insert(all.data.end(), rows.data.begin(), rows.data.end());
    }
    learn(all);
  }

  struct Led {
    std::vector<std::size_t> people;
    std::vector<Vector> points;
    std::vector<double> rates;  ///< of the points under the surrogate
  };

  /// Where searches lead people whom the model does not accept, from the `first` of them on.
  [[nodiscard]] Led lead(const Mlp& model, std::size_t count, std::size_t first,
                         const SurrogateEffort& effort) const {
    const Problem own(model, problem_.space, problem_.noise, problem_.goal, problem_.seed);
    const std::size_t step = usual_step(rates_, options_.method.target);
    const SurrogateSearch search(own, options_.method, step, effort, options_.threads);
    Led out;
    count = std::min(count, rejected_.size());
    for (std::size_t i = 0; i < count; ++i) {
      out.people.push_back(rejected_[(first + i) % rejected_.size()]);
    }
    out.points.resize(count);
    out.rates.resize(count);
    parallel_for(count, options_.threads, [&](std::size_t i) {
      if (stop_.stop_requested()) throw Stopped("stopped while a surrogate was fitted");
      const View origin = examples_[out.people[i]];
      Counterfactual found = search.find(origin, stop_);
      out.points[i] =
          found.point.empty() ? Vector(origin.begin(), origin.end()) : std::move(found.point);
      out.rates[i] = search.judge(origin, out.points[i], step).rate.value_or(1);
    });
    return out;
  }

  /// How far the rates of a surrogate are from the model's, on samples that it was not fitted on;
  /// the last fit has them too, and is nearer.
  void rehearse(Surrogate& out) {
    const std::size_t people = share_of(kFocused, options_.rows) / kRowsMeasured;
    if (rejected_.empty() || people == 0) return;
    const auto sketch = fitted(1, kSketchEpochs, kFocusRounds);
    const std::size_t first = kFocusRounds * (share_of(kFocused, options_.rows) / kRowsAlong);
    const Led led = lead(*sketch, people, first, surrogate_effort(options_.method.target));
    Matrix all(0, examples_.width);
    for (std::size_t i = 0; i < led.people.size(); ++i) {
      const Matrix rows =
          rows_.around(examples_[led.people[i]], led.points[i], kRowsMeasured, 8, i);
      all.data.insert(all.data.end(), rows.data.begin(), rows.data.end());
    }
    const std::size_t known = scores_.size();
    learn(all);
    Vector imitated(all.count());
    sketch->logits(all.rows(), imitated);
    std::vector<RateObservation> seen;
    std::size_t same = 0;
    for (std::size_t i = 0; i < led.people.size(); ++i) {
      RateObservation one{.surrogate_rate = led.rates[i], .samples = kRowsMeasured};
      for (std::size_t k = i * kRowsMeasured; k < (i + 1) * kRowsMeasured; ++k) {
        const bool wanted = problem_.goal.sign() * (scores_[known + k] - 0.5) > 0;
        one.invalid += wanted ? 0U : 1U;
        same += wanted == problem_.goal.reached(imitated[k]) ? 1U : 0U;
      }
      seen.push_back(one);
    }
    out.prior = fitted_prior(seen);
    out.agreement = static_cast<double>(same) / static_cast<double>(all.count());
  }

  /// Networks on all that was learnt so far, as one.
  [[nodiscard]] std::shared_ptr<const Mlp> fitted(std::size_t networks, std::size_t epochs,
                                                  std::size_t round) const {
    const auto above = std::ranges::count_if(scores_, [](double one) { return one > 0.5; });
    if (above == 0 || static_cast<std::size_t>(above) == scores_.size()) {
      throw DataError(fmt::format(
          "the model gives the same answer for all of {} rows; a query budget needs both answers "
          "among the training data and what lies around them",
          scores_.size()));
    }
    std::vector<std::shared_ptr<const Mlp>> made(networks);
    parallel_for(networks, options_.threads, [&](std::size_t i) {
      const TrainOptions train{.hidden = {kUnits.begin(), kUnits.end()},
                               .epochs = epochs,
                               .learning_rate = 0.002,
                               .test_share = 0,
                               .validation_share = 0.1,
                               .patience = 15,
                               .seed = problem_.seed + 64 * round + i};
      made[i] = train_on_scores(points_.rows(), scores_, train, stop_).model;
    });
    if (stop_.stop_requested()) throw Stopped("stopped while a surrogate was fitted");
    const std::shared_ptr<const Mlp> one = averaged(made);
    // What was learnt is how far the logit is above the threshold.
    std::vector<DenseLayer> layers = one->layers();
    layers.back().bias[0] += problem_.goal.logit_threshold();
    return std::make_shared<const Mlp>(std::move(layers), one->hidden_activation());
  }

  const Problem& problem_;
  const Matrix& examples_;
  const SurrogateOptions& options_;
  const std::stop_token& stop_;
  SurrogateRows rows_;
  Matrix points_;
  Vector scores_;  ///< probabilities, with the threshold at one half
  std::vector<double> rates_;
  std::vector<std::size_t> rejected_;   ///< examples, in the order in which they were asked
  std::vector<std::size_t> everybody_;  ///< all examples
};

}  // namespace

Surrogate fit_surrogate(const Problem& problem, const Matrix& examples,
                        const SurrogateOptions& options, const std::stop_token& stop) {
  return SurrogateFit(problem, examples, options, stop).run();
}

}  // namespace croco
