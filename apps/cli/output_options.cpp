// SPDX-License-Identifier: Apache-2.0
// Where reports go, and whether an unfinished run is continued.
#include <algorithm>

#include <apps/cli/options.hpp>
#include <croco/base/compression.hpp>
#include <croco/base/error.hpp>

namespace croco::cli {

void OutputOptions::add_to(Command& command) {
  command
      .add_option(
          "--output", paths,
          "File to write, ending in .csv, .jsonl or .html, compressed with .gz or .zst behind "
          "it; - or -.jsonl for standard output; may be repeated")
      .type_name("FILE");
  command.add_flag("--spreadsheet-safe", spreadsheet_safe,
                   "In .csv files, put an apostrophe before text cells that a spreadsheet would "
                   "read as formulas");
  add_continuation_to(command, resume, restart);
}

void add_continuation_to(Command& command, bool& resume, bool& restart) {
  const Option going_on = command.add_flag(
      "--resume", resume,
      "Go on with an unfinished run of the same command, whose files end in .part; "
      "begin when there is none");
  command.add_flag("--restart", restart, "Discard an unfinished run of these files, and begin")
      .excludes(going_on);
}

std::vector<std::unique_ptr<GrowingReport>> OutputOptions::make_reports(
    const ReportContext& context) const {
  const auto is_csv = [](const std::string& path) {
    return path == "-" || without_compression(path).extension() == ".csv" ||
           without_compression(path) == "-.csv";
  };
  if (spreadsheet_safe && std::ranges::none_of(paths, is_csv)) {
    throw InvalidArgument("spreadsheet-safe is about .csv files; no --output is one");
  }
  if (std::ranges::count_if(paths, is_standard_output) > 1) {
    throw InvalidArgument("output is '-' twice; standard output is for one report");
  }
  std::vector<std::unique_ptr<GrowingReport>> reports;
  reports.reserve(paths.size());
  for (const std::string& path : paths) {
    reports.push_back(make_report(path, context, spreadsheet_safe));
  }
  return reports;
}

bool OutputOptions::has_standard_output() const {
  return std::ranges::any_of(paths, is_standard_output);
}

Continuation OutputOptions::continuation() const noexcept {
  if (resume) return Continuation::resume;
  return restart ? Continuation::restart : Continuation::none;
}

}  // namespace croco::cli
