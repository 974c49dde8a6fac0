// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/summary.hpp>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

constexpr std::size_t kFactFields = 12;

std::string fact_text(const std::optional<double>& value) {
  return value ? fmt::format("{:a}", *value) : "-";
}

std::optional<double> parse_fact(const std::string& text, const std::string& line) {
  if (text == "-") return std::nullopt;
  std::size_t used = 0;
  double out = 0;
  try {
    out = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != text.size()) {
    throw DataError(fmt::format("'{}' is not what is known of an answer", line.substr(0, 60)));
  }
  return out;
}

}  // namespace

AnswerFacts facts_of(const Explanation& answer) {
  AnswerFacts out{.status = answer.status,
                  .valid = answer.valid,
                  .features_changed = answer.features_changed,
                  .distance = answer.distance};
  if (answer.certificate) {
    out.rate = answer.certificate->rate;
    out.upper = answer.certificate->upper;
  }
  if (answer.model_change) {
    out.retraining_rate = static_cast<double>(answer.model_change->rejecting) /
                          static_cast<double>(answer.model_change->invalid.size());
    out.joint_rate = answer.model_change->rate;
    out.joint_upper = answer.model_change->upper;
  }
  return out;
}

std::string facts_line(const AnswerFacts& facts) {
  return fmt::format(
      "{} {} {} {:a} {:a} {:a} {:a} {} {} {} {} {}\n", static_cast<int>(facts.status),
      facts.valid ? 1 : 0, facts.features_changed, facts.distance.l1, facts.distance.l2,
      facts.distance.linf, facts.distance.cost, fact_text(facts.rate), fact_text(facts.upper),
      fact_text(facts.retraining_rate), fact_text(facts.joint_rate), fact_text(facts.joint_upper));
}

AnswerFacts parse_facts(const std::string& line) {
  std::istringstream words(line);
  std::array<std::string, kFactFields> word;
  for (std::string& one : word) words >> one;
  std::array<std::optional<double>, kFactFields> number;
  for (std::size_t i = 0; i < number.size(); ++i) number[i] = parse_fact(word[i], line);
  const auto required = [&](std::size_t i) { return number[i].value_or(0); };
  AnswerFacts out;
  out.status =
      static_cast<Status>(std::clamp<int>(static_cast<int>(required(0)), 0, kStatuses - 1));
  out.valid = required(1) == 1;
  out.features_changed = static_cast<std::size_t>(required(2));
  out.distance.l1 = required(3);
  out.distance.l2 = required(4);
  out.distance.linf = required(5);
  out.distance.cost = required(6);
  out.rate = number[7];
  out.upper = number[8];
  out.retraining_rate = number[9];
  out.joint_rate = number[10];
  out.joint_upper = number[11];
  return out;
}

void SummaryBuilder::add(const AnswerFacts& facts) {
  ++sums_.people;
  sums_.already += facts.status == Status::already ? 1U : 0U;
  sums_.errors += facts.status == Status::error ? 1U : 0U;
  sums_.infeasible += facts.status == Status::infeasible ? 1U : 0U;
  if (!has_advice(facts.status)) return;
  ++sums_.advised;
  sums_.rule_met += facts.status == Status::found ? 1U : 0U;
  valid_ += facts.valid ? 1U : 0U;
  l1_.add(facts.distance.l1);
  sums_.l0 += static_cast<double>(facts.features_changed);
  sums_.l1 += facts.distance.l1;
  sums_.l2 += facts.distance.l2;
  sums_.linf += facts.distance.linf;
  sums_.cost += facts.distance.cost;
  if (facts.joint_rate) {
    ++judged_;
    retraining_ += facts.retraining_rate.value_or(0);
    joint_ += *facts.joint_rate;
    joint_upper_ += facts.joint_upper.value_or(0);
  }
  if (!facts.rate) return;
  sums_.rate += *facts.rate;
  sums_.upper += facts.upper.value_or(0);
  if (target_) {
    rate_above_ += *facts.rate > *target_ ? 1U : 0U;
    bound_above_ += facts.upper.value_or(0) > *target_ ? 1U : 0U;
  }
}

Summary SummaryBuilder::finish(std::string name, std::optional<double> seconds) const {
  Summary out = sums_;
  out.name = std::move(name);
  const std::size_t asked = out.people - out.already - out.errors;
  const auto advised = static_cast<double>(std::max<std::size_t>(1, out.advised));
  for (double* mean : {&out.l0, &out.l1, &out.l2, &out.linf, &out.cost, &out.rate, &out.upper}) {
    *mean /= advised;
  }
  out.l1_median = l1_.value();
  out.validity = static_cast<double>(valid_) / static_cast<double>(std::max<std::size_t>(1, asked));
  if (target_) {
    out.rate_above_target = static_cast<double>(rate_above_) / advised;
    out.bound_above_target = static_cast<double>(bound_above_) / advised;
  }
  if (judged_ > 0) {
    out.retraining_rate = retraining_ / static_cast<double>(judged_);
    out.joint_rate = joint_ / static_cast<double>(judged_);
    out.joint_upper = joint_upper_ / static_cast<double>(judged_);
  }
  if (seconds && asked > 0) out.seconds_per_person = *seconds / static_cast<double>(asked);
  return out;
}

Summary summarize(std::string name, std::span<const Explanation> answers,
                  std::optional<double> target, std::optional<double> seconds) {
  SummaryBuilder builder(target);
  for (const Explanation& answer : answers) builder.add(facts_of(answer));
  return builder.finish(std::move(name), seconds);
}

}  // namespace croco
