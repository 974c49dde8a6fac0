// SPDX-License-Identifier: Apache-2.0
/// Models, made ready for people: files and bytes of any format, and functions of Python.
#pragma once

#include <nanobind/nanobind.h>

namespace croco::python {

void bind_model(nanobind::module_& module);

}  // namespace croco::python
