// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/audit_report.hpp>

#include <iterator>
#include <utility>

namespace croco {
namespace {

enum AuditStream : std::size_t { people_csv, findings_csv, findings_json, findings_page };

/// Lines of a million people take a few hundred megabytes.
constexpr std::size_t kMaxPeopleBytes = std::size_t{4} << 30U;

std::vector<GrowingReport::Stream> streams_in(const std::filesystem::path& folder) {
  std::vector<GrowingReport::Stream> out;
  for (const std::string& name : AuditReport::names()) out.push_back({folder / name, out.empty()});
  return out;
}

}  // namespace

const std::vector<std::string>& AuditReport::names() {
  static const std::vector<std::string> names{"people.csv", "audit.csv", "audit.json",
                                              "audit.html"};
  return names;
}

AuditReport::AuditReport(const std::filesystem::path& folder, const ReportContext& context,
                         const std::vector<AuditAttribute>& attributes, const GapOptions& options,
                         AuditSources sources)
    : GrowingReport(context, streams_in(folder)),
      options_(options),
      sources_(std::move(sources)),
      attributes_(attributes),
      lines_(attributes, context.codec.schema()) {
  validate(options_);
}

GrowingReport::Piece AuditReport::piece_of(std::span<const AuditedPerson> people) const {
  Piece out(streams().size());
  out[people_csv] = lines_.lines(people);
  return out;
}

/// Answers alone say too little; `piece_of` renders people.
void AuditReport::render_one(const Explanation& /*answer*/, Piece& /*piece*/) const {}

void AuditReport::add(const Piece& piece) {
  table_.reset();
  std::ranges::move(lines_.read(piece[people_csv]), std::back_inserter(people_));
}

void AuditReport::continue_with(std::size_t stream, ByteSource& bytes) {
  if (stream != people_csv) return;
  std::string text = read_all(bytes, streams()[stream].file.string(), kMaxPeopleBytes);
  const std::string header = lines_.header();
  if (text.starts_with(header)) text.erase(0, header.size());
  add({std::move(text)});
}

void AuditReport::finish(std::size_t stream, ByteSource& /*bytes*/, const Write& write) {
  switch (stream) {
    case findings_csv:
      return write(audit_csv(table()));
    case findings_json:
      return write(audit_json(table(), context(), sources_));
    case findings_page:
      return write(audit_page(table(), context(), sources_));
    default:
      return;
  }
}

const AuditTable& AuditReport::table() {
  if (!table_) table_ = audit_table(people_, attributes_, context(), options_);
  return *table_;
}

}  // namespace croco
