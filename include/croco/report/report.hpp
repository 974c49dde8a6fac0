// SPDX-License-Identifier: Apache-2.0
/// Writes answers to files as they come: CSV, JSON Lines with certificates, or a page.
///
///     croco::write_report("advice.csv", explainer, explainer.explain(people));
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/data/codec.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/noise/noise.hpp>
#include <croco/robustness/goal.hpp>
#include <croco/verify/verify.hpp>

namespace croco {

/// The command that makes a report, as the report's manifest states it.
struct ReportRun {
  std::string command = {};  ///< "explain" or "certify"; empty when no command makes the report
  /// What was said about the answers on the command line: names without dashes, repeated ones too.
  std::vector<std::pair<std::string, std::string>> options = {};
  std::size_t asked = 0;  ///< people of whom an answer was asked for
};

struct ReportContext {
  const Codec& codec;
  std::string method;  ///< "croco", or the name of the tool whose advice is judged
  std::optional<double> target;
  Noise noise;
  Goal goal;
  std::string model_name;
  std::string model_fingerprint;       ///< SHA-256 of the model file
  std::string schema_fingerprint;      ///< SHA-256 of the codec's schema as JSON
  bool proofs = false;                 ///< whether the answers come with proofs
  bool queries = false;                ///< whether they say how many rows the model was asked for
  std::size_t alternatives = 1;        ///< how many were asked for
  std::size_t reason_codes = 0;        ///< how many were asked for at most
  bool plausibility = false;           ///< whether answers come with it
  bool judged = false;                 ///< advice of another tool, whose broken rules are reported
  bool noise_assumed = false;          ///< neither the schema nor the user states the noise
  std::vector<std::string> kept = {};  ///< columns of the data that the reports pass through
  bool identified = false;             ///< the first of them says who a person is
  ReportRun run = {};
  /// The retrained models that the statements of the answers are about, if any.
  std::shared_ptr<const ModelPopulation> models = {};
};

/// The context of answers of a model; `method` names what made them. The model must outlive it.
[[nodiscard]] CROCO_EXPORT ReportContext report_context(const LoadedModel& model, Noise noise,
                                                        const Goal& goal, std::string method,
                                                        std::optional<double> target);
/// The context of an explainer's answers. The explainer must outlive it.
[[nodiscard]] CROCO_EXPORT ReportContext report_context(const Explainer& explainer);

/// The file appears whole, when it is finished.
class CROCO_EXPORT ReportWriter {
 public:
  virtual ~ReportWriter() = default;
  /// Appends one answer. Throws IoError.
  virtual void write(const Explanation& explanation) = 0;
  /// Completes the file and puts it in its place. Without it nothing is left behind.
  virtual void finish() = 0;
};

/// A writer by the ending of the path: .csv, .jsonl (with a manifest in a file beside it,
/// croco/report/manifest.hpp) or .html. Throws InvalidArgument for another
/// ending, IoError when the folder cannot be written. The context must outlive the writer.
[[nodiscard]] CROCO_EXPORT std::unique_ptr<ReportWriter> make_writer(
    const std::filesystem::path& path, const ReportContext& context);

/// Writes the answers of an explainer to a file, as `croco explain --output` does.
CROCO_EXPORT void write_report(const std::filesystem::path& path, const Explainer& explainer,
                               std::span<const Explanation> answers);

/// The certificates of a file: one certificate, or those of a .jsonl report. Nothing is believed:
/// throws DataError naming the line and the key for what is no certificate, IoError when the file
/// cannot be read.
[[nodiscard]] CROCO_EXPORT std::vector<StatedCertificate> read_certificates(
    const std::filesystem::path& path);

}  // namespace croco
