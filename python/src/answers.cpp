// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <croco/report/advice_plan.hpp>
#include <croco/report/certificate_json.hpp>
#include <croco/report/model_change_text.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/noise_words.hpp>
#include <croco/report/obstacle_text.hpp>
#include <croco/report/writer.hpp>

#include "answers.hpp"

namespace nb = nanobind;

namespace croco::python {
namespace {

/// One answer of a person: the first, or one of the alternatives, from 1.
const Explanation& at(const Answers& answers, std::size_t row, std::size_t alternative) {
  if (row >= answers.rows.size()) throw nb::index_error("there is no such row");
  const Explanation& first = answers.rows[row];
  if (alternative <= 1) return first;
  if (alternative - 2 >= first.alternatives.size()) {
    throw nb::index_error("the row has no such alternative");
  }
  return first.alternatives[alternative - 2];
}

nb::dict certificate_dict(const Certificate& certificate) {
  nb::dict out;
  out["upper"] = certificate.upper;
  out["rate"] = certificate.rate;
  out["confidence"] = certificate.confidence;
  out["samples"] = certificate.samples;
  out["failures"] = certificate.invalid;
  out["exact"] = certificate.samples == 0;
  out["family"] = certificate.family;
  out["seed"] = certificate.seed;
  out["bound"] = nb::str(std::string(name_of(certificate.bound)).c_str());
  return out;
}

/// What is certified about retrained models.
nb::dict models_dict(const ReportContext& context, const Explanation& answer) {
  const ModelChange& change = *answer.model_change;
  nb::dict out;
  out["upper"] = change.upper;
  out["rate"] = change.rate;
  out["share_upper"] = change.share_upper;
  out["limit"] = change.limit;
  out["worst_upper"] = change.worst_upper;
  out["confidence"] = change.confidence;
  out["certifying"] = change.invalid.size();
  out["statements"] = model_change_sentences(context, answer);
  return out;
}

nb::list changes_list(const ReportContext& context, const Explanation& answer) {
  nb::list out;
  const std::optional<AdvicePlan> plan = advice_plan(context, answer);
  if (!plan) return out;
  for (const PlanStep& step : plan->steps) {
    nb::dict one;
    one["feature"] = step.feature;
    one["from"] = answer.before[step.feature];
    one["to"] = answer.after[step.feature];
    one["price"] = step.price;
    one["phrase"] = step.phrase;
    one["label"] = step.name;
    one["shown_from"] = step.from;
    one["shown_to"] = step.to;
    out.append(one);
  }
  return out;
}

nb::list reason_codes_list(const ReportContext& context, const Explanation& answer) {
  nb::list out;
  for (const ReasonCode& reason : answer.reason_codes) {
    const Feature& feature = context.codec.schema().features[reason.feature];
    nb::dict one;
    one["code"] = feature.reason_code;
    one["feature"] = feature.name;
    one["gain"] = reason.gain;
    out.append(one);
  }
  return out;
}

nb::dict plausibility_dict(const Plausibility& known) {
  nb::dict out;
  out["distance"] = known.distance;
  out["share"] = known.share;
  out["nearest"] = known.nearest;
  return out;
}

nb::list broken_list(const ReportContext& context, const BrokenRules& broken) {
  nb::list out;
  for (const Limit& limit : broken.limits) out.append(limit_phrase(context, limit));
  if (broken.too_many_changes) out.append(most_changes_phrase(context));
  return out;
}

/// What Python makes an answer of.
nb::dict answer_dict(const Answers& answers, std::size_t row, std::size_t alternative) {
  const Explanation& answer = at(answers, row, alternative);
  const ReportContext& context = answers.context;
  nb::dict out;
  out["row"] = answer.row;
  out["status"] = std::string(name_of(answer.status));
  out["reason"] = answer.reason;
  out["missing"] = answer.missing;
  out["alternatives"] = answers.rows[row].alternatives.size() + 1;
  out["before"] = answer.before;
  out["score_before"] = answer.score_before;
  out["changes"] = changes_list(context, answer);
  if (answer.has_advice()) {
    out["after"] = answer.after;
    out["score"] = answer.score;
    out["valid"] = answer.valid;
    out["cost"] = answer.distance.cost;
    out["features_changed"] = answer.features_changed;
    const std::optional<AdvicePlan> plan = advice_plan(context, answer);
    out["action"] = plan ? plan->action : std::string();
    out["outlook"] = plan ? plan->outlook : std::string();
  }
  if (answer.certificate) {
    nb::dict certificate = certificate_dict(*answer.certificate);
    certificate["statement"] = certificate_sentence(context, answer);
    out["certificate"] = certificate;
  }
  if (answer.model_change) out["models"] = models_dict(context, answer);
  if (answer.target_met) out["target_met"] = *answer.target_met;
  if (answer.broken) out["broken_rules"] = broken_list(context, *answer.broken);
  if (answer.plausibility) out["plausibility"] = plausibility_dict(*answer.plausibility);
  out["reason_codes"] = reason_codes_list(context, answer);
  out["why"] = obstacle_sentences(context, answer);
  return out;
}

std::vector<std::string> statuses(const Answers& answers) {
  std::vector<std::string> out;
  out.reserve(answers.rows.size());
  for (const Explanation& answer : answers.rows) out.emplace_back(name_of(answer.status));
  return out;
}

/// (row, alternative, feature, recommended value) of everything in the recommended records that is
/// not as it was given: what is to change, and what was filled in.
nb::list replaced_cells(const Answers& answers) {
  nb::list out;
  const auto add = [&](std::size_t row, std::size_t alternative, const Explanation& answer) {
    if (!answer.has_advice()) return;
    for (std::size_t f = 0; f < answer.after.size(); ++f) {
      if (answer.after[f] == answer.before[f]) continue;
      out.append(nb::make_tuple(row, alternative, f, answer.after[f]));
    }
  };
  for (std::size_t i = 0; i < answers.rows.size(); ++i) {
    add(i, 1, answers.rows[i]);
    std::size_t alternative = 2;
    for (const Explanation& other : answers.rows[i].alternatives) add(i, alternative++, other);
  }
  return out;
}

std::string json_lines(const Answers& answers) {
  std::string out;
  for (const Explanation& answer : answers.rows) {
    if (answer.missing && answers.drop) continue;
    out += json_line(answers.context, answer);
    for (const Explanation& other : answer.alternatives) out += json_line(answers.context, other);
  }
  return out;
}

void write(const Answers& answers, const std::filesystem::path& path,
           std::vector<std::pair<std::string, std::string>> options) {
  const nb::gil_scoped_release free;
  ReportContext context = answers.context;
  context.run = {.command = context.judged ? "certify" : "explain",
                 .options = std::move(options),
                 .asked = answers.rows.size()};
  const std::unique_ptr<ReportWriter> writer = make_writer(path, context);
  for (const Explanation& answer : answers.rows) {
    if (!answer.missing || !answers.drop) writer->write(answer);
  }
  writer->finish();
}

}  // namespace

void bind_answers(nb::module_& module) {
  nb::class_<Answers>(module, "Answers")
      .def("__len__", [](const Answers& self) { return self.rows.size(); })
      .def("statuses", &statuses)
      .def(
          "alternatives",
          [](const Answers& self, std::size_t row) {
            return at(self, row, 1).alternatives.size() + 1;
          },
          nb::arg("row"))
      .def("answer", &answer_dict, nb::arg("row"), nb::arg("alternative"))
      .def("replaced_cells", &replaced_cells)
      .def("json_lines", &json_lines)
      .def(
          "json_line",
          [](const Answers& self, std::size_t row, std::size_t alternative) {
            return json_line(self.context, at(self, row, alternative));
          },
          nb::arg("row"), nb::arg("alternative"))
      .def(
          "text",
          [](const Answers& self, std::size_t row) {
            return text_block(self.context, at(self, row, 1));
          },
          nb::arg("row"))
      .def("html", [](const Answers& self) { return html_page(self.context, self.rows); })
      .def("write", &write, nb::arg("path"), nb::arg("options"))
      .def("noise_phrase", [](const Answers& self) { return noise_phrase(self.context); })
      .def_prop_ro("reason_codes", [](const Answers& self) { return self.context.reason_codes; })
      .def_prop_ro("plausibility", [](const Answers& self) { return self.context.plausibility; })
      .def_prop_ro("noise_assumed", [](const Answers& self) { return self.context.noise_assumed; });
}

}  // namespace croco::python
