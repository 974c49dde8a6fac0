// SPDX-License-Identifier: Apache-2.0
/// What a model file may take of the machine, in memory and in work. A few bytes can ask for any
/// amount: a shape, a repeated index, a value that is used a thousand times. So readers count what
/// they are about to make before they make it. The limits grow with the file, since a model that is
/// large has its weights or trees in it; docs/reference/models.md states them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <croco/base/json_check.hpp>

namespace croco {

/// No model file is larger.
inline constexpr std::uintmax_t kMaxModelBytes = std::uintmax_t{1} << 30;
/// No model takes more columns for each row.
inline constexpr std::size_t kMaxModelColumns = std::size_t{1} << 17;
/// What a noisy copy of a person may take once a model is bound to it: banks hold thousands.
inline constexpr std::size_t kMaxDrawBytes = std::size_t{64} << 10;

/// The account of one model file.
class ModelBudget {
 public:
  /// For a model in a file of `bytes` bytes. What it throws begins with `source`; readers that add
  /// the place themselves leave it empty.
  explicit ModelBudget(std::size_t file_bytes = 0, std::string source = {});

  /// Counts `count` things of `bytes` each that stay in memory. Call it before making them. Throws
  /// ModelError naming `what`, its size and the limit.
  void keep(std::size_t count, std::size_t bytes, std::string_view what);
  /// The same for what is gone before the next thing is counted.
  void borrow(std::size_t count, std::size_t bytes, std::string_view what) const;
  /// Counts `count` times `operations` elementary ones.
  void work(std::size_t count, std::size_t operations, std::string_view what);
  /// Allows for another file that belongs to the model.
  void add_file(std::size_t file_bytes);
  /// Counts a document of JSON that is about to be read as a whole.
  void keep(const JsonSize& document);

  [[nodiscard]] std::size_t most_bytes() const noexcept { return most_bytes_; }
  [[nodiscard]] std::size_t most_work() const noexcept { return most_work_; }

 private:
  std::string source_;
  std::size_t file_bytes_ = 0;
  std::size_t most_bytes_ = 0;
  std::size_t most_work_ = 0;
  std::size_t kept_ = 0;
  std::size_t worked_ = 0;
};

/// Throws ModelError when a model takes more than `kMaxDrawBytes` for each noisy copy.
void require_small_draws(std::size_t bytes_per_draw, std::string_view source);

/// `a * b` and `a + b`, or the largest number where that is beyond it.
[[nodiscard]] std::size_t product_or_most(std::size_t a, std::size_t b) noexcept;
[[nodiscard]] std::size_t sum_or_most(std::size_t a, std::size_t b) noexcept;

/// "64 MB", "1.5 GB".
[[nodiscard]] std::string bytes_text(std::size_t bytes);

}  // namespace croco
