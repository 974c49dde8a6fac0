// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <string>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>
#include <croco/base/version.hpp>
#include <croco/report/advice_plan.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/obstacle_text.hpp>
#include <croco/report/writer.hpp>

namespace croco {
namespace {

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --good: #18794e; --bad: #b54708; }
@media (prefers-color-scheme: dark) { :root { --good: #4cc38a; --bad: #f7a35c; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 56rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; }
.facts { color: GrayText; margin-top: 0; }
.tally { display: flex; gap: 1.5rem; flex-wrap: wrap; padding: 0; list-style: none; }
.tally b { font-size: 1.4rem; display: block; }
article { border: 1px solid var(--line); border-radius: .6rem; padding: .8rem 1.1rem;
  margin: 1rem 0; break-inside: avoid; }
article h2 { font-size: 1.05rem; margin: 0 0 .4rem; display: flex; gap: .6rem; flex-wrap: wrap;
  align-items: baseline; justify-content: space-between; }
.badge { font-size: .8rem; font-weight: 600; padding: .1rem .6rem; border-radius: 1rem;
  background: var(--soft); border: 1px solid var(--line); }
.found .badge, .already .badge { color: var(--good); }
.undecided .badge, .unmet .badge, .infeasible .badge, .error .badge { color: var(--bad); }
table { border-collapse: collapse; margin: .4rem 0; }
th, td { text-align: left; padding: .2rem 1.2rem .2rem 0; border-bottom: 1px solid var(--line); }
td.to { font-weight: 600; }
.price { text-align: right; font-variant-numeric: tabular-nums; padding-right: 0; }
p.plan { font-size: 1.15rem; font-weight: 500; }
p { margin: .4rem 0; }
ul.obstacle { margin: .4rem 0; padding-left: 1.2rem; }
.broken { color: var(--bad); }
.certificate { color: GrayText; font-size: .92rem; }
@media print { body { margin: 0; max-width: none; } }
)css";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// What to do and what is promised first, for the person; then the same as a table, with prices.
std::string plan_part(const ReportContext& context, const Explanation& explanation,
                      const AdvicePlan& plan) {
  std::string out = fmt::format("<p class=\"plan\">{}</p>\n<p>{}</p>\n", escaped(plan.action),
                                escaped(told_outcome(context, explanation, plan)));
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

std::string article(const ReportContext& context, const Explanation& explanation) {
  const std::string_view status = name_of(explanation.status);
  std::string out = fmt::format(
      "<article class=\"{}\" id=\"row-{}{}\">\n<h2><span>{}</span><span class=\"badge\">{}</span>"
      "</h2>\n",
      status, explanation.row,
      explanation.option > 1 ? fmt::format("-option-{}", explanation.option) : "",
      escaped(headline(context, explanation)), status);
  const std::string kept = kept_text(context, explanation);
  if (!kept.empty()) out += fmt::format("<p class=\"facts\">{}</p>\n", escaped(kept));
  if (const std::optional<AdvicePlan> plan = advice_plan(context, explanation)) {
    out += plan_part(context, explanation, *plan);
  } else {
    out += fmt::format("<p>{}</p>\n", escaped(outcome(context, explanation)));
  }
  const std::string sentence = evidence_sentence(context, explanation);
  if (!sentence.empty()) out += fmt::format("<p class=\"certificate\">{}</p>\n", escaped(sentence));
  const std::vector<std::string> obstacle = obstacle_sentences(context, explanation);
  if (!obstacle.empty()) {
    out += "<ul class=\"obstacle\">\n";
    for (const std::string& text : obstacle) out += fmt::format("<li>{}</li>\n", escaped(text));
    out += "</ul>\n";
  }
  const std::string proof = proof_sentence(explanation);
  if (!proof.empty()) out += fmt::format("<p class=\"certificate\">{}</p>\n", escaped(proof));
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

std::string tally_list(std::span<const Explanation> explanations) {
  std::string out = "<ul class=\"tally\">\n";
  for (const Status status : {Status::found, Status::undecided, Status::unmet, Status::infeasible,
                              Status::already, Status::error}) {
    std::size_t count = 0;
    for (const Explanation& explanation : explanations) {
      count += explanation.status == status ? 1U : 0U;
    }
    if (count > 0) {
      out += fmt::format("<li><b>{}</b>{}</li>\n", with_thousands(count), name_of(status));
    }
  }
  return out + "</ul>\n";
}

}  // namespace

std::string html_page(const ReportContext& context, std::span<const Explanation> explanations) {
  std::string facts = fmt::format(
      "Method {}, {}{}", context.method, noise_phrase(context),
      context.noise_assumed ? " (assumed: neither the schema nor an option states any)" : "");
  if (context.target) facts += ", target " + percent(*context.target);
  facts += fmt::format(", threshold {}", context.goal.threshold());
  if (tells_costs(context)) facts += fmt::format(", cost {}", name_of(context.codec.cost_kind()));
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>What to change: {}</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<h1>What to change</h1>\n<p class=\"facts\">Model {}. {}.</p>\n",
      escaped(context.model_name), kStyle, escaped(context.model_name), escaped(facts));
  if (is_by_feature(context.noise)) out += noise_list(context);
  out += tally_list(explanations);
  std::string already;
  for (const Explanation& explanation : explanations) {
    if (explanation.status == Status::already) {
      already += fmt::format("<li id=\"row-{}\">{}</li>\n", explanation.row,
                             escaped(headline(context, explanation)));
    } else {
      out += article(context, explanation);
      for (const Explanation& other : explanation.others) out += article(context, other);
    }
  }
  if (!already.empty()) {
    out += "<details>\n<summary>People who need no advice</summary>\n<ul>\n" + already +
           "</ul>\n</details>\n";
  }
  out += fmt::format(
      "<p class=\"facts\">croco {}; model SHA-256 {}. A certificate speaks of the model, the noise "
      "and the threshold named here, and of nothing else: not of other models, nor of noise that "
      "differs.</p>\n</body>\n</html>\n",
      version(), escaped(context.model_fingerprint));
  return out;
}

}  // namespace croco
