// SPDX-License-Identifier: Apache-2.0
#include <croco/data/csv_reader.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/unicode.hpp>

namespace croco {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::size_t kChunk = std::size_t{1} << 20U;
constexpr std::size_t kMaxConverted = std::size_t{4} << 30U;

/// What separates the fields of the header: a comma wherever it holds one outside quotes, so that
/// no file with commas is ever read otherwise.
char separator_of(std::string_view text) noexcept {
  bool tab = false;
  bool semicolon = false;
  bool at_start = true;
  for (std::size_t k = 0; k < text.size() && text[k] != '\n' && text[k] != '\r'; ++k) {
    if (at_start && text[k] == '"') {
      // A doubled quote closes and opens again, which comes to the same.
      k = text.find('"', k + 1);
      if (k == std::string_view::npos) break;
      at_start = text.substr(k + 1).starts_with('"');
      continue;
    }
    if (text[k] == ',') return ',';
    tab = tab || text[k] == '\t';
    semicolon = semicolon || text[k] == ';';
    at_start = text[k] == '\t' || text[k] == ';';
  }
  if (tab) return '\t';
  return semicolon ? ';' : ',';
}

std::string_view separator_name(char separator) noexcept {
  return separator == ',' ? "comma" : separator == ';' ? "semicolon" : "tab";
}

bool continues_character(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

void check_header(const CsvTable& table) {
  std::unordered_set<std::string_view> seen;
  for (std::size_t k = 0; k < table.header.size(); ++k) {
    const std::string& name = table.header[k];
    if (trimmed(name).empty() && (k > 0 || table.header.size() == 1)) {
      throw DataError(fmt::format("{}, line 1: column {} of {} has no name{}", table.source, k + 1,
                                  table.header.size(),
                                  k > 0 ? "; only an index in front may lack one" : ""));
    }
    if (!seen.insert(name).second) {
      throw DataError(fmt::format("{}, line 1: column '{}' occurs twice; names must differ",
                                  table.source, name));
    }
  }
}

}  // namespace

CsvReader::CsvReader(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), table_(std::make_unique<CsvTable>()) {
  table_->source = std::move(name);
  // Enough for a mark of the encoding; what it means is decided before anything is checked.
  while (buffer_.size() < kUtf8Mark.size()) {
    std::string block(kUtf8Mark.size() - buffer_.size(), '\0');
    const std::size_t got = source_->read(block);
    if (got == 0) break;
    buffer_.append(block, 0, got);
  }
  if (begins_as_utf16(buffer_)) {
    converted_ = utf8_of_utf16(buffer_ + read_all(*source_, table_->source, kMaxConverted));
    source_ = bytes_of_text(converted_);
    buffer_.clear();
  } else if (buffer_ == kUtf8Mark) {
    buffer_.clear();
  }
  refuse_nul(0);
  read_header();
}

void CsvReader::read_header() {
  while (true) {
    refill();
    if (text_.empty()) {
      throw DataError(
          fmt::format("{}: the file is empty; it must begin with a header line of column names",
                      table_->source));
    }
    table_->separator = separator_of(text_);
    try {
      std::vector<std::string> header;
      parse_record(header);
      table_->header = std::move(header);
      check_header(*table_);
      return;
    } catch (const NeedMore&) {
      at_ = 0;
      line_ = 1;
      line_start_ = 0;
    }
  }
}

/// Drops what was read, and appends as much as the buffer holds, a chunk at least.
void CsvReader::refill() {
  buffer_.erase(0, at_);
  checked_ -= std::min(at_, checked_);
  at_ = 0;
  line_start_ = 0;
  text_ = buffer_;
  if (buffer_.size() > kMaxRecord) {
    throw DataError(fmt::format("{}, line {}: the record that begins here is longer than {} MiB",
                                table_->source, line_, kMaxRecord >> 20U));
  }
  const std::size_t before = buffer_.size();
  const std::size_t wanted = std::min(before + std::max(kChunk, before), kMaxRecord + kChunk);
  buffer_.resize(wanted);
  std::size_t size = before;
  while (size < wanted && !ended_) {
    const std::size_t got = source_->read(std::span(buffer_).subspan(size));
    ended_ = got == 0;
    size += got;
  }
  buffer_.resize(size);
  text_ = buffer_;
  refuse_nul(before);
  refuse_other_encodings();
}

bool CsvReader::ensure(std::size_t bytes) {
  while (text_.size() - at_ < bytes && !ended_) refill();
  return text_.size() - at_ >= bytes;
}

bool CsvReader::next(CsvRow& row) {
  while (!after_blanks_) {
    if (!ensure(1)) return false;
    static_cast<void>(ensure(2));
    const bool blank = at_blank_line();
    CsvRow found{.line = line_, .fields = {}};
    found.fields.reserve(table_->header.size());
    read_record(found.fields);
    if (blank) {
      if (blanks_++ == 0) blank_line_ = found.line;
      continue;
    }
    if (blanks_ == 0) {
      row = std::move(found);
      return true;
    }
    after_blanks_ = std::move(found);
  }
  if (blanks_ > 0) {
    --blanks_;
    row = {.line = blank_line_++, .fields = {std::string()}};
    return true;
  }
  row = std::move(*after_blanks_);
  after_blanks_.reset();
  return true;
}

/// Whether the next line is empty, which is not the same as one empty field in quotes.
bool CsvReader::at_blank_line() const noexcept {
  const std::string_view rest = text_.substr(at_, 2);
  return rest.starts_with('\n') || rest == "\r\n" || rest == "\r";
}

void CsvReader::read_record(std::vector<std::string>& fields) {
  const std::size_t line = line_;
  while (true) {
    const std::size_t begin = at_;
    try {
      parse_record(fields);
      return;
    } catch (const NeedMore&) {
      at_ = begin;
      line_ = line;
      fields.clear();
      refill();
    }
  }
}

void CsvReader::parse_record(std::vector<std::string>& fields) {
  while (true) {
    field_ = fields.size();
    if (!at_end() && text_[at_] == '"') {
      fields.push_back(quoted());
    } else {
      fields.push_back(plain());
    }
    need_more_at_end();
    if (at_end()) return;
    const char end = text_[at_++];
    if (end == table_->separator) {
      need_more_at_end();
      continue;
    }
    if (end == '\r' && !at_end()) ++at_;  // a line feed: refuse_lone_return made sure
    ++line_;
    line_start_ = at_;
    return;
  }
}

/// Up to the next separator, which is not consumed. A quote inside is an ordinary character.
std::string CsvReader::plain() {
  const std::size_t first = at_;
  while (!at_end() && !ends_field(text_[at_])) ++at_;
  refuse_lone_return();
  return std::string(text_.substr(first, at_ - first));
}

std::string CsvReader::quoted() {
  const std::size_t opened_at = at_;
  const std::size_t opened_line = line_;
  const std::size_t opened_start = line_start_;
  std::string field;
  ++at_;
  while (true) {
    const std::size_t quote = text_.find('"', at_);
    if (quote == std::string_view::npos) {
      if (!ended_) throw NeedMore();
      at_ = opened_at;
      line_ = opened_line;
      line_start_ = opened_start;
      throw DataError(position() + ": the quote that opens here is never closed");
    }
    field += text_.substr(at_, quote - at_);
    count_lines(quote);
    at_ = quote + 1;
    need_more_at_end();
    if (at_end() || text_[at_] != '"') break;
    field += '"';
    ++at_;
  }
  refuse_lone_return();
  if (!at_end() && !ends_field(text_[at_])) {
    throw DataError(fmt::format(
        "{}: a closing quote must be followed by a {} or the end of the line, not by '{}'",
        position(), separator_name(table_->separator), text_.substr(at_, character_length())));
  }
  return field;
}

void CsvReader::need_more_at_end() const {
  if (at_end() && !ended_) throw NeedMore();
}

bool CsvReader::ends_field(char letter) const noexcept {
  return letter == table_->separator || letter == '\n' || letter == '\r';
}

/// Moves the line count over the line breaks in [at_, end).
void CsvReader::count_lines(std::size_t end) noexcept {
  for (std::size_t k = text_.find('\n', at_); k < end; k = text_.find('\n', k + 1)) {
    ++line_;
    line_start_ = k + 1;
  }
}

void CsvReader::refuse_lone_return() const {
  if (text_.substr(at_, 1) != "\r") return;
  if (at_ + 1 == text_.size()) {
    if (!ended_) throw NeedMore();
    return;
  }
  if (text_[at_ + 1] == '\n') return;
  throw DataError(position() +
                  ": a carriage return without a line feed; lines must end with LF or CRLF");
}

void CsvReader::refuse_nul(std::size_t from) {
  text_ = buffer_;
  const std::size_t nul = text_.find('\0', from);
  if (nul == std::string_view::npos) return;
  count_lines(nul);
  at_ = nul;
  throw DataError(fmt::format(
      "{}, line {}, character {}: a NUL byte; the file must be text in UTF-8 (or ASCII)",
      table_->source, line_, character()));
}

/// Which other encoding it is cannot be known from the bytes, and a guess would change names.
void CsvReader::refuse_other_encodings() {
  const auto invalid = first_invalid_utf8(text_.substr(checked_));
  if (!invalid) {
    checked_ = text_.size();
    return;
  }
  checked_ += *invalid;
  constexpr std::size_t kLongest = 4;
  if (!ended_ && text_.size() - checked_ < kLongest) return;  // perhaps half a character
  count_lines(checked_);
  at_ = checked_;
  throw DataError(fmt::format(
      "{}, line {}, character {}: the byte 0x{:02X} is not UTF-8; if the file is in Latin-1 or "
      "Windows-1252, convert it: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW-FILE",
      table_->source, line_, character(), static_cast<unsigned char>(text_[at_])));
}

/// Bytes of the UTF-8 character at `at_`.
std::size_t CsvReader::character_length() const noexcept {
  std::size_t length = 1;
  while (length < 4 && at_ + length < text_.size() && continues_character(text_[at_ + length])) {
    ++length;
  }
  return length;
}

/// 1-based, in UTF-8 characters.
std::size_t CsvReader::character() const noexcept {
  const std::string_view before = text_.substr(line_start_, at_ - line_start_);
  return 1 + before.size() -
         static_cast<std::size_t>(std::count_if(before.begin(), before.end(), continues_character));
}

std::string CsvReader::position() const {
  std::string text = fmt::format("{}, line {}, character {}", table_->source, line_, character());
  if (field_ < table_->header.size()) text += fmt::format(", column '{}'", table_->header[field_]);
  return text;
}

}  // namespace croco
