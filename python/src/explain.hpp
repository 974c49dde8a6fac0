// SPDX-License-Identifier: Apache-2.0
/// Explanations, and the assessment of other tools' advice.
#pragma once

#include <nanobind/nanobind.h>

namespace croco::python {

void bind_explain(nanobind::module_& module);

}  // namespace croco::python
