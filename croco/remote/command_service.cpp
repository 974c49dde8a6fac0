// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/command_service.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/printable.hpp>
#include <croco/base/stopped.hpp>
#include <croco/remote/child_process.hpp>
#include <croco/remote/command_words.hpp>
#include <croco/remote/row_text.hpp>

namespace croco {
namespace {

/// No line of an answer is longer.
constexpr std::size_t kLongestLine = 4096;

constexpr std::optional<double> kNan = std::numeric_limits<double>::quiet_NaN();

/// As Python, R, C and pandas write it.
bool is_nan(std::string_view text) noexcept {
  return text == "nan" || text == "NaN" || text == "-nan" || text == "NAN";
}

/// What a batch is written as, and how its answer is read.
class Wire {
 public:
  virtual ~Wire() = default;
  /// Once, before the first batch.
  [[nodiscard]] virtual std::string header() const = 0;
  virtual void write(Rows values, std::string& out) const = 0;
  /// Before an answer is read into `answers`.
  virtual void expect(MutableView answers) = 0;
  /// A piece of the answer; whether that was the last. Throws ModelError, without the program's
  /// name, for what is none.
  virtual bool read(std::string_view piece) = 0;
  [[nodiscard]] virtual std::size_t answered() const noexcept = 0;
  /// What a program may have forgotten that does not answer.
  [[nodiscard]] virtual std::string_view rule() const noexcept = 0;
};

class CsvWire final : public Wire {
 public:
  explicit CsvWire(const RecordColumns& columns) : text_(RowText::csv(columns)) {}

  [[nodiscard]] std::string header() const override { return text_.header(); }
  void write(Rows values, std::string& out) const override {
    text_.append(values, out);
    out += '\n';
  }
  void expect(MutableView answers) override {
    answers_ = answers;
    count_ = 0;
  }
  bool read(std::string_view piece) override {
    while (!piece.empty()) {
      const std::size_t end = piece.find('\n');
      line_ += piece.substr(0, end);
      if (line_.size() > kLongestLine) {
        throw ModelError(
            fmt::format("it wrote a line of more than {} bytes for {}", kLongestLine, row(count_)));
      }
      if (end == std::string_view::npos) break;
      piece.remove_prefix(end + 1);
      take(trimmed(line_));
      line_.clear();
    }
    return count_ == answers_.size();
  }
  [[nodiscard]] std::size_t answered() const noexcept override { return count_; }
  [[nodiscard]] std::string_view rule() const noexcept override {
    return "it must write one line for each row, and flush them when a blank line ends the batch";
  }

 private:
  [[nodiscard]] std::string row(std::size_t index) const {
    return fmt::format("row {} of a batch of {}", index + 1, answers_.size());
  }
  void take(std::string_view text) {
    if (text.empty()) return;
    if (count_ == answers_.size()) {
      throw ModelError(fmt::format("it wrote more than one line for each of {} rows: then '{}'",
                                   answers_.size(), shown(text)));
    }
    const std::optional<double> number = is_nan(text) ? kNan : parse_number(text);
    if (!number) {
      throw ModelError(
          fmt::format("it wrote '{}' for {}; each line must be a number, the "
                      "probability of class 1",
                      shown(text), row(count_)));
    }
    answers_[count_++] = *number;
  }
  static std::string shown(std::string_view text) { return excerpt(text, 80); }

  RowText text_;
  std::string line_;
  MutableView answers_;
  std::size_t count_ = 0;
};

/// Bytes of numbers in little-endian order, whatever this machine's is.
template <typename Numbers>
void swap_unless_little(Numbers& numbers) {
  if constexpr (std::endian::native == std::endian::big) {
    for (auto& number : numbers) {
      auto* bytes = reinterpret_cast<char*>(&number);
      std::reverse(bytes, bytes + sizeof(number));
    }
  }
}

class BinaryWire final : public Wire {
 public:
  explicit BinaryWire(const RecordColumns& columns) {
    nlohmann::ordered_json head{{"protocol", "croco-binary-1"},
                                {"columns", nlohmann::ordered_json::array()}};
    for (const RecordColumn& column : columns.all()) {
      nlohmann::ordered_json entry{{"name", column.name}};
      if (column.categorical()) entry["levels"] = column.levels;
      head["columns"].push_back(std::move(entry));
    }
    header_ = head.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
  }

