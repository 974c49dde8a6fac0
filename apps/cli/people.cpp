// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/people.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include <apps/cli/print.hpp>
#include <croco/base/error.hpp>
#include <croco/data/suggest.hpp>

namespace croco::cli {
namespace {

std::optional<std::size_t> parse_index(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void SourceOptions::add_to(Command& command) {
  command
      .add_option(
          "--data", data,
          "CSV file, also .gz or .zst; - for standard input; or a data set by name: german, "
          "adult, compas, give-me-some-credit")
      .required()
      .type_name("FILE|NAME");
  command.add_option("--data-dir", data_dir, "Folder with the files of named data sets")
      .type_name("DIR");
}

const CatalogEntry* SourceOptions::entry() const {
  return std::filesystem::exists(data) ? nullptr : find_entry(data);
}

RowSource SourceOptions::rows() const {
  if (opened) return *opened;
  if (const CatalogEntry* named = entry()) {
    LoadOptions options;
    if (!data_dir.empty()) options.locations.data_dir = data_dir;
    opened = open_dataset(*named, options);
  } else {
    opened = RowSource::file(data);
  }
  return *opened;
}

CsvTable SourceOptions::read() const { return rows().table(); }

void RowOptions::add_to(Command& command) {
  command.add_option("--rows", rows, "Rows FIRST:END, counted from 0, END excluded")
      .type_name("FIRST:END");
}

RowOptions::Range RowOptions::resolve(std::size_t count) const {
  if (rows.empty()) return {0, count};
  const std::size_t colon = rows.find(':');
  const std::string_view text = rows;
  std::optional<std::size_t> begin = 0;
  std::optional<std::size_t> end = count;
  if (colon == std::string::npos) {
    begin = parse_index(text);
    if (begin) end = *begin + 1;
  } else {
    if (colon > 0) begin = parse_index(text.substr(0, colon));
    if (colon + 1 < text.size()) end = parse_index(text.substr(colon + 1));
  }
  if (!begin || !end) {
    throw InvalidArgument(fmt::format("rows is '{}'; it must be FIRST:END, such as 0:100", rows));
  }
  const Range range{*begin, std::min(*end, count)};
  if (range.begin >= range.end) {
    throw InvalidArgument(
        fmt::format("rows is '{}'; the data have rows 0 to {}", rows, count == 0 ? 0 : count - 1));
  }
  return range;
}

void KeptOptions::add_to(Command& command) {
  id_option =
      command
          .add_option("--id", id,
                      "Column that identifies people; it is passed through to every output and is "
                      "no feature")
          .type_name("COLUMN");
  command
      .add_option("--keep", keep,
                  "Further columns to pass through to every output; may be repeated")
      .type_name("COLUMN[,COLUMN]");
}

std::vector<std::string> KeptOptions::resolve(const CsvTable& table, const Schema& schema) const {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name, std::string_view option) {
    if (!table.find(name)) {
      throw InvalidArgument(fmt::format("{} is '{}'; {} has no such column{} (columns: {})", option,
                                        name, table.source, did_you_mean(name, table.header),
                                        quoted_list(table.header)));
    }
    if (std::ranges::find(schema.features, name, &Feature::name) != schema.features.end()) {
      throw InvalidArgument(fmt::format(
          "{} is '{}', which is a feature of the model; only other columns are passed through",
          option, name));
    }
    if (std::ranges::find(out, name) != out.end()) {
      throw InvalidArgument(fmt::format("{} is '{}', which is named twice", option, name));
    }
    out.push_back(name);
  };
  if (has_id()) add(id, "id");
  for (const std::string& text : keep) {
    if (table.find(text)) {  // a name may have commas of its own
      add(text, "keep");
      continue;
    }
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      add(text.substr(begin, end - begin), "keep");
      begin = end + 1;
    }
  }
  return out;
}

void add_missing_option(Command& command, std::string& missing) {
  command
      .add_option("--missing", missing,
                  "Missing values: error, drop (leave out such rows), impute (fill in typical "
                  "values) or keep (query the model without them)")
      .show_default();
}

MissingPolicy parse_missing(const std::string& text) {
  if (text == "error") return MissingPolicy::error;
  if (text == "drop") return MissingPolicy::drop;
  if (text == "impute") return MissingPolicy::impute;
  if (text == "keep") return MissingPolicy::keep;
  throw InvalidArgument(
      fmt::format("missing is '{}'; it must be error, drop, impute or keep", text));
}

std::size_t report_failed_rows(const std::vector<std::string>& first, std::size_t count) {
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < std::min(kShown, first.size()); ++i)
    print_err("croco: {}\n", first[i]);
  if (count > kShown) print_err("croco: and {} more rows\n", count - kShown);
  return count;
}

}  // namespace croco::cli
