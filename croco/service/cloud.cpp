// SPDX-License-Identifier: Apache-2.0
// A cloud of noisy outcomes: which of them fail, and what made them fail.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/models/model.hpp>
#include <croco/report/narrate.hpp>
#include <croco/service/elapsed.hpp>
#include <croco/service/outcomes.hpp>
#include <croco/service/service_impl.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

/// The value of one feature at a point: a number in its own units, or a level.
Json value_at(const Codec& codec, const NoisyFeature& one, View point) {
  if (!one.category) return codec.decode_number(one.feature, point[one.first]);
  const View columns = point.subspan(one.first, one.columns);
  const auto level = static_cast<std::size_t>(std::ranges::max_element(columns) - columns.begin());
  return codec.schema().features[one.feature].levels[level];
}

/// How outcomes deviate in one feature.
struct Deviations {
  std::size_t deviates = 0;
  std::size_t failed = 0;
  double failed_sum = 0;
  double passed_sum = 0;
};

Deviations deviations_of(const NoisyFeature& one, View advised, const Outcomes& all) {
  Deviations out;
  for (const Outcome& outcome : all.outcomes) {
    const View there = View(outcome.point).subspan(one.first, one.columns);
    const View here = advised.subspan(one.first, one.columns);
    out.deviates += std::ranges::equal(there, here) ? 0U : 1U;
    out.failed += outcome.reached ? 0U : 1U;
    (outcome.reached ? out.passed_sum : out.failed_sum) += there[0] - here[0];
  }
  return out;
}

/// The share of the failing outcomes that deviate noticeably in the direction of their mean; of a
/// category, that deviate at all.
double failed_share(const NoisyFeature& one, View advised, const Outcomes& all,
                    const Deviations& sums) {
  std::size_t count = 0;
  for (const Outcome& outcome : all.outcomes) {
    if (outcome.reached) continue;
    const View there = View(outcome.point).subspan(one.first, one.columns);
    const View here = advised.subspan(one.first, one.columns);
    if (one.category) {
      count += std::ranges::equal(there, here) ? 0U : 1U;
    } else {
      const double sign = sums.failed_sum < 0 ? -1.0 : 1.0;
      count += sign * (there[0] - here[0]) > one.scale / 2 ? 1U : 0U;
    }
  }
  return static_cast<double>(count) / static_cast<double>(sums.failed);
}

Json feature_json(const Codec& codec, const NoisyFeature& one, const Record& after, View advised,
                  const Outcomes& all) {
  const Feature& feature = codec.schema().features[one.feature];
  const Deviations sums = deviations_of(one, advised, all);
  const std::size_t passed = all.outcomes.size() - sums.failed;
  Json out{{"feature", feature.name},       {"label", feature.display_name()},
           {"unit", feature.unit},          {"type", one.category ? "categorical" : "numeric"},
           {"advised", after[one.feature]}, {"deviates", sums.deviates},
           {"failed_mean", nullptr},        {"passed_mean", nullptr},
           {"failed_share", nullptr}};
  const double unit = one.category ? 0 : codec.unit_of(one.feature);
  if (!one.category && sums.failed > 0) {
    out["failed_mean"] = unit * sums.failed_sum / static_cast<double>(sums.failed);
  }
  if (!one.category && passed > 0) {
    out["passed_mean"] = unit * sums.passed_sum / static_cast<double>(passed);
  }
  if (sums.failed > 0) out["failed_share"] = failed_share(one, advised, all, sums);
  return out;
}

Json outcome_json(const Codec& codec, const Outcomes& all, const Outcome& one) {
  Json values = Json::array();
  for (const NoisyFeature& feature : all.features) {
    values.push_back(value_at(codec, feature, one.point));
  }
  Json out{{"ok", one.reached},
           {"score", nullptr},
           {"values", std::move(values)},
           {"culprits", one.culprits}};
  if (!std::isnan(one.logit)) out["score"] = sigmoid(one.logit);
  return out;
}

}  // namespace

std::string Service::Impl::cloud(std::string_view json, const std::stop_token& stop) const {
  const Elapsed elapsed;
  Question question = read(json, QuestionKind::cloud);
  if (question.missing == MissingPolicy::keep) {
    throw InvalidArgument("missing is 'keep'; a cloud needs records with all values");
  }
  const Prepared ready = prepared(question);
  const Codec& codec = ready->explainer.codec();
  Record after;
  if (question.after) {
    after = *question.after;
  } else {
    const Explanation answer = explain_one(*ready, question.person, stop);
    if (!answer.has_advice()) {
      throw DataError(
          "there is no advice whose outcomes could be shown; 'after' may give a record");
    }
    after = answer.after;
  }
  const Vector origin = codec.encode(question.person.record, {}, question.missing);
  const Vector point = codec.encode(after, {}, question.missing);
  const Outcomes all =
      make_outcomes(ready->explainer.problem(), codec, origin, point, question.count, stop);
  Json features = Json::array();
  for (const NoisyFeature& one : all.features) {
    features.push_back(feature_json(codec, one, after, point, all));
  }
  Json outcomes = Json::array();
  for (const Outcome& one : all.outcomes) outcomes.push_back(outcome_json(codec, all, one));
  const auto failed =
      static_cast<std::size_t>(std::ranges::count(all.outcomes, false, &Outcome::reached));
  return dumped(
      Json{{"count", question.count},
           {"passed", question.count - failed},
           {"failed", failed},
           {"threshold", ready->context.goal.threshold()},
           {"features", std::move(features)},
           {"outcomes", std::move(outcomes)},
           {"sentence",
            fmt::format("{} of {} samples fail. The picture is for looking; what holds is the "
                        "certificate, which has samples of its own.",
                        with_thousands(failed), with_thousands(question.count))},
           {"milliseconds", elapsed.milliseconds()}});
}

}  // namespace croco
