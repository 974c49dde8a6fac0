// SPDX-License-Identifier: Apache-2.0
#include <croco/base/spooled_median.hpp>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <croco/base/byte_source.hpp>
#include <croco/base/error.hpp>
#include <croco/base/statistics.hpp>

namespace croco {
namespace {

constexpr unsigned kDigit = 16;  // bits
constexpr std::size_t kBins = std::size_t{1} << kDigit;

std::filesystem::path spool_folder() {
  std::error_code error;
  const std::filesystem::path out = std::filesystem::temp_directory_path(error);
  return error ? std::filesystem::path("/tmp") : out;
}

[[noreturn]] void fail_spool() {
  throw IoError(fmt::format("{}: cannot write a temporary file: {}", spool_folder().string(),
                            std::generic_category().message(errno)));
}

}  // namespace

void SpooledMedian::add(double value) {
  values_.push_back(value + 0.0);  // of -0.0 the positive one, whose bits are in order
  if (values_.size() >= in_memory_) spill();
}

void SpooledMedian::spill() {
  if (!file_) {
    file_ = std::make_unique<TemporaryFile>(spool_folder(), S_IRUSR | S_IWUSR);
    if (!file_->is_open()) fail_spool();
  }
  std::string_view bytes(reinterpret_cast<const char*>(values_.data()),
                         values_.size() * sizeof(double));
  while (!bytes.empty()) {
    const ssize_t put = ::write(file_->get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail_spool();
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  in_file_ += values_.size();
  values_.clear();
}

/// The bits of values that are not negative are in their order: digit by digit, the bin is found
/// that holds the n-th of them.
double SpooledMedian::nth(std::size_t n) const {
  std::uint64_t known = 0;
  for (unsigned shift = 64 - kDigit;; shift -= kDigit) {
    std::vector<std::size_t> bins(kBins);
    const auto count = [&](std::span<const double> values) {
      for (const double value : values) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        const bool alike = shift == 64 - kDigit || bits >> (shift + kDigit) == known;
        if (alike) ++bins[(bits >> shift) & (kBins - 1)];
      }
    };
    count(values_);
    const auto source = first_bytes_of(file_->get(), in_file_ * sizeof(double), "a temporary file");
    std::vector<double> block(std::size_t{1} << 16U);
    std::size_t held = 0;  // bytes; a read may end inside a value
    const std::span<char> bytes(reinterpret_cast<char*>(block.data()),
                                block.size() * sizeof(double));
    while (const std::size_t got = source->read(bytes.subspan(held))) {
      held += got;
      const std::size_t whole = held / sizeof(double);
      count(std::span(block).first(whole));
      held -= whole * sizeof(double);
      std::memmove(bytes.data(), bytes.data() + whole * sizeof(double), held);
    }
    std::size_t bin = 0;
    while (n >= bins[bin]) n -= bins[bin++];
    known = known << kDigit | bin;
    if (shift == 0) return std::bit_cast<double>(known);
  }
}

double SpooledMedian::value() const {
  if (!file_) return median_of(values_);
  const std::size_t count = in_file_ + values_.size();
  const double middle = nth(count / 2);
  return count % 2 == 1 ? middle : (middle + nth(count / 2 - 1)) / 2;
}

}  // namespace croco
