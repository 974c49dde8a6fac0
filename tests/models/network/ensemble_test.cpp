// SPDX-License-Identifier: Apache-2.0
#include <croco/models/network/ensemble.hpp>

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/base/random.hpp>

namespace croco {
namespace {

std::shared_ptr<const Mlp> some_network(const std::vector<std::size_t>& hidden, std::uint64_t seed,
                                        Activation activation = Activation::relu) {
  Sequence random({seed, Purpose::evaluate, 0});
  std::vector<DenseLayer> layers;
  std::size_t inputs = 3;
  std::vector<std::size_t> sizes = hidden;
  sizes.push_back(1);
  for (const std::size_t outputs : sizes) {
    DenseLayer layer{inputs, outputs, Vector(inputs * outputs), Vector(outputs)};
    for (double& weight : layer.weight) weight = 2 * random.uniform() - 1;
    for (double& bias : layer.bias) bias = 2 * random.uniform() - 1;
    layers.push_back(layer);
    inputs = outputs;
  }
  return std::make_shared<const Mlp>(layers, activation);
}

TEST(Averaged, TheLogitIsTheMeanOfTheLogits) {
  for (const std::vector<std::size_t>& hidden :
       {std::vector<std::size_t>{}, std::vector<std::size_t>{5}, std::vector<std::size_t>{6, 4}}) {
    const std::vector<std::shared_ptr<const Mlp>> networks{
        some_network(hidden, 1), some_network(hidden, 2), some_network(hidden, 3)};
    const auto one = averaged(networks);
    for (const Vector& point : {Vector{0, 0, 0}, Vector{1, -2, 0.5}, Vector{-0.3, 0.7, 4}}) {
      double sum = 0;
      for (const auto& network : networks) sum += network->logit(point);
      EXPECT_NEAR(one->logit(point), sum / 3, 1e-12) << hidden.size();
    }
  }
}

TEST(Averaged, RefusesNetworksThatDiffer) {
  const std::vector<std::shared_ptr<const Mlp>> depth{some_network({4}, 1),
                                                      some_network({4, 2}, 2)};
  EXPECT_THROW(static_cast<void>(averaged(depth)), InvalidArgument);
  const std::vector<std::shared_ptr<const Mlp>> activation{some_network({4}, 1),
                                                           some_network({4}, 2, Activation::tanh)};
  EXPECT_THROW(static_cast<void>(averaged(activation)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(averaged({})), InvalidArgument);
}

}  // namespace
}  // namespace croco
