// SPDX-License-Identifier: Apache-2.0
/// The folder of an experiment: what is finished stays, whatever happens to the process.
///
///     manifest.json                      what the results were made from
///     results/DATASET/NOISE/TARGET/METHOD.csv   a row per person, complete or not there
///     times/DATASET/NOISE/TARGET/METHOD.csv     what finding them took
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <croco/base/folder_lock.hpp>
#include <croco/base/stopwatch.hpp>
#include <croco/experiment/experiment.hpp>
#include <croco/experiment/person_result.hpp>

namespace croco {

/// Names and values that results depend on. Two runs in one folder may differ in which of the named
/// things they have, but not in what is behind a name.
struct Manifest {
  struct Entry {
    std::string kind;   ///< "dataset"; empty for what the whole experiment shares
    std::string name;   ///< "adult"
    std::string value;  ///< a JSON text
  };
  std::vector<Entry> entries;
};

class ResultStore {
 public:
  /// Makes the folder when it is not there, locks it and removes what a killed run left unfinished.
  /// Throws IoError; among others when another process works there.
  explicit ResultStore(std::filesystem::path folder);

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

  /// Joins the manifest with the one that is there. Throws InvalidArgument naming what differs.
  void join(const Manifest& manifest) const;

  /// The results of a configuration, by `path_of`; none when they are not there yet. Throws
  /// DataError when a file is there that is not what this store writes.
  [[nodiscard]] std::optional<std::vector<PersonResult>> read(
      const std::filesystem::path& configuration) const;
  [[nodiscard]] std::optional<Duration> read_time(const std::filesystem::path& configuration) const;
  /// The time is written first: results that are there have theirs.
  void write(const std::filesystem::path& configuration, const std::vector<PersonResult>& results,
             const std::optional<Duration>& time) const;

 private:
  [[nodiscard]] std::filesystem::path file(const char* kind,
                                           const std::filesystem::path& configuration) const;

  std::filesystem::path folder_;
  std::optional<FolderLock> lock_;
};

}  // namespace croco
