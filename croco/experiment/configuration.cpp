// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/configuration.hpp>

#include <croco/base/numbers.hpp>

namespace croco {

std::vector<Configuration> grid_of(const Experiment& experiment,
                                   const std::vector<bool>& has_target) {
  std::vector<Configuration> grid;
  for (std::size_t d = 0; d < experiment.datasets.size(); ++d) {
    for (std::size_t n = 0; n < experiment.noises.size(); ++n) {
      for (std::size_t m = 0; m < experiment.methods.size(); ++m) {
        if (!has_target[m]) grid.push_back({.dataset = d, .noise = n, .method = m});
      }
      for (const double target : experiment.targets) {
        for (std::size_t m = 0; m < experiment.methods.size(); ++m) {
          if (has_target[m]) {
            grid.push_back({.dataset = d, .noise = n, .method = m, .target = target});
          }
        }
      }
    }
  }
  return grid;
}

bool means_name(const std::string& text, std::string_view name) {
  if (text == name) return true;
  const auto number = parse_number(text);
  return number && number == parse_number(name);
}

std::filesystem::path path_of(const Experiment& experiment, const Configuration& configuration) {
  return std::filesystem::path(experiment.datasets[configuration.dataset].name) /
         experiment.noises[configuration.noise].name / target_text(configuration.target) /
         experiment.methods[configuration.method].name;
}

}  // namespace croco
