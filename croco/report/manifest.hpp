// SPDX-License-Identifier: Apache-2.0
/// What a .jsonl report consists of, in a file beside it: which lines, in which order, and what the
/// run was asked for. Without it nobody could tell that a line is missing.
/// docs/reference/certificates.md describes the format.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <croco/base/byte_source.hpp>
#include <croco/base/sha256.hpp>
#include <croco/data/cost_kind.hpp>
#include <croco/report/context.hpp>
#include <croco/verify/verify.hpp>

namespace croco {

/// The version of the format that is written. Version 1, which calls alternatives options, is read
/// as well.
inline constexpr int kManifestVersion = 2;

/// "advice.jsonl.manifest.json" of "advice.jsonl".
[[nodiscard]] std::filesystem::path manifest_path(const std::filesystem::path& report);

/// What a manifest says of one line of the report, which is given with its end.
[[nodiscard]] std::string manifest_entry(std::size_t row, std::size_t alternative,
                                         std::string_view status, std::string_view line);

/// What follows from the list of lines: how many people, and how many answers of each status. The
/// alternatives of one person are one answer.
class ManifestTotals {
 public:
  void add(std::size_t row, std::size_t alternative, const std::string& status);
  /// How many different ones.
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] const std::map<std::string, std::size_t>& statuses() const noexcept {
    return statuses_;
  }

 private:
  void add_row(std::size_t row);

  /// The rows so far as begin and end of stretches, since advice of other tools may repeat some.
  /// Rows in order are one stretch, however high their numbers are.
  std::map<std::size_t, std::size_t> seen_;
  std::size_t rows_ = 0;
  std::map<std::string, std::size_t> statuses_;
};

/// Puts a manifest together while the lines are written. The caller keeps the list of lines, since
/// it is as long as the report.
class ManifestBuilder {
 public:
  /// The report's text and its entries, in order; texts may end anywhere.
  void take_lines(std::string_view text);
  void take_entries(std::string_view text);
  /// Writes the manifest, an indented JSON object; `entries` are those that were taken. Call once.
  void finish(const ReportContext& context, ByteSource& entries,
              const std::function<void(std::string_view)>& write);

 private:
  void take_entry_line(std::string_view line);

  Sha256 all_;
  ManifestTotals totals_;
  std::string half_line_;
  std::size_t row_ = 0;
  std::size_t alternative_ = 0;
};

/// What a manifest states about its run, and nothing that has been checked.
struct StatedRun {
  std::string source;  ///< how messages name the manifest
  int version = kManifestVersion;
  std::string program;
  ReportRun run;
  std::string method;
  CostKind cost = CostKind::l1;
  std::optional<double> target = {};
  StatedCertificate noise;  ///< nothing but its noise
  Goal goal;
  std::vector<std::string> kept = {};  ///< columns of the data that every row has
  std::string model_fingerprint;
  std::string schema_fingerprint;
  std::size_t rows = 0;  ///< people with an answer
};

/// Throws DataError naming `source` and the key when it is no manifest of a known version.
[[nodiscard]] StatedRun read_manifest(std::string_view text, const std::string& source);

/// What does not fit between a report's bytes and its manifest: lines that are missing, were added,
/// moved or edited, by their number. Empty when all is as the run wrote it. `json` must have been
/// read without an error.
[[nodiscard]] std::vector<std::string> manifest_faults(std::string_view json,
                                                       std::string_view report);

}  // namespace croco
