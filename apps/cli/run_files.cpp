// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/run_files.hpp>

#include <algorithm>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <apps/cli/arguments.hpp>
#include <croco/base/compression.hpp>
#include <croco/base/error.hpp>
#include <croco/base/part_file.hpp>
#include <croco/batch/journal.hpp>
#include <croco/data/catalog.hpp>
#include <croco/remote/command_words.hpp>
#include <croco/report/growing_report.hpp>
#include <croco/report/manifest.hpp>

namespace croco::cli {
namespace {

namespace fs = std::filesystem;

/// The options that name files to write; every other option with a FILE reads it.
bool is_output(const Option& option) {
  return option.long_name() == "output" || option.long_name() == "extract";
}

bool has_manifest(const fs::path& report) {
  return without_compression(report).extension() == ".jsonl" && !is_standard_output(report);
}

/// Reports are written under another name until they are complete.
bool is_report(const fs::path& path) {
  const fs::path ending = without_compression(path).extension();
  return ending == ".csv" || ending == ".jsonl" || ending == ".html";
}

std::string folder_of_data(const Command& command) {
  const std::optional<Option> option = command.find_option("--data-dir");
  return option && option->is_given() ? option->values().back() : std::string();
}

/// A file, or a data set by name, which is a file unless it comes with the program.
void add_data(const std::string& what, const std::string& value, const Command& command,
              RunFiles& files) {
  files.reads(what, value);
  const CatalogEntry* entry = fs::exists(value) ? nullptr : find_entry(value);
  if (entry == nullptr || entry->embedded) return;
  DataLocations locations;
  if (const std::string folder = folder_of_data(command); !folder.empty()) {
    locations.data_dir = folder;
  }
  for (const fs::path& folder : search_folders(locations)) files.reads(what, folder / entry->file);
}

void add_input(const Option& option, const Command& command, RunFiles& files) {
  const std::string what = option.name();
  const std::string type = option.type();
  for (const std::string& value : option.values()) {
    if (type == "COMMAND") {
      for (const std::string& word : command_words(value)) files.reads(what, word);
    } else if (type == "NAME=FILE") {
      files.reads(what, value.substr(value.find('=') + 1));
    } else if (type == "FILE|NAME") {
      add_data(what, value, command, files);
    } else if (type.find("FILE") != std::string::npos) {
      files.reads(what, value);
      if (has_manifest(value)) files.reads("the manifest of " + what, manifest_path(value));
    }
  }
}

void add_outputs(const Option& option, RunFiles& files) {
  if (option.type() != "FILE") return;
  for (const std::string& value : option.values()) {
    if (is_standard_output(value)) continue;
    files.writes(option.name(), value);
    if (has_manifest(value)) {
      files.writes("the manifest of " + option.name(), manifest_path(value));
    }
    if (!is_report(value)) continue;
    files.writes("the unfinished file of " + option.name(), part_path(value));
    files.writes("the journal of " + option.name(), journal_path(value));
  }
}

}  // namespace

RunFiles::File RunFiles::file_of(std::string_view what, const fs::path& path) {
  File out{.what = std::string(what), .path = path, .real = {}, .on_disk = {}};
  std::error_code error;
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    out.on_disk = {status.st_dev, status.st_ino};
    out.regular = S_ISREG(status.st_mode);
    out.real = fs::canonical(path, error);
  } else {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    out.real = fs::weakly_canonical(folder, error) / path.filename();
    out.regular = true;  // once it is written
  }
  return out;
}

void RunFiles::reads(std::string_view what, const fs::path& path) {
  File file = file_of(what, path);
  if (!file.on_disk || !file.regular) return;
  refuse_standard_streams(file);
  read_.push_back(std::move(file));
}

void RunFiles::refuse_standard_streams(const File& file) const {
  // A path such as /dev/stdout asks for just that.
  const std::string text = file.path.lexically_normal().string();
  if (!file.on_disk || text.starts_with("/dev/") || text.starts_with("/proc/")) return;
  for (const auto& [stream, name] :
       {std::pair{STDOUT_FILENO, "output"}, {STDERR_FILENO, "error"}}) {
    struct stat status{};
    if (::fstat(stream, &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (*file.on_disk != std::pair{status.st_dev, status.st_ino}) continue;
    throw InvalidArgument(
        fmt::format("{} is '{}', the file that standard {} goes to; they must be different files",
                    file.what, file.path.string(), name));
  }
}

void RunFiles::writes(std::string_view what, const fs::path& path) {
  File file = file_of(what, path);
  if (!file.regular) return;
  const auto is_same = [&](const File& other) {
    return file.on_disk ? file.on_disk == other.on_disk : !other.on_disk && file.real == other.real;
  };
  if (const auto other = std::ranges::find_if(read_, is_same); other != read_.end()) {
    throw InvalidArgument(fmt::format(
        "{} is '{}', which is the file '{}' of {}; a run must not write over what it reads", what,
        path.string(), other->path.string(), other->what));
  }
  if (const auto other = std::ranges::find_if(written_, is_same); other != written_.end()) {
    throw InvalidArgument(
        fmt::format("{} is '{}', which is the file '{}' of {}; each needs a file of its own", what,
                    path.string(), other->path.string(), other->what));
  }
  refuse_standard_streams(file);
  written_.push_back(std::move(file));
}

void RunFiles::writes_into(std::string_view what, const fs::path& folder,
                           const std::vector<std::string>& names) {
  std::error_code error;
  for (const std::string& name : names) {
    const fs::path place = folder / name;
    if (!fs::is_directory(place, error)) {
      writes(what, place);
      continue;
    }
    const fs::path real = fs::canonical(place, error);
    for (const File& file : read_) {
      const fs::path inside = file.real.lexically_relative(real);
      if (inside.empty() || *inside.begin() == "..") continue;
      throw InvalidArgument(fmt::format(
          "{} is '{}', where the file '{}' of {} is; a run must not write over what it reads", what,
          folder.string(), file.path.string(), file.what));
    }
  }
}

RunFiles files_of(const Command& program) {
  const Command command = chosen_command(program);
  RunFiles files;
  if (const std::optional<Option> config = program.find_option("--config")) {
    for (const std::string& path : config->values()) files.reads("--config", path);
  }
  for (const Option& option : command.options()) {
    if (option.is_given() && !is_output(option)) add_input(option, command, files);
  }
  for (const Option& option : command.options()) {
    if (option.is_given() && is_output(option)) add_outputs(option, files);
  }
  return files;
}

}  // namespace croco::cli
