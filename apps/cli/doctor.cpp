// SPDX-License-Identifier: Apache-2.0
// croco doctor: what this program is, what it found on this machine, and what is not there.
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <apps/cli/command.hpp>
#include <apps/cli/json_summary.hpp>
#include <apps/cli/print.hpp>
#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/machine.hpp>
#include <croco/base/parallel.hpp>
#include <croco/base/version.hpp>
#include <croco/data/catalog.hpp>
#include <croco/data/http_client.hpp>
#include <croco/kernels/instruction_set.hpp>

namespace croco {

namespace embedded {
// NOLINTBEGIN(readability-identifier-naming): named after the files
extern const std::string_view app_page;
extern const std::string_view report_page;
// NOLINTEND(readability-identifier-naming)
}  // namespace embedded

namespace cli {
namespace {

struct DoctorCommand {
  std::string data_dir;
  bool json = false;
};

/// One line of the report.
struct Finding {
  std::string topic;
  std::string name;
  std::string text;
  bool there = true;
  std::string remedy = {};  ///< of what is not there
};

std::string size_text(std::optional<std::size_t> bytes) {
  if (!bytes) return "not known";
  const auto number = static_cast<double>(*bytes);
  if (number < 1024.0 * 1024) return fmt::format("{:.0f} KB", number / 1024);
  if (number < 1024.0 * 1024 * 1024) return fmt::format("{:.1f} MB", number / 1024 / 1024);
  return fmt::format("{:.1f} GB", number / 1024 / 1024 / 1024);
}

/// The pages are left out of builds that have no npm.
Finding page_finding(const char* name, std::string_view page) {
  return {"parts", name, page.empty() ? "left out of this build" : "in the program", !page.empty(),
          page.empty() ? "configure with -DCROCO_BUILD_PAGES=ON" : ""};
}

Finding data_finding(const CatalogEntry& entry, const DataLocations& locations) {
  if (entry.embedded) return {"data sets", entry.name, "in the program"};
  for (const std::filesystem::path& folder : search_folders(locations)) {
    const std::filesystem::path path = folder / entry.file;
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) {
      return {"data sets", entry.name, path.string()};
    }
  }
  return {"data sets", entry.name, "not here", false,
          fmt::format("croco data fetch {}", entry.name)};
}

/// Where fetched data sets go, and whether they can.
Finding cache_finding() {
  try {
    const std::filesystem::path folder = cache_folder();
    std::filesystem::path there = folder;
    std::error_code error;
    while (!std::filesystem::exists(there, error) && there.has_relative_path()) {
      there = there.parent_path();
    }
    const bool writable =
        std::filesystem::is_directory(there, error) && ::access(there.c_str(), W_OK) == 0;
    return {"files", "cache", folder.string() + (writable ? "" : " (not writable)"), writable,
            writable ? "" : "set XDG_CACHE_HOME or CROCO_DATA_DIR"};
  } catch (const IoError& error) {
    return {"files", "cache", error.what(), false, "set HOME, XDG_CACHE_HOME or CROCO_DATA_DIR"};
  }
}

std::vector<Finding> examine(const DoctorCommand& options) {
  const Machine machine = this_machine();
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  std::vector<Finding> out{
      {"program", "croco", std::string(version())},
      {"program", "path", error ? "not known" : self.string()},
      {"program", "compiler", compiler()},
      {"machine", "system", machine.system},
      {"machine", "processor", machine.processor.empty() ? "not known" : machine.processor},
      {"machine", "instruction set", instruction_set()},
      {"machine", "threads", fmt::format("{} ({} cores)", thread_count(0), machine.cores)},
      {"machine", "memory",
       fmt::format("{}, {} available", size_text(machine.memory),
                   size_text(machine.memory_available))},
      {"machine", "caches",
       fmt::format("{} level 1, {} level 2, {} level 3", size_text(machine.level1_cache),
                   size_text(machine.level2_cache), size_text(machine.level3_cache))},
      page_finding("page of croco serve", embedded::app_page),
      page_finding("page of croco reproduce", embedded::report_page),
  };
  const std::optional<std::string> http = http_library();
  out.push_back({"parts", "HTTP (--model-url, data fetch)",
                 http ? http->substr(0, http->find(' ')) : "libcurl is not installed",
                 http.has_value(), http ? "" : "install libcurl (Debian: libcurl4)"});
  out.push_back(cache_finding());
  DataLocations locations;
  if (!options.data_dir.empty()) locations.data_dir = options.data_dir;
  for (const CatalogEntry& entry : catalog()) out.push_back(data_finding(entry, locations));
  return out;
}

void print_text(const std::vector<Finding>& findings) {
  std::string topic;
  for (const Finding& one : findings) {
    if (one.topic != topic) print_out("{}{}\n", topic.empty() ? "" : "\n", one.topic);
    topic = one.topic;
    draw_out(one.there ? coloured("  + ", Colour::green, STDOUT_FILENO)
                       : coloured("  - ", Colour::yellow, STDOUT_FILENO));
    print_out("{:<30} {}{}\n", one.name, one.text,
              one.remedy.empty() ? "" : fmt::format(" [{}]", one.remedy));
  }
}

void print_json(const std::vector<Finding>& findings) {
  JsonSummary out;
  out.add("croco", version());
  for (const Finding& one : findings) {
    JsonSummary part;
    part.add("topic", one.topic);
    part.add("name", one.name);
    part.add("text", one.text);
    part.add("there", one.there);
    if (!one.remedy.empty()) part.add("remedy", one.remedy);
    out.append("findings", part);
  }
  print_out("{}\n", out.text());
}

int run(const DoctorCommand& options) {
  const std::vector<Finding> findings = examine(options);
  if (options.json) {
    print_json(findings);
  } else {
    print_text(findings);
  }
  return kOk;
}

}  // namespace

void add_doctor(Command& program, Environment& environment) {
  auto options = std::make_shared<DoctorCommand>();
  Command command = program.add_command(
      "doctor", "Report versions, processor, memory, caches, and which optional parts are there");
  command.add_option("--data-dir", options->data_dir, "Folder with the files of named data sets")
      .type_name("DIR");
  command.add_flag("--json", options->json, "Print the report as JSON");
  command.set_example("croco doctor");
  command.set_callback([options, &environment] { environment.exit_code = run(*options); });
}

}  // namespace cli
}  // namespace croco
