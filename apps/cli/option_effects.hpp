// SPDX-License-Identifier: Apache-2.0
/// Which options decide what a run writes: those that a continued run compares, and those that its
/// manifest records so that the answers can be made again.
#pragma once

#include <string_view>

namespace croco::cli {

/// Whether a run that is continued must have the same value. Files are compared by their
/// fingerprints instead, and threads, prints and the like change no output.
[[nodiscard]] bool changes_outputs(std::string_view option) noexcept;

/// Whether the manifest of `explain` and `certify` records it: it decides what an answer says once
/// the model, the people and the encoding are known. Their fingerprints are in the manifest.
[[nodiscard]] bool decides_answers(std::string_view option) noexcept;

}  // namespace croco::cli
