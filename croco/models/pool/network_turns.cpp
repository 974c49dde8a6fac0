// SPDX-License-Identifier: Apache-2.0
#include <croco/models/pool/network_turns.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include <croco/kernels/aligned.hpp>
#include <croco/kernels/relu_turns.hpp>
#include <croco/models/network/mlp.hpp>

namespace croco {

class NetworkTable {
 public:
  NetworkTable(std::span<const Mlp* const> networks, std::span<const std::size_t> free)
      : inputs_(networks[0]->width()),
        units_(networks[0]->layers()[0].outputs),
        networks_(networks.size()),
        free_(free.begin(), free.end()),
        stride_((free_.size() + kLanes - 1) / kLanes * kLanes),
        columns_(inputs_ * networks_ * units_),
        offsets_(networks_ * units_),
        slopes_(networks_ * units_ * stride_) {
    for (std::size_t m = 0; m < networks_; ++m) add(m, *networks[m]);
  }

  [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }
  [[nodiscard]] std::size_t units() const noexcept { return units_; }
  [[nodiscard]] std::size_t networks() const noexcept { return networks_; }
  [[nodiscard]] const std::vector<std::size_t>& free() const noexcept { return free_; }
  [[nodiscard]] const std::vector<float>& offsets() const noexcept { return offsets_; }
  [[nodiscard]] const std::vector<std::uint32_t>& positive() const noexcept { return positive_; }
  [[nodiscard]] const std::vector<float>& biases() const noexcept { return biases_; }
  /// An input's weights, [network][unit].
  [[nodiscard]] const float* column(std::size_t input) const noexcept {
    return &columns_[input * networks_ * units_];
  }
  /// Slopes are padded with zeros to a multiple of this.
  static constexpr std::size_t kLanes = kTurn;
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
  /// The slopes of a logit by the free columns where the units are active, [unit][stride].
  [[nodiscard]] const float* slopes(std::size_t network) const noexcept {
    return slopes_.data() + network * units_ * stride_;
  }

 private:
  void add(std::size_t m, const Mlp& network) {
    const DenseLayer& first = network.layers()[0];
    const Vector& out = network.layers()[1].weight;
    std::vector<std::size_t> order(units_);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_partition(order, [&](std::size_t h) { return out[h] > 0; });
    positive_.push_back(static_cast<std::uint32_t>(
        std::ranges::count_if(out, [](double weight) { return weight > 0; })));
    biases_.push_back(static_cast<float>(network.layers()[1].bias[0]));
    for (std::size_t u = 0; u < units_; ++u) {
      const std::size_t h = order[u];
      const double size = std::abs(out[h]);
      offsets_[m * units_ + u] = static_cast<float>(size * first.bias[h]);
      for (std::size_t j = 0; j < inputs_; ++j) {
        columns_[(j * networks_ + m) * units_ + u] =
            static_cast<float>(size * first.weight[h * inputs_ + j]);
      }
      for (std::size_t i = 0; i < free_.size(); ++i) {
        slopes_[(m * units_ + u) * stride_ + i] =
            static_cast<float>(out[h] * first.weight[h * inputs_ + free_[i]]);
      }
    }
  }

  std::size_t inputs_;
  std::size_t units_;
  std::size_t networks_;
  std::vector<std::size_t> free_;
  std::size_t stride_;
  std::vector<float> columns_;
  std::vector<float> offsets_;
  std::vector<float> slopes_;  ///< [network][unit][stride]
  std::vector<std::uint32_t> positive_;
  std::vector<float> biases_;
};

namespace {

class TurnDraws final : public DrawEvaluator {
 public:
  TurnDraws(std::shared_ptr<const NetworkTable> table, Rows draws, DrawnFlips flips)
      : table_(std::move(table)),
        count_(draws.count()),
        flips_(std::move(flips)),
        base_(table_->inputs()),
        base_shifts_(table_->offsets()) {
    auto values = std::make_shared<AlignedFloats>(turns() * table_->units() * kTurn);
    for (std::size_t k = 0; k < count_; ++k) add_row(k, draws[k], *values);
    values_ = std::move(values);
  }

