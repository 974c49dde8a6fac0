// SPDX-License-Identifier: Apache-2.0
#include <croco/models/graph/tree_graph.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/models/graph/plane_pass.hpp>
#include <croco/models/trees/tree_evaluator.hpp>

namespace croco {
namespace {

/// Draws whose sums are made together: some blocks of the trees.
constexpr std::size_t kBatch = 2048;

/// What a program makes of the sums of `count` items, `sums[forest]` having those of each.
class Behind {
 public:
  explicit Behind(const PlaneProgram& program) : pass_(program, {}, kBatch) {}

  void run(std::span<const Vector> sums, std::size_t count, double* out) {
    for (std::size_t begin = 0; begin < count; begin += pass_.items()) {
      const std::size_t n = std::min(pass_.items(), count - begin);
      for (std::size_t f = 0; f < sums.size(); ++f) {
        std::copy_n(sums[f].begin() + static_cast<std::ptrdiff_t>(begin), n, pass_.input(f));
      }
      std::copy_n(pass_.forward(n), n, out + begin);
    }
  }

 private:
  PlanePass<double> pass_;
};

class TreeGraphDraws final : public DrawEvaluator {
 public:
  using Bound = std::vector<std::unique_ptr<TreeDrawEvaluator>>;
  TreeGraphDraws(const TreeGraphModel& model, Bound forests)
      : model_(model), forests_(std::move(forests)) {}

  [[nodiscard]] std::size_t count() const noexcept override { return forests_.front()->count(); }

  void logits(View point, std::size_t first, std::span<float> out) const override {
    const auto sums_of = [&](std::size_t f, std::size_t from, MutableView sums) {
      float rounded[kBatch];
      const auto some = std::span(rounded).first(sums.size());
      forests_[f]->logits(point, from, some);
      std::ranges::copy(some, sums.begin());
    };
    for_batches(first, out.size(), sums_of, [&](std::size_t begin, View logits) {
      for (std::size_t k = 0; k < logits.size(); ++k) {
        out[begin + k] = static_cast<float>(logits[k]);
      }
    });
  }

  void add_gradient(View /*point*/, std::size_t /*first*/, std::span<const float> /*weights*/,
                    MutableView /*gradient*/) const override {
    throw ModelError("this model has no gradient");
  }

  /// Every bit is the model's, so that nothing is left undecided.
  void count_failures(Rows points, const Cut& cut, std::span<std::size_t> failures,
                      std::vector<PointDraw>* /*undecided*/) const override {
    for (std::size_t p = 0; p < points.count(); ++p) {
      const auto sums_of = [&](std::size_t f, std::size_t from, MutableView sums) {
        forests_[f]->exact_logits(points[p], from, sums);
      };
      for_batches(0, count(), sums_of, [&](std::size_t /*begin*/, View logits) {
        for (const double logit : logits) failures[p] += cut.clears(logit) ? 0U : 1U;
      });
    }
  }

 private:
  /// Calls `body(begin, logits)` for runs of `count` draws from `first` on. `sums_of(f, from, out)`
  /// gives the sums of a forest.
  template <typename SumsOf, typename Body>
  void for_batches(std::size_t first, std::size_t count, SumsOf sums_of, Body body) const {
    Behind behind(model_.behind());
    std::vector<Vector> sums(forests_.size(), Vector(std::min(count, kBatch)));
    Vector logits(std::min(count, kBatch));
    for (std::size_t begin = 0; begin < count;) {
      // Up to the end of a block.
      const std::size_t n = std::min(kBatch - (first + begin) % kBatch, count - begin);
      for (std::size_t f = 0; f < forests_.size(); ++f) {
        sums_of(f, first + begin, MutableView(sums[f]).first(n));
      }
      behind.run(sums, n, logits.data());
      body(begin, View(logits).first(n));
      begin += n;
    }
  }

  const TreeGraphModel& model_;
  Bound forests_;
};

/// Null when the trees of a forest are too large for it.
std::unique_ptr<DrawEvaluator> bind_forests(const TreeGraphModel& model, Rows draws,
                                            const DrawnFlips& flips) {
  TreeGraphDraws::Bound bound;
  for (const auto& forest : model.forests()) {
    bound.push_back(bind_trees(*forest, draws, flips));
    if (bound.back() == nullptr) return nullptr;
  }
  return std::make_unique<TreeGraphDraws>(model, std::move(bound));
}

}  // namespace

TreeGraphModel::TreeGraphModel(Forests forests, PlaneProgram behind, const RuntimeError& error)
    : forests_(std::move(forests)), behind_(std::move(behind)), error_(error) {
  if (forests_.empty() || forests_.size() != behind_.inputs) {
    throw ModelError(fmt::format("a program with {} inputs is given the sums of {} forests",
                                 behind_.inputs, forests_.size()));
  }
}

void TreeGraphModel::logits(Rows rows, MutableView out) const {
  std::vector<Vector> sums(forests_.size(), Vector(out.size()));
  for (std::size_t f = 0; f < forests_.size(); ++f) forests_[f]->logits(rows, sums[f]);
  Behind(behind_).run(sums, out.size(), out.data());
}

std::unique_ptr<DrawEvaluator> TreeGraphModel::bind(Rows draws) const {
  if (auto bound = bind_forests(*this, draws, {})) return bound;
  return Model::bind(draws);
}

std::unique_ptr<DrawEvaluator> TreeGraphModel::bind_flips(Rows draws, DrawnFlips flips) const {
  if (auto bound = bind_forests(*this, draws, flips)) return bound;
  return Model::bind_flips(draws, std::move(flips));
}

std::size_t TreeGraphModel::evaluator_bytes_per_draw() const noexcept {
  std::size_t bytes = 0;
  for (const auto& forest : forests_) bytes += forest->evaluator_bytes_per_draw();
  return bytes;
}

ModelDescription TreeGraphModel::describe() const {
  std::size_t trees = 0;
  std::size_t nodes = 0;
  for (const auto& forest : forests_) {
    trees += forest->roots().size();
    nodes += forest->nodes().size();
  }
  return {
      .structure = fmt::format("{} trees of {} nodes in {} {}, then {} steps on {} numbers", trees,
                               nodes, forests_.size(), forests_.size() == 1 ? "sum" : "sums",
                               behind_.steps.size(), behind_.planes),
      .parameters = 0};
}

double TreeGraphModel::moved_by(View sums, Rows rows) const {
  constexpr double kDecided = 20;
  const std::size_t count = rows.count();
  std::vector<Vector> at(forests_.size(), Vector(count));
  for (std::size_t f = 0; f < forests_.size(); ++f) forests_[f]->logits(rows, at[f]);
  Vector before(count);
  Behind behind(behind_);
  behind.run(at, count, before.data());
  double largest = 0;
  for (const double sign : {1.0, -1.0}) {
    std::vector<Vector> moved = at;
    for (std::size_t f = 0; f < moved.size(); ++f) {
      for (double& sum : moved[f]) sum += sign * sums[f];
    }
    Vector after(count);
    behind.run(moved, count, after.data());
    for (std::size_t k = 0; k < count; ++k) {
      if (!(std::abs(before[k]) < kDecided)) continue;
      largest = std::fmax(largest, std::abs(after[k] - before[k]));  // NaN does not count
    }
  }
  return largest;
}

}  // namespace croco
