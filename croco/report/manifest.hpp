// SPDX-License-Identifier: Apache-2.0
/// What a .jsonl report consists of, in a file beside it: which lines, in which order, and what the
/// run was asked for. Without it nobody could tell that a line is missing.
/// docs/reference/certificates.md describes the format.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Puts a manifest together while the lines are written.
class ManifestBuilder {
 public:
  /// One line of the report, with its end.
  void add(std::size_t row, std::size_t alternative, std::string_view status,
           std::string_view line);
  /// The manifest of the lines so far, as an indented JSON object; call once.
  [[nodiscard]] std::string finish(const ReportContext& context);

 private:
  struct Line {
    std::size_t row;
    std::size_t alternative;  ///< 0 when there is only one
    std::string status;
    std::string fingerprint;
  };

  std::vector<Line> lines_;
  Sha256 all_;
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
