// SPDX-License-Identifier: Apache-2.0
#include <croco/data/csv.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/unicode.hpp>
#include <croco/data/suggest.hpp>

namespace croco {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

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

/// One pass over the text, one record at a time.
class Parser {
 public:
  Parser(std::string_view text, const std::string& source) : text_(text), source_(source) {
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
    refuse_nul();
    refuse_other_encodings();
    separator_ = separator_of(text_);
  }

  [[nodiscard]] char separator() const noexcept { return separator_; }
  [[nodiscard]] bool done() const noexcept { return at_ == text_.size(); }
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  /// Whether the next line is empty, which is not the same as one empty field in quotes.
  [[nodiscard]] bool at_blank_line() const noexcept {
    const std::string_view rest = text_.substr(at_, 2);
    return rest.starts_with('\n') || rest == "\r\n" || rest == "\r";
  }

  /// Appends the fields of the next record. `header` names columns in messages and may be empty.
  void next(std::vector<std::string>& fields, const std::vector<std::string>& header) {
    header_ = &header;
    while (true) {
      field_ = fields.size();
      if (at_ < text_.size() && text_[at_] == '"') {
        fields.push_back(quoted());
      } else {
        fields.push_back(plain());
      }
      if (done()) return;
      const char end = text_[at_++];
      if (end == separator_) continue;
      if (end == '\r' && !done()) ++at_;  // a line feed: refuse_lone_return made sure
      ++line_;
      line_start_ = at_;
      return;
    }
  }

 private:
  /// Up to the next separator, which is not consumed. A quote inside is an ordinary character.
  std::string plain() {
    const std::size_t first = at_;
    while (!done() && !ends_field(text_[at_])) ++at_;
    refuse_lone_return();
    return std::string(text_.substr(first, at_ - first));
  }

  std::string quoted() {
    const std::string opened = position();
    std::string field;
    ++at_;
    while (true) {
      const std::size_t quote = text_.find('"', at_);
      if (quote == std::string_view::npos) {
        throw DataError(opened + ": the quote that opens here is never closed");
      }
      field += text_.substr(at_, quote - at_);
      count_lines(quote);
      at_ = quote + 1;
      if (done() || text_[at_] != '"') break;
      field += '"';
      ++at_;
    }
    refuse_lone_return();
    if (!done() && !ends_field(text_[at_])) {
      throw DataError(fmt::format(
          "{}: a closing quote must be followed by a {} or the end of the line, not by '{}'",
          position(), separator_name(separator_), text_.substr(at_, character_length())));
    }
    return field;
  }

  [[nodiscard]] bool ends_field(char letter) const noexcept {
    return letter == separator_ || letter == '\n' || letter == '\r';
  }

  /// Moves the line count over the line breaks in [at_, end).
  void count_lines(std::size_t end) noexcept {
    for (std::size_t k = text_.find('\n', at_); k < end; k = text_.find('\n', k + 1)) {
      ++line_;
      line_start_ = k + 1;
    }
  }

  void refuse_lone_return() const {
    if (text_.substr(at_, 1) != "\r" || at_ + 1 == text_.size() || text_[at_ + 1] == '\n') return;
    throw DataError(position() +
                    ": a carriage return without a line feed; lines must end with LF or CRLF");
  }

  void refuse_nul() {
    const std::size_t nul = text_.find('\0');
    if (nul == std::string_view::npos) return;
    count_lines(nul);
    at_ = nul;
    throw DataError(fmt::format(
        "{}, line {}, character {}: a NUL byte; the file must be text in UTF-8 (or ASCII)", source_,
        line_, character()));
  }

  /// Which other encoding it is cannot be known from the bytes, and a guess would change names.
  void refuse_other_encodings() {
    const auto invalid = first_invalid_utf8(text_);
    if (!invalid) return;
    count_lines(*invalid);
    at_ = *invalid;
    throw DataError(fmt::format(
        "{}, line {}, character {}: the byte 0x{:02X} is not UTF-8; if the file is in Latin-1 or "
        "Windows-1252, convert it: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW-FILE",
        source_, line_, character(), static_cast<unsigned char>(text_[at_])));
  }

