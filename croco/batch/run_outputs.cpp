// SPDX-License-Identifier: Apache-2.0
#include <croco/batch/run_outputs.hpp>

#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <croco/base/compression.hpp>
#include <croco/base/error.hpp>
#include <croco/report/narrate.hpp>

namespace croco {
namespace {

constexpr std::chrono::seconds kBetweenSaves{1};

/// A device or a pipe, which cannot be renamed.
bool is_device(const std::filesystem::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

void require_few(const GrowingReport& report, std::size_t people) {
  const std::optional<std::size_t> most = report.most_people();
  if (!most || people <= *most) return;
  throw InvalidArgument(fmt::format(
      "output is '{}'; a page may be about {} people, and this run has {}: write .csv or .jsonl, "
      "or "
      "choose people with --rows",
      report.streams().front().file.string(), with_thousands(*most), with_thousands(people)));
}

}  // namespace

RunOutputs::RunOutputs(std::vector<std::unique_ptr<GrowingReport>> reports, RunIdentity identity,
                       std::size_t people, Continuation continuation)
    : reports_(std::move(reports)), people_(people), saved_at_(std::chrono::steady_clock::now()) {
  for (const auto& report : reports_) require_few(*report, people);
  find_outputs();
  last_.identity = std::move(identity);
  last_.state = "null";
  if (continuation == Continuation::resume && journal_.empty()) {
    throw InvalidArgument(
        "resume is about a run whose --output are files; a device, a pipe or standard output "
        "cannot be continued");
  }
  if (journal_.empty() || continuation == Continuation::restart) {
    begin();
    return;
  }
  std::optional<Journal> left = read_journal(journal_);
  if (!left || left->rows == 0) left = find_claim();
  if (!left) {
    begin();
    return;
  }
  if (continuation == Continuation::none) {
    throw InvalidArgument(fmt::format(
        "{} is of an unfinished run, which has done {} rows; --resume goes on with it, --restart "
        "discards it",
        journal_.string(), with_thousands(left->rows)));
  }
  resume(std::move(*left));
}

/// The journal of another run that has not finished one of these files; they are recorded beside
/// the first file of that run, which may be another one.
std::optional<Journal> RunOutputs::find_claim() {
  std::error_code error;
  for (const Output& output : outputs_) {
    const std::filesystem::path part = part_path(final_path(output.path));
    if (!std::filesystem::exists(part, error)) continue;
    const std::filesystem::path folder =
        part.has_parent_path() ? part.parent_path() : std::filesystem::path(".");
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error)) {
      if (at->path().extension() != ".journal") continue;
      std::optional<Journal> other;
      try {
        other = read_journal(at->path());
      } catch (const Error&) {
        continue;  // of another program
      }
      if (!other || other->rows == 0) continue;
      for (const Journal::File& file : other->files) {
        if (std::filesystem::path(file.path).filename() != output.path.filename()) continue;
        journal_ = at->path();
        return other;
      }
    }
  }
  return std::nullopt;
}

RunOutputs::~RunOutputs() {
  if (published_ || saved_) return;
  for (Output& output : outputs_) {
    if (output.part) output.part->discard();
  }
}

void RunOutputs::find_outputs() {
  bool devices = false;
  for (const auto& report : reports_) {
    for (std::size_t i = 0; i < report->streams().size(); ++i) {
      const std::filesystem::path& path = report->streams()[i].file;
      outputs_.push_back({.report = report.get(), .stream = i, .path = path});
      devices = devices || is_standard_output(path) || is_device(path);
    }
  }
  if (!devices && !outputs_.empty()) journal_ = journal_path(final_path(outputs_.front().path));
}

void RunOutputs::begin() {
  for (Output& output : outputs_) {
    const bool is_file = output.report->streams()[output.stream].is_file;
    const Compression kind = compression_of(output.path);
    if (is_file && is_standard_output(output.path)) {
      output.direct = std::make_unique<AtomicFile>("/dev/stdout");
    } else if (is_file && is_device(output.path)) {
      output.direct = std::make_unique<AtomicFile>(output.path);
    } else {
      // What a file is made of is compressed when the file is made.
      output.part = std::make_unique<PartFile>(output.path, is_file ? kind : Compression::none);
    }
    if (output.direct) output.frames = Frames(kind);
  }
  if (!journal_.empty()) {
    std::error_code ignored;
    std::filesystem::remove(journal_, ignored);
  }
  Pieces heads(reports_.size());
  for (std::size_t r = 0; r < reports_.size(); ++r) {
    heads[r].resize(reports_[r]->streams().size());
    heads[r][0] = reports_[r]->head();
  }
  add(heads, 0, "null");
}

