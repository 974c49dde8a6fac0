// SPDX-License-Identifier: Apache-2.0
/// The files of a run over many people: written in order as answers come, under another name until
/// they are complete, and continued after any end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <croco/base/files.hpp>
#include <croco/base/part_file.hpp>
#include <croco/batch/journal.hpp>
#include <croco/batch/run_identity.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/report/growing_report.hpp>

namespace croco {

enum class Continuation : std::uint8_t {
  none,     ///< begins; refuses to replace an unfinished run
  resume,   ///< goes on with an unfinished run of these files, or begins when there is none
  restart,  ///< begins, in the place of an unfinished run
};

/// Each file is FILE.part until the run has finished. Every second a journal beside the first
/// file records how far all of them are. What is not a regular file (a device, a pipe, standard
/// output) is written directly, and such a run cannot be continued.
class RunOutputs {
 public:
  /// What a batch of answers adds, by report.
  using Pieces = std::vector<GrowingReport::Piece>;

  /// `people`: the rows of the run. Throws InvalidArgument when there are more than a report may
  /// hold, for an unfinished run that may not be replaced, and for one that is another run, naming
  /// what differs; IoError when a file cannot be written.
  RunOutputs(std::vector<std::unique_ptr<GrowingReport>> reports, RunIdentity identity,
             std::size_t people, Continuation continuation);
  ~RunOutputs();
  RunOutputs(const RunOutputs&) = delete;
  RunOutputs& operator=(const RunOutputs&) = delete;

  /// Rows of the run that are done already, and the state that came with the last of them (JSON;
  /// empty when the run begins).
  [[nodiscard]] std::size_t rows() const noexcept { return last_.rows; }
  [[nodiscard]] const std::string& state() const noexcept { return last_.state; }

  /// Whether what is written can be continued by another run.
  [[nodiscard]] bool can_resume() const noexcept { return !journal_.empty(); }

  /// May be called by several threads.
  [[nodiscard]] Pieces render(std::span<const Explanation> answers) const;
  /// Appends what `rows` more rows of the input gave; `state` (JSON) is the run's own from then on.
  /// Throws IoError.
  void add(const Pieces& pieces, std::size_t rows, std::string state);
  /// Completes all files. Throws IoError.
  void finish();
  /// For a run that ends before: records what is there, and says in a sentence how to go on; empty
  /// when nothing can be continued. Files that were removed meanwhile are written again.
  [[nodiscard]] std::string keep();

 private:
  /// A stream of a report: in a part file, or directly to where it goes.
  struct Output {
    GrowingReport* report;
    std::size_t stream;
    std::filesystem::path path;
    std::unique_ptr<PartFile> part = {};
    std::unique_ptr<AtomicFile> direct = {};
    Frames frames = Frames(Compression::none);  ///< of `direct`
  };

  void find_outputs();
  [[nodiscard]] std::optional<Journal> find_claim();
  void begin();
  void resume(Journal journal);
  void open_again(Output& output, const Journal::File& file, bool complete);
  void save();
  void publish(Output& output);
  [[nodiscard]] std::string part_names() const;

  std::vector<std::unique_ptr<GrowingReport>> reports_;
  std::vector<Output> outputs_;
  std::filesystem::path journal_;  ///< empty when the run cannot be continued
  std::size_t people_;
  Journal last_;                ///< after the last whole batch
  bool saved_ = false;          ///< there is a journal
  std::size_t saved_rows_ = 0;  ///< that it has
  bool published_ = false;
  std::chrono::steady_clock::time_point saved_at_;
};

}  // namespace croco
