// SPDX-License-Identifier: Apache-2.0
// croco data: data sets by name.
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/print.hpp>
#include <apps/cli/progress.hpp>
#include <croco/base/error.hpp>
#include <croco/data/catalog.hpp>
#include <croco/data/fetch.hpp>

namespace croco::cli {
namespace {

struct DataCommand {
  std::string name;
  std::string data_dir;
  std::vector<std::string> urls;
  bool schema = false;
};

const CatalogEntry& entry_of(const std::string& name) {
  if (const CatalogEntry* entry = find_entry(name)) return *entry;
  std::vector<std::string> names;
  for (const CatalogEntry& entry : catalog()) names.push_back(entry.name);
  throw InvalidArgument(
      fmt::format("there is no data set '{}'; there are {}", name, fmt::join(names, ", ")));
}

DataLocations locations_of(const DataCommand& options) {
  DataLocations locations;
  if (!options.data_dir.empty()) locations.data_dir = options.data_dir;
  return locations;
}

std::string place_of(const CatalogEntry& entry, const DataLocations& locations) {
  if (entry.embedded) return "in the program";
  for (const std::filesystem::path& folder : search_folders(locations)) {
    if (std::filesystem::is_regular_file(folder / entry.file)) {
      return (folder / entry.file).string();
    }
  }
  return fmt::format("not here: croco data fetch {}", entry.name);
}

int list(const DataCommand& options) {
  for (const CatalogEntry& entry : catalog()) {
    print_out("{:<20} {:>7} rows  {}\n{:<20}               {}\n{:<20}               {}\n",
              entry.name, entry.rows, entry.description, "", entry.licence, "",
              place_of(entry, locations_of(options)));
  }
  return kOk;
}

int fetch_entry(const DataCommand& options, const std::stop_token& stop) {
  const CatalogEntry& entry = entry_of(options.name);
  FetchOptions fetch_options;
  fetch_options.urls = options.urls;
  if (!options.data_dir.empty()) fetch_options.folder = options.data_dir;
  fetch_options.stop = stop;
  std::unique_ptr<Progress> progress;
  fetch_options.progress = [&](std::uintmax_t done, std::uintmax_t total) {
    if (!progress) progress = std::make_unique<Progress>("fetching " + entry.file, total);
    progress->update(done, "bytes");
  };
  const std::filesystem::path path = fetch(entry, fetch_options);
  progress.reset();
  print_out("{}\n", path.string());
  return kOk;
}

int show(const DataCommand& options) {
  const CatalogEntry& entry = entry_of(options.name);
  if (options.schema) {
    print_out("{}", schema_json(catalog_schema(entry)));
    return kOk;
  }
  LoadOptions load_options;
  load_options.locations = locations_of(options);
  const CsvTable table = load_dataset(entry, load_options);
  print_out("{}", csv_record(table.header));
  for (const CsvRow& row : table.rows) print_out("{}", csv_record(row.fields));
  return kOk;
}

}  // namespace

void add_data(Command& program, Environment& environment) {
  auto options = std::make_shared<DataCommand>();
  Command command = program.add_command("data", "List, fetch and print data sets by name");
  command.require_command();
  command.set_example(
      "croco data list\n  croco data fetch adult\n  croco data show german > german.csv");
  const auto add_folder = [&](Command part) {
    part.add_option("--data-dir", options->data_dir, "Folder with the files of named data sets")
        .type_name("DIR");
  };

  Command lister = command.add_command("list", "List the data sets and where they are");
  add_folder(lister);
  lister.set_callback([options, &environment] { environment.exit_code = list(*options); });

  Command fetcher = command.add_command(
      "fetch", "Download a data set into --data-dir or the user's cache, checking its SHA-256");
  fetcher.add_option("name", options->name, "adult, compas or give-me-some-credit").required();
  add_folder(fetcher);
  fetcher.add_option("--url", options->urls, "Download from here instead; may be repeated")
      .type_name("URL");
  fetcher.set_callback([options, &environment] {
    environment.exit_code = fetch_entry(*options, environment.stop());
  });

  Command printer = command.add_command("show", "Print a data set as CSV, or its schema");
  printer.add_option("name", options->name, "Name of the data set").required();
  printer.add_flag("--schema", options->schema, "Print its schema as JSON instead");
  add_folder(printer);
  printer.set_callback([options, &environment] { environment.exit_code = show(*options); });
}

}  // namespace croco::cli
