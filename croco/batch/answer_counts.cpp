// SPDX-License-Identifier: Apache-2.0
#include <croco/batch/answer_counts.hpp>

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_text.hpp>

namespace croco {
namespace {

using CountsJson = nlohmann::ordered_json;

/// Each number with its key, for reading and writing alike.
template <typename Counts, typename Each>
void for_each_number(Counts& counts, const Each& each) {
  each("rows", counts.rows);
  for (std::size_t i = 0; i < kStatuses; ++i) {
    each(std::string(name_of(static_cast<Status>(i))), counts.by_status[i]);
  }
  each("valid", counts.valid);
  each("target_met", counts.target_met);
  each("broken", counts.broken);
  each("all_alternatives", counts.all_alternatives);
  each("dropped", counts.dropped);
  each("queries", counts.queries);
  each("most_queries", counts.most_queries);
  each("asked", counts.asked);
}

}  // namespace

void AnswerCounts::add(const Explanation& answer, std::size_t alternatives) {
  ++by_status[static_cast<std::size_t>(answer.status)];
  valid += answer.valid ? 1U : 0U;
  target_met += answer.target_met.value_or(false) ? 1U : 0U;
  broken += answer.broken && answer.broken->any() ? 1U : 0U;
  all_alternatives +=
      answer.alternatives.size() + 1 == alternatives && answer.alternative > 0 ? 1U : 0U;
  if (answer.queries) {
    ++asked;
    queries += *answer.queries;
    most_queries = std::max(most_queries, *answer.queries);
  }
  if (answer.status == Status::error && failures.size() < kRemembered) {
    failures.push_back(answer.reason);
  }
}

std::string json_of(const AnswerCounts& counts) {
  CountsJson out = CountsJson::object();
  for_each_number(counts, [&](const std::string& key, std::size_t number) { out[key] = number; });
  out["failures"] = counts.failures;
  return json_text(out, -1, BrokenText::replace);
}

AnswerCounts answer_counts(const std::string& json) {
  AnswerCounts out;
  try {
    const CountsJson read = parse_json(json);
    for_each_number(out, [&](const std::string& key, std::size_t& number) {
      number = read.at(key).get<std::size_t>();
    });
    out.failures = read.at("failures").get<std::vector<std::string>>();
  } catch (const CountsJson::exception&) {
    throw DataError("the state of the unfinished run is not one of this command");
  }
  return out;
}

}  // namespace croco
