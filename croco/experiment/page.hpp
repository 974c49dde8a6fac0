// SPDX-License-Identifier: Apache-2.0
/// The report of an experiment: one HTML file with everything in it. What it looks like is in
/// web/report; here are its numbers.
#pragma once

#include <span>
#include <string>

#include <croco/experiment/findings.hpp>
#include <croco/experiment/published.hpp>
#include <croco/experiment/run.hpp>

namespace croco {

/// What the page shows, as JSON; web/report/src/data.ts describes it. `threads` is what times were
/// measured with.
[[nodiscard]] std::string page_json(const ExperimentResult& result,
                                    std::span<const ClaimFinding> findings,
                                    std::span<const PublishedPoint> published, unsigned threads);

/// Whether this build has the page.
[[nodiscard]] bool has_page() noexcept;
/// The HTML file. Throws InvalidArgument in a build without the page.
[[nodiscard]] std::string page_html(const std::string& json);

}  // namespace croco