  [[nodiscard]] std::size_t count() const noexcept override { return count_; }

  void logits(View point, std::size_t first, std::span<float> out) const override {
    if (!flips_.empty()) return settled(point).logits(point, first, out);
    if (out.empty()) return;
    const std::size_t begin = first / kTurn;
    const std::size_t end = (first + out.size() + kTurn - 1) / kTurn;
    const std::vector<float>& shifts = shifts_at(point, begin, end);
    const ReluTurns turns = turns_with(shifts);
    if (first % kTurn == 0 && out.size() % kTurn == 0) {
      relu_turn_logits(turns, begin, end - begin, out.data());
      return;
    }
    std::vector<float> padded((end - begin) * kTurn);
    relu_turn_logits(turns, begin, end - begin, padded.data());
    std::copy_n(padded.begin() + static_cast<std::ptrdiff_t>(first % kTurn), out.size(),
                out.begin());
  }

  void add_gradient(View point, std::size_t first, std::span<const float> weights,
                    MutableView gradient) const override {
    if (!flips_.empty()) {
      TurnDraws plain = settled(point);
      plain.fixed_ = false;
      return plain.add_gradient(point, first, weights, gradient);
    }
    const std::size_t units = table_->units();
    const std::vector<float>& shifts =
        shifts_at(point, first / kTurn, (first + weights.size() + kTurn - 1) / kTurn);
    const std::vector<std::size_t>& free = table_->free();
    std::vector<float> sums(table_->stride());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) continue;  // most: few samples are near an order statistic
      const std::size_t k = first + i;
      const std::size_t network = k / kTurn % table_->networks();
      const float* values = values_->data() + k / kTurn * units * kTurn + k % kTurn;
      const float* shift = &shifts[network * units];
      if (fixed_) {
        add_active_slopes(values, shift, table_->slopes(network), units, table_->stride(),
                          weights[i], sums.data());
        continue;
      }
      for (std::size_t u = 0; u < units; ++u) {
        if (!(values[u * kTurn] + shift[u] > 0)) continue;
        const double sign = u < table_->positive()[network] ? 1 : -1;
        for (std::size_t j = 0; j < gradient.size(); ++j) {
          const auto weight = static_cast<double>(table_->column(j)[network * units + u]);
          gradient[j] += sign * static_cast<double>(weights[i]) * weight;
        }
      }
    }
    for (std::size_t c = 0; c < free.size(); ++c) gradient[free[c]] += static_cast<double>(sums[c]);
  }

  void count_failures(Rows points, const Cut& cut, std::span<std::size_t> failures,
                      std::vector<PointDraw>* undecided) const override {
    std::vector<float> out(undecided == nullptr ? count_ : 0);
    for (std::size_t p = 0; p < points.count(); ++p) {
      if (undecided != nullptr) {
        for (std::size_t k = 0; k < count_; ++k) undecided->push_back({p, k});
        continue;
      }
      logits(points[p], 0, out);
      failures[p] += static_cast<std::size_t>(std::ranges::count_if(
          out, [&](float logit) { return !cut.clears(static_cast<double>(logit)); }));
    }
  }

  [[nodiscard]] std::unique_ptr<DrawEvaluator> fixed_at(View point) const override {
    auto out = std::make_unique<TurnDraws>(settled(point));
    out->base_shifts_ = shifts_at(point, 0, turns());
    out->base_.assign(point.begin(), point.end());
    out->number_ = next_number();
    return out;
  }

 private:
  [[nodiscard]] std::size_t turns() const noexcept { return (count_ + kTurn - 1) / kTurn; }
  [[nodiscard]] ReluTurns turns_with(const std::vector<float>& shifts) const noexcept {
    return {values_->data(), table_->units(),           table_->networks(),
            shifts.data(),   table_->positive().data(), table_->biases().data()};
  }