  [[nodiscard]] std::string header() const override { return header_; }
  void write(Rows values, std::string& out) const override {
    append(std::array{static_cast<std::uint32_t>(values.count())}, out);
    const Vector numbers(values.data.begin(), values.data.end());
    append(numbers, out);
  }
  void expect(MutableView answers) override {
    answers_ = answers;
    received_ = 0;
  }
  bool read(std::string_view piece) override {
    for (; received_ < sizeof(std::uint32_t) && !piece.empty(); piece.remove_prefix(1)) {
      count_[received_++] = piece.front();
      if (received_ == sizeof(std::uint32_t)) check_count();
    }
    const std::size_t whole = sizeof(std::uint32_t) + answers_.size_bytes();
    const std::size_t room = whole - received_;
    if (piece.size() > room) {
      throw ModelError(fmt::format("it wrote {} bytes more than its answer to {} rows",
                                   piece.size() - room, answers_.size()));
    }
    if (piece.empty()) return received_ == whole;
    std::memcpy(reinterpret_cast<char*>(answers_.data()) + (received_ - sizeof(std::uint32_t)),
                piece.data(), piece.size());
    received_ += piece.size();
    if (received_ < whole) return false;
    swap_unless_little(answers_);
    return true;
  }
  [[nodiscard]] std::size_t answered() const noexcept override {
    return (received_ - std::min(received_, sizeof(std::uint32_t))) / sizeof(double);
  }
  [[nodiscard]] std::string_view rule() const noexcept override {
    return "it must write the number of rows in 4 bytes and then 8 bytes for each, and flush them";
  }

 private:
  template <typename Numbers>
  static void append(Numbers numbers, std::string& out) {
    swap_unless_little(numbers);
    out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(numbers[0]));
  }
  void check_count() const {
    std::array<std::uint32_t, 1> count{};
    std::memcpy(count.data(), count_.data(), sizeof(count));
    swap_unless_little(count);
    if (count[0] == answers_.size()) return;
    throw ModelError(fmt::format("it announced answers to {} rows, and was asked for {}", count[0],
                                 answers_.size()));
  }

  std::string header_;
  MutableView answers_;
  std::array<char, sizeof(std::uint32_t)> count_{};
  std::size_t received_ = 0;
};

class CommandService final : public RowService {
 public:
  CommandService(const RemoteOptions& options, std::unique_ptr<Wire> wire)
      : options_(options), wire_(std::move(wire)), pending_(wire_->header()), child_(start()) {}

  void ask(Rows values, MutableView answers) override {
    const auto deadline =
        ChildProcess::Clock::now() + std::chrono::duration_cast<ChildProcess::Clock::duration>(
                                         std::chrono::duration<double>(options_.seconds));
    try {
      refuse_unasked();
      wire_->write(values, pending_);
      wire_->expect(answers);
      const auto take = [this](std::string_view piece) { return wire_->read(piece); };
      const ChildProcess::Outcome outcome =
          child_->exchange(pending_, take, deadline, options_.stop);
      if (outcome != ChildProcess::Outcome::complete) fail(outcome, answers.size());
      pending_.clear();
    } catch (const ModelError& error) {
      // Its standard error often says why an answer is none.
      child_->kill();
      throw ModelError(fmt::format("{}: {}{}", options_.name(), error.what(), last_words()));
    }
  }

 private:
  [[nodiscard]] std::unique_ptr<ChildProcess> start() const {
    try {
      return std::make_unique<ChildProcess>(command_words(options_.address));
    } catch (const IoError& error) {
      throw IoError(fmt::format("{}: {}", options_.name(), error.what()));
    }
  }

  /// An answer that was left over would be taken for the next one.
  void refuse_unasked() {
    const auto take = [](std::string_view piece) -> bool {
      throw ModelError(
          fmt::format("it wrote {} bytes more than its answer to the last batch", piece.size()));
    };
    if (!started_) {
      started_ = true;
      return;
    }
    static_cast<void>(child_->exchange({}, take, ChildProcess::Clock::now()));
  }

  [[noreturn]] void fail(ChildProcess::Outcome outcome, std::size_t rows) {
    if (outcome == ChildProcess::Outcome::stopped) {
      child_->kill();
      throw Stopped(fmt::format("{}: stopped while it was asked", options_.name()));
    }
    const std::string progress =
        fmt::format("{} of the {} rows of a batch answered", wire_->answered(), rows);
    if (outcome == ChildProcess::Outcome::ended) {
      const std::string end = child_->end();
      throw IoError(
          fmt::format("{}: it {} with {}{}", options_.name(), end, progress, last_words()));
    }
    child_->kill();
    throw IoError(fmt::format("{}: after {:.4g} s it was stopped with {} (model-timeout); {}{}",
                              options_.name(), options_.seconds, progress, wire_->rule(),
                              last_words()));
  }

  [[nodiscard]] std::string last_words() {
    const std::string words = child_->last_words();
    return words.empty() ? words : fmt::format("; its standard error ends with:{}", words);
  }

  RemoteOptions options_;
  std::unique_ptr<Wire> wire_;
  std::string pending_;  ///< what is to be written: the header until there is a batch
  std::unique_ptr<ChildProcess> child_;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<RowService> start_command(const RemoteOptions& options,
                                          const RecordColumns& columns) {
  std::unique_ptr<Wire> wire;
  if (options.protocol == RemoteProtocol::binary) {
    wire = std::make_unique<BinaryWire>(columns);
  } else {
    wire = std::make_unique<CsvWire>(columns);
  }
  return std::make_unique<CommandService>(options, std::move(wire));
}

}  // namespace croco
