// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/remote_model.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/base/random.hpp>
#include <croco/base/sha256.hpp>
#include <croco/base/stopped.hpp>
#include <croco/base/stopwatch.hpp>
#include <croco/remote/command_service.hpp>
#include <croco/remote/function_service.hpp>
#include <croco/remote/http_service.hpp>
#include <croco/remote/remote_draws.hpp>
#include <croco/remote/row_text.hpp>
#include <croco/space/levels.hpp>

namespace croco {
namespace {

constexpr std::size_t kProbes = 256;
/// Answers to the same row may differ by as much: models in single precision round differently in
/// batches of another size.
constexpr double kSameAnswer = 1e-6;

/// Points from all over the training data's ranges and all levels, the same for every run.
Matrix made_up_points(const Codec& codec) {
  Sequence random({0x7e307e, Purpose::train, Stream::kShared});
  Matrix points(kProbes, codec.width());
  const std::vector<Feature>& features = codec.schema().features;
  for (std::size_t k = 0; k < kProbes; ++k) {
    for (std::size_t f = 0; f < features.size(); ++f) {
      const std::size_t first = codec.column_of(f);
      if (features[f].type == FeatureType::numeric) {
        // Within the range of the training data.
        const double lowest = (codec.scales()[f].minimum - codec.origin_of(f)) / codec.unit_of(f);
        points[k][first] = lowest + codec.span_of(f) * random.uniform();
        continue;
      }
      const std::size_t levels = features[f].levels.size();
      const std::size_t level = random.below(static_cast<std::uint32_t>(levels));
      set_level({.first = first, .count = levels}, level, points[k]);
    }
  }
  return points;
}

bool same_answer(double a, double b) noexcept {
  return std::abs(a - b) <= kSameAnswer || (std::isnan(a) && std::isnan(b));
}

double logit_of_answer(double probability) noexcept {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (probability <= 0) return -kInfinity;
  if (probability >= 1) return kInfinity;
  return logit_of(probability);
}

void require_no_stop(const RemoteOptions& options, const std::stop_token& stop) {
  if (!stop.stop_requested()) return;
  throw Stopped(fmt::format("{}: stopped before it was asked", options.name()));
}

/// A remote model that is asked without the values of some features.
class WithoutValues final : public Model {
 public:
  WithoutValues(std::shared_ptr<const RemoteModel> model, std::vector<std::size_t> missing)
      : model_(std::move(model)), missing_(std::move(missing)) {}

  [[nodiscard]] std::size_t width() const noexcept override { return model_->width(); }
  [[nodiscard]] bool queries_are_expensive() const noexcept override { return true; }
  void logits(Rows rows, MutableView out) const override { model_->logits(rows, missing_, out); }
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind(Rows draws) const override {
    return bind_flips(draws, {});
  }
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind_flips(Rows draws,
                                                          DrawnFlips flips) const override {
    const RemoteOptions& options = model_->options();
    return bind_in_batches(*this, options.batch * options.workers, draws, std::move(flips));
  }

 private:
  std::shared_ptr<const RemoteModel> model_;
  std::vector<std::size_t> missing_;
};

std::function<std::unique_ptr<RowService>()> maker(const RemoteOptions& options,
                                                   const RecordColumns& columns) {
  return [options, columns] {
    // Whoever waited for a service has one made in place of the one that a stop ended.
    require_no_stop(options, options.stop);
    switch (options.kind) {
      case RemoteOptions::Kind::url:
        return connect_server(options, columns);
      case RemoteOptions::Kind::function:
        return call_function(options.function);
      case RemoteOptions::Kind::command:
        break;
    }
    return start_command(options, columns);
  };
}

}  // namespace

std::unique_ptr<RowService> ServicePool::take() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [this] { return !free_.empty() || made_ < most_; });
  if (!free_.empty()) {
    std::unique_ptr<RowService> service = std::move(free_.back());
    free_.pop_back();
    return service;
  }
  ++made_;
  lock.unlock();
  try {
    return make_();
  } catch (...) {
    lock.lock();
    --made_;
    freed_.notify_one();
    throw;
  }
}

void ServicePool::ask(Rows values, MutableView answers) {
  std::unique_ptr<RowService> service = take();
  try {
    service->ask(values, answers);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    --made_;
    freed_.notify_one();
    throw;
  }
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(service));
  freed_.notify_one();
}

RemoteModel::RemoteModel(const RemoteOptions& options, const Codec& codec)
    : options_(validated(options)),
      width_(codec.width()),
      columns_(codec),
      pool_(maker(options_, columns_), options_.workers) {
  probe(codec);
}

void RemoteModel::ask(Rows values, MutableView answers, std::size_t batch) const {
  for (std::size_t first = 0; first < answers.size(); first += batch) {
    const std::size_t rows = std::min(batch, answers.size() - first);
    const MutableView part = answers.subspan(first, rows);
    require_no_stop(options_, options_.stop);
    pool_.ask(values.slice(first, rows), part);
    for (std::size_t k = 0; k < rows; ++k) {
      if ((part[k] >= 0 && part[k] <= 1) || std::isnan(part[k])) continue;
      throw ModelError(
          fmt::format("{}: it answered {} for row {} of a batch of {}; a probability of class 1 is "
                      "a number from 0 to 1",
                      options_.name(), part[k], k + 1, rows));
    }
  }
}

