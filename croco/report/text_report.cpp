// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <croco/report/narrate.hpp>
#include <croco/report/obstacle_text.hpp>
#include <croco/report/writer.hpp>

namespace croco {

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
  const std::string cost = cost_sentence(context, explanation);
  if (!cost.empty()) out += wrapped(cost);
  const std::string sentence = certificate_sentence(context, explanation);
  if (!sentence.empty()) out += wrapped(sentence);
  for (const std::string& text : obstacle_sentences(context, explanation)) out += wrapped(text);
  const std::string proof = proof_sentence(explanation);
  if (!proof.empty()) out += wrapped(proof);
  return out;
}

}  // namespace croco
