// SPDX-License-Identifier: Apache-2.0
#include <croco/report/writer.hpp>

#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/report/manifest.hpp>
#include <croco/report/spreadsheet.hpp>

namespace croco {
namespace {

/// Formats that are one line after the other.
class LineWriter final : public ReportWriter {
 public:
  using Line = std::string (*)(const ReportContext&, const Explanation&);

  LineWriter(const std::filesystem::path& path, const ReportContext& context,
             const std::string& head, Line line)
      : context_(context), file_(path), line_(line) {
    file_.write(head);
  }

  void write(const Explanation& explanation) override {
    file_.write(line_(context_, explanation));
    for (const Explanation& other : explanation.alternatives) file_.write(line_(context_, other));
  }
  void finish() override { file_.commit(); }

 private:
  const ReportContext& context_;
  AtomicFile file_;
  Line line_;
};

/// The same for JSON, with a manifest of the lines in a file beside it.
class JsonWriter final : public ReportWriter {
 public:
  JsonWriter(const std::filesystem::path& path, const ReportContext& context)
      : context_(context), file_(path), beside_(manifest_path(path)) {}

  void write(const Explanation& explanation) override {
    add(explanation);
    for (const Explanation& other : explanation.alternatives) add(other);
  }
  /// The report first: beside a manifest of other lines, or beside none, it does not pass as whole.
  void finish() override {
    beside_.write(manifest_.finish(context_));
    file_.commit();
    beside_.commit();
  }

 private:
  void add(const Explanation& answer) {
    const std::string line = json_line(context_, answer);
    file_.write(line);
    manifest_.add(answer.row, answer.alternative, name_of(answer.status), line);
  }

  const ReportContext& context_;
  AtomicFile file_;
  AtomicFile beside_;
  ManifestBuilder manifest_;
};

/// A page needs all answers at once.
class PageWriter final : public ReportWriter {
 public:
  PageWriter(const std::filesystem::path& path, const ReportContext& context)
      : context_(context), file_(path) {}

  void write(const Explanation& explanation) override { explanations_.push_back(explanation); }
  void finish() override {
    file_.write(html_page(context_, explanations_));
    file_.commit();
  }

 private:
  const ReportContext& context_;
  AtomicFile file_;
  std::vector<Explanation> explanations_;
};

}  // namespace

std::unique_ptr<ReportWriter> make_writer(const std::filesystem::path& path,
                                          const ReportContext& context) {
  const std::string ending = path.extension().string();
  if (ending == ".csv") {
    return std::make_unique<LineWriter>(path, context, csv_header(context), csv_line);
  }
  if (ending == ".jsonl") return std::make_unique<JsonWriter>(path, context);
  if (ending == ".html") return std::make_unique<PageWriter>(path, context);
  throw InvalidArgument(
      fmt::format("output is '{}'; its ending must be .csv, .jsonl or .html", path.string()));
}

std::unique_ptr<ReportWriter> make_spreadsheet_writer(const std::filesystem::path& path,
                                                      const ReportContext& context) {
  if (path.extension() != ".csv") return make_writer(path, context);
  return std::make_unique<LineWriter>(path, context, spreadsheet_header(context), spreadsheet_line);
}

void write_report(const std::filesystem::path& path, const Explainer& explainer,
                  std::span<const Explanation> answers) {
  ReportContext context = report_context(explainer);
  context.run.asked = answers.size();
  const std::unique_ptr<ReportWriter> writer = make_writer(path, context);
  for (const Explanation& answer : answers) writer->write(answer);
  writer->finish();
}

}  // namespace croco
