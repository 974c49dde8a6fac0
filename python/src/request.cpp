// SPDX-License-Identifier: Apache-2.0
#include <croco/base/error.hpp>
#include <croco/loading/people.hpp>
#include <croco/methods/named_method.hpp>

#include "call.hpp"
#include "request.hpp"

namespace croco::python {

MissingPolicy missing_policy(const std::string& text) {
  if (text == "error") return MissingPolicy::error;
  if (text == "drop") return MissingPolicy::drop;
  if (text == "impute") return MissingPolicy::impute;
  if (text == "keep") return MissingPolicy::keep;
  throw InvalidArgument("missing is '" + text +
                        "'; it must be 'error', 'drop', 'impute' or 'keep'");
}

std::optional<Noise> noise_of(const Request& request) {
  if (!request.noise) return std::nullopt;
  return parse_noise(*request.noise);
}

CertifyOptions certify_options(const Request& request) {
  CertifyOptions out{.samples = request.max_samples, .confidence = request.confidence};
  out.family = request.family;
  validate(out);
  return out;
}

ExplainOptions explain_options(const Request& request) {
  ExplainOptions out;
  out.method = make_method(request.method, {}, request.target, request.confidence);
  if (auto* certified = std::get_if<Certified>(&out.method)) {
    certified->search_budget = request.search_rows;
  }
  out.noise = noise_of(request);
  out.goal = Goal(request.threshold, request.wanted);
  out.certify = certify_options(request);
  out.missing = missing_policy(request.missing);
  out.seed = request.seed;
  out.threads = request.threads;
  out.reasons = request.reasons;
  out.reason_codes = request.reason_codes;
  out.plausibility = request.plausibility;
  out.time_limit = request.time_limit;
  out.max_changes = request.max_changes;
  out.alternatives = request.alternatives;
  out.models = request.models;
  out.model_change.confidence = request.model_confidence;
  if (request.query_budget) {
    out.query_budget = QueryBudget{.rows = *request.query_budget};
    if (request.shared_queries) out.query_budget->shared_rows = *request.shared_queries;
  }
  return out;
}

std::vector<Person> people_of(const DataFrame& frame, const Schema& schema,
                              const Problems& problems) {
  std::vector<Person> people = read_people(frame, schema);
  for (const auto& [row, problem] : problems) people.at(row).problem = problem;
  return people;
}

void report_progress(const nanobind::object& progress, std::size_t done) {
  if (progress.is_none()) return;
  Call::tell([&] { progress(done); });
}

}  // namespace croco::python
