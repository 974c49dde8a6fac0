// SPDX-License-Identifier: Apache-2.0
// croco inspect: what the columns of a CSV mean, as a table and as a schema to edit.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/people.hpp>
#include <apps/cli/print.hpp>
#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/infer.hpp>
#include <croco/space/movement_names.hpp>

namespace croco::cli {
namespace {

struct InspectCommand {
  SourceOptions source;
  InferOptions infer;
  std::string output;
  bool force = false;
};

/// `people.csv` -> `people.schema.json`, in the current folder for named data sets.
std::filesystem::path default_output(const std::string& data) {
  std::filesystem::path path(data);
  path.replace_extension(".schema.json");
  return path;
}

std::string levels_text(const Feature& feature) {
  constexpr std::size_t kShown = 48;
  std::string text = fmt::format("{}", fmt::join(feature.levels, " | "));
  if (text.size() <= kShown) return text;
  // Not in the middle of a UTF-8 character.
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

/// All digits before the point, and six in all at least; the schema has every digit.
std::string number_text(double value) {
  constexpr int kDigits = 6;
  const double size = std::abs(value);
  if (size < 1e-3 || size >= 1e15) return fmt::format("{:.{}g}", value, kDigits);
  return format_fixed(value, kDigits - 1 - static_cast<int>(std::floor(std::log10(size))));
}

std::string range_text(const Feature& feature, const ColumnSummary& column) {
  if (feature.type == FeatureType::categorical) return levels_text(feature);
  return fmt::format("{} .. {} (median {})", number_text(column.minimum),
                     number_text(column.maximum), number_text(column.median));
}

void print_table(const Inference& inference) {
  const std::vector<Feature>& features = inference.schema.features;
  std::size_t width = 7;
  for (const Feature& feature : features) width = std::max(width, feature.name.size());
  print_out("{:<{}}  {:<11}  {:<5}  {:<6}  {:>8}  {:>7}  {}\n", "feature", width, "type", "moves",
            "step", "distinct", "missing", "range or levels");
  for (std::size_t f = 0; f < features.size(); ++f) {
    const Feature& feature = features[f];
    const ColumnSummary& column = inference.columns[f];
    const bool numeric = feature.type == FeatureType::numeric;
    print_out("{:<{}}  {:<11}  {:<5}  {:<6}  {:>8}  {:>7}  {}\n", feature.name, width,
              numeric ? "numeric" : "categorical", name_of(feature.movement),
              !numeric            ? "-"
              : feature.step == 0 ? "any"
                                  : format_number(feature.step),
              column.distinct, column.missing, range_text(feature, column));
  }
  const LabelColumn& label = inference.schema.label;
  if (label.name.empty()) {
    print_out(
        "\nno label: the schema serves to explain, not to train (--label names the column)\n");
  } else {
    print_out("\nlabel '{}': class 1 is '{}', class 0 is '{}'\n", label.name, label.favourable,
              label.unfavourable);
  }
  for (const std::string& note : inference.notes) print_out("note: {}\n", note);
}

int run(const InspectCommand& options) {
  const CsvTable table = options.source.read();
  require_rows(table);
  const Inference inference = infer_schema(table, options.infer);
  const std::filesystem::path path = options.output.empty() ? default_output(options.source.data)
                                                            : std::filesystem::path(options.output);
  if (std::filesystem::is_regular_file(path) && !options.force) {
    throw InvalidArgument(fmt::format(
        "output '{}' exists; it may hold edits, so --force must say that it can be replaced",
        path.string()));
  }
  print_table(inference);
  flush_out();
  write_file(path, schema_json(inference.schema));
  print_note("wrote {}: edit who may change what, in which range and at what cost\n",
             path.string());
  return kOk;
}

}  // namespace

void add_inspect(Command& program, Environment& environment) {
  auto options = std::make_shared<InspectCommand>();
  Command command =
      program.add_command("inspect", "Infer a schema from a CSV, print it and write it to edit");
  command.add_option("data", options->source.data, "CSV file, or a data set by name")
      .required()
      .type_name("FILE|NAME");
  command
      .add_option("--data-dir", options->source.data_dir,
                  "Folder with the files of named data sets")
      .type_name("DIR");
  command.add_option("--label", options->infer.label,
                     "Column to predict, if the data have it; training needs one");
  command.add_option("--favourable", options->infer.favourable,
                     "Its value that is class 1 [guessed where the name and values suggest it]");
  command.add_option("--output", options->output, "Schema file to write [DATA.schema.json]")
      .type_name("FILE");
  command.add_flag("--force", options->force, "Replace the schema file if it exists");
  command.set_example("croco inspect people.csv --label good --output people.schema.json");
  command.set_callback([options, &environment] { environment.exit_code = run(*options); });
}

}  // namespace croco::cli
