// SPDX-License-Identifier: Apache-2.0
/// The names of a certificate's keys, by the version of its format.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace croco {

/// The oldest version that is still read.
inline constexpr int kFirstCertificateVersion = 1;

/// Keys that version 1 has under another name: what they are called now, and what then.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kRenamedKeys{
    {{"recommended", "told"}, {"first_sample", "first_draw"}, {"samples_of", "draws"}}};

/// What a key of the version that is written is called in a certificate of `version`.
[[nodiscard]] inline std::string certificate_key(std::string_view key, int version) {
  for (const auto& [now, then] : kRenamedKeys) {
    if (now == key && version == kFirstCertificateVersion) return std::string(then);
  }
  return std::string(key);
}

}  // namespace croco
