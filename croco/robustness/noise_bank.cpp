// SPDX-License-Identifier: Apache-2.0
#include <croco/robustness/noise_bank.hpp>

#include <algorithm>
#include <functional>
#include <utility>

#include <croco/base/parallel.hpp>
#include <croco/robustness/bound_samples.hpp>

namespace croco {
namespace {

/// Draws that are made, bound and counted together.
constexpr std::size_t kPart = 4096;
/// With flips: the larger the part, the fewer draws with rare flips are left without a block.
constexpr std::size_t kFlippedPart = 65'536;

/// What a part may take once it is bound; parts of wide networks are smaller.
constexpr std::size_t kPartBytes = std::size_t{1} << 30;

std::size_t part_size(const Problem& problem, std::size_t asked) {
  if (asked != 0) return asked;
  // A part is shared out to the models of a pool: small ones would leave each of them few samples.
  if (problem.noise.flips.empty() && !problem.pool) return kPart;
  const std::size_t bytes =
      std::max<std::size_t>(1, problem.noisy_model().evaluator_bytes_per_draw());
  return std::clamp(kPartBytes / bytes, kPart, kFlippedPart);
}

}  // namespace

NoiseBank::NoiseBank(const Problem& problem, const Stream& stream, std::uint64_t first,
                     std::size_t count, unsigned threads, std::size_t part)
    : problem_(problem),
      stream_(stream),
      first_(first),
      count_(count),
      part_size_(part_size(problem, part)),
      scales_(scoped_scales(problem.noise, problem.space)) {
  if (depends_on_point(problem.noise)) {
    Kept kept{Matrix(count, problem.space.width()),
              sample_flips(problem.noise, stream, first, count)};
    sample(problem.noise, scales_, stream, first, kept.draws);
    kept_ = std::make_shared<const Kept>(std::move(kept));
    return;
  }
  parts_.resize((count + part_size_ - 1) / part_size_);
  parallel_for(parts_.size(), threads, [&](std::size_t number) {
    const std::size_t begin = number * part_size_;
    const std::size_t size = std::min(part_size_, count - begin);
    if (problem.kept) {
      parts_[number] = problem.kept->bound(stream, first + begin, size);
    } else {
      parts_[number] =
          bind_samples(problem.noisy_model(), problem.noise, scales_, stream, first + begin, size);
    }
  });
}

NoiseBank NoiseBank::fixed_at(View point) const {
  NoiseBank out(*this);
  for (auto& part : out.parts_) {
    if (std::shared_ptr<const DrawEvaluator> fixed = part->fixed_at(point)) part = std::move(fixed);
  }
  return out;
}

Matrix NoiseBank::fitted(View origin, View point, std::size_t first, std::size_t count) const {
  Matrix draws(0, kept_->draws.width);
  draws.append(kept_->draws.rows().slice(first, count).data);
  for (std::size_t k = 0; k < count; ++k) {
    fit_to_point(problem_.noise, origin, point, draws[k]);
    add_flips(kept_->flips.categories, kept_->flips.of(first + k), point, draws[k]);
  }
  return draws;
}

void NoiseBank::fitted_logits(Rows rows, std::size_t first, MutableView out) const {
  if (!problem_.pool) {
    problem_.model.logits(rows, out);
    return;
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    problem_.model_of(first + k).logits(rows.slice(k, 1), out.subspan(k, 1));
  }
}

template <typename Body>
void NoiseBank::for_parts(std::size_t first, std::size_t count, Body body) const {
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = part_of(first + done);
    const std::size_t offset = first + done - part * part_size_;
    const std::size_t n = std::min(part_size_ - offset, count - done);
    body(*parts_[part], offset, done, n);
    done += n;
  }
}

void NoiseBank::logits(View origin, View point, std::size_t first, std::span<float> out) const {
  if (!depends_on_point(problem_.noise)) {
    for_parts(first, out.size(),
              [&](const DrawEvaluator& bound, std::size_t offset, std::size_t done, std::size_t n) {
                bound.logits(point, offset, out.subspan(done, n));
              });
    return;
  }
  Matrix rows = fitted(origin, point, first, out.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    std::ranges::transform(rows[k], point, rows[k].begin(), std::plus<>{});
  }
  Vector logits(out.size());
  fitted_logits(rows.rows(), first, logits);
  std::ranges::transform(logits, out.begin(),
                         [](double logit) { return static_cast<float>(logit); });
}

