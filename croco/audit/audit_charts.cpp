// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/audit_charts.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/report/html_text.hpp>

namespace croco {
namespace {

/// The points of one group's curve, in per cent of the plot.
struct Curve {
  std::string group;
  std::vector<double> across;
  std::vector<double> value;
  std::vector<double> lower;
  std::vector<double> upper;
};

double cost_of_point(const AuditRow& row) { return parse_number(row.item).value_or(0); }

std::vector<Curve> curves_of(const std::vector<const AuditRow*>& rows, double end) {
  std::vector<Curve> out;
  for (const AuditRow* row : rows) {
    if (row->small || !row->interval) continue;
    if (out.empty() || out.back().group != row->group) {
      if (out.size() == kMostCurves) break;
      out.push_back({row->group, {}, {}, {}, {}});
    }
    out.back().across.push_back(100 * cost_of_point(*row) / end);
    out.back().value.push_back(100 * (1 - row->value));
    out.back().lower.push_back(100 * (1 - row->interval->lower));
    out.back().upper.push_back(100 * (1 - row->interval->upper));
  }
  return out;
}

std::string band_of(const Curve& curve, std::size_t series) {
  std::string points;
  for (std::size_t k = 0; k < curve.across.size(); ++k) {
    points += fmt::format("{:.2f},{:.2f} ", curve.across[k], curve.upper[k]);
  }
  for (std::size_t k = curve.across.size(); k-- > 0;) {
    points += fmt::format("{:.2f},{:.2f} ", curve.across[k], curve.lower[k]);
  }
  return fmt::format("<polygon class=\"s{} band\" points=\"{}\"/>\n", series, points);
}

std::string line_of(const Curve& curve, std::size_t series) {
  std::string points;
  for (std::size_t k = 0; k < curve.across.size(); ++k) {
    points += fmt::format("{:.2f},{:.2f} ", curve.across[k], curve.value[k]);
  }
  return fmt::format("<polyline class=\"s{} line\" points=\"{}\"/>\n", series, points);
}

std::string legend_of(const std::vector<Curve>& curves) {
  std::string out = "<ul class=\"legend\">\n";
  for (std::size_t s = 0; s < curves.size(); ++s) {
    out += fmt::format(
        "<li><svg aria-hidden=\"true\"><line class=\"s{} line\" x1=\"0\" x2=\"28\" y1=\"5\" "
        "y2=\"5\"/></svg>{}</li>\n",
        s, escaped(curves[s].group));
  }
  return out + "</ul>\n";
}

/// Costs along the axis: about four round numbers.
std::vector<double> ticks_to(double end) {
  const double rough = end / 4;
  const double unit = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * unit;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * unit >= rough) {
      step = factor * unit;
      break;
    }
  }
  std::vector<double> out;
  for (int k = 0; k * step <= end * (1 + 1e-9); ++k) out.push_back(k * step);
  return out;
}

}  // namespace

std::string cost_curves(const AuditTable& table, const AuditAttribute& attribute) {
  const std::vector<const AuditRow*> rows = table.of(AuditSection::curve, attribute.column);
  double end = 0;
  for (const AuditRow* row : rows) end = std::max(end, cost_of_point(*row));
  if (!(end > 0)) return {};
  const std::vector<Curve> curves = curves_of(rows, end);
  if (curves.empty()) return {};
  // The plot in per cent of the picture: room for the numbers on the left and below.
  constexpr double kLeft = 11;
  constexpr double kWidth = 86;
  constexpr double kTop = 3;
  constexpr double kHeight = 84;
  std::string out = legend_of(curves);
  out += fmt::format(
      "<svg class=\"curves\" role=\"img\" aria-label=\"Share of the refused with certified advice "
      "by "
      "cost, for each group of {}\">\n",
      escaped(attribute.column));
  for (const int share : {0, 25, 50, 75, 100}) {
    const double y = kTop + kHeight * (100 - share) / 100;
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0}%\" x2=\"{1}%\" y1=\"{2:.2f}%\" y2=\"{2:.2f}%\"/>"
        "<text x=\"{3}%\" y=\"{2:.2f}%\" dy=\"4\" text-anchor=\"end\">{4} %</text>\n",
        kLeft, kLeft + kWidth, y, kLeft - 1, share);
  }
  for (const double cost : ticks_to(end)) {
    const double x = kLeft + kWidth * cost / end;
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:.2f}%\" x2=\"{0:.2f}%\" y1=\"{1}%\" y2=\"{2}%\"/>"
        "<text x=\"{0:.2f}%\" y=\"{2}%\" dy=\"16\" text-anchor=\"middle\">{3}</text>\n",
        x, kTop, kTop + kHeight, format_fixed(cost, 4));
  }
  out += fmt::format(
      "<text x=\"{}%\" y=\"100%\" dy=\"-3\" text-anchor=\"end\">cost of a certified yes</text>\n",
      kLeft + kWidth);
  out += fmt::format(
      "<svg x=\"{}%\" y=\"{}%\" width=\"{}%\" height=\"{}%\" viewBox=\"0 0 100 100\" "
      "preserveAspectRatio=\"none\">\n",
      kLeft, kTop, kWidth, kHeight);
  for (std::size_t s = 0; s < curves.size(); ++s) out += band_of(curves[s], s);
  for (std::size_t s = 0; s < curves.size(); ++s) out += line_of(curves[s], s);
  return out + "</svg>\n</svg>\n";
}

double gap_reach(std::span<const AuditRow* const> rows, double least) {
  double out = least;
  const auto include = [&](double value) {
    if (std::isfinite(value)) out = std::max(out, std::abs(value));
  };
  for (const AuditRow* row : rows) {
    include(row->value);
    for (const auto& interval : {row->interval, row->joint}) {
      if (!interval) continue;
      include(interval->lower);
      include(interval->upper);
    }
  }
  return 1.05 * out;
}

std::string gap_bar(const AuditRow& row, double reach) {
  // What is infinite ends at the axis's end.
  const auto place = [&](double value) {
    return std::isnan(value) ? 50.0 : 50 + 50 * std::clamp(value / reach, -1.0, 1.0);
  };
  const auto stroke = [&](const char* kind, const std::optional<ConfidenceInterval>& interval) {
    if (!interval) return std::string();
    return fmt::format(R"(<line class="{}" x1="{:.2f}%" x2="{:.2f}%" y1="11" y2="11"/>)", kind,
                       place(interval->lower), place(interval->upper));
  };
  std::string out =
      R"(<svg aria-hidden="true"><line class="zero" x1="50%" x2="50%" y1="0" y2="22"/>)";
  out += stroke("joint", row.joint) + stroke("own", row.interval);
  if (!std::isnan(row.value)) {
    out += fmt::format(R"(<circle class="mark" cx="{:.2f}%" cy="11" r="4"/>)", place(row.value));
  }
  return out + "</svg>";
}

}  // namespace croco
