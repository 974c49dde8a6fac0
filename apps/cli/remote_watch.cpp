// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/remote_watch.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <unistd.h>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <apps/cli/print.hpp>
#include <croco/base/numbers.hpp>
#include <croco/loading/load_remote.hpp>
#include <croco/methods/certified_settings.hpp>
#include <croco/remote/remote_model.hpp>

namespace croco::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Seconds between messages, on a terminal and in a file.
constexpr std::chrono::milliseconds kTerminal{500};
constexpr std::chrono::seconds kFile{60};
/// Shorter runs need no estimate.
constexpr double kWorthSaying = 10;

std::string rows_text(std::size_t rows, double seconds) {
  return fmt::format("{} rows asked, {:.0f} rows/s", rows,
                     static_cast<double>(rows) / std::max(seconds, 1e-3));
}

}  // namespace

PersonRows rows_of_person(const ExplainOptions& options) {
  PersonRows out{options.certify.samples, options.certify.samples};
  if (const auto* certified = std::get_if<Certified>(&options.method)) {
    const CertifiedSettings settings = settings_of(*certified, true);
    out.usual += std::min(settings.soft_search_budget, settings.search_budget);
    out.most += settings.search_budget;
  }
  return out;
}

std::string estimate_text(double rows_per_second, std::size_t workers, const RemoteWork& work) {
  const PersonRows& rows = work.rows;
  const double speed = rows_per_second * static_cast<double>(workers);
  const double usual = static_cast<double>(rows.usual) / speed;
  std::string text = fmt::format(
      "the model answers about {} rows per second; a person takes up to {} rows ({}) as a rule",
      format_fixed(speed, speed < 10 ? 2 : 0), rows.usual, duration_text(usual));
  if (rows.most > rows.usual) {
    text += fmt::format("; {} ({}) where that is not enough", rows.most,
                        duration_text(static_cast<double>(rows.most) / speed));
  }
  if (work.reasons) text += "; the reasons of people without advice take several times that";
  const bool one = work.people == 1;
  return text + fmt::format(". For {} {}{} it is up to {} as a rule; {} shorten it", work.people,
                            one ? "person" : "people",
                            work.advice ? (one ? " who needs advice" : " who need advice") : "",
                            duration_text(usual * static_cast<double>(work.people)), work.shorter);
}

RemoteWatch::RemoteWatch(const LoadedModel& loaded, std::size_t people, Progress& progress)
    : model_(loaded.remote.get()), people_(people), progress_(progress) {
  if (model_ != nullptr) {
    watcher_ = std::jthread([this](const std::stop_token& end) { run(end); });
  }
}

RemoteWatch::~RemoteWatch() = default;

void RemoteWatch::estimate(const RemoteWork& work) const {
  if (model_ == nullptr) return;
  const double speed = model_->rows_per_second(work.batch);
  const std::size_t workers = model_->options().workers;
  const double seconds =
      static_cast<double>(work.rows.usual * work.people) / (speed * static_cast<double>(workers));
  if (seconds < kWorthSaying) return;
  print_note("note: {}\n", estimate_text(speed, workers, work));
}

void RemoteWatch::run(const std::stop_token& end) {
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  const Clock::time_point start = Clock::now();
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  const Clock::duration pause = terminal ? Clock::duration(kTerminal) : Clock::duration(kFile);
  while (!end.stop_requested()) {
    ended.wait_for(lock, end, pause, [] { return false; });
    if (end.stop_requested()) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const std::size_t rows = model_->use().rows;
    if (terminal) {
      progress_.update(done_, rows_text(rows, seconds));
    } else {
      const std::string people =
          people_ == 0 ? "" : fmt::format("{} of {} people ", done_.load(), people_);
      print_err("croco: {}after {}; {}\n", people, duration_text(seconds),
                rows_text(rows, seconds));
    }
  }
}

void RemoteWatch::finish() {
  if (model_ == nullptr) return;
  watcher_ = {};
  progress_.clear();
  const RemoteModel::Use use = model_->use();
  if (use.unanswered == 0) return;
  print_note("note: the model answered NaN for {} of {} rows; none of them counts as a yes\n",
             use.unanswered, use.rows);
}

}  // namespace croco::cli
