// SPDX-License-Identifier: Apache-2.0
/// What is known of exporters that write another model than the one that they were given.
#pragma once

#include <string>

#include <croco/models/onnx/file.hpp>

namespace croco::onnx {

/// Why the scores of a file may differ from those of the program that exported it, and how to find
/// out; empty where nothing is known. Such files are valid, and certificates about them hold: they
/// are about another model than the user's.
[[nodiscard]] std::string export_caution(const File& file);

}  // namespace croco::onnx