void NoiseBank::add_gradient(View origin, View point, std::size_t first,
                             std::span<const float> weights, MutableView gradient) const {
  if (!depends_on_point(problem_.noise)) {
    for_parts(first, weights.size(),
              [&](const DrawEvaluator& bound, std::size_t offset, std::size_t done, std::size_t n) {
                bound.add_gradient(point, offset, weights.subspan(done, n), gradient);
              });
    return;
  }
  const Matrix draws = fitted(origin, point, first, weights.size());
  if (!problem_.pool) {
    problem_.model.bind(draws.rows())->add_gradient(point, 0, weights, gradient);
    return;
  }
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] == 0) continue;
    problem_.model_of(first + k)
        .bind(draws.rows().slice(k, 1))
        ->add_gradient(point, 0, weights.subspan(k, 1), gradient);
  }
}

void NoiseBank::count_invalid(std::span<const Advice> advice, Counting counting,
                              std::span<std::size_t> invalid, unsigned threads) const {
  if (depends_on_point(problem_.noise)) {
    parallel_for(advice.size(), threads,
                 [&](std::size_t i) { invalid[i] += fitted_invalid(advice[i]); });
    return;
  }
  Matrix points(0, problem_.space.width());
  for (const Advice& one : advice) points.append(one.point);
  const std::size_t people = advice.size();
  if (people == 0 || parts_.empty()) return;
  // Few parts are shared out by people too.
  const std::size_t sides =
      std::min(people, (thread_count(threads) + parts_.size() - 1) / parts_.size());
  std::vector<std::size_t> failures(parts_.size() * people);
  parallel_for(parts_.size() * sides, threads, [&](std::size_t task) {
    const std::size_t part = task / sides;
    const std::size_t begin = task % sides * people / sides;
    const std::size_t end = (task % sides + 1) * people / sides;
    const auto counts = std::span(failures).subspan(part * people + begin, end - begin);
    std::vector<PointDraw> undecided;
    parts_[part]->count_failures(points.rows().slice(begin, end - begin), problem_.goal.cut(),
                                 counts, counting == Counting::exact ? &undecided : nullptr);
    for (const PointDraw& one : undecided) {
      if (undoes(points[begin + one.point], part * part_size_ + one.draw)) ++counts[one.point];
    }
  });
  for (std::size_t i = 0; i < people; ++i) {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      invalid[i] += failures[part * people + i];
    }
  }
}

std::size_t NoiseBank::fitted_invalid(const Advice& advice) const {
  constexpr std::size_t kBlock = 1024;
  std::size_t invalid = 0;
  Vector logits(std::min(kBlock, count_));
  for (std::size_t first = 0; first < count_; first += kBlock) {
    const std::size_t n = std::min(kBlock, count_ - first);
    Matrix rows = fitted(advice.origin, advice.point, first, n);
    for (std::size_t k = 0; k < n; ++k) {
      std::ranges::transform(rows[k], advice.point, rows[k].begin(), std::plus<>{});
    }
    fitted_logits(rows.rows(), first, MutableView(logits).first(n));
    invalid += static_cast<std::size_t>(
        std::count_if(logits.begin(), logits.begin() + static_cast<std::ptrdiff_t>(n),
                      [this](double logit) { return !problem_.goal.reached(logit); }));
  }
  return invalid;
}

bool NoiseBank::undoes(View point, std::size_t draw) const {
  Matrix row(1, point.size());
  sample(problem_.noise, scales_, stream_, first_ + draw, row);
  const DrawnFlips flips = sample_flips(problem_.noise, stream_, first_ + draw, 1);
  add_flips(flips.categories, flips.cells, point, row.data);
  for (std::size_t j = 0; j < point.size(); ++j) row.data[j] += point[j];
  return !problem_.goal.reached(problem_.model_of(draw % part_size_).logit(row.data));
}

}  // namespace croco
