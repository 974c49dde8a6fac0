// SPDX-License-Identifier: Apache-2.0
#include <croco/report/writer.hpp>

#include <utility>
#include <vector>

#include <croco/base/compression.hpp>
#include <croco/base/files.hpp>
#include <croco/report/growing_report.hpp>

namespace croco {
namespace {

/// A report in files that appear whole.
class FileReport final : public ReportWriter {
 public:
  explicit FileReport(std::unique_ptr<GrowingReport> report) : report_(std::move(report)) {
    for (const GrowingReport::Stream& stream : report_->streams()) {
      files_.push_back(std::make_unique<AtomicFile>(stream.file));
      streams_.emplace_back(compression_of(stream.file));
    }
    put(0, report_->head());
  }

  void write(const Explanation& explanation) override {
    const GrowingReport::Piece piece = report_->render({&explanation, 1});
    report_->add(piece);
    for (std::size_t i = 0; i < piece.size(); ++i) put(i, piece[i]);
  }
  /// The report first: beside a manifest of other lines, or beside none, it does not pass as whole.
  void finish() override {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (!report_->streams()[i].is_file) {
        const std::unique_ptr<ByteSource> bytes = bytes_of_text(streams_[i].text);
        report_->finish(i, *bytes, [&](std::string_view text) {
          files_[i]->write(streams_[i].frames.add(text));
        });
      }
      files_[i]->write(streams_[i].frames.finish());
    }
    for (const auto& file : files_) file->commit();
  }

 private:
  struct Stream {
    explicit Stream(Compression kind) : frames(kind) {}
    Frames frames;
    std::string text = {};  ///< what the file is made of
  };

  void put(std::size_t i, const std::string& text) {
    if (report_->streams()[i].is_file) {
      files_[i]->write(streams_[i].frames.add(text));
    } else {
      streams_[i].text += text;
    }
  }

  std::unique_ptr<GrowingReport> report_;
  std::vector<std::unique_ptr<AtomicFile>> files_;
  std::vector<Stream> streams_;
};

}  // namespace

std::unique_ptr<ReportWriter> make_writer(const std::filesystem::path& path,
                                          const ReportContext& context) {
  return std::make_unique<FileReport>(make_report(path, context));
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
