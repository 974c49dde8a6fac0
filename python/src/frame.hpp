// SPDX-License-Identifier: Apache-2.0
/// Columns of Python's arrays as a data frame of the library.
#pragma once

#include <nanobind/nanobind.h>

namespace croco::python {

void bind_frame(nanobind::module_& module);

}  // namespace croco::python
