// SPDX-License-Identifier: Apache-2.0
#include <croco/models/trees/tree_evaluator.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <croco/base/error.hpp>
#include <croco/kernels/bit_trees.hpp>
#include <croco/models/trees/ranked_draws.hpp>
#include <croco/models/trees/tree_program.hpp>
#include <croco/models/trees/tree_rows.hpp>
#include <croco/space/levels.hpp>

namespace croco {
namespace {

/// Draws that are ranked together.
constexpr std::size_t kChunk = 16'384;
static_assert(kChunk <= kMostRanked);
/// Bits of each leaf value that are left out where sums need not be exact: of trees with many
/// splits left, whose sums are all different. Where noise settles most splits, many draws have the
/// same sum, and a search would find the sums that only rounding puts on the right side.
constexpr std::size_t kSkippedPlanes = 5;
constexpr std::size_t kManySplits = 2048;

std::size_t skipped_planes(const TreeProgram& program) noexcept {
  // A slot and a condition for each.
  return program.forest.splits.size() / 2 > kManySplits ? kSkippedPlanes : 0;
}

class TreeDraws final : public TreeDrawEvaluator {
 public:
  TreeDraws(const TreeModel& model, Rows draws, DrawnFlips flips)
      : model_(model), flips_(std::move(flips)), width_(draws.width), count_(draws.count()) {
    std::vector<bool> noisy(width_);
    for (std::size_t k = 0; k < draws.count(); ++k) {
      const View draw = draws[k];
      for (std::size_t j = 0; j < width_; ++j) noisy[j] = noisy[j] || draw[j] != 0;
    }
    sort_conditions(noisy);
    ask_levels();
    std::vector<bool> ranked(width_);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (sources_[i] == Source::ranks) ranked[model.conditions()[i].column] = true;
    }
    for (std::size_t first = 0; first < count_; first += kChunk) {
      const std::size_t n = std::min(kChunk, count_ - first);
      Chunk chunk{first, n, std::vector<std::uint32_t>(width_), {}, CellBits(flips_, first, n)};
      for (std::size_t j = 0; j < width_; ++j) {
        if (!ranked[j]) continue;
        chunk.place[j] = static_cast<std::uint32_t>(chunk.columns.size());
        chunk.columns.emplace_back(draws.slice(first, n), j);
      }
      chunks_.push_back(std::move(chunk));
    }
    if (std::ranges::find(sources_, Source::rows) != sources_.end()) {
      draws_.assign(draws.data.begin(), draws.data.end());
    }
  }

  /// Whether there is a program for every point: the largest one is that with nothing settled.
  [[nodiscard]] bool usable() const {
    const std::vector<Known> open(model_.conditions().size(), Known::open);
    return model_.programs().get(model_, open) != nullptr;
  }

  [[nodiscard]] std::size_t count() const noexcept override { return count_; }

  void logits(View point, std::size_t first, std::span<float> out) const override {
    TreeWorkspace& work = tree_workspace();
    const auto program = program_at(point, work);
    const double factor = model_.multiply() / model_.divide();
    const std::size_t skipped = skipped_planes(*program);
    const auto offset = static_cast<float>(factor * program->offset_without(skipped));
    const auto step = static_cast<float>(factor * program->step);
    float values[kTreeBlock];
    for_blocks(point, *program, first, out.size(), work, [&](std::size_t from, std::size_t n) {
      sum_trees(program->forest, work.conditions.data(), skipped, work.slots, work.planes.data());
      plane_values(work.planes.data(), offset, step, values);
      const std::size_t begin = std::max(first, from);
      const std::size_t end = std::min(first + out.size(), from + n);
      std::copy(values + (begin - from), values + (end - from),
                out.begin() + static_cast<std::ptrdiff_t>(begin - first));
    });
  }

  void exact_logits(View point, std::size_t first, MutableView out) const override {
    if (model_.single_precision()) return add_exact<float>(point, first, out);
    add_exact<double>(point, first, out);
  }

  void add_gradient(View /*point*/, std::size_t /*first*/, std::span<const float> /*weights*/,
                    MutableView /*gradient*/) const override {
    throw ModelError("this model has no gradient");
  }

