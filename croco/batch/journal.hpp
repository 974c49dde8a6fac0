// SPDX-License-Identifier: Apache-2.0
/// What an unfinished run leaves beside its files, so that another process can go on.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <croco/base/part_file.hpp>
#include <croco/batch/run_identity.hpp>

namespace croco {

struct Journal {
  struct File {
    std::string path;  ///< as it was asked for
    PartFile::Extent extent = {};
  };

  RunIdentity identity;
  std::vector<File> files;
  std::size_t rows = 0;   ///< of the input that are done
  bool complete = false;  ///< all of them: the files only have to get their names
  std::string state;      ///< what the run knows beside its files, in JSON
};

/// "advice.csv.journal" of "advice.csv".
[[nodiscard]] std::filesystem::path journal_path(const std::filesystem::path& file);

/// Nothing when there is none. Throws IoError, and DataError when the file is no journal.
[[nodiscard]] std::optional<Journal> read_journal(const std::filesystem::path& path);
/// Replaces the journal; it is never half there. Throws IoError.
void write_journal(const std::filesystem::path& path, const Journal& journal);

}  // namespace croco
