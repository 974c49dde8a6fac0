// SPDX-License-Identifier: Apache-2.0
/// What those who write files share: how they fail, and where a file lies.
#pragma once

#include <filesystem>
#include <string_view>
#include <sys/stat.h>

namespace croco {

/// The bits of a mode that are permissions.
inline constexpr mode_t kPermissions = 07777;

/// Throws IoError: "<path>: cannot <action>: <what the system says of errno>".
[[noreturn]] void fail_file(const std::filesystem::path& path, std::string_view action, int error);

/// The folder that holds a file, "." for a name alone.
[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& path);

}  // namespace croco
