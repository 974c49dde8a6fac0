// SPDX-License-Identifier: Apache-2.0
/// The lines of a file that is to be verified: a certificate, or a report with an answer per line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <croco/data/record_reader.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/verify/verify.hpp>

namespace croco {

/// Bytes of a report that is read at most.
inline constexpr std::uintmax_t kMaxReportBytes = std::uintmax_t{1} << 30;

/// One certificate or answer; refers to the bytes that it was read from.
struct ReportLine {
  std::string_view text;
  std::string source;                            ///< "advice.jsonl, line 3"
  bool answer = false;                           ///< a row of a report, not a certificate alone
  std::optional<StatedCertificate> stated = {};  ///< its certificate
  std::optional<std::size_t> row = {};
  std::optional<std::size_t> alternative = {};
  KeptColumns kept = {};  ///< columns of the data that it passes through
};

/// One certificate over any number of lines, or one answer or certificate per line; empty lines are
/// left out. Throws DataError naming the line and the key.
[[nodiscard]] std::vector<ReportLine> read_report(std::string_view bytes,
                                                  const std::string& source);

/// The columns of the data that an answer passes through, or of these `names` what it says of them:
/// an empty text where it says nothing, or no text. `line` must be a JSON object.
[[nodiscard]] KeptColumns stated_kept(std::string_view line,
                                      const std::vector<std::string>* names = nullptr);

/// The person of an answer, by what the answer says: for making it again without the data. None
/// when the row could not be read, or its record is not one of these features.
[[nodiscard]] std::optional<Person> stated_person(const ReportLine& line, const Schema& schema);

/// What is wrong between the alternatives of one person: they are numbered from 1, cheapest first,
/// and none changes all the features of a cheaper one, or any of them when they are to be disjoint.
[[nodiscard]] std::vector<std::string> alternative_faults(std::span<const ReportLine> lines,
                                                          bool disjoint);

}  // namespace croco
