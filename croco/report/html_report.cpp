// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/version.hpp>
#include <croco/report/advice_plan.hpp>
#include <croco/report/html_page.hpp>
#include <croco/report/html_text.hpp>
#include <croco/report/model_change_text.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/obstacle_text.hpp>
#include <croco/report/writer.hpp>

namespace croco {

namespace embedded {
// NOLINTBEGIN(readability-identifier-naming): named after the files of web/advice
extern const std::string_view advice_page_css;
extern const std::string_view advice_page_js;
// NOLINTEND(readability-identifier-naming)
}  // namespace embedded

namespace {

constexpr std::array kShownStatuses = {Status::found,      Status::undecided, Status::unmet,
                                       Status::infeasible, Status::already,   Status::error};

/// What to do and what is promised first, for the person; then the same as a table, with prices.
std::string plan_part(const ReportContext& context, const Explanation& explanation,
                      const AdvicePlan& plan) {
  std::string out = fmt::format("<p class=\"plan\">{}</p>\n<p>{}</p>\n", escaped(plan.action),
                                escaped(outcome_and_promise(context, explanation, plan)));
  if (!plan.steps.empty()) {
    out +=
        "<table>\n<tr><th>Change</th><th>from</th><th>to</th><th>may be missed</th>"
        "<th class=\"price\">price</th></tr>\n";
    for (const PlanStep& step : plan.steps) {
      const std::string missed = !step.noise                  ? "exact"
                                 : step.noise->kind == "flip" ? "in " + step.noise->text
                                 : step.noise->kind == "blur" ? step.noise->text
                                                              : "by " + step.noise->text;
      out += fmt::format(
          "<tr><td>{}</td><td>{}</td><td class=\"to\">{}</td><td>{}</td>"
          "<td class=\"price\">{:.4g}</td></tr>\n",
          escaped(step.name), escaped(step.from), escaped(step.to), escaped(missed), step.price);
    }
    out += "</table>\n";
  }
  const std::string broken = broken_sentence(context, explanation);
  if (!broken.empty()) out += fmt::format("<p class=\"broken\">{}</p>\n", escaped(broken));
  return out + fmt::format("<p class=\"certificate\">{}</p>\n",
                           escaped(cost_sentence(context, explanation)));
}

/// What is said of one answer, below its heading.
std::string answer_part(const ReportContext& context, const Explanation& explanation) {
  std::string out;
  if (const std::optional<AdvicePlan> plan = advice_plan(context, explanation)) {
    out += plan_part(context, explanation, *plan);
  } else {
    out += fmt::format("<p>{}</p>\n", escaped(outcome(context, explanation)));
  }
  const std::string sentence = evidence_sentence(context, explanation);
  if (!sentence.empty()) out += fmt::format("<p class=\"certificate\">{}</p>\n", escaped(sentence));
  for (const std::string& text : model_change_sentences(context, explanation)) {
    out += fmt::format("<p class=\"certificate\">{}</p>\n", escaped(text));
  }
  const std::vector<std::string> obstacle = obstacle_sentences(context, explanation);
  if (!obstacle.empty()) {
    out += "<ul class=\"obstacle\">\n";
    for (const std::string& text : obstacle) out += fmt::format("<li>{}</li>\n", escaped(text));
    out += "</ul>\n";
  }
  const std::string proof = proof_sentence(explanation);
  if (!proof.empty()) out += fmt::format("<p class=\"certificate\">{}</p>\n", escaped(proof));
  const std::string plausible = plausibility_sentence(explanation);
  if (!plausible.empty()) {
    out += fmt::format("<p class=\"certificate\">{}</p>\n", escaped(plausible));
  }
  const std::string codes = reason_codes_sentence(context, explanation);
  if (!codes.empty()) out += fmt::format("<p class=\"certificate\">{}</p>\n", escaped(codes));
  return out;
}

std::string badge(const Explanation& explanation) {
  return fmt::format("<span class=\"badge {0}\">{0}</span>", name_of(explanation.status));
}

std::string alternative_section(const ReportContext& context, const Explanation& explanation,
                                std::size_t count) {
  const std::string id =
      explanation.alternative > 1
          ? fmt::format(" id=\"row-{}-alternative-{}\"", explanation.row, explanation.alternative)
          : "";
  return fmt::format("<section{}>\n<h3><span>Alternative {} of {}</span>{}</h3>\n{}</section>\n",
                     id, explanation.alternative, count, badge(explanation),
                     answer_part(context, explanation));
}

/// Everything about one person, all alternatives included.
std::string article(const ReportContext& context, const Explanation& explanation) {
  std::string out =
      fmt::format("<article class=\"{}\" id=\"row-{}\">\n<h2><span>{}</span>{}</h2>\n",
                  name_of(explanation.status), explanation.row,
                  escaped(headline(context, explanation)), badge(explanation));
  const std::string kept = kept_text(context, explanation);
  if (!kept.empty()) out += fmt::format("<p class=\"facts\">{}</p>\n", escaped(kept));
  if (explanation.alternatives.empty()) {
    out += answer_part(context, explanation);
  } else {
    const std::size_t count = 1 + explanation.alternatives.size();
    out += alternative_section(context, explanation, count);
    for (const Explanation& other : explanation.alternatives) {
      out += alternative_section(context, other, count);
    }
  }
  return out + "</article>\n";
}

/// The noise by feature, where it is not alike for all.
std::string noise_list(const ReportContext& context) {
  std::string out = "<details>\n<summary>Noise, feature by feature</summary>\n<ul>\n";
  for (const NoiseOf& one : noise_by_feature(context)) {
    out += fmt::format("<li>{}: {}</li>\n", escaped(one.name), escaped(one.text));
  }
  return out + "<li>everything else: carried out exactly</li>\n</ul>\n</details>\n";
}

std::size_t count_of(const PageParts& parts, Status status) {
  return parts.counts[static_cast<std::size_t>(status)];
}

std::string tally_list(const PageParts& parts) {
  std::string out = "<ul class=\"tally\">\n";
  for (const Status status : kShownStatuses) {
    const std::size_t count = count_of(parts, status);
    if (count > 0) {
      out += fmt::format("<li><b>{}</b>{}</li>\n", with_thousands(count), name_of(status));
    }
  }
  return out + "</ul>\n";
}

/// Search and filter, which the script of the page brings to life.
std::string find_box(const PageParts& parts) {
  std::string out =
      "<div class=\"find\" role=\"search\" hidden>\n<input type=\"search\" "
      "aria-label=\"Search people and advice\" placeholder=\"Search: row 11, savings\">\n";
  for (const Status status : kShownStatuses) {
    if (count_of(parts, status) == 0) continue;
    out += fmt::format("<label><input type=\"checkbox\" value=\"{0}\" checked>{0}</label>\n",
                       name_of(status));
  }
  return out + "<output aria-live=\"polite\"></output>\n</div>\n";
}

}  // namespace

std::string page_part(const ReportContext& context, const Explanation& explanation) {
  const std::string text = explanation.status == Status::already
                               ? fmt::format("<li id=\"row-{}\">{}</li>\n", explanation.row,
                                             escaped(headline(context, explanation)))
                               : article(context, explanation);
  return fmt::format("{} {}\n{}", static_cast<int>(explanation.status), text.size(), text);
}

PageParts read_page_parts(std::string_view text) {
  PageParts out;
  while (!text.empty()) {
    std::size_t status = 0;
    std::size_t size = 0;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, status);
    const auto second = first.ptr == end ? first : std::from_chars(first.ptr + 1, end, size);
    const auto begin = static_cast<std::size_t>(second.ptr - text.data()) + 1;
    if (second.ec != std::errc() || status >= kStatuses || begin + size > text.size()) {
      throw DataError("the parts of the page are damaged");
    }
    ++out.counts[status];
    (static_cast<Status>(status) == Status::already ? out.already : out.articles) +=
        text.substr(begin, size);
    text.remove_prefix(begin + size);
  }
  return out;
}