  void count_failures(Rows points, const Cut& cut, std::span<std::size_t> failures,
                      std::vector<PointDraw>* undecided) const override {
    TreeWorkspace& work = tree_workspace();
    for (std::size_t p = 0; p < points.count(); ++p) {
      const auto program = program_at(points[p], work);
      // In units of the planes; the limits of what is certain, with room for this arithmetic.
      const double limit = cut.threshold / model_.multiply() * model_.divide();
      const double slack = 0x1p-48 * (std::abs(limit) + std::abs(program->offset));
      const double middle = limit - program->offset;
      const double error = undecided == nullptr ? 0.0 : program->error + slack;
      const std::int64_t low = units(std::floor((middle - error) / program->step), -1.0);
      const std::int64_t high = units(std::floor((middle + error) / program->step), kMostUnits);
      for_blocks(points[p], *program, 0, count_, work, [&](std::size_t from, std::size_t n) {
        sum_trees(program->forest, work.conditions.data(), 0, work.slots, work.planes.data());
        const DrawBits sure = sums_at_most(work.planes.data(), low);
        const std::size_t at_most = count_bits(sure, n);
        failures[p] += cut.above ? at_most : n - at_most;
        if (undecided == nullptr || low == high) return;
        DrawBits between = sums_at_most(work.planes.data(), high);
        for (std::size_t w = 0; w < between.words.size(); ++w) between.words[w] &= ~sure.words[w];
        if (!cut.above) failures[p] -= count_bits(between, n);
        for (std::size_t k = 0; k < n; ++k) {
          if (between.words[k / 64] == 0) {
            k |= 63;
          } else if (between[k]) {
            undecided->push_back({p, from + k});
          }
        }
      });
    }
  }

 private:
  /// Where the bits of a condition come from.
  enum class Source : std::uint8_t { point, ranks, cells, rows };

  struct Chunk {
    std::size_t first = 0;
    std::size_t count = 0;
    std::vector<std::uint32_t> place;  ///< by column, in `columns`
    std::vector<RankedColumn> columns;
    CellBits cells;
  };

  static constexpr double kMostUnits = 0x1p40;

  /// Where nothing is certain, such as an infinite limit with an infinite error, `otherwise`.
  static std::int64_t units(double value, double otherwise) {
    if (std::isnan(value)) value = otherwise;
    return static_cast<std::int64_t>(std::clamp(value, -1.0, kMostUnits));
  }

  static std::size_t count_bits(const DrawBits& bits, std::size_t n) {
    std::size_t count = 0;
    for (std::size_t w = 0; w * 64 < n; ++w) {
      std::uint64_t word = bits.words[w];
      if (n - w * 64 < 64) word &= (std::uint64_t{1} << (n - w * 64)) - 1;
      count += static_cast<std::size_t>(std::popcount(word));
    }
    return count;
  }

