// SPDX-License-Identifier: Apache-2.0
/// Groups of options that several subcommands share, and their translation into the library's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <apps/cli/command_line.hpp>
#include <croco/batch/run_outputs.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/loading/load_remote.hpp>
#include <croco/methods/named_method.hpp>
#include <croco/report/context.hpp>
#include <croco/report/growing_report.hpp>
#include <croco/report/writer.hpp>

namespace croco::cli {

struct SourceOptions;

/// `--model --model-command --model-url --model-header-file --model-protocol --model-timeout
/// --model-workers --model-batch --rounds --category-order --schema --training --encoded
/// --freeze-immutable --box`, and `--cost`
struct ModelOptions {
  std::string model;
  std::string program;
  std::string url;
  std::string protocol = "auto";
  std::string header_file;
  RemoteOptions remote;
  std::string rounds;
  std::vector<std::string> category_orders;
  std::string schema;
  std::string training;
  std::string score = {};
  std::string decision = {};
  bool encoded = false;
  bool freeze_immutable = false;
  std::string box;
  std::string cost = "l1";

  void add_to(Command& command);
  /// Remote models, where `file` names the other ones.
  void add_remote_to(Command& command, Option file);
  /// What the output of an ONNX file is, and which output decides.
  void add_score_to(Command& command);
  /// How files of boosted trees are read.
  void add_trees_to(Command& command);
  /// For commands that tell what a change costs.
  void add_cost_to(Command& command);
  /// Loads the model; notes on standard error which immutable columns may move. The people of the
  /// run are the training data of a remote model, unless --training says others.
  [[nodiscard]] LoadedModel load(const SourceOptions* people = nullptr) const;
  /// How its file is read, and others like it. Refers to these options and the people.
  [[nodiscard]] LoadModelOptions loading(const SourceOptions* people) const;
  /// What `--training` names, or else the people. Throws InvalidArgument when neither is there, or
  /// nothing says what the columns mean.
  [[nodiscard]] TrainingData training_data(const SourceOptions* people) const;
  /// The schema, and how files of boosted trees are read.
  [[nodiscard]] LoadModelOptions reading() const;
  /// The remote model, if it is one, with the headers of --model-header-file and of the
  /// variable CROCO_MODEL_HEADER. Throws InvalidArgument when no model is given.
  [[nodiscard]] std::optional<RemoteOptions> remote_options() const;
};

/// `--noise --noise-on --noise-scale --flip --noise-file --noise-covariance --falls-short`
struct NoiseOptions {
  std::string noise;
  std::string scope;
  std::vector<std::string> scales;
  std::vector<std::string> flips;
  std::string residuals;
  std::string covariance;
  bool falls_short = false;

  void add_to(Command& command);
  /// What the options say; when they say nothing, the schema's noise, or else the assumed one:
  /// gaussian, sd .1, on numbers (of encoded data on all columns, as the paper). Notes on standard
  /// error when it is the schema's or assumed.
  [[nodiscard]] Noise resolve(const Codec& codec) const;
  /// Whether neither the options nor the schema state noise.
  [[nodiscard]] bool is_assumed(const Schema& schema) const;

 private:
  /// Whether some option states noise.
  [[nodiscard]] bool is_stated() const;
  [[nodiscard]] Noise resolve_base(const Codec& codec) const;
};

/// `--threshold --want`
struct GoalOptions {
  std::optional<double> threshold;
  std::optional<int> wanted;

  void add_to(Command& command);
  /// What is not stated is as the bundle says, or else class 1 above .5.
  [[nodiscard]] Goal resolve(const LoadedModel& loaded) const;
};

/// `--samples --max-samples --family --confidence --bound --independent-samples --seed --threads`
struct ProofOptions {
  std::optional<std::size_t> samples;
  std::size_t max_samples = 100'000;
  std::string family = "1";
  double confidence = 0.999;
  std::string bound;
  bool independent_samples = false;
  std::uint64_t seed = 0;
  unsigned threads = 0;

  /// For commands that issue certificates.
  void add_to(Command& command);
  /// For commands that compare rates: always the same number of samples, so that they are alike.
  void add_fixed_to(Command& command);
  /// `people`: the rows of the run, which is what `--family all` means.
  [[nodiscard]] CertifyOptions resolve(std::size_t people) const;
  [[nodiscard]] CertifyOptions resolve_fixed() const;

 private:
  void add_common_to(Command& command);
  [[nodiscard]] BoundKind resolve_bound() const;
};

/// `--target --search --search-rows --as-published --margin --bound-samples` and the knobs of the
/// search.
struct MethodOptions {
  double target = 0.05;
  std::string search = "auto";
  std::optional<std::size_t> search_rows;
  MethodSettings settings;

  void add_to(Command& command);
  /// Throws InvalidArgument for a method there is not, and for an option that it does not have.
  [[nodiscard]] Method resolve(const std::string& method, const ProofOptions& proof) const;
  /// The same for one of several methods, each of which takes the options that it has.
  [[nodiscard]] Method resolve_one_of_several(const std::string& method,
                                              const ProofOptions& proof) const;

 private:
  [[nodiscard]] MethodSettings with_search() const;
};

/// A value of `--counterfactuals NAME=FILE`.
struct NamedFile {
  std::string name;
  std::string file;
};
/// Throws InvalidArgument with the option's form when either part is missing.
[[nodiscard]] NamedFile parse_named_file(const std::string& text);

/// `--resume --restart`
void add_continuation_to(Command& command, bool& resume, bool& restart);

/// `--output --spreadsheet-safe --resume --restart`
struct OutputOptions {
  std::vector<std::string> paths;
  bool spreadsheet_safe = false;
  bool resume = false;
  bool restart = false;

  void add_to(Command& command);
  /// A report for each path. The context must outlive them. Throws InvalidArgument when
  /// --spreadsheet-safe is given and none of them is CSV.
  [[nodiscard]] std::vector<std::unique_ptr<GrowingReport>> make_reports(
      const ReportContext& context) const;
  [[nodiscard]] bool has_standard_output() const;
  [[nodiscard]] Continuation continuation() const noexcept;
};

}  // namespace croco::cli
