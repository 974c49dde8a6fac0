// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/advice_files.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/sha256.hpp>
#include <croco/data/record_reader.hpp>
#include <croco/data/suggest.hpp>
#include <croco/experiment/configuration.hpp>

namespace croco {
AdviceFiles::AdviceFiles(const std::vector<std::filesystem::path>& paths,
                         const std::vector<std::string>& datasets) {
  for (const std::filesystem::path& path : paths) {
    const std::string text = read_file(path);
    fingerprints_.push_back(sha256(text));
    File file{.table = parse_csv(text, path.string())};
    const CsvTable& table = file.table;
    require_rows(table);
    static_cast<void>(table.column("row"));
    file.dataset = table.find("dataset");
    file.noise = table.find("noise");
    const auto variance = table.find("variance");
    if (file.noise && variance) {
      throw DataError(
          fmt::format("{}: has both 'noise' and 'variance'; one of them must go", table.source));
    }
    if (variance) file.noise = variance;
    file.target = table.find("target");
    file.seconds = table.find("seconds");
    if (!file.dataset && datasets.size() != 1) {
      throw DataError(fmt::format(
          "{}: the column 'dataset' is missing; with several data sets each row must say which "
          "of {} it is for",
          table.source, quoted_list(datasets)));
    }
    for (const CsvRow& row : table.rows) {
      check_field_count(table, row);
      if (file.dataset &&
          std::ranges::find(datasets, row.fields[*file.dataset]) == datasets.end()) {
        throw DataError(fmt::format("{}, line {}, column 'dataset': '{}' is none of {}{}",
                                    table.source, row.line, row.fields[*file.dataset],
                                    quoted_list(datasets),
                                    did_you_mean(row.fields[*file.dataset], datasets)));
      }
      if (file.target && !parse_number(row.fields[*file.target])) {
        throw DataError(fmt::format("{}, line {}, column 'target': '{}' is not a number",
                                    table.source, row.line, row.fields[*file.target]));
      }
    }
    if (!files_.empty() && has_targets_ != file.target.has_value()) {
      throw DataError(fmt::format(
          "{}: some files of this method have the column 'target' and some do not", table.source));
    }
    has_targets_ = file.target.has_value();
    files_.push_back(std::move(file));
  }
}

bool AdviceFiles::is_for(const File& file, const CsvRow& row, std::string_view dataset,
                         std::string_view noise, std::optional<double> target) {
  if (file.dataset && row.fields[*file.dataset] != dataset) return false;
  if (file.noise && !means_name(row.fields[*file.noise], noise)) return false;
  return !file.target || parse_number(row.fields[*file.target]) == target;
}

std::vector<CsvTable> AdviceFiles::rows_for(std::string_view dataset, std::string_view noise,
                                            std::optional<double> target) const {
  std::vector<CsvTable> out;
  for (const File& file : files_) {
    // Keys are not features, even where a feature of another data set has the same name.
    std::vector<bool> kept(file.table.header.size(), true);
    for (const auto& key : {file.dataset, file.noise, file.target, file.seconds}) {
      if (key) kept[*key] = false;
    }
    const auto without_keys = [&](const std::vector<std::string>& fields) {
      std::vector<std::string> rest;
      for (std::size_t c = 0; c < fields.size(); ++c) {
        if (kept[c]) rest.push_back(fields[c]);
      }
      return rest;
    };
    CsvTable part{
        .source = file.table.source, .header = without_keys(file.table.header), .rows = {}};
    for (const CsvRow& row : file.table.rows) {
      if (is_for(file, row, dataset, noise, target)) {
        part.rows.push_back({row.line, without_keys(row.fields)});
      }
    }
    if (!part.rows.empty()) out.push_back(std::move(part));
  }
  return out;
}

std::optional<double> AdviceFiles::seconds_for(std::string_view dataset, std::string_view noise,
                                               std::optional<double> target) const {
  double sum = 0;
  for (const File& file : files_) {
    for (const CsvRow& row : file.table.rows) {
      if (!is_for(file, row, dataset, noise, target)) continue;
      const auto seconds = file.seconds ? parse_number(row.fields[*file.seconds]) : std::nullopt;
      if (!seconds) return std::nullopt;
      sum += *seconds;
    }
  }
  return sum;
}

}  // namespace croco
