// SPDX-License-Identifier: Apache-2.0
/// A report that is put together while answers come. It knows how texts become a report, and no
/// file: whoever writes it may stop and go on another day.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/byte_source.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/report/report.hpp>

namespace croco {

/// Consists of streams of text, one for each of its files. Some are the file as they are; the
/// others are what the file is made of in the end.
class GrowingReport {
 public:
  /// What answers add to each stream.
  using Piece = std::vector<std::string>;
  using Write = std::function<void(std::string_view)>;

  struct Stream {
    std::filesystem::path file;
    bool is_file = true;  ///< as it is
  };

  GrowingReport(const ReportContext& context, std::vector<Stream> streams)
      : context_(context), streams_(std::move(streams)) {}
  virtual ~GrowingReport() = default;
  GrowingReport(const GrowingReport&) = delete;
  GrowingReport& operator=(const GrowingReport&) = delete;

  /// The report's own file first.
  [[nodiscard]] const std::vector<Stream>& streams() const noexcept { return streams_; }
  /// What the first stream begins with.
  [[nodiscard]] virtual std::string head() const { return {}; }
  /// What answers add, with their alternatives. May be called by several threads.
  [[nodiscard]] Piece render(std::span<const Explanation> answers) const;
  /// To be called with every piece, in order.
  virtual void add(const Piece& piece) { static_cast<void>(piece); }
  /// Instead of `head` and `add`: a stream as it was written so far.
  virtual void continue_with(std::size_t stream, ByteSource& bytes) {
    static_cast<void>(stream);
    static_cast<void>(bytes);
  }
  /// Writes the file of a stream that is not the file itself.
  virtual void finish(std::size_t stream, ByteSource& bytes, const Write& write) {
    static_cast<void>(stream);
    static_cast<void>(bytes);
    static_cast<void>(write);
  }
  /// How many people it may be about; nothing when that has no limit.
  [[nodiscard]] virtual std::optional<std::size_t> most_people() const { return std::nullopt; }

 protected:
  [[nodiscard]] const ReportContext& context() const noexcept { return context_; }

 private:
  virtual void render_one(const Explanation& answer, Piece& piece) const = 0;

  const ReportContext& context_;
  std::vector<Stream> streams_;
};

/// By the ending of the path: .csv, .jsonl (with a manifest in a file beside it) or .html, each of
/// them also with .gz or .zst behind it. "-" and "-.csv", "-.jsonl" are standard output, which has
/// no manifest. Throws InvalidArgument for another ending. The context must outlive the report.
[[nodiscard]] std::unique_ptr<GrowingReport> make_report(const std::filesystem::path& path,
                                                         const ReportContext& context,
                                                         bool spreadsheet_safe = false);

/// Whether an output is standard output: "-" or "-.csv" and the like.
[[nodiscard]] bool is_standard_output(const std::filesystem::path& path);

/// People that a page may be about: a browser shows no more in one page, and a page is put together
/// in memory.
inline constexpr std::size_t kMostOnPage = 20'000;

}  // namespace croco