  void sort_conditions(const std::vector<bool>& noisy) {
    const auto conditions = model_.conditions();
    sources_.resize(conditions.size());
    category_.resize(conditions.size());
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      const TreeCondition& condition = conditions[i];
      bool has_noise = false;
      bool flipped = false;
      for (std::size_t j = condition.column; j < condition.column + condition.columns(); ++j) {
        has_noise = has_noise || noisy[j];
        for (std::size_t c = 0; c < flips_.categories.size(); ++c) {
          const OneHotGroup& group = flips_.categories[c].group();
          if (j < group.first || j >= group.first + group.count) continue;
          flipped = true;
          category_[i] = static_cast<std::uint32_t>(c);
        }
      }
      sources_[i] = flipped && has_noise                             ? Source::rows
                    : flipped                                        ? Source::cells
                    : !has_noise                                     ? Source::point
                    : condition.kind == TreeCondition::Kind::at_most ? Source::ranks
                                                                     : Source::rows;
      if (sources_[i] == Source::point) settled_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  [[nodiscard]] std::shared_ptr<const TreeProgram> program_at(View point,
                                                              TreeWorkspace& work) const {
    const auto conditions = model_.conditions();
    work.key.clear();
    for (const std::uint32_t i : settled_) {
      work.key.push_back(conditions[i].holds(point) ? '1' : '0');
    }
    {
      const std::lock_guard lock(mutex_);
      const auto found = programs_.find(work.key);
      if (found != programs_.end()) return found->second;
    }
    work.known.assign(conditions.size(), Known::open);
    for (std::size_t i = 0; i < settled_.size(); ++i) {
      work.known[settled_[i]] = work.key[i] == '1' ? Known::yes : Known::no;
    }
    std::shared_ptr<const TreeProgram> program = model_.programs().get(model_, work.known);
    const std::lock_guard lock(mutex_);
    constexpr std::size_t kKept = 256;
    if (programs_.size() >= kKept) programs_.clear();
    programs_.try_emplace(work.key, program);
    return program;
  }

  /// Calls `body(from, n)` for every block of draws that has any of `first .. first + count - 1`,
  /// once its conditions are in the workspace.
  template <typename Body>
  void for_blocks(View point, const TreeProgram& program, std::size_t first, std::size_t count,
                  TreeWorkspace& work, Body body) const {
    work.fit(program.conditions.size());
    for (const Chunk& chunk : chunks_) {
      if (chunk.first >= first + count || chunk.first + chunk.count <= first) continue;
      const auto conditions = model_.conditions();
      for (std::size_t i = 0; i < program.conditions.size(); ++i) {
        const std::uint32_t number = program.conditions[i];
        if (sources_[number] != Source::ranks) continue;
        const TreeCondition& condition = conditions[number];
        work.cuts[i] = chunk.columns[chunk.place[condition.column]].cut(point[condition.column],
                                                                        condition.limit);
      }
      work.forget_fates(flips_.categories.size());
      for (std::size_t b = 0; b * kTreeBlock < chunk.count; ++b) {
        const std::size_t from = chunk.first + b * kTreeBlock;
        const std::size_t n = std::min(kTreeBlock, chunk.count - b * kTreeBlock);
        if (from >= first + count || from + n <= first) continue;
        fill_conditions(point, program, chunk, b, work);
        body(from, n);
      }
    }
  }

  /// Leaves are added as they are, in the order and the precision of the model.
  template <typename Number>
  void add_exact(View point, std::size_t first, MutableView out) const {
    TreeWorkspace& work = tree_workspace();
    const auto program = program_at(point, work);
    Number sums[kTreeBlock];
    for_blocks(point, *program, first, out.size(), work, [&](std::size_t from, std::size_t n) {
      std::fill_n(sums, kTreeBlock, static_cast<Number>(model_.base()));
      add_leaves(program->forest, work.conditions.data(), work.slots, sums);
      const std::size_t begin = std::max(first, from);
      const std::size_t end = std::min(first + out.size(), from + n);
      for (std::size_t k = begin; k < end; ++k) {
        out[k - first] = model_.logit_of_sum(static_cast<double>(sums[k - from]));
      }
    });
  }

  void fill_conditions(View point, const TreeProgram& program, const Chunk& chunk,
                       std::size_t block, TreeWorkspace& work) const {
    const std::vector<std::uint32_t>& list = program.conditions;
    const auto conditions = model_.conditions();
    for (std::size_t i = 0; i < list.size();) {
      const std::uint32_t column = conditions[list[i]].column;
      if (sources_[list[i]] == Source::ranks) {
        std::size_t end = i + 1;
        while (end < list.size() && conditions[list[end]].column == column &&
               sources_[list[end]] == Source::ranks) {
          ++end;
        }
        ranks_below(chunk.columns[chunk.place[column]].block(block),
                    std::span(work.cuts).subspan(i, end - i), &work.conditions[i]);
        i = end;
        continue;
      }
      if (sources_[list[i]] == Source::cells) {
        fill_cells(point, list[i], chunk, block, work.conditions[i], work);
      } else {
        fill_rows(point, list[i], chunk, block, work.conditions[i], work);
      }
      ++i;
    }
  }

  void fill_cells(View point, std::uint32_t number, const Chunk& chunk, std::size_t block,
                  DrawBits& out, TreeWorkspace& work) const {
    out = {};
    const std::size_t category = category_[number];
    const CategoryFates& fates = fates_of(point, category, chunk, work);
    const std::vector<char>& known = by_level_[number];
    std::size_t place = 0;
    for (const CellBits::Cell& cell : chunk.cells.of(category)) {
      const std::size_t target = fates.targets[place++];
      const bool holds = fates.one_hot && !known.empty()
                             ? known[target] != 0
                             : holds_flipped(point, number, cell.cell, work);
      if (!holds) continue;
      const DrawBits& bits = chunk.cells.bits(cell, block);
      for (std::size_t w = 0; w < out.words.size(); ++w) out.words[w] |= bits.words[w];
    }
  }

  [[nodiscard]] bool holds_flipped(View point, std::uint32_t number, std::uint32_t cell,
                                   TreeWorkspace& work) const {
    work.row.assign(point.begin(), point.end());
    const std::uint32_t cells[1] = {cell};
    add_flips(flips_.categories.subspan(category_[number], 1), cells, point, work.row);
    return model_.conditions()[number].holds(work.row);
  }

  /// What the cells of a chunk make of the point's level, found out once for all conditions.
  const CategoryFates& fates_of(View point, std::size_t category, const Chunk& chunk,
                                TreeWorkspace& work) const {
    CategoryFates& out = work.fates[category];
    if (out.known) return out;
    const OneHotGroup& group = flips_.categories[category].group();
    const View columns = point.subspan(group.first, group.count);
    const std::size_t level = level_at(group, point);
    out.known = true;
    out.one_hot = true;
    for (std::size_t l = 0; l < columns.size(); ++l) {
      out.one_hot = out.one_hot && columns[l] == (l == level ? 1.0 : 0.0);
    }
    out.targets.clear();
    for (const CellBits::Cell& cell : chunk.cells.of(category)) {
      out.targets.push_back(flips_.categories[category].target(cell.cell, level));
    }
    return out;
  }

  /// A category that is one-hot stays so when it flips: what a condition says of each of its levels
  /// is then known beforehand.
  void ask_levels() {
    const auto conditions = model_.conditions();
    by_level_.resize(conditions.size());
    Vector row(width_);
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      if (sources_[i] != Source::cells) continue;
      const OneHotGroup& group = flips_.categories[category_[i]].group();
      const std::size_t end = conditions[i].column + conditions[i].columns();
      if (conditions[i].column < group.first || end > group.first + group.count) continue;
      for (std::size_t level = 0; level < group.count; ++level) {
        set_level(group, level, row);
        by_level_[i].push_back(conditions[i].holds(row) ? 1 : 0);
      }
    }
  }

