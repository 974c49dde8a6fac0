// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <croco/base/error.hpp>
#include <croco/base/stopped.hpp>
#include <croco/data/data_frame.hpp>
#include <croco/explain/assess.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/explain/feature_noise.hpp>
#include <croco/explain/surrogate_cache.hpp>
#include <croco/report/noise_words.hpp>

#include "answers.hpp"
#include "call.hpp"
#include "explain.hpp"
#include "request.hpp"

namespace nb = nanobind;

namespace croco::python {
namespace {

/// One for the process: explainers that differ in their family or their limits share a surrogate.
std::shared_ptr<SurrogateCache> surrogates() {
  static const auto cache = std::make_shared<SurrogateCache>();
  return cache;
}

std::shared_ptr<Explainer> make_explainer(const LoadedModel& model, const Request& request) {
  std::shared_ptr<Explainer> out;
  Call::run([&](const std::stop_token& stop) {
    ExplainOptions options = explain_options(request);
    options.surrogates = surrogates();
    out = std::make_shared<Explainer>(model, std::move(options), stop);
  });
  return out;
}

/// Gives people the numbers that their rows have in a larger table, which their samples follow.
void renumber(std::vector<Person>& people, const std::vector<std::size_t>& rows,
              const std::string& source) {
  if (rows.empty()) return;
  if (rows.size() != people.size()) {
    throw InvalidArgument(
        fmt::format("there are {} row numbers for {} rows", rows.size(), people.size()));
  }
  for (std::size_t i = 0; i < people.size(); ++i) {
    people[i].row = rows[i];
    people[i].where = fmt::format("{}, row {}", source, rows[i]);
  }
}

/// In batches like those of the command line: a remote model answers for one person at a time.
std::unique_ptr<Answers> explain(std::shared_ptr<Explainer> explainer, const DataFrame& frame,
                                 const Problems& problems, const nb::object& progress,
                                 const std::vector<std::size_t>& rows) {
  constexpr std::size_t kBatch = 256;
  const std::size_t batch = explainer->model().remote ? 1 : kBatch;
  std::vector<Explanation> answers;
  Call::run([&](const std::stop_token& stop) {
    std::vector<Person> people = people_of(frame, explainer->model().codec.schema(), problems);
    renumber(people, rows, frame.source);
    answers.reserve(people.size());
    while (answers.size() < people.size()) {
      const std::size_t count = std::min(batch, people.size() - answers.size());
      const auto part = std::span(people).subspan(answers.size(), count);
      std::vector<Explanation> some = explainer->explain(part, stop);
      if (some.size() < part.size()) throw Stopped("the call was interrupted");
      std::ranges::move(some, std::back_inserter(answers));
      report_progress(progress, answers.size());
    }
  });
  ReportContext context = report_context(*explainer);
  context.noise_assumed = explainer->noise_source() == NoiseSource::assumed;
  const bool drop = explainer->options().missing == MissingPolicy::drop;
  return std::make_unique<Answers>(
      Answers{std::move(explainer), {}, std::move(context), std::move(answers), drop});
}

/// Advice of another tool, by the same rules.
std::unique_ptr<Answers> assess_advice(std::shared_ptr<LoadedModel> model, const DataFrame& before,
                                       const DataFrame& after, const Problems& problems,
                                       const std::string& tool, const Request& request) {
  AssessOptions options;
  options.target = request.target;
  options.noise = noise_of(request);
  const bool assumed = !options.noise && !states_noise(model->codec.schema());
  if (!options.noise) options.noise = default_noise(model->codec);
  options.goal = Goal(request.threshold, request.wanted);
  options.certify = certify_options(request);
  options.missing = missing_policy(request.missing);
  options.seed = request.seed;
  options.threads = request.threads;
  options.models = request.models;
  options.model_change.confidence = request.model_confidence;
  std::vector<Explanation> answers;
  Call::run([&](const std::stop_token& stop) {
    const Schema& schema = model->codec.schema();
    std::vector<Person> people = people_of(before, schema, problems);
    std::vector<Person> advised = read_people(after, schema);
    std::vector<AdvisedPerson> pairs(people.size());
    for (std::size_t i = 0; i < people.size(); ++i) {
      pairs[i] = {std::move(people[i]), std::move(advised.at(i))};
    }
    answers = assess(*model, pairs, options, stop);
    if (answers.size() < pairs.size()) throw Stopped("the call was interrupted");
  });
  ReportContext context =
      report_context(*model, *options.noise, options.goal, tool, options.target);
  context.judged = true;
  context.noise_assumed = assumed;
  context.models = request.models;
  const bool drop = options.missing == MissingPolicy::drop;
  return std::make_unique<Answers>(
      Answers{{}, std::move(model), std::move(context), std::move(answers), drop});
}

std::string noise_text_of(const Explainer& explainer) {
  return noise_phrase(report_context(explainer));
}

std::string noise_source(const Explainer& explainer) {
  switch (explainer.noise_source()) {
    case NoiseSource::given:
      return "given";
    case NoiseSource::schema:
      return "schema";
    case NoiseSource::assumed:
      break;
  }
  return "assumed";
}

}  // namespace

void bind_explain(nb::module_& module) {
  nb::class_<Request>(module, "Request")
      .def(nb::init<>())
      .def_rw("method", &Request::method)
      .def_rw("target", &Request::target)
      .def_rw("confidence", &Request::confidence)
      .def_rw("threshold", &Request::threshold)
      .def_rw("wanted", &Request::wanted)
      .def_rw("noise", &Request::noise, nb::arg().none())
      .def_rw("family", &Request::family)
      .def_rw("max_samples", &Request::max_samples)
      .def_rw("missing", &Request::missing)
      .def_rw("max_changes", &Request::max_changes, nb::arg().none())
      .def_rw("alternatives", &Request::alternatives)
      .def_rw("time_limit", &Request::time_limit, nb::arg().none())
      .def_rw("reasons", &Request::reasons)
      .def_rw("reason_codes", &Request::reason_codes)
      .def_rw("plausibility", &Request::plausibility)
      .def_rw("search_rows", &Request::search_rows, nb::arg().none())
      .def_rw("query_budget", &Request::query_budget, nb::arg().none())
      .def_rw("shared_queries", &Request::shared_queries, nb::arg().none())
      .def_rw("seed", &Request::seed)
      .def_rw("threads", &Request::threads)
      .def_rw("models", &Request::models, nb::arg().none())
      .def_rw("model_confidence", &Request::model_confidence);
  nb::class_<Explainer>(module, "Explainer")
      .def_prop_ro("shared_queries", &Explainer::shared_queries)
      .def_prop_ro("noise_phrase", &noise_text_of)
      .def_prop_ro("noise_source", &noise_source);
  module.def("make_explainer", &make_explainer, nb::arg("model"), nb::arg("request"));
  module.def("explain", &explain, nb::arg("explainer"), nb::arg("frame"), nb::arg("problems"),
             nb::arg("progress").none(), nb::arg("rows"));
  module.def("assess", &assess_advice, nb::arg("model"), nb::arg("before"), nb::arg("after"),
             nb::arg("problems"), nb::arg("tool"), nb::arg("request"));
}

}  // namespace croco::python
