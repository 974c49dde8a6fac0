// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/progress.hpp>

#include <algorithm>
#include <cmath>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <apps/cli/print.hpp>
#include <croco/base/printable.hpp>

namespace croco::cli {

using Clock = std::chrono::steady_clock;

std::string duration_text(double seconds) {
  const long long whole = std::llround(std::max(0.0, seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

Progress::Progress(std::string what, std::size_t total, std::size_t begun)
    : what_(std::move(what)),
      total_(total),
      begun_(begun),
      visible_(isatty(STDERR_FILENO) == 1 && loudness() != Loudness::quiet),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() { clear(); }

void Progress::update(std::size_t done, const std::string& note,
                      std::optional<double> seconds_left) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (!visible_ || (done < total_ && now - last_ < std::chrono::milliseconds(100))) return;
  last_ = now;
  drawn_ = true;
  if (total_ == 0) {  // nothing to count
    draw_err(fmt::format("\r{}: {}\x1b[K", printable(what_), printable(note)));
    return;
  }
  constexpr std::size_t kWidth = 30;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const auto filled = static_cast<std::size_t>(share * kWidth);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const auto fresh = static_cast<double>(done - std::min(begun_, done));
  const double rate = elapsed > 0 ? fresh / elapsed : 0;
  if (!seconds_left && rate > 0 && done < total_) {
    seconds_left = static_cast<double>(total_ - done) / rate;
  }
  const std::string speed = rate > 0 ? fmt::format(" {:.3g}/s", rate) : "";
  const std::string left =
      share < 1 && seconds_left ? fmt::format(" {} left", duration_text(*seconds_left)) : "";
  draw_err(fmt::format("\r{} [{}{}] {}/{}{}{} {}\x1b[K", printable(what_), std::string(filled, '#'),
                       std::string(kWidth - filled, ' '), done, total_, speed, left,
                       printable(note)));
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (!drawn_) return;
  draw_err("\r\x1b[K");
  drawn_ = false;
}

}  // namespace croco::cli