void RemoteModel::probe(const Codec& codec) {
  const Matrix points = made_up_points(codec);
  probes_ = columns_.values(points.rows());
  answers_.resize(kProbes);
  const std::size_t batch = std::min(kProbes, options_.batch);
  ask(probes_.rows(), answers_, batch);
  // Once more, backwards and in halves: a model that looks at its batch gives itself away.
  Matrix backwards(0, probes_.width);
  for (std::size_t k = kProbes; k-- > 0;) backwards.append(probes_[k]);
  Vector again(kProbes);
  const Stopwatch watch;
  ask(backwards.rows(), again, batch / 2);
  probe_seconds_ = watch.read().elapsed;
  std::ranges::reverse(again);
  for (std::size_t k = 0; k < kProbes; ++k) {
    if (same_answer(again[k], answers_[k])) continue;
    throw ModelError(
        fmt::format("{}: it answered {} for a row, and {} for the same row in another batch; a "
                    "model must answer by the row alone, and always the same",
                    options_.name(), answers_[k], again[k]));
  }
  if (std::ranges::all_of(answers_, [](double answer) { return std::isnan(answer); })) {
    throw ModelError(
        fmt::format("{}: it answered NaN for all of {} made-up rows; a model answers with a "
                    "probability of class 1",
                    options_.name(), kProbes));
  }
  std::string identity = "croco remote model 1\n" + RowText::json_arrays(columns_).header();
  for (const double answer : answers_) identity += fmt::format("\n{:.5f}", answer);
  fingerprint_ = sha256(identity);
}

void RemoteModel::answer_batch(Rows points, std::span<const std::size_t> missing,
                               MutableView out) const {
  const std::size_t known = batches_.fetch_add(1, std::memory_order_relaxed) % kProbes;
  Matrix values = columns_.values(points);
  for (std::size_t k = 0; k < values.count(); ++k) {
    for (const std::size_t f : missing) values[k][f] = std::numeric_limits<double>::quiet_NaN();
  }
  values.append(probes_[known]);
  Vector answers(points.count() + 1);
  ask(values.rows(), answers, answers.size());
  if (!same_answer(answers.back(), answers_[known])) {
    throw ModelError(
        fmt::format("{}: it answered {} for a row, and now {} for the same row; it was changed "
                    "meanwhile, is non-deterministic, or misaligns its rows",
                    options_.name(), answers_[known], answers.back()));
  }
  const View own = View(answers).first(out.size());
  std::ranges::transform(own, out.begin(), logit_of_answer);
  asked_ += answers.size();
  unanswered_ += static_cast<std::size_t>(
      std::ranges::count_if(own, [](double answer) { return std::isnan(answer); }));
}

double RemoteModel::rows_per_second(std::size_t most) const {
  constexpr std::size_t kGrowth = 4;
  constexpr double kLongEnough = 2.0;  // seconds for a batch
  constexpr double kStillRising = 2.0;
  const std::size_t largest = std::min(most, options_.batch);
  std::size_t count = std::min(kProbes, largest);
  double best = static_cast<double>(count) / std::max(probe_seconds_, 1e-6);
  // Most of a small batch may be the cost of the call: as long as larger ones are so much faster
  // row by row, they take little longer.
  while (count < largest) {
    count = std::min(kGrowth * count, largest);
    Matrix rows(0, probes_.width);
    for (std::size_t k = 0; k < count; ++k) rows.append(probes_[k % kProbes]);
    Vector answers(count);
    const Stopwatch watch;
    ask(rows.rows(), answers, count);
    const double seconds = watch.read().elapsed;
    const double speed = static_cast<double>(count) / std::max(seconds, 1e-6);
    const bool rising = speed > kStillRising * best;
    best = std::max(best, speed);
    if (seconds > kLongEnough && !rising) break;
  }
  return best;
}

std::size_t RemoteModel::batches_of(std::size_t rows) const noexcept {
  const std::size_t most = options_.batch - 1;  // and one whose answer is known
  return (rows + most - 1) / most;
}

std::size_t RemoteModel::rows_asked_for(std::size_t rows) const noexcept {
  return rows + batches_of(rows);
}

void RemoteModel::logits(Rows rows, std::span<const std::size_t> missing, MutableView out,
                         const std::stop_token& stop) const {
  const std::size_t count = rows.count();
  const std::size_t batches = batches_of(count);
  // Of the same size, but for a row: a call is expensive, however few its rows.
  parallel_for(batches, static_cast<unsigned>(options_.workers), [&](std::size_t b) {
    const std::size_t first = b * count / batches;
    const std::size_t n = (b + 1) * count / batches - first;
    require_no_stop(options_, stop);
    answer_batch(rows.slice(first, n), missing, out.subspan(first, n));
  });
}

std::unique_ptr<DrawEvaluator> RemoteModel::bind(Rows draws) const { return bind_flips(draws, {}); }

std::unique_ptr<DrawEvaluator> RemoteModel::bind_flips(Rows draws, DrawnFlips flips) const {
  return bind_in_batches(*this, options_.batch * options_.workers, draws, std::move(flips));
}

std::shared_ptr<const Model> without_values(std::shared_ptr<const RemoteModel> model,
                                            std::vector<std::size_t> missing) {
  return std::make_shared<const WithoutValues>(std::move(model), std::move(missing));
}

}  // namespace croco
