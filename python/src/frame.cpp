// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <croco/base/numbers.hpp>
#include <croco/data/data_frame.hpp>
#include <croco/data/infer.hpp>

#include "frame.hpp"

namespace nb = nanobind;

namespace croco::python {
namespace {

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void add_numbers(DataFrame& frame, std::string name, const Numbers& values) {
  frame.columns.push_back(
      {std::move(name), NumberColumn{{values.data(), values.data() + values.shape(0)}}});
}

void add_levels(DataFrame& frame, std::string name, std::vector<std::string> levels,
                const Codes& codes) {
  frame.columns.push_back(
      {std::move(name),
       LevelColumn{std::move(levels), {codes.data(), codes.data() + codes.shape(0)}}});
}

/// The texts of a frame, which is what schemas are inferred from.
CsvTable table_of(const DataFrame& frame) {
  validate(frame);
  CsvTable table{.source = frame.source, .header = {}, .rows = {}};
  table.rows.resize(frame.rows());
  Schema names{.label = {}, .features = {}};
  for (const DataColumn& column : frame.columns) {
    table.header.push_back(column.name);
    names.features.push_back({.name = column.name});
  }
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    table.rows[row] = {row + 2, record_of(frame, names, row)};  // below a header in line 1
  }
  return table;
}

/// A first schema as JSON, and what was guessed.
std::pair<std::string, std::vector<std::string>> infer(const DataFrame& frame) {
  const nb::gil_scoped_release free;
  Inference inference = infer_schema(table_of(frame), {});
  return {schema_json(inference.schema), std::move(inference.notes)};
}

}  // namespace

void bind_frame(nb::module_& module) {
  nb::class_<DataFrame>(module, "Frame")
      .def(
          "__init__",
          [](DataFrame* self, std::string source) {
            new (self) DataFrame{.source = std::move(source)};
          },
          nb::arg("source"))
      .def("add_numbers", &add_numbers, nb::arg("name"), nb::arg("values"))
      .def("add_levels", &add_levels, nb::arg("name"), nb::arg("levels"), nb::arg("codes"))
      .def("__len__", &DataFrame::rows);
  module.def("infer_schema", &infer, nb::arg("frame"));
  module.def("number_text", [](double value) { return format_number(value); }, nb::arg("value"));
}

}  // namespace croco::python
