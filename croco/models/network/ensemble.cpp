// SPDX-License-Identifier: Apache-2.0
#include <croco/models/network/ensemble.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <croco/base/error.hpp>

namespace croco {
namespace {

using Networks = std::span<const std::shared_ptr<const Mlp>>;

bool alike(const Mlp& a, const Mlp& b) {
  return a.width() == b.width() && a.layers().size() == b.layers().size() &&
         a.hidden_activation() == b.hidden_activation();
}

/// Layer i of all networks, each on inputs of its own but for the first.
DenseLayer beside(Networks networks, std::size_t i) {
  const bool first = i == 0;
  const bool last = i + 1 == networks.front()->layers().size();
  DenseLayer out;
  for (const auto& network : networks) {
    const DenseLayer& layer = network->layers()[i];
    out.inputs = first ? layer.inputs : out.inputs + layer.inputs;
    out.outputs = last ? 1 : out.outputs + layer.outputs;
  }
  const double share = last ? 1 / static_cast<double>(networks.size()) : 1;
  out.weight.resize(out.inputs * out.outputs);
  out.bias.resize(out.outputs);
  std::size_t column = 0;
  std::size_t row = 0;
  for (const auto& network : networks) {
    const DenseLayer& layer = network->layers()[i];
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      const std::size_t at = last ? 0 : row + o;
      out.bias[at] += share * layer.bias[o];
      for (std::size_t h = 0; h < layer.inputs; ++h) {
        out.weight[at * out.inputs + column + h] += share * layer.weight[o * layer.inputs + h];
      }
    }
    if (!first) column += layer.inputs;
    row += layer.outputs;
  }
  return out;
}

}  // namespace

std::shared_ptr<const Mlp> averaged(Networks networks) {
  if (networks.empty() || !std::ranges::all_of(networks, [&](const auto& one) {
        return alike(*one, *networks.front());
      })) {
    throw InvalidArgument(
        "networks are averaged that have the same inputs, depth and activation; these differ, or "
        "there are none");
  }
  std::vector<DenseLayer> layers;
  for (std::size_t i = 0; i < networks.front()->layers().size(); ++i) {
    layers.push_back(beside(networks, i));
  }
  return std::make_shared<const Mlp>(std::move(layers), networks.front()->hidden_activation());
}

}  // namespace croco
