// SPDX-License-Identifier: Apache-2.0
/// Answers of a run, with all that it takes to report them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <nanobind/nanobind.h>

#include <croco/explain/explainer.hpp>
#include <croco/report/report.hpp>

namespace croco::python {

/// The explainer, or the model when another tool's advice is judged, lives as long as its answers.
struct Answers {
  std::shared_ptr<const Explainer> explainer;
  std::shared_ptr<const LoadedModel> model;
  ReportContext context;
  std::vector<Explanation> rows;
  bool drop = false;  ///< rows that lack values are left out of reports
};

void bind_answers(nanobind::module_& module);

}  // namespace croco::python