  [[nodiscard]] static bool continues(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
  }
  /// Bytes of the UTF-8 character at `at_`.
  [[nodiscard]] std::size_t character_length() const noexcept {
    std::size_t length = 1;
    while (length < 4 && at_ + length < text_.size() && continues(text_[at_ + length])) ++length;
    return length;
  }
  /// 1-based, in UTF-8 characters.
  [[nodiscard]] std::size_t character() const noexcept {
    const std::string_view before = text_.substr(line_start_, at_ - line_start_);
    return 1 + before.size() -
           static_cast<std::size_t>(std::count_if(before.begin(), before.end(), continues));
  }
  [[nodiscard]] std::string position() const {
    std::string text = fmt::format("{}, line {}, character {}", source_, line_, character());
    if (field_ < header_->size()) text += fmt::format(", column '{}'", (*header_)[field_]);
    return text;
  }

  std::string_view text_;
  char separator_ = ',';
  const std::string& source_;
  const std::vector<std::string>* header_ = nullptr;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
  std::size_t field_ = 0;
};

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

std::string in_quotes(std::string_view field) {
  std::string quoted = "\"";
  for (const char letter : field) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  quoted += '"';
  return quoted;
}

}  // namespace

std::optional<std::size_t> CsvTable::find(std::string_view name) const noexcept {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

std::size_t CsvTable::column(std::string_view name) const {
  if (const auto index = find(name)) return *index;
  throw DataError(fmt::format("{}: there is no column '{}'{} (columns: {})", source, name,
                              did_you_mean(name, header), quoted_list(header)));
}

CsvTable parse_csv(std::string_view text, std::string source) {
  CsvTable table;
  table.source = std::move(source);
  std::string converted;
  if (begins_as_utf16(text)) {
    converted = utf8_of_utf16(text);
    text = converted;
  }
  Parser parser(text, table.source);
  table.separator = parser.separator();
  if (parser.done()) {
    throw DataError(
        fmt::format("{}: the file is empty; it must begin with a header line of column "
                    "names",
                    table.source));
  }
  const std::vector<std::string> no_header;
  parser.next(table.header, no_header);
  check_header(table);

  std::size_t rows_to_keep = 0;
  while (!parser.done()) {
    const bool blank = parser.at_blank_line();
    CsvRow& row = table.rows.emplace_back();
    row.line = parser.line();
    row.fields.reserve(table.header.size());
    parser.next(row.fields, table.header);
    if (!blank) rows_to_keep = table.rows.size();
  }
  table.rows.resize(rows_to_keep);
  return table;
}

CsvTable read_csv(const std::filesystem::path& path) {
  return parse_csv(read_file(path), path.string());
}

void require_rows(const CsvTable& table) {
  if (!table.rows.empty()) return;
  throw DataError(
      fmt::format("{}: has a header but no rows; at least one row is needed", table.source));
}

std::string csv_field(std::string_view field) {
  // Readers take a mark at the beginning of a file for its encoding, unless it is in quotes.
  if (field.find_first_of(",\"\r\n") == std::string_view::npos &&
      !field.starts_with(kByteOrderMark)) {
    return std::string(field);
  }
  return in_quotes(field);
}

std::string csv_record(const std::vector<std::string>& fields) {
  // A record of one empty field would be a blank line, which readers skip at the end of a file; and
  // without a comma, another separator within a name would be taken for one.
  if (fields.size() == 1 &&
      (fields.front().empty() || fields.front().find_first_of(";\t") != std::string::npos)) {
    return in_quotes(fields.front()) + '\n';
  }
  std::string record;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (k != 0) record += ',';
    record += csv_field(fields[k]);
  }
  record += '\n';
  return record;
}

}  // namespace croco
