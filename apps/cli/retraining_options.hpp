// SPDX-License-Identifier: Apache-2.0
/// The options about retrained models, and the files that they name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <apps/cli/command_line.hpp>
#include <apps/cli/options.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/robustness/certificate.hpp>

namespace croco::cli {

/// The files that patterns such as 'folder/*' name, sorted; of a folder all its files. Throws
/// InvalidArgument naming the option and the pattern that matches none.
[[nodiscard]] std::vector<std::filesystem::path> matching_files(
    const std::string& option, const std::vector<std::string>& patterns);

/// `--models --search-models --model-confidence --model-samples --model-limit`
struct RetrainingOptions {
  std::vector<std::string> models;
  std::optional<std::size_t> search_models;
  std::optional<double> confidence;
  std::optional<std::size_t> samples;
  std::optional<double> limit;

  void add_to(Command& command);
  /// Null without --models. Throws InvalidArgument for settings that are given without it.
  [[nodiscard]] std::shared_ptr<const ModelPopulation> load(const ModelOptions& model,
                                                            const SourceOptions* people,
                                                            const LoadedModel& like,
                                                            unsigned threads) const;
  [[nodiscard]] ModelChangeOptions resolve() const;
};

}  // namespace croco::cli
