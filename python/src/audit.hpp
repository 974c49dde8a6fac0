// SPDX-License-Identifier: Apache-2.0
/// Audits: which groups have recourse, and at what price.
#pragma once

#include <nanobind/nanobind.h>

namespace croco::python {

void bind_audit(nanobind::module_& module);

}  // namespace croco::python