  void fill_rows(View point, std::uint32_t number, const Chunk& chunk, std::size_t block,
                 DrawBits& out, TreeWorkspace& work) const {
    out = {};
    work.row.resize(width_);
    const std::size_t n = std::min(kTreeBlock, chunk.count - block * kTreeBlock);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t draw = chunk.first + block * kTreeBlock + k;
      for (std::size_t j = 0; j < width_; ++j) work.row[j] = point[j] + draws_[draw * width_ + j];
      if (!flips_.empty()) add_flips(flips_.categories, flips_.of(draw), point, work.row);
      if (model_.conditions()[number].holds(work.row)) out.set(k);
    }
  }

  const TreeModel& model_;
  DrawnFlips flips_;
  std::size_t width_;
  std::size_t count_;
  std::vector<Source> sources_;              ///< by condition
  std::vector<std::uint32_t> settled_;       ///< the conditions that the point alone decides
  std::vector<std::uint32_t> category_;      ///< by condition, of those from cells
  std::vector<std::vector<char>> by_level_;  ///< of those: what they say of each level
  std::vector<Chunk> chunks_;
  Vector draws_;  ///< kept for conditions that need whole rows
  /// Programs of the model by what the settled conditions were, for a short way to them.
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::shared_ptr<const TreeProgram>> programs_;
};

}  // namespace

std::unique_ptr<TreeDrawEvaluator> bind_trees(const TreeModel& model, Rows draws,
                                              DrawnFlips flips) {
  auto bound = std::make_unique<TreeDraws>(model, draws, std::move(flips));
  if (!bound->usable()) return nullptr;
  return bound;
}

}  // namespace croco
