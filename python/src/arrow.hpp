// SPDX-License-Identifier: Apache-2.0
/// Tables of other libraries through Arrow's C stream interface, without any of Arrow's libraries.
#pragma once

#include <nanobind/nanobind.h>

namespace croco::python {

void bind_arrow(nanobind::module_& module);

}  // namespace croco::python
