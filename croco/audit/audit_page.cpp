// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <croco/audit/audit_charts.hpp>
#include <croco/audit/audit_text.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/version.hpp>
#include <croco/report/html_text.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/noise_words.hpp>

namespace croco {

namespace embedded {
// NOLINTBEGIN(readability-identifier-naming): named after the files
extern const std::string_view shared_tokens_css;
extern const std::string_view audit_page_css;
// NOLINTEND(readability-identifier-naming)
}  // namespace embedded

namespace {

using RowList = std::vector<const AuditRow*>;

/// How a number is said: shares in per cent, Cliff's delta too, costs as they are.
enum class AuditUnit : std::uint8_t { percent, number };

struct MeasureWords {
  std::string_view measure;
  std::string_view item;
  AuditUnit unit;
  std::string_view name;
  std::string_view title = {};  ///< of a chart
};

constexpr std::array kGroupColumns{
    MeasureWords{"refused", "", AuditUnit::percent, "refused"},
    MeasureWords{"certified", "", AuditUnit::percent, "certified"},
    MeasureWords{"impossible", "", AuditUnit::percent, "proved impossible"},
    MeasureWords{"undecided", "", AuditUnit::percent, "undecided"},
    MeasureWords{"cost", "0.5", AuditUnit::number, "median cost"},
    MeasureWords{"cost", "0.9", AuditUnit::number, "cost, 90th percentile"},
    MeasureWords{"premium", "0.5", AuditUnit::percent, "median premium"}};

constexpr std::array kGapBlocks{
    MeasureWords{"refused", "", AuditUnit::percent, "refused by the model",
                 "Share of people whom the model refuses"},
    MeasureWords{"certified", "", AuditUnit::percent, "certified advice among the refused",
                 "Share of the refused with certified advice"},
    MeasureWords{"impossible", "", AuditUnit::percent, "proved impossible among the refused",
                 "Share of the refused for whom no advice exists, as is proved"},
    MeasureWords{"undecided", "", AuditUnit::percent, "undecided among the refused",
                 "Share of the refused with neither certified advice nor a proof"},
    MeasureWords{"dominance", "", AuditUnit::percent,
                 "pays more for a certified yes (Cliff's delta)",
                 "Who pays more for a certified yes (Cliff's delta)"},
    MeasureWords{"cost", "0.5", AuditUnit::number, "median cost of a certified yes",
                 "Median cost of a certified yes"},
    MeasureWords{"mean_cost", "", AuditUnit::number, "mean cost of a certified yes",
                 "Mean cost of a certified yes, the same people"}};

std::string number_words(double value, AuditUnit unit) {
  if (std::isnan(value)) return "none";
  if (std::isinf(value)) return value > 0 ? "infinite" : "-infinite";
  return unit == AuditUnit::percent ? format_fixed(100 * value, 1) + " %"
                                    : fmt::format("{:.3g}", value);
}

/// A difference: of shares in percentage points.
std::string gap_words(double value, AuditUnit unit) {
  if (!std::isfinite(value)) return number_words(value, unit);
  return fmt::format("{}{}", value > 0 ? "+" : "",
                     unit == AuditUnit::percent ? format_fixed(100 * value, 1) + " points"
                                                : fmt::format("{:.3g}", value));
}

std::string interval_words(const ConfidenceInterval& interval, AuditUnit unit) {
  const auto end = [&](double value) {
    if (std::isinf(value)) return std::string(value > 0 ? "inf" : "-inf");
    return unit == AuditUnit::percent ? format_fixed(100 * value, 1) : fmt::format("{:.3g}", value);
  };
  return fmt::format("[{}, {}]", end(interval.lower), end(interval.upper));
}

const AuditRow* find_row(const RowList& rows, std::string_view group, const MeasureWords& words) {
  const auto found = std::ranges::find_if(rows, [&](const AuditRow* row) {
    return row->group == group && row->measure == words.measure && row->item == words.item;
  });
  return found == rows.end() ? nullptr : *found;
}

bool excludes_zero(const AuditRow& row) {
  return row.joint && (row.joint->lower > 0 || row.joint->upper < 0);
}

/// The groups by themselves.
std::string group_table(const AuditTable& table, const AuditAttribute& attribute) {
  const RowList rows = table.of(AuditSection::group, attribute.column);
  std::string out =
      "<div class=\"scroll\"><table class=\"groups\">\n<thead><tr><th>group</th><th>people</th>";
  for (const MeasureWords& words : kGroupColumns) out += fmt::format("<th>{}</th>", words.name);
  out += "</tr></thead>\n<tbody>\n";
  for (const std::string& group : attribute.groups) {
    const AuditRow* people = find_row(rows, group, kGroupColumns[0]);
    const AuditRow* refused = find_row(rows, group, kGroupColumns[1]);
    const bool small = people == nullptr || people->small || refused == nullptr || refused->small;
    out += fmt::format("<tr{}><th>{}{}</th><td data-title=\"people\"><b>{}</b></td>",
                       small ? " class=\"small\"" : "", escaped(group),
                       group == attribute.groups[attribute.reference] ? " (reference)" : "",
                       with_thousands(people == nullptr ? 0 : people->people));
    for (const MeasureWords& words : kGroupColumns) {
      const AuditRow* row = find_row(rows, group, words);
      out += fmt::format("<td data-title=\"{}\">", words.name);
      if (row != nullptr) {
        out += fmt::format("<b>{}</b>", number_words(row->value, words.unit));
        if (row->interval) {
          out += fmt::format("<small>{}</small>", interval_words(*row->interval, words.unit));
        }
      }
      out += "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string_view view_words(std::string_view view) {
  if (view == "standardised") return "at equal scores";
  if (view == "paired") return "same people";
  return "as they are";
}

std::string gap_row(const AuditRow& row, const MeasureWords& words, double reach, bool first) {
  const std::string classes =
      fmt::format("{}{}{}", first ? " first" : "", row.small ? " small" : "",
                  excludes_zero(row) ? " clear" : "");
  std::string numbers = fmt::format("<b>{}</b>", gap_words(row.value, words.unit));
  const std::optional<ConfidenceInterval>& shown = row.joint ? row.joint : row.interval;
  if (shown) numbers += fmt::format(" <small>{}</small>", interval_words(*shown, words.unit));
  return fmt::format(
      "<tr class=\"gap{}\"><th>{} <span class=\"view\">{}</span></th><td class=\"bar\">{}</td>"
      "<td class=\"number\">{}</td></tr>\n",
      classes, escaped(row.group), view_words(row.view), gap_bar(row, reach), numbers);
}

/// One measure of all groups, in all views, on one axis.
std::string gap_block(const AuditTable& table, const AuditAttribute& attribute,
                      const MeasureWords& words) {
  RowList rows;
  for (const std::string& group : attribute.groups) {
    for (const AuditRow* row : table.of(AuditSection::gap, attribute.column)) {
      if (row->group == group && row->measure == words.measure && row->item == words.item) {
        rows.push_back(row);
      }
    }
  }
  if (rows.empty()) return {};
  const bool nothing = std::ranges::all_of(
      rows, [](const AuditRow* row) { return row->value == 0 && row->group_value == 0.0; });
  if (nothing && words.measure != "dominance") return {};
  const double reach = gap_reach(rows, words.unit == AuditUnit::percent ? 0.02 : 1e-6);
  std::string out = fmt::format(
      "<h3>{}</h3>\n<p class=\"caption\">Difference to {}; zero is in the middle, the axis ends at "
      "{}.</p>\n<table class=\"gaps\"><colgroup><col class=\"who\"><col><col class=\"number\">"
      "</colgroup><tbody>\n",
      words.title, escaped(attribute.groups[attribute.reference]),
      words.unit == AuditUnit::percent ? format_fixed(100 * reach, 0) + " points"
                                       : fmt::format("{:.2g}", reach));
  std::string last;
  for (const AuditRow* row : rows) {
    out += gap_row(*row, words, reach, row->group != last);
    last = row->group;
  }
  return out + "</tbody></table>\n";
}

/// What the joint intervals show, in sentences.
std::string findings_list(const AuditTable& table, const AuditAttribute& attribute) {
  std::string out;
  for (const AuditRow* row : table.of(AuditSection::gap, attribute.column)) {
    if (!excludes_zero(*row)) continue;
    const auto words = std::ranges::find_if(kGapBlocks, [&](const MeasureWords& one) {
      return one.measure == row->measure && one.item == row->item;
    });
    if (words == kGapBlocks.end()) continue;
    out += fmt::format("<li>{}: {}, {}: {} {}</li>\n", escaped(row->group), words->name,
                       view_words(row->view), gap_words(row->value, words->unit),
                       interval_words(*row->joint, words->unit));
  }
  if (out.empty()) {
    return "<p>No gap is shown by these people: every joint interval includes zero.</p>\n";
  }
  return "<p>Gaps whose joint interval excludes zero:</p>\n<ul class=\"notes\">\n" + out +
         "</ul>\n";
}

/// Items by group, as a heat map.
std::string heat_map(const AuditTable& table, const AuditAttribute& attribute, AuditSection section,
                     const std::string& title, const std::string& caption) {
  constexpr std::size_t kMostItems = 12;
  const RowList rows = table.of(section, attribute.column);
  std::vector<std::string> items;
  std::vector<std::string> groups;
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const AuditRow* row : rows) {
    add(items, row->item);
    add(groups, row->group);
  }
  if (items.empty()) return {};
  std::string out = fmt::format(
      "<h3>{}</h3>\n<p class=\"caption\">{}{}</p>\n", title, caption,
      items.size() > kMostItems
          ? fmt::format(" The {} most frequent of {}; the CSV has all.", kMostItems, items.size())
          : std::string());
  items.resize(std::min(items.size(), kMostItems));
  out += R"(<div class="scroll"><table class="heat"><thead><tr><th>)";
  out += section == AuditSection::lever ? "feature</th>" : "limit</th>";
  for (const std::string& group : groups) out += fmt::format("<th>{}</th>", escaped(group));
  out += "</tr></thead><tbody>\n";
  for (const std::string& item : items) {
    out += fmt::format("<tr><th>{}</th>", escaped(item));
    for (const std::string& group : groups) {
      const auto row = std::ranges::find_if(
          rows, [&](const AuditRow* one) { return one->item == item && one->group == group; });
      if (row == rows.end()) {
        out += "<td></td>";
        continue;
      }
      out += fmt::format(
          "<td class=\"h{}{}\">{}</td>", static_cast<int>(std::lround(10 * (*row)->value)),
          (*row)->small ? " small" : "", number_words((*row)->value, AuditUnit::percent));
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string attribute_part(const AuditTable& table, const AuditAttribute& attribute) {
  std::string out = fmt::format("<h2>{}</h2>\n", escaped(attribute.column));
  out += fmt::format("<p class=\"caption\">{}</p>\n",
                     !attribute.feature ? "The model does not read this column."
                     : attribute.swappable
                         ? "The model reads this column, so that the same people were also "
                           "asked about as members of the other group."
                         : "The model reads this column. Its groups are stretches of a number, "
                           "so that nobody was moved from one to the other.");
  out += findings_list(table, attribute) + group_table(table, attribute);
  const std::string curves = cost_curves(table, attribute);
  if (!curves.empty()) {
    out += fmt::format(
        "<h3>What a certified yes costs</h3>\n<p class=\"caption\">Of the refused, the share with "
        "certified advice for at most this cost. Who has none is never reached. The bands hold for "
        "a whole curve with {} confidence (Dvoretzky, Kiefer and Wolfowitz).</p>\n",
        percent(table.options.confidence));
    out += curves;
  }
  for (const MeasureWords& words : kGapBlocks) out += gap_block(table, attribute, words);
  out += heat_map(table, attribute, AuditSection::lever, "Levers",
                  "Of the certified advice for each group, the share that changes the feature.");
  out += heat_map(table, attribute, AuditSection::limit, "Limits that bind",
                  "Of the refused without certified advice, the share whom the limit holds back.");
  return out;
}

std::string notes_part(const AuditTable& table) {
  const std::string confidence = percent(table.options.confidence);
  return fmt::format(
      "<h2>How to read this</h2>\n<ul class=\"notes\">\n"
      "<li><b>Certified</b>: advice whose failure rate under the stated noise is bounded by the "
      "target, as in advice.jsonl. <b>Proved impossible</b>: no admissible change meets the "
      "target. "
      "<b>Undecided</b>: neither.</li>\n"
      "<li><b>Cost quantiles</b> count people without certified advice as infinite. Means among "
      "those "
      "who have some would leave out the worst off.</li>\n"
      "<li><b>Premium</b>: what the certified change costs above the cheapest change that the "
      "model "
      "accepts when it is carried out exactly.</li>\n"
      "<li><b>Cliff's delta</b>: over all pairs of a refused person of the group and one of the "
      "reference, the share in which the first pays more, minus the share in which the second "
      "does.</li>\n"
      "<li><b>At equal scores</b>: both groups weighted so that they are spread alike over {} "
      "strata "
      "of the score. <b>Same people</b>: people refused as members of one group or the other, with "
      "the attribute exchanged and nothing else.</li>\n"
      "<li><b>Intervals</b>: the thin line is the {} interval of that number alone (Newcombe for "
      "shares, else a bootstrap of {} resamples); the thick line and the brackets hold for all {} "
      "statements at once (max-t). Cost quantiles have the first kind only.</li>\n"
      "<li><b>Grey</b>: fewer than {} people; no joint interval.</li>\n"
      "<li>An audit describes these people, this model and this noise. It is no verdict on "
      "fairness "
      "and no statement about a law.</li>\n</ul>\n",
      table.options.strata, confidence, with_thousands(table.options.replicates),
      std::ranges::count_if(table.rows, [](const AuditRow& row) { return row.joint.has_value(); }),
      table.options.least_people);
}

}  // namespace

std::string audit_page(const AuditTable& table, const ReportContext& context,
                       const AuditSources& sources) {
  const std::string style =
      std::string(embedded::shared_tokens_css) + std::string(embedded::audit_page_css);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; "
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Who has recourse: {}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n"
      "<h1>Who has recourse, and at what price</h1>\n",
      source_hash(style), escaped(context.model_name), style);
  out += fmt::format(
      "<p class=\"lead\">The model refuses {} of {} people. For each of them croco looked for the "
      "cheapest change that reverses the answer and survives {}.</p>\n",
      with_thousands(table.refused), with_thousands(table.people), escaped(noise_phrase(context)));
  const auto fact = [&](std::string_view name, const std::string& value) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, escaped(value));
  };
  out += "<dl>\n";
  fact("model", context.model_name);
  fact("data", sources.data_name);
  fact("method", context.method);
  if (context.target) fact("target", percent(*context.target));
  fact("threshold", format_number(context.goal.threshold()));
  if (table.failed > 0) fact("rows that could not be read", with_thousands(table.failed));
  out += "</dl>\n";
  for (const AuditAttribute& attribute : table.attributes) out += attribute_part(table, attribute);
  out += notes_part(table);
  out += fmt::format(
      "<footer>croco {}. SHA-256 of the model {}, of the schema {}{}. Every number of this page is "
      "in audit.csv; people.csv has a line for each person, advice.jsonl the "
      "certificates.</footer>\n</main>\n</body>\n</html>\n",
      version(), escaped(context.model_fingerprint), escaped(context.schema_fingerprint),
      sources.data_fingerprint.empty() ? std::string()
                                       : ", of the data " + escaped(sources.data_fingerprint));
  return out;
}

}  // namespace croco
