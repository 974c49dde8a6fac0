// SPDX-License-Identifier: Apache-2.0
// People who lack the same values have a model and a space of their own, in which these values do
// not occur.
#include <optional>
#include <utility>

#include <croco/base/error.hpp>
#include <croco/base/parallel.hpp>
#include <croco/explain/explainer_impl.hpp>
#include <croco/loading/missing_values.hpp>

namespace croco {

std::vector<Explanation> Explainer::Impl::explain_pattern(const std::vector<std::size_t>& features,
                                                          std::span<const Person> people,
                                                          const std::stop_token& stop) const {
  std::optional<PartialModel> partial;
  try {
    partial = partial_model(loaded_.models, codec_, features);
  } catch (const Error& error) {
    std::vector<Explanation> refused;
    for (const Person& person : people) refused.push_back(refused_answer(person, error.what()));
    return refused;
  }
  std::vector<Person> blank(people.begin(), people.end());
  for (Person& person : blank) person.record = with_blanks(codec_, std::move(person.record));
  ExplainOptions options = given_;
  options.missing = MissingPolicy::error;
  options.reason_codes = 0;  // whose accepted people have all their values
  options.plausibility = false;
  const Explainer explainer(partial->model, partial->codec, std::move(options));
  std::vector<Explanation> answers = explainer.explain(blank, stop);
  compare_with_accepted(*partial->model, partial->codec, answers);
  for (Explanation& answer : answers) {
    answer.missing_features = features;
    for (Explanation& other : answer.alternatives) other.missing_features = features;
  }
  return answers;
}

std::vector<Explanation> Explainer::Impl::explain_kept(std::span<const Person> people,
                                                       const std::stop_token& stop) const {
  const std::vector<MissingPattern> patterns = missing_patterns(codec_, people);
  std::vector<std::optional<Explanation>> answers(people.size());
  parallel_for(patterns.size(), derived_.threads, [&](std::size_t p) {
    if (stop.stop_requested()) return;
    const MissingPattern& pattern = patterns[p];
    std::vector<Person> members;
    members.reserve(pattern.members.size());
    for (const std::size_t i : pattern.members) members.push_back(people[i]);
    std::vector<Explanation> some = pattern.features.empty()
                                        ? explain_alike(members, stop)
                                        : explain_pattern(pattern.features, members, stop);
    for (std::size_t k = 0; k < some.size(); ++k) {
      answers[pattern.members[k]] = std::move(some[k]);
    }
  });
  std::vector<Explanation> out;
  for (std::optional<Explanation>& answer : answers) {
    if (!answer) break;
    out.push_back(std::move(*answer));
  }
  return out;
}

}  // namespace croco
