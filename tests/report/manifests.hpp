// SPDX-License-Identifier: Apache-2.0
/// Manifests of lines that are all there.
#pragma once

#include <string>

#include <croco/base/byte_source.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/report/manifest.hpp>

namespace croco {

class WholeManifest {
 public:
  void add(const Explanation& answer, const std::string& line) {
    const std::string entry =
        manifest_entry(answer.row, answer.alternative, name_of(answer.status), line);
    builder_.take_lines(line);
    builder_.take_entries(entry);
    entries_ += entry;
  }
  [[nodiscard]] std::string finish(const ReportContext& context) {
    std::string out;
    builder_.finish(context, *bytes_of_text(entries_), [&](std::string_view text) { out += text; });
    return out;
  }

 private:
  ManifestBuilder builder_;
  std::string entries_;
};

}  // namespace croco
