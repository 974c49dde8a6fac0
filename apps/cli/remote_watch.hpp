// SPDX-License-Identifier: Apache-2.0
/// What a run tells of a remote model, whose rows may take long: an estimate at the
/// start, how far it is on the way, and at the end what the model did not answer.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <apps/cli/progress.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/models/model.hpp>

namespace croco {
class RemoteModel;
}

namespace croco::cli {

/// Rows of one person, as far as they can be known beforehand.
struct PersonRows {
  std::size_t usual = 0;  ///< of a person whose first search is enough
  std::size_t most = 0;   ///< of one whose search takes all that it may
};
[[nodiscard]] PersonRows rows_of_person(const ExplainOptions& options);

/// Rows that a search asks for together: from 200 to 4,000, and roughly this number on average. A
/// batch of a thousand rows may take as long as one of eight thousand.
inline constexpr std::size_t kSearchBatch = 1024;
/// Certificates ask for as many as a batch may have.
inline constexpr std::size_t kFullBatch = std::numeric_limits<std::size_t>::max();

/// What a run is going to ask.
struct RemoteWork {
  std::size_t people = 0;            ///< that are searched for or certified
  PersonRows rows = {};              ///< for each of them
  std::size_t batch = kSearchBatch;  ///< rows that are asked for together
  bool advice = true;                ///< `people` are those who need advice, not all of the run
  bool reasons = false;              ///< are looked for where there is no advice
  std::string shorter = {};          ///< the options that shorten it: "--max-samples and ..."
};

/// "the model answers about 2000 rows per second; ...": what a run will take.
[[nodiscard]] std::string estimate_text(double rows_per_second, std::size_t workers,
                                        const RemoteWork& work);

/// Watches a run over people, from its construction to its end. Does nothing for a model that is
/// here. `people` is 0 where they are not finished one by one. `progress` must outlive it.
class RemoteWatch {
 public:
  RemoteWatch(const LoadedModel& loaded, std::size_t people, Progress& progress);
  ~RemoteWatch();
  RemoteWatch(const RemoteWatch&) = delete;
  RemoteWatch& operator=(const RemoteWatch&) = delete;

  [[nodiscard]] bool is_remote() const noexcept { return model_ != nullptr; }
  /// Measures the model and says what is to come, when that is more than some seconds.
  void estimate(const RemoteWork& work) const;
  void set_done(std::size_t people) noexcept { done_ = people; }
  /// Says how many rows were answered with NaN, if any were.
  void finish();

 private:
  void run(const std::stop_token& end);

  const RemoteModel* model_;
  std::size_t people_;
  Progress& progress_;
  std::atomic<std::size_t> done_ = 0;
  std::jthread watcher_;
};

}  // namespace croco::cli
