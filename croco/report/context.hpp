// SPDX-License-Identifier: Apache-2.0
/// What all answers of a run have in common, for the reports about them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <croco/data/codec.hpp>
#include <croco/noise/noise.hpp>
#include <croco/robustness/problem.hpp>

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
  std::size_t options = 1;             ///< how many were asked for
  bool judged = false;                 ///< advice of another tool, whose broken rules are told
  bool noise_assumed = false;          ///< neither the schema nor the user states the noise
  std::vector<std::string> kept = {};  ///< columns of the data that the reports pass through
  bool identified = false;             ///< the first of them says who a person is
  ReportRun run = {};
};

/// Whether costs are told beyond what distances say: by another kind than l1, or with prices of
/// touching a value.
[[nodiscard]] bool tells_costs(const ReportContext& context);

/// The schema's words for a class: its display text as it is ("approved"), else the label's value
/// in quotes ("'good'"), or "class 1" when that says no more.
[[nodiscard]] std::string class_name(const ReportContext& context, int number);

}  // namespace croco