  /// Adds what an encoded row adds to the units of a sample's network.
  void add_row(std::size_t sample, View row, AlignedFloats& values) const {
    const std::size_t units = table_->units();
    const std::size_t network = sample / kTurn % table_->networks();
    float* out = values.data() + sample / kTurn * units * kTurn + sample % kTurn;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      const float* column = table_->column(j) + network * units;
      const auto factor = static_cast<float>(row[j]);
      for (std::size_t u = 0; u < units; ++u) out[u * kTurn] += factor * column[u];
    }
  }

  /// The same samples with the flips that they are around points with these levels.
  [[nodiscard]] TurnDraws settled(View point) const {
    TurnDraws out(*this);
    out.fixed_ = !table_->free().empty();
    if (flips_.empty()) return out;
    auto values = std::make_shared<AlignedFloats>(*values_);
    Vector row(point.size());
    for (std::size_t k = 0; k < count_; ++k) {
      std::ranges::fill(row, 0.0);
      add_flips(flips_.categories, flips_.of(k), point, row);
      add_row(k, row, *values);
    }
    out.values_ = std::move(values);
    out.flips_ = {};
    return out;
  }

  /// `offset + W1 point` of the networks of some turns. Kept until the thread asks about another
  /// point: a gradient follows the logits at the same one.
  [[nodiscard]] const std::vector<float>& shifts_at(View point, std::size_t begin,
                                                    std::size_t end) const {
    struct Last {
      std::uint64_t number = 0;
      std::size_t from = 0;
      std::size_t count = 0;
      Vector point;
      std::vector<float> shifts;
    };
    thread_local Last last;
    const std::size_t units = table_->units();
    const bool all = begin / table_->networks() != (end - 1) / table_->networks();
    const std::size_t from = all ? 0 : begin % table_->networks() * units;
    const std::size_t count = all ? base_shifts_.size() : (end - begin) * units;
    if (last.number == number_ && last.from == from && last.count == count &&
        std::ranges::equal(last.point, point)) {
      return last.shifts;
    }
    last.number = number_;
    last.from = from;
    last.count = count;
    last.point.assign(point.begin(), point.end());
    last.shifts.resize(base_shifts_.size());
    std::copy_n(base_shifts_.begin() + static_cast<std::ptrdiff_t>(from), count,
                last.shifts.begin() + static_cast<std::ptrdiff_t>(from));
    for (std::size_t j = 0; j < point.size(); ++j) {
      if (point[j] == base_[j]) continue;
      add_scaled(table_->column(j) + from, static_cast<float>(point[j] - base_[j]), count,
                 last.shifts.data() + from);
    }
    return last.shifts;
  }

  /// No two have the same: it identifies what a thread keeps, as an address could not.
  [[nodiscard]] static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
  }

  std::shared_ptr<const NetworkTable> table_;
  std::size_t count_;
  DrawnFlips flips_;
  std::shared_ptr<const AlignedFloats> values_;  ///< [turn][unit][sample of the turn]
  Vector base_;                                  ///< a point, and what it adds to the units
  std::vector<float> base_shifts_;
  std::uint64_t number_ = next_number();  ///< of the base
  bool fixed_ = false;                    ///< whether only free columns differ from now on
};

}  // namespace

std::shared_ptr<const NetworkTable> table_of(std::span<const std::shared_ptr<const Model>> members,
                                             std::span<const std::size_t> free) {
  std::vector<const Mlp*> networks;
  for (const auto& member : members) {
    const Mlp* network = member->network();
    if (network == nullptr || network->layers().size() != 2 ||
        network->hidden_activation() != Activation::relu ||
        network->layers()[0].outputs != members[0]->network()->layers()[0].outputs) {
      return nullptr;
    }
    networks.push_back(network);
  }
  return std::make_shared<const NetworkTable>(networks, free);
}

std::unique_ptr<DrawEvaluator> bind_turns(std::shared_ptr<const NetworkTable> table, Rows draws,
                                          DrawnFlips flips) {
  constexpr double kMost = 1e9;  // far beyond every encoded value; sums fit into single precision
  const bool usable =
      std::ranges::all_of(draws.data, [](double value) { return std::abs(value) <= kMost; });
  if (!usable) return nullptr;
  return std::make_unique<TurnDraws>(std::move(table), draws, std::move(flips));
}

}  // namespace croco
