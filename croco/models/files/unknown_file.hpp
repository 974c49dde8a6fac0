// SPDX-License-Identifier: Apache-2.0
/// Files that are no models which croco reads: what they are, and how to save what is read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace croco {

/// Looks at the beginning of a regular file, so that a large one need not be read to be refused.
/// Does nothing for files that are not there, and for pipes.
void require_known_file(const std::filesystem::path& path);

/// Throws ModelError naming `source`, what the bytes are and the call that saves a model that is
/// read. Files of known formats pass, whole or not; so does whatever begins as JSON does.
void require_known_content(std::string_view bytes, const std::string& source);

}  // namespace croco
