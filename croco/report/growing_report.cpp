// SPDX-License-Identifier: Apache-2.0
#include <croco/report/growing_report.hpp>

#include <array>
#include <utility>

#include <fmt/format.h>

#include <croco/base/compression.hpp>
#include <croco/base/error.hpp>
#include <croco/report/html_page.hpp>
#include <croco/report/manifest.hpp>
#include <croco/report/spreadsheet.hpp>
#include <croco/report/writer.hpp>

namespace croco {
namespace {

/// Formats that are one line after the other.
class LineReport final : public GrowingReport {
 public:
  using Line = std::string (*)(const ReportContext&, const Explanation&);

  LineReport(const std::filesystem::path& path, const ReportContext& context, std::string head,
             Line line)
      : GrowingReport(context, {{path, true}}), head_(std::move(head)), line_(line) {}

  [[nodiscard]] std::string head() const override { return head_; }

 private:
  void render_one(const Explanation& answer, Piece& piece) const override {
    piece[0] += line_(context(), answer);
  }

  std::string head_;
  Line line_;
};

/// The same for JSON, with a manifest of the lines in a file beside it.
class JsonReport final : public GrowingReport {
 public:
  JsonReport(const std::filesystem::path& path, const ReportContext& context)
      : GrowingReport(context, streams_of(path)) {}

  void add(const Piece& piece) override {
    if (piece.size() == 1) return;
    manifest_.take_lines(piece[0]);
    manifest_.take_entries(piece[1]);
  }
  void continue_with(std::size_t stream, ByteSource& bytes) override {
    std::array<char, std::size_t{1} << 16U> block{};
    while (const std::size_t got = bytes.read(block)) {
      const std::string_view text(block.data(), got);
      if (stream == 0) {
        manifest_.take_lines(text);
      } else {
        manifest_.take_entries(text);
      }
    }
  }
  void finish(std::size_t /*stream*/, ByteSource& bytes, const Write& write) override {
    manifest_.finish(context(), bytes, write);
  }

 private:
  static std::vector<Stream> streams_of(const std::filesystem::path& path) {
    if (is_standard_output(path)) return {{path, true}};
    return {{path, true}, {manifest_path(path), false}};
  }
  void render_one(const Explanation& answer, Piece& piece) const override {
    const std::string line = json_line(context(), answer);
    piece[0] += line;
    if (piece.size() == 1) return;
    piece[1] += manifest_entry(answer.row, answer.alternative, name_of(answer.status), line);
  }

  ManifestBuilder manifest_;
};

/// A page says first how many answers there are of each kind, so that it is made in the end.
class PageReport final : public GrowingReport {
 public:
  PageReport(const std::filesystem::path& path, const ReportContext& context)
      : GrowingReport(context, {{path, false}}) {}

  void finish(std::size_t /*stream*/, ByteSource& bytes, const Write& write) override {
    constexpr std::size_t kMaxBytes = std::size_t{1} << 30U;
    write(html_page(context(), read_page_parts(read_all(bytes, streams()[0].file, kMaxBytes))));
  }
  [[nodiscard]] std::optional<std::size_t> most_people() const override { return kMostOnPage; }

 private:
  void render_one(const Explanation& answer, Piece& piece) const override {
    if (answer.alternative > 1) return;  // is in the part of its person
    piece[0] += page_part(context(), answer);
  }
};

}  // namespace

bool is_standard_output(const std::filesystem::path& path) {
  return path == "-" || path.string().starts_with("-.");
}

GrowingReport::Piece GrowingReport::render(std::span<const Explanation> answers) const {
  Piece out(streams_.size());
  for (const Explanation& answer : answers) {
    render_one(answer, out);
    for (const Explanation& other : answer.alternatives) render_one(other, out);
  }
  return out;
}

std::unique_ptr<GrowingReport> make_report(const std::filesystem::path& path,
                                           const ReportContext& context, bool spreadsheet_safe) {
  const bool standard = is_standard_output(path);
  const std::string name = standard ? "out" + path.string().substr(1) : path.string();
  const std::filesystem::path plain = without_compression(name);
  const std::string ending = standard && plain == "out" ? ".csv" : plain.extension().string();
  if (ending == ".csv") {
    return std::make_unique<LineReport>(
        path, context, spreadsheet_safe ? spreadsheet_header(context) : csv_header(context),
        spreadsheet_safe ? spreadsheet_line : csv_line);
  }
  if (ending == ".jsonl") return std::make_unique<JsonReport>(path, context);
  if (ending == ".html" && !standard) return std::make_unique<PageReport>(path, context);
  if (standard) {
    throw InvalidArgument(fmt::format(
        "output is '{}'; standard output is '-' or '-.csv' for CSV, or '-.jsonl'", path.string()));
  }
  throw InvalidArgument(
      fmt::format("output is '{}'; its ending must be .csv, .jsonl or .html", path.string()));
}

}  // namespace croco
