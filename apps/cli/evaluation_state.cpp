// SPDX-License-Identifier: Apache-2.0
#include <apps/cli/evaluation_state.hpp>

#include <nlohmann/json.hpp>

#include <apps/cli/options.hpp>
#include <croco/base/error.hpp>
#include <croco/base/json_text.hpp>
#include <croco/batch/answer_counts.hpp>

namespace croco::cli {

std::vector<EvaluatedEntry> evaluated_entries(const std::vector<std::string>& methods,
                                              const std::vector<std::string>& counterfactuals,
                                              bool models) {
  std::vector<EvaluatedEntry> out;
  for (const std::string& name : methods) {
    out.push_back({.name = name, .method = name});
    if (models && name == "certified") {
      out.push_back({.name = name + "+models", .method = name, .with_models = true});
    }
  }
  for (const std::string& text : counterfactuals) {
    const auto [name, file] = parse_named_file(text);
    out.push_back({.name = name, .file = file});
  }
  return out;
}

std::string EvaluationState::json() const {
  return json_text(nlohmann::json{{"seconds", seconds},
                                  {"failures", failures},
                                  {"failed", failed},
                                  {"failed_entry", failed_entry}},
                   -1, BrokenText::replace);
}

void EvaluationState::read(const std::string& text) {
  try {
    const auto json = parse_json<nlohmann::json>(text);
    seconds = json.at("seconds").get<std::vector<double>>();
    failures = json.at("failures").get<std::vector<std::string>>();
    failed = json.at("failed").get<std::size_t>();
    failed_entry = json.at("failed_entry").get<std::size_t>();
  } catch (const nlohmann::json::exception&) {
    throw DataError("the state of the unfinished run is not one of this command");
  }
}

void EvaluationState::add_failures(std::size_t entry, bool method,
                                   std::span<const Explanation> answers) {
  for (const Explanation& answer : answers) {
    if (answer.status != Status::error) continue;
    if (method && failed > 0 && failed_entry != entry) continue;
    failed_entry = entry;
    ++failed;
    if (failures.size() < AnswerCounts::kRemembered) failures.push_back(answer.reason);
  }
}

}  // namespace croco::cli
