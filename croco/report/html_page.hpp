// SPDX-License-Identifier: Apache-2.0
/// The parts of a page about people, which is put together when all of them are known.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <croco/explain/explanation.hpp>
#include <croco/report/report.hpp>

namespace croco {

struct PageParts {
  std::array<std::size_t, kStatuses> counts = {};  ///< by status
  std::string articles;                            ///< people who need advice
  std::string already;                             ///< the others
};

/// What one person adds, alternatives included, in a form that `read_page_parts` reads.
[[nodiscard]] std::string page_part(const ReportContext& context, const Explanation& explanation);
/// Of the parts of any number of people, one after the other.
[[nodiscard]] PageParts read_page_parts(std::string_view text);
[[nodiscard]] std::string html_page(const ReportContext& context, const PageParts& parts);

}  // namespace croco