void RunOutputs::resume(Journal journal) {
  const auto refuse = [&](const std::string& why) {
    throw InvalidArgument(
        fmt::format("{}: the unfinished run cannot be continued: {}; --restart discards it",
                    journal_.string(), why));
  };
  const std::string different = differences(journal.identity, last_.identity);
  if (!different.empty()) refuse(different);
  std::vector<std::string> before;
  std::vector<std::string> now;
  for (const Journal::File& file : journal.files) before.push_back(file.path);
  for (const Output& output : outputs_) now.push_back(output.path.string());
  if (before != now) {
    refuse(
        fmt::format("its files were {} and are {}", fmt::join(before, ", "), fmt::join(now, ", ")));
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    open_again(outputs_[i], journal.files[i], journal.complete);
  }
  last_ = std::move(journal);
  saved_ = true;
  saved_rows_ = last_.rows;
}

void RunOutputs::open_again(Output& output, const Journal::File& file, bool complete) {
  const bool is_file = output.report->streams()[output.stream].is_file;
  const Compression kind = is_file ? compression_of(output.path) : Compression::none;
  std::error_code ignored;
  if (complete && !std::filesystem::exists(part_path(final_path(output.path)), ignored)) {
    // It has its own name already; only what is made of it may still be missing.
    const auto bytes = decompressed(open_bytes(output.path), output.path.string());
    output.report->continue_with(output.stream, *bytes);
    return;
  }
  output.part = std::make_unique<PartFile>(output.path, kind, file.extent);
  output.report->continue_with(output.stream, *output.part->read());
}

RunOutputs::Pieces RunOutputs::render(std::span<const Explanation> answers) const {
  Pieces out;
  out.reserve(reports_.size());
  for (const auto& report : reports_) out.push_back(report->render(answers));
  return out;
}

void RunOutputs::add(const Pieces& pieces, std::size_t rows, std::string state) {
  std::size_t next = 0;
  for (std::size_t r = 0; r < reports_.size(); ++r) {
    if (rows > 0) reports_[r]->add(pieces[r]);  // not the head
    for (const std::string& text : pieces[r]) {
      Output& output = outputs_[next++];
      if (output.direct) {
        output.direct->write(output.frames.add(text));
      } else {
        output.part->write(text);
      }
    }
  }
  last_.files.clear();
  for (const Output& output : outputs_) {
    last_.files.push_back(
        {output.path.string(), output.part ? output.part->extent() : PartFile::Extent()});
  }
  last_.rows += rows;
  last_.state = std::move(state);
  const bool due = std::chrono::steady_clock::now() - saved_at_ >= kBetweenSaves;
  if (due && last_.rows > 0 && !journal_.empty()) save();
}

/// The files reach the disk before the journal says so.
void RunOutputs::save() {
  for (const Output& output : outputs_) {
    if (!output.part) continue;
    if (!output.part->is_there()) {
      throw IoError(fmt::format("{}: has vanished while the run was writing it",
                                output.part->path().string()));
    }
    output.part->sync();
  }
  write_journal(journal_, last_);
  saved_ = true;
  saved_rows_ = last_.rows;
  saved_at_ = std::chrono::steady_clock::now();
}

void RunOutputs::finish() {
  last_.complete = true;
  // Where a run may be long, its end is recorded too, so that no part of it is ever lost.
  if (saved_) save();
  for (Output& output : outputs_) publish(output);
  published_ = true;
  if (!saved_) return;
  std::error_code ignored;
  std::filesystem::remove(journal_, ignored);
}

void RunOutputs::publish(Output& output) {
  if (output.direct) {
    output.direct->write(output.frames.finish());
    output.direct->commit();
    return;
  }
  if (!output.part) return;  // done before
  if (output.report->streams()[output.stream].is_file) {
    output.part->publish();
    return;
  }
  AtomicFile file(output.path);
  Frames frames(compression_of(output.path));
  output.report->finish(output.stream, *output.part->read(),
                        [&](std::string_view text) { file.write(frames.add(text)); });
  file.write(frames.finish());
  file.commit();
  output.part->discard();
}

std::string RunOutputs::keep() {
  if (journal_.empty() || last_.rows == 0 || published_) return {};
  try {
    for (const Output& output : outputs_) {
      if (output.part) output.part->restore();
    }
    save();
  } catch (const std::exception&) {
    if (!saved_) return {};  // what was recorded last still holds
  }
  return fmt::format("{} of {} rows are kept in {}; the same command with --resume goes on",
                     with_thousands(saved_rows_), with_thousands(people_), part_names());
}

std::string RunOutputs::part_names() const {
  std::vector<std::string> out;
  for (const Output& output : outputs_) {
    if (output.part && output.stream == 0) out.push_back(output.part->path().string());
  }
  return fmt::format("{}", fmt::join(out, " and "));
}

}  // namespace croco
