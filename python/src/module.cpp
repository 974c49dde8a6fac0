// SPDX-License-Identifier: Apache-2.0
// The extension module croco._core: the library's functions as they are. What users see is in
// python/croco.
#include <exception>
#include <filesystem>
#include <string_view>

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/version.hpp>

#include "answers.hpp"
#include "arrow.hpp"
#include "audit.hpp"
#include "explain.hpp"
#include "frame.hpp"
#include "model.hpp"
#include "verify.hpp"

namespace nb = nanobind;

namespace croco::python {
namespace {

/// Raises an exception of croco._errors, in the words of the package.
void raise(const char* type, const Error& error) {
  const std::string_view said = error.what();
  const nb::object text =
      nb::steal(PyUnicode_DecodeUTF8(said.data(), static_cast<Py_ssize_t>(said.size()), "replace"));
  const nb::object errors = nb::module_::import_("croco._errors");
  const nb::object words = nb::module_::import_("croco._words").attr("in_python")(text);
  PyErr_SetObject(errors.attr(type).ptr(), words.ptr());
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InvalidArgument& error) {
    raise("InvalidArgument", error);
  } catch (const DataError& error) {
    raise("DataError", error);
  } catch (const ModelError& error) {
    raise("ModelError", error);
  } catch (const IoError& error) {
    raise("IoError", error);
  } catch (const Error& error) {
    raise("CrocoError", error);
  }
}

/// The file is complete or as it was before.
void write_bytes(const std::filesystem::path& path, const nb::bytes& bytes) {
  const std::string_view view(bytes.c_str(), bytes.size());
  const nb::gil_scoped_release release;
  write_file(path, view);
}

}  // namespace
}  // namespace croco::python

NB_MODULE(_core, module) {
  using namespace croco::python;
  // An explainer that lives until the interpreter ends is no leak.
  nb::set_leak_warnings(false);
  nb::register_exception_translator(translate);
  module.attr("__version__") = std::string(croco::version());
  module.def("write_file", &write_bytes, nb::arg("path"), nb::arg("bytes"));
  bind_arrow(module);
  bind_frame(module);
  bind_model(module);
  bind_answers(module);
  bind_explain(module);
  bind_audit(module);
  bind_verify(module);
}
