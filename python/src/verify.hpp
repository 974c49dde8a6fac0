// SPDX-License-Identifier: Apache-2.0
/// Verification of certificates and reports.
#pragma once

#include <nanobind/nanobind.h>

namespace croco::python {

void bind_verify(nanobind::module_& module);

}  // namespace croco::python