std::string html_page(const ReportContext& context, std::span<const Explanation> explanations) {
  std::string parts;
  for (const Explanation& explanation : explanations) parts += page_part(context, explanation);
  return html_page(context, read_page_parts(parts));
}

std::string html_page(const ReportContext& context, const PageParts& parts) {
  std::string facts = fmt::format(
      "Method {}, {}{}", context.method, noise_phrase(context),
      context.noise_assumed ? " (assumed: neither the schema nor an option states any)" : "");
  if (context.target) facts += ", target " + percent(*context.target);
  facts += fmt::format(", threshold {}", context.goal.threshold());
  if (reports_costs(context)) facts += fmt::format(", cost {}", name_of(context.codec.cost_kind()));
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; "
      "script-src {}; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>What to change: {}</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<h1>What to change</h1>\n<p class=\"facts\">Model {}. {}.</p>\n",
      source_hash(embedded::advice_page_css), source_hash(embedded::advice_page_js),
      escaped(context.model_name), embedded::advice_page_css, escaped(context.model_name),
      escaped(facts));
  if (is_by_feature(context.noise)) out += noise_list(context);
  const bool empty =
      std::ranges::all_of(parts.counts, [](std::size_t count) { return count == 0; });
  out += tally_list(parts);
  if (!empty) out += find_box(parts);
  out += parts.articles;
  if (!parts.already.empty()) {
    out += "<details class=\"already\">\n<summary>People who need no advice</summary>\n<ul>\n" +
           parts.already + "</ul>\n</details>\n";
  }
  out += fmt::format(
      "<p class=\"facts\">croco {}; model SHA-256 {}. A certificate holds for the model, the noise "
      "and the threshold named here, and for nothing else: not for other models or other "
      "noise.</p>\n",
      version(), escaped(context.model_fingerprint));
  if (!empty) {
    out += fmt::format("<script>{}</script>\n", embedded::advice_page_js);
  }
  return out + "</body>\n</html>\n";
}

}  // namespace croco
