// SPDX-License-Identifier: Apache-2.0
/// Advice that another tool made for the people of an experiment, read from CSV files. Beside the
/// columns of the people's file a row has `row` (the person, counted from 0) and, where it matters,
/// `dataset`, `noise` (a noise's name; or `variance`) and `target`; `seconds`, what the answer
/// took, is optional. Without one of these columns a row is meant for all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/data/csv.hpp>

namespace croco {

class AdviceFiles {
 public:
  /// Throws IoError or DataError. `datasets` are the names that a row may have; a file without the
  /// column is for the only one there is.
  AdviceFiles(const std::vector<std::filesystem::path>& paths,
              const std::vector<std::string>& datasets);

  /// Whether rows are for one target each.
  [[nodiscard]] bool has_targets() const noexcept { return has_targets_; }
  /// SHA-256 of each file.
  [[nodiscard]] const std::vector<std::string>& fingerprints() const noexcept {
    return fingerprints_;
  }

  /// The rows for a configuration, as tables of advice (a file each) without the columns above but
  /// `row`. None when there are none.
  [[nodiscard]] std::vector<CsvTable> rows_for(std::string_view dataset, std::string_view noise,
                                               std::optional<double> target) const;
  /// What those rows took in all, when every one of them says so.
  [[nodiscard]] std::optional<double> seconds_for(std::string_view dataset, std::string_view noise,
                                                  std::optional<double> target) const;

 private:
  struct File {
    CsvTable table;
    std::optional<std::size_t> dataset = {};
    std::optional<std::size_t> noise = {};
    std::optional<std::size_t> target = {};
    std::optional<std::size_t> seconds = {};
  };

  [[nodiscard]] static bool is_for(const File& file, const CsvRow& row, std::string_view dataset,
                                   std::string_view noise, std::optional<double> target);

  std::vector<File> files_;
  std::vector<std::string> fingerprints_;
  bool has_targets_ = false;
};

}  // namespace croco
