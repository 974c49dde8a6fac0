// SPDX-License-Identifier: Apache-2.0
/// An experiment: which methods, on which people, under which noise, for which targets. A small
/// JSON file that people copy and change; docs/results/reproduction.md describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/methods/named_method.hpp>
#include <croco/models/training/train.hpp>
#include <croco/noise/sample.hpp>

namespace croco {

/// The version of the format that this build writes, and the newest that it reads.
inline constexpr int kExperimentVersion = 1;

/// m and t of the bound `(m + soft rate) / (1 - t)` that the paper reports.
inline constexpr double kPaperMargin = 0.1;
inline constexpr double kPaperThreshold = 0.5;

/// What advice may do.
enum class Limits : std::uint8_t {
  none,    ///< the paper's setting: every numeric column moves freely, in the encoded space
  schema,  ///< ranges, directions, steps and costs of the schema
};

/// People and the model that judges them. A model that is not given is trained on `data`; people
/// that are not given are the first rows of `data` that the model rejects.
struct ExperimentDataset {
  std::string name;                   ///< names files; letters, digits, `-`, `_` and `.`
  std::string label = {};             ///< for people; the name when empty
  std::string data = {};              ///< a data set of the catalogue, or a CSV file
  std::filesystem::path schema = {};  ///< of `data`; may be empty for a set of the catalogue
  std::filesystem::path model = {};
  std::filesystem::path people = {};  ///< encoded columns under Limits::none
  Limits limits = Limits::none;
  TrainOptions train = {};
};

struct ExperimentNoise {
  std::string name;  ///< names folders, as above
  std::string label = {};
  Noise noise = {};
};

/// A method of croco with its settings, or the advice that another tool made.
struct ExperimentMethod {
  std::string name;  ///< names files, as above
  std::string label = {};
  std::string note = {};    ///< a sentence for the report
  std::string method = {};  ///< `certified`, `croco`, `probe`, `wachter`; empty: counterfactuals
  MethodSettings settings = {};
  std::vector<std::filesystem::path> counterfactuals = {};

  [[nodiscard]] bool is_advice() const noexcept { return method.empty(); }
};

struct Experiment {
  std::string title = {};
  std::string description = {};
  std::uint64_t seed = 0;
  std::size_t people = 500;            ///< of each data set, at most
  std::size_t rate_samples = 100'000;  ///< draws that measure the rate of every answer
  std::size_t certificate_samples = 102'400;
  double confidence = 0.999;
  /// People per configuration of the certified method for whom a lower bound is proved.
  std::size_t prove_people = 25;
  std::vector<ExperimentDataset> datasets = {};
  std::vector<ExperimentNoise> noises = {};
  std::vector<double> targets = {};
  std::vector<ExperimentMethod> methods = {};
};

/// Throws DataError naming the place and the rule.
void validate(const Experiment& experiment);

/// `source` is how messages name the text; relative paths start at `folder`.
[[nodiscard]] Experiment parse_experiment(std::string_view json, const std::string& source,
                                          const std::filesystem::path& folder);
/// Reads a file, whose folder is where its relative paths start.
[[nodiscard]] Experiment read_experiment(const std::filesystem::path& path);

/// The experiment of section 5 of the paper, and its text.
[[nodiscard]] Experiment paper_experiment();
[[nodiscard]] std::string_view paper_experiment_text() noexcept;

/// A version of an experiment that takes two minutes: fewer people, targets and noises.
[[nodiscard]] Experiment quick(Experiment experiment);

/// `0.05`; in file names `0.05`, and `any` for methods without a target.
[[nodiscard]] std::string target_text(std::optional<double> target);

}  // namespace croco
