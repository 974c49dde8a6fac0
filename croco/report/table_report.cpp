// SPDX-License-Identifier: Apache-2.0
#include <croco/report/table_report.hpp>

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include <croco/base/printable.hpp>
#include <croco/base/unicode.hpp>
#include <croco/report/advice_plan.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/noise_words.hpp>

namespace croco {
namespace {

std::string person_of(const ReportContext& context, const Explanation& explanation) {
  const bool named = context.identified && !explanation.kept.empty();
  std::string out = named ? explanation.kept.front().second : std::to_string(explanation.row);
  if (context.alternatives > 1 && explanation.alternative > 0) {
    out += fmt::format(".{}", explanation.alternative);
  }
  return out;
}

/// Padded on the right by what it takes on a terminal, not by its bytes.
std::string padded(const std::string& text, std::size_t width) {
  const std::size_t shown = count_characters(text);
  return text + std::string(width > shown ? width - shown : 0, ' ');
}

}  // namespace

void TableReport::add(const Explanation& explanation) {
  if (explanation.status == Status::already) return;
  add_one(explanation);
  for (const Explanation& other : explanation.alternatives) add_one(other);
}

void TableReport::add_one(const Explanation& explanation) {
  Row row{.person = person_of(context_, explanation),
          .score = fmt::format("{:.3f}", explanation.score_before),
          .changes = {},
          .cost = {},
          .fails = {}};
  if (const std::optional<AdvicePlan> plan = advice_plan(context_, explanation)) {
    for (const PlanStep& step : plan->steps) {
      row.changes.push_back(fmt::format("{}: {} -> {}", step.name, step.from, step.to));
    }
    row.cost = fmt::format("{:.3g}", explanation.distance.cost);
    if (explanation.certificate) {
      row.fails =
          fmt::format("{} %", cases_text(100 - cases_of_hundred(explanation.certificate->upper)));
    }
  }
  if (explanation.status != Status::found) {
    row.changes.insert(row.changes.begin(), std::string(name_of(explanation.status)));
  }
  if (explanation.status == Status::error) row.score.clear();
  rows_.push_back(std::move(row));
}

std::string TableReport::text() const {
  const bool named = context_.identified && !context_.kept.front().empty();
  const std::string who = named ? context_.kept.front() : "row";
  std::array<std::size_t, 5> widths{count_characters(who), 5, 6, 4, 13};
  for (const Row& row : rows_) {
    widths[0] = std::max(widths[0], count_characters(row.person));
    for (const std::string& change : row.changes) {
      widths[2] = std::max(widths[2], count_characters(change));
    }
    widths[3] = std::max(widths[3], row.cost.size());
    widths[4] = std::max(widths[4], row.fails.size());
  }
  std::string out = wrapped(fmt::format("Noise: {}.", noise_phrase(context_)));
  out += fmt::format("  {}  {}  {}  {:>{}}  {:>{}}\n", padded(who, widths[0]), "score",
                     padded("change", widths[2]), "cost", widths[3], "fails at most", widths[4]);
  for (const Row& row : rows_) {
    out += fmt::format("  {}  {:>5}  {}  {:>{}}  {:>{}}\n", padded(row.person, widths[0]),
                       row.score, padded(row.changes.empty() ? "" : row.changes.front(), widths[2]),
                       row.cost, widths[3], row.fails, widths[4]);
    for (std::size_t k = 1; k < row.changes.size(); ++k) {
      out += fmt::format("  {}         {}\n", std::string(widths[0], ' '), row.changes[k]);
    }
  }
  return printable(out);
}

}  // namespace croco
