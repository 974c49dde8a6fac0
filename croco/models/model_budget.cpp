// SPDX-License-Identifier: Apache-2.0
#include <croco/models/model_budget.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

/// What every file may take: enough for what preparing columns makes of nothing.
constexpr std::size_t kBaseBytes = std::size_t{64} << 20;
/// A weight of single precision is four bytes in a file. On its way it is a double in the tensor,
/// in the graph's value and in the copies of a program that are alive at the same time.
constexpr std::size_t kBytesPerByte = 40;
/// Nothing takes more, however large its file is.
constexpr std::size_t kMostBytes = std::size_t{8} << 30;

/// A fraction of a second.
constexpr std::size_t kBaseWork = std::size_t{1} << 27;
constexpr std::size_t kWorkPerByte = 64;

constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();

}  // namespace

std::size_t product_or_most(std::size_t a, std::size_t b) noexcept {
  return b != 0 && a > kMost / b ? kMost : a * b;
}

std::size_t sum_or_most(std::size_t a, std::size_t b) noexcept {
  return a > kMost - b ? kMost : a + b;
}

std::string bytes_text(std::size_t bytes) {
  constexpr std::array kUnits = {"bytes", "KB", "MB", "GB", "TB", "PB", "EB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < kUnits.size()) {
    size /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", size, kUnits[unit]);
}

ModelBudget::ModelBudget(std::size_t file_bytes, std::string source)
    : source_(source.empty() ? std::move(source) : std::move(source) + ": ") {
  add_file(file_bytes);
}

void ModelBudget::add_file(std::size_t file_bytes) {
  file_bytes_ = sum_or_most(file_bytes_, file_bytes);
  most_bytes_ =
      std::min(kMostBytes, sum_or_most(kBaseBytes, product_or_most(kBytesPerByte, file_bytes_)));
  most_work_ = sum_or_most(kBaseWork, product_or_most(kWorkPerByte, file_bytes_));
}

void ModelBudget::borrow(std::size_t count, std::size_t bytes, std::string_view what) const {
  const std::size_t total = sum_or_most(kept_, product_or_most(count, bytes));
  if (total <= most_bytes_) return;
  throw ModelError(fmt::format(
      "{}{} would bring the model to {} of memory; a model in a file of {} may take {} (see "
      "docs/reference/models.md)",
      source_, what, bytes_text(total), bytes_text(file_bytes_), bytes_text(most_bytes_)));
}

void ModelBudget::keep(std::size_t count, std::size_t bytes, std::string_view what) {
  borrow(count, bytes, what);
  kept_ += count * bytes;
}

void ModelBudget::work(std::size_t count, std::size_t operations, std::string_view what) {
  const std::size_t total = sum_or_most(worked_, product_or_most(count, operations));
  if (total > most_work_) {
    throw ModelError(
        fmt::format("{}{} would bring the reading of the model to {:.3g} operations; a model in a "
                    "file of {} may "
                    "take {:.3g} (see docs/reference/models.md)",
                    source_, what, static_cast<double>(total), bytes_text(file_bytes_),
                    static_cast<double>(most_work_)));
  }
  worked_ = total;
}

void ModelBudget::keep(const JsonSize& document) {
  // Lists grow to twice their size; empty containers and short texts have a block of the heap each.
  constexpr std::size_t kValue = 40;
  constexpr std::size_t kContainer = 64;
  constexpr std::size_t kText = 64;
  keep(document.values, kValue, "its JSON document");
  keep(document.containers, kContainer, "its JSON document");
  keep(document.texts, kText, "its JSON document");
  keep(document.text_bytes, 1, "its JSON document");
  work(document.key_pairs, 4, "its JSON document");
}

void require_small_draws(std::size_t bytes_per_draw, std::string_view source) {
  if (bytes_per_draw <= kMaxDrawBytes) return;
  throw ModelError(
      fmt::format("{}: the model would keep {} for each noisy copy of a person (for a network, 4 "
                  "bytes for each "
                  "unit of its first layer); at most {} are allowed",
                  source, bytes_text(bytes_per_draw), bytes_text(kMaxDrawBytes)));
}

}  // namespace croco
