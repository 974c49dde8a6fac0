// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <croco/report/narrate.hpp>
#include <croco/report/writer.hpp>

namespace croco {
namespace {

/// Breaks at blanks so that lines have at most 96 characters, indented by two.
std::string wrapped(const std::string& text) {
  constexpr std::size_t kWidth = 96;
  std::string out = "  ";
  std::size_t column = 2;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find(' ', begin);
    if (end == std::string::npos) end = text.size();
    const std::size_t length = end - begin;
    if (column > 2 && column + 1 + length > kWidth) {
      out += "\n  ";
      column = 2;
    } else if (column > 2) {
      out += ' ';
      ++column;
    }
    out.append(text, begin, length);
    column += length;
    begin = end + 1;
  }
  return out + "\n";
}

}  // namespace

std::string text_block(const ReportContext& context, const Explanation& explanation) {
  std::string out = headline(context, explanation) + "\n";
  const std::vector<Change> list = changes(context, explanation);
  std::size_t name_width = 0;
  std::size_t from_width = 0;
  for (const Change& change : list) {
    name_width = std::max(name_width, change.name.size());
    from_width = std::max(from_width, change.from.size());
  }
  for (const Change& change : list) {
    out += fmt::format("    {:<{}}   {:>{}}  ->  {}\n", change.name, name_width, change.from,
                       from_width, change.to);
  }
  out += wrapped(outcome(context, explanation));
  const std::string sentence = certificate_sentence(context, explanation);
  if (!sentence.empty()) out += wrapped(sentence);
  const std::string proof = proof_sentence(explanation);
  if (!proof.empty()) out += wrapped(proof);
  return out;
}

}  // namespace croco
