// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <croco/audit/audit_text.hpp>
#include <croco/audit/people_lines.hpp>
#include <croco/base/stopped.hpp>
#include <croco/report/report.hpp>

#include "audit.hpp"
#include "call.hpp"
#include "request.hpp"

namespace nb = nanobind;

namespace croco::python {
namespace {

/// What the groups are and how they are compared.
struct AuditRequest {
  std::vector<std::pair<std::string, std::vector<double>>> groups;  ///< columns and cut points
  ReferenceGroups references;
  std::size_t score_strata = GapOptions().strata;
  double gap_confidence = GapOptions().confidence;
  std::size_t resamples = GapOptions().replicates;
  bool premium = true;
  bool swap = true;
};

/// The files of an audit, as texts.
struct AuditTexts {
  std::string csv;
  std::string json;
  std::string html;
  std::string people;
};

/// Columns of the data that the model does not read, by name.
using Beside = std::map<std::string, std::vector<std::string>>;

void keep_beside(const Beside& beside, std::vector<Person>& people) {
  for (const auto& [name, values] : beside) {
    for (std::size_t i = 0; i < people.size(); ++i) {
      people[i].kept.emplace_back(name, values.at(i));
    }
  }
}

std::vector<AuditAttribute> attributes_of(const AuditRequest& asked, const Schema& schema,
                                          std::span<const Person> people) {
  std::vector<GroupBy> groups;
  for (const auto& [column, cuts] : asked.groups) groups.push_back({column, cuts});
  GroupFinder finder(std::move(groups), asked.references, schema);
  for (const Person& person : people) finder.add(person);
  return finder.attributes();
}

/// In batches like those of the command line.
std::vector<AuditedPerson> audit_people(const Auditor& auditor, std::span<const Person> people,
                                        const nb::object& progress, const std::stop_token& stop) {
  constexpr std::size_t kBatch = 256;
  const std::size_t batch = auditor.explainer().model().remote ? 1 : kBatch;
  const bool drop = auditor.explainer().options().missing == MissingPolicy::drop;
  std::vector<AuditedPerson> out;
  for (std::size_t begin = 0; begin < people.size(); begin += batch) {
    const auto part = people.subspan(begin, std::min(batch, people.size() - begin));
    Auditor::Answers some = auditor.audit(part, stop);
    if (some.answers.size() < part.size()) throw Stopped("the call was interrupted");
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (!drop || !some.answers[i].missing) out.push_back(std::move(some.people[i]));
    }
    report_progress(progress, begin + part.size());
  }
  return out;
}

AuditTexts audit(const LoadedModel& model, const Request& request, const AuditRequest& asked,
                 const DataFrame& frame, const Problems& problems, const Beside& beside,
                 const nb::object& progress) {
  AuditTexts out;
  Call::run([&](const std::stop_token& stop) {
    const Schema& schema = model.codec.schema();
    std::vector<Person> people = people_of(frame, schema, problems);
    keep_beside(beside, people);
    const GapOptions options{.confidence = asked.gap_confidence,
                             .replicates = asked.resamples,
                             .strata = asked.score_strata,
                             .seed = request.seed,
                             .threads = request.threads};
    validate(options);
    const Auditor auditor(model, explain_options(request), attributes_of(asked, schema, people),
                          {.premium = asked.premium, .swap = asked.swap});
    const auto audited = audit_people(auditor, people, progress, stop);
    ReportContext context = report_context(auditor.explainer());
    context.noise_assumed = auditor.explainer().noise_source() == NoiseSource::assumed;
    const AuditSources sources{frame.source, {}};
    const AuditTable table = audit_table(audited, auditor.attributes(), context, options);
    const PeopleLines lines(auditor.attributes(), schema);
    out = {audit_csv(table), audit_json(table, context, sources),
           audit_page(table, context, sources), lines.header() + lines.lines(audited)};
  });
  return out;
}

}  // namespace

void bind_audit(nb::module_& module) {
  nb::class_<AuditRequest>(module, "AuditRequest")
      .def(nb::init<>())
      .def_rw("groups", &AuditRequest::groups)
      .def_rw("references", &AuditRequest::references)
      .def_rw("score_strata", &AuditRequest::score_strata)
      .def_rw("gap_confidence", &AuditRequest::gap_confidence)
      .def_rw("resamples", &AuditRequest::resamples)
      .def_rw("premium", &AuditRequest::premium)
      .def_rw("swap", &AuditRequest::swap);
  nb::class_<AuditTexts>(module, "AuditTexts")
      .def_ro("csv", &AuditTexts::csv)
      .def_ro("json", &AuditTexts::json)
      .def_ro("html", &AuditTexts::html)
      .def_ro("people", &AuditTexts::people);
  module.def("audit", &audit, nb::arg("model"), nb::arg("request"), nb::arg("asked"),
             nb::arg("frame"), nb::arg("problems"), nb::arg("beside"), nb::arg("progress").none());
}

}  // namespace croco::python
