// SPDX-License-Identifier: Apache-2.0
/// Text in pages that stand alone.
#pragma once

#include <string>
#include <string_view>

namespace croco {

/// As the content or an attribute of an element.
[[nodiscard]] std::string escaped(std::string_view text);
/// What a content security policy calls a style or script: this text, and nothing else, may run.
[[nodiscard]] std::string source_hash(std::string_view text);

}  // namespace croco
