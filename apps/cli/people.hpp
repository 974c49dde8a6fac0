// SPDX-License-Identifier: Apache-2.0
/// Reading the people of a run: a CSV file or a data set of the catalogue, all rows or some.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <apps/cli/command_line.hpp>
#include <croco/data/catalog.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/csv.hpp>
#include <croco/data/row_source.hpp>

namespace croco::cli {

/// `--data --data-dir`: where rows come from.
struct SourceOptions {
  std::string data;
  std::string data_dir;

  mutable std::optional<RowSource> opened = {};  ///< once it was asked for

  void add_to(Command& command);
  /// A file of that name, standard input, or else a data set of the catalogue.
  [[nodiscard]] RowSource rows() const;
  /// The same, all at once.
  [[nodiscard]] CsvTable read() const;
  /// The entry of the catalogue, when `data` names one and no such file exists.
  [[nodiscard]] const CatalogEntry* entry() const;
};

/// `--rows`: which of them.
struct RowOptions {
  std::string rows;

  void add_to(Command& command);
  /// First row and one past the last. Throws InvalidArgument for another format or an empty range.
  struct Range {
    std::size_t begin;
    std::size_t end;
  };
  [[nodiscard]] Range resolve(std::size_t count) const;
};

/// `--id --keep`: columns that are no features and go with every person into the reports.
struct KeptOptions {
  std::string id;
  std::vector<std::string> keep;
  std::optional<Option> id_option;

  void add_to(Command& command);
  /// A first column without a name is a column too: --id ''.
  [[nodiscard]] bool has_id() const { return id_option && id_option->is_given(); }
  /// The names, the id first. Throws InvalidArgument for a column that the table lacks, a feature,
  /// and one that is named twice.
  [[nodiscard]] std::vector<std::string> resolve(const CsvTable& table, const Schema& schema) const;
};

/// `--missing error|drop|impute|keep`
[[nodiscard]] MissingPolicy parse_missing(const std::string& text);
void add_missing_option(Command& command, std::string& missing);

/// Notes on standard error the `count` rows that failed, of which the reasons of the first are
/// given; at most ten in full. Returns the count.
std::size_t report_failed_rows(const std::vector<std::string>& first, std::size_t count);

}  // namespace croco::cli
