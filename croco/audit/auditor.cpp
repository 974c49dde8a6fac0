// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/auditor.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/noise/noise.hpp>

namespace croco {
namespace {

constexpr double kNoCost = std::numeric_limits<double>::infinity();

/// The cheapest change that the model accepts when it is carried out exactly: the certified method
/// without noise. Each of its samples is the point itself, so that few of them decide.
ExplainOptions without_noise(const Explainer& explainer) {
  constexpr std::size_t kFew = 64;
  constexpr std::size_t kEnough = 1000;
  const ExplainOptions& like = explainer.options();
  ExplainOptions out{.method = Certified{.target = 0.5, .search_samples = kFew},
                     .noise = scaled(explainer.noise(), 0),
                     .goal = like.goal,
                     .certify = {.samples = kEnough},
                     .missing = like.missing,
                     .seed = like.seed,
                     .threads = like.threads,
                     .reasons = false,
                     .time_limit = like.time_limit,
                     .max_changes = like.max_changes,
                     .restrictions = like.restrictions};
  auto& method = std::get<Certified>(out.method);
  method.calibration_samples = kFew;
  if (const auto* given = std::get_if<Certified>(&like.method)) {
    method.search = given->search;
    method.search_budget = given->search_budget;
    method.soft_search_budget = given->soft_search_budget;
    method.accepted = given->accepted;
  }
  return out;
}

bool is_proved_impossible(const Explanation& answer) {
  if (answer.proof && answer.proof->infeasible) return true;
  return answer.obstacle && (answer.obstacle->proved || answer.obstacle->out_of_reach > 0);
}

std::optional<Recourse> recourse_of(const Explanation& answer) {
  if (answer.status == Status::error) return std::nullopt;
  if (answer.status == Status::already) return Recourse::accepted;
  if (answer.has_advice() && answer.target_met.value_or(false)) return Recourse::certified;
  return is_proved_impossible(answer) ? Recourse::impossible : Recourse::undecided;
}

/// Of a yes that is certified; none for a row that could not be answered.
std::optional<double> cost_of(const Explanation& answer) {
  const std::optional<Recourse> recourse = recourse_of(answer);
  if (!recourse) return std::nullopt;
  if (*recourse == Recourse::accepted) return 0.0;
  return *recourse == Recourse::certified ? answer.distance.cost : kNoCost;
}

AuditedPerson audited_person(const Explanation& answer, const Person& person,
                             const std::vector<AuditAttribute>& attributes, const Goal& goal) {
  AuditedPerson out{.row = person.row, .recourse = recourse_of(answer)};
  if (!out.recourse) return out;
  for (const AuditAttribute& attribute : attributes) {
    out.groups.push_back(attribute.group_of(person).value_or(Grouping::kNone));
  }
  out.score = goal.wanted() == 1 ? answer.score_before : 1 - answer.score_before;
  out.cost = cost_of(answer).value_or(kNoCost);
  if (*out.recourse == Recourse::accepted) {
    out.plain = 0;
  } else if (*out.recourse == Recourse::certified) {
    for (std::size_t f = 0; f < answer.after.size(); ++f) {
      if (answer.after[f] != answer.before[f]) out.changed.push_back(f);
    }
  } else if (answer.obstacle) {
    out.limits = answer.obstacle->limits;
  }
  return out;
}

/// What an audit can be asked with, before the model is asked for anything.
ExplainOptions checked(ExplainOptions options) {
  if (!target_of(options.method)) {
    throw InvalidArgument(
        fmt::format("method is '{}', which has no target; an audit needs one that has",
                    name_of(options.method)));
  }
  if (options.query_budget) {
    throw InvalidArgument(
        "query_budget limits what one answer takes; an audit asks several questions about a "
        "person");
  }
  return options;
}

}  // namespace

Auditor::Auditor(const LoadedModel& model, const ExplainOptions& options,
                 std::vector<AuditAttribute> attributes, AuditQuestions questions)
    : attributes_(std::move(attributes)),
      questions_(questions),
      explainer_(model, checked(options)) {
  if (questions_.premium) plain_.emplace(model, without_noise(explainer_));
}

Auditor::Answers Auditor::audit(std::span<const Person> people, const std::stop_token& stop) const {
  Answers out{.answers = explainer_.explain(people, stop), .people = {}};
  const std::span<const Person> answered = people.first(out.answers.size());
  for (std::size_t i = 0; i < answered.size(); ++i) {
    out.people.push_back(
        audited_person(out.answers[i], answered[i], attributes_, explainer_.options().goal));
  }
  if (!add_plain(answered, out.people, stop) || !add_swaps(answered, out.people, stop)) return {};
  return out;
}

bool Auditor::add_plain(std::span<const Person> people, std::vector<AuditedPerson>& out,
                        const std::stop_token& stop) const {
  if (!plain_) return true;
  std::vector<Person> refused;
  std::vector<AuditedPerson*> places;
  for (std::size_t i = 0; i < people.size(); ++i) {
    if (!out[i].recourse || *out[i].recourse == Recourse::accepted) continue;
    refused.push_back(people[i]);
    places.push_back(&out[i]);
  }
  const std::vector<Explanation> answers = plain_->explain(refused, stop);
  if (answers.size() < refused.size()) return false;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    // Certified advice is a plain yes too, should the other search have missed it.
    const double found = answers[i].valid ? answers[i].distance.cost : kNoCost;
    places[i]->plain = std::min(found, places[i]->cost);
  }
  return true;
}

bool Auditor::add_swaps(std::span<const Person> people, std::vector<AuditedPerson>& out,
                        const std::stop_token& stop) const {
  if (!questions_.swap) return true;
  std::vector<Person> swapped;
  std::vector<std::pair<AuditedPerson*, AuditedPerson::Swap>> places;
  for (std::size_t a = 0; a < attributes_.size(); ++a) {
    const AuditAttribute& attribute = attributes_[a];
    if (!attribute.swappable) continue;
    for (std::size_t i = 0; i < people.size(); ++i) {
      if (!out[i].recourse) continue;
      const std::uint32_t own = out[i].groups[a];
      for (std::uint32_t g = 0; g < attribute.groups.size(); ++g) {
        // Members as the reference, and the reference as members of every group.
        const bool compared = own == attribute.reference ? g != own : g == attribute.reference;
        if (!compared || attribute.groups[g] == kMissingGroup) continue;
        swapped.push_back(people[i]);
        swapped.back().record[*attribute.feature] = attribute.groups[g];
        places.emplace_back(&out[i], AuditedPerson::Swap{a, g, kNoCost});
      }
    }
  }
  const std::vector<Explanation> answers = explainer_.explain(swapped, stop);
  if (answers.size() < swapped.size()) return false;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::optional<double> cost = cost_of(answers[i]);
    if (!cost) continue;  // such as a value that a relation needs
    places[i].second.cost = *cost;
    places[i].first->swaps.push_back(places[i].second);
  }
  return true;
}

}  // namespace croco
