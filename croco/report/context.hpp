// SPDX-License-Identifier: Apache-2.0
/// What reports say of a run as a whole.
#pragma once

#include <string>

#include <croco/report/report.hpp>

namespace croco {

/// Whether costs are reported beyond what distances say: by another kind than l1, or with prices of
/// touching a value.
[[nodiscard]] bool reports_costs(const ReportContext& context);

/// The schema's words for a class: its display text as it is ("approved"), else the label's value
/// in quotes ("'good'"), or "class 1" when that says no more.
[[nodiscard]] std::string class_name(const ReportContext& context, int number);

}  // namespace croco
