// SPDX-License-Identifier: Apache-2.0
// Wachter et al. (2018): the nearest point with the wanted class, whatever noise does to it. The
// loss is the cross-entropy -log f, whose slope in the logit is f - 1; the search ends at the first
// step at which the class has flipped.
#include <croco/methods/descent/descent.hpp>
#include <croco/methods/searches.hpp>
#include <croco/models/model.hpp>

namespace croco {
namespace {

class WachterSearch final : public Search {
 public:
  WachterSearch(const Problem& problem, const Wachter& options)
      : problem_(problem), options_(options) {}

  [[nodiscard]] Counterfactual find(View origin, const std::stop_token& stop) const override {
    const Objective objective{
        .gradient =
            [this](View point, std::size_t, MutableView gradient) {
              const double sign = problem_.goal.sign();
              const double logit = problem_.model.gradient()->logit_gradient(point, gradient);
              // d -log f / dz = f - 1
              const double slope = sign * (sigmoid(sign * logit) - 1);
              for (double& value : gradient) value *= slope;
            },
        .judge = [&](View point) { return judge(origin, point, 0); },
        .stops_at =
            [this](View point) { return problem_.goal.reached(problem_.model.logit(point)); },
    };
    return descend(problem_, origin, descent_options(options_), objective, stop);
  }

  [[nodiscard]] Judgement judge(View /*origin*/, View point,
                                std::size_t /*attempt*/) const override {
    const bool reached = problem_.goal.reached(problem_.model.logit(point));
    return {.reached = reached, .satisfied = reached, .rate = {}, .bound = {}};
  }

 private:
  const Problem& problem_;
  Wachter options_;
};

}  // namespace

std::unique_ptr<Search> make_wachter(const Problem& problem, const Wachter& options) {
  return std::make_unique<WachterSearch>(problem, options);
}

}  // namespace croco
