// SPDX-License-Identifier: Apache-2.0
/// What a run is asked for, and the people of a data frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include <croco/data/data_frame.hpp>
#include <croco/explain/explainer.hpp>

namespace croco::python {

/// What a run is asked for, in the words of the command line.
struct Request {
  std::string method = "certified";
  double target = 0.05;
  double confidence = 0.999;
  double threshold = 0.5;
  int wanted = 1;
  std::optional<std::string> noise;
  std::size_t family = 1;
  std::size_t max_samples = CertifyOptions{}.samples;
  std::string missing = "error";
  std::optional<std::size_t> max_changes;
  std::size_t alternatives = 1;
  std::optional<double> time_limit;
  bool reasons = true;
  std::size_t reason_codes = 0;
  bool plausibility = false;
  std::optional<std::size_t> search_rows;
  std::optional<std::size_t> query_budget;
  std::optional<std::size_t> shared_queries;
  std::uint64_t seed = 0;
  unsigned threads = 0;
  std::shared_ptr<ModelPopulation> models;
  double model_confidence = ModelChangeOptions{}.confidence;
};

[[nodiscard]] MissingPolicy missing_policy(const std::string& text);
[[nodiscard]] std::optional<Noise> noise_of(const Request& request);
[[nodiscard]] CertifyOptions certify_options(const Request& request);
[[nodiscard]] ExplainOptions explain_options(const Request& request);

/// Rows that Python could not read, and why.
using Problems = std::map<std::size_t, std::string>;

[[nodiscard]] std::vector<Person> people_of(const DataFrame& frame, const Schema& schema,
                                            const Problems& problems);

/// Tells Python how many people are finished.
void report_progress(const nanobind::object& progress, std::size_t done);

}  // namespace croco::python
