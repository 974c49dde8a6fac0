// SPDX-License-Identifier: Apache-2.0
#include <croco/report/narrate.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <croco/base/numbers.hpp>
#include <croco/models/model.hpp>
#include <croco/report/recommended_value.hpp>
#include <croco/space/distance.hpp>
#include <croco/space/levels.hpp>

namespace croco {
namespace {

/// Places after the point of a number of cases.
constexpr int kCasesPlaces = 6;

/// "99.9 % confidence; 12 of 1,000 fresh samples failed", or that no samples were needed.
std::string evidence_text(const Certificate& certificate) {
  if (certificate.bound == BoundKind::exact) return "exact, computed without samples";
  std::string text =
      fmt::format("{}; {} of {} fresh samples failed", confidence_phrase(certificate),
                  with_thousands(certificate.invalid), with_thousands(certificate.samples));
  if (certificate.stop == StopReason::futile) {
    text += "; sampling stopped, as the target is out of reach";
  }
  return text;
}

/// "; the target of at most 5 % failures is met.", or just the end of the sentence.
std::string target_clause(const ReportContext& context, const Explanation& explanation) {
  if (!explanation.target_met) return ".";
  const double target = context.target.value_or(0);
  // Retrained models have a sentence, and a clause, of their own.
  const bool met = explanation.model_change
                       ? explanation.valid && explanation.certificate->upper <= target
                       : *explanation.target_met;
  return fmt::format("; the target of at most {} failures is {}.", percent(target),
                     met ? "met" : "not met");
}

/// Four digits, never more than the number: what is proven below it holds for the text too.
std::string rounded_down(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 3);
  return fmt::format("{:.4g}", std::floor(value / unit) * unit);
}

std::string score_text(double score) { return fmt::format("{:.3f}", score); }

/// "Row 11", or with the column that says who that is: "Row 11 (customer A-17)".
std::string person_name(const ReportContext& context, const Explanation& explanation) {
  if (!context.identified || explanation.kept.empty()) {
    return fmt::format("Row {}", explanation.row);
  }
  const auto& [name, value] = explanation.kept.front();
  return fmt::format("Row {} ({}{}{})", explanation.row, name, name.empty() ? "" : " ", value);
}

}  // namespace

std::string with_thousands(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string headline(const ReportContext& context, const Explanation& explanation) {
  const std::string who = person_name(context, explanation);
  if (explanation.status == Status::error) return fmt::format("{}: could not be read", who);
  if (explanation.alternative > 1)
    return fmt::format("{}, alternative {}", who, explanation.alternative);
  if (std::isnan(explanation.score_before)) {
    return fmt::format("{}: the model gives no clear answer", who);
  }
  if (context.goal.on_threshold(logit_of(explanation.score_before))) {
    return fmt::format("{}: the score {} is on the threshold, where roundings decide", who,
                       score_text(explanation.score_before));
  }
  const bool already = explanation.status == Status::already;
  const int now = explanation.score_before > context.goal.threshold() ? 1 : 0;
  return fmt::format("{}: the answer is {}{} (score {})", who, already ? "already " : "",
                     class_name(context, now), score_text(explanation.score_before));
}

std::string kept_text(const ReportContext& context, const Explanation& explanation) {
  std::vector<std::string> parts;
  for (std::size_t k = context.identified ? 1 : 0; k < explanation.kept.size(); ++k) {
    parts.push_back(fmt::format("{}: {}", explanation.kept[k].first, explanation.kept[k].second));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// The names of features that stay missing: "age, purpose".
std::string missing_names(const ReportContext& context, const Explanation& explanation) {
  std::vector<std::string> names;
  for (const std::size_t f : explanation.missing_features) {
    names.push_back(context.codec.schema().features[f].name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What a certificate holds for, where values are missing.
std::string missing_clause(const ReportContext& context, const Explanation& explanation) {
  if (explanation.missing_features.empty()) return {};
  return fmt::format(" It holds for the record with these values missing: {}.",
                     missing_names(context, explanation));
}

/// What was filled in for values that the person does not have, or that they stay missing; empty
/// when nothing was missing.
std::string filled_sentence(const ReportContext& context, const Explanation& explanation) {
  if (explanation.origin.empty()) return {};
  if (!explanation.missing_features.empty()) {
    if (explanation.certificate) return {};  // its own sentence says so
    return fmt::format(" The model was asked with these values missing: {}.",
                       missing_names(context, explanation));
  }
  const Record filled = context.codec.filled(explanation.before);
  std::vector<std::string> parts;
  for (std::size_t f = 0; f < filled.size(); ++f) {
    if (filled[f] == explanation.before[f]) continue;
    const Feature& feature = context.codec.schema().features[f];
    parts.push_back(fmt::format("{} {}", feature.name,
                                recommended_value(feature, shortened(feature, filled[f]))));
  }
  if (parts.empty()) return {};
  return fmt::format(" This assumes values that the record lacks: {}.", fmt::join(parts, ", "));
}

std::string outcome(const ReportContext& context, const Explanation& explanation) {
  switch (explanation.status) {
    case Status::already:
      return "Nothing needs to change." + filled_sentence(context, explanation);
    case Status::infeasible:
      if (explanation.obstacle) {
        return "There is no certified advice." + filled_sentence(context, explanation);
      }
      return explanation.reason + "." + filled_sentence(context, explanation);
    case Status::error:
      return explanation.reason + ".";
    case Status::found:
    case Status::unmet:
    case Status::undecided:
      break;
  }
  const std::string then =
      explanation.valid
          ? fmt::format("With this the answer is {} (score {}).",
                        class_name(context, context.goal.wanted()), score_text(explanation.score))
      : std::isnan(explanation.score) ? std::string("With this the model gives no clear answer.")
                                      : fmt::format("With this the answer is still {} (score {}).",
                                                    class_name(context, 1 - context.goal.wanted()),
                                                    score_text(explanation.score));
  const std::string assumed = filled_sentence(context, explanation);
  if (explanation.status == Status::found) return then + assumed;
  return fmt::format("{} {}: {}.{}", then,
                     explanation.status == Status::undecided ? "Undecided" : "Not met",
                     explanation.reason, assumed);
}

std::string wrapped(const std::string& text) {
  constexpr std::size_t kWidth = 96;
  std::string out = "  ";
  std::size_t column = 2;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find(' ', begin);
    if (text.compare(std::min(end, text.size()), 2, " %") == 0) end = text.find(' ', end + 1);
    if (end == std::string::npos) end = text.size();
    const std::size_t length = end - begin;
    if (column > 2 && column + 1 + length > kWidth) {
      out += "\n  ";
      column = 2;
    } else if (column > 2) {
      out += ' ';
      ++column;
    }
    out.append(text, begin, length);
    column += length;
    begin = end + 1;
  }
  return out + "\n";
}

double cases_of_hundred(double upper) {
  // Tenths of a case above 1 %, and two digits of what fails below, as far as texts have places.
  double digits = 10;
  for (int place = 1; place < kCasesPlaces && upper * digits < 0.1; ++place) digits *= 10;
  return std::floor((1 - upper) * 100 * digits + 1e-9) / digits;
}

std::string cases_text(double cases) { return format_fixed(cases, kCasesPlaces); }

std::string confidence_text(double confidence) {
  return fmt::format("{:.10g} %", 100 * confidence);
}

std::string confidence_phrase(const Certificate& certificate) {
  if (certificate.bound == BoundKind::exact) return "exact";
  return fmt::format("{} confidence{}", confidence_text(certificate.confidence),
                     certificate.family > 1 ? fmt::format(" for all {} answers together",
                                                          with_thousands(certificate.family))
                                            : "");
}

std::string certificate_sentence(const ReportContext& context, const Explanation& explanation) {
  if (!explanation.certificate) return {};
  const Certificate& certificate = *explanation.certificate;
  return fmt::format(
      "Carried out with {}, the answer stays {} in at least {} of 100 cases ({}){}{}",
      noise_phrase(context), class_name(context, context.goal.wanted()),
      cases_text(cases_of_hundred(certificate.upper)), evidence_text(certificate),
      target_clause(context, explanation), missing_clause(context, explanation));
}

std::string evidence_sentence(const ReportContext& context, const Explanation& explanation,
                              bool noise) {
  if (!explanation.certificate) return {};
  const Certificate& certificate = *explanation.certificate;
  return fmt::format("Certificate: {}at most {} % fail ({}){}{}",
                     noise ? fmt::format("under {} ", noise_phrase(context)) : std::string(),
                     cases_text(100 - cases_of_hundred(certificate.upper)),
                     evidence_text(certificate), target_clause(context, explanation),
                     missing_clause(context, explanation));
}

std::string cost_sentence(const ReportContext& context, const Explanation& explanation) {
  if (!explanation.has_advice()) return {};
  const Distances& distance = explanation.distance;
  std::string text = fmt::format("It costs {:.4g}", distance.cost);
  if (context.codec.cost_kind() != CostKind::l1) {
    text += fmt::format(" ({})", name_of(context.codec.cost_kind()));
  }
  const bool moves = has_level_moves(context.codec.space());
  const bool touches = has_touch_prices(context.codec.space());
  if (!moves && !touches) return text + ".";
  text += fmt::format(": {:.4g} for numbers",
                      distance.cost - distance.level_price - distance.touch_price);
  if (touches) {
    text += fmt::format("{} {:.4g} for touching them", moves ? "," : " and", distance.touch_price);
  }
  if (moves) text += fmt::format(" and {:.4g} for categories", distance.level_price);
  return text + ".";
}

std::string proof_sentence(const Explanation& explanation) {
  if (!explanation.proof) return {};
  const Proof& proof = *explanation.proof;
  if (proof.basis == ProofBasis::none) {
    return fmt::format("What the target costs at least is not known: {}.", proof.reason);
  }
  const std::string confidence = confidence_text(proof.confidence) + " confidence";
  if (proof.infeasible) {
    return fmt::format("No admissible change can meet the target ({}).",
                       proof.confidence < 1 ? confidence : "proved");
  }
  if (!(proof.lower > 0)) {
    return "No lower bound above 0 on the cost of meeting the target was found.";
  }
  std::string text =
      fmt::format("No admissible change that costs less than {} can meet the target ({})",
                  rounded_down(proof.lower), confidence);
  if (const std::optional<double> gap = explanation.proven_gap()) {
    text += fmt::format("; this one costs {:.4g}, at most {} % more", explanation.distance.cost,
                        format_fixed(std::ceil(*gap * 1000 - 1e-6) / 10, 1));
  }
  return text + ".";
}

std::string reason_codes_sentence(const ReportContext& context, const Explanation& explanation) {
  std::vector<std::string> parts;
  for (const ReasonCode& one : explanation.reason_codes) {
    const std::string& code = context.codec.schema().features[one.feature].reason_code;
    parts.push_back(
        parts.empty() ? fmt::format("{} (the values of accepted people would gain {:.2g} of score)",
                                    code, one.gain)
                      : fmt::format("{} ({:.2g})", code, one.gain));
  }
  return parts.empty() ? std::string() : fmt::format("Reason codes: {}.", fmt::join(parts, "; "));
}

std::string reason_codes_field(const ReportContext& context, const Explanation& explanation) {
  std::vector<std::string_view> codes;
  for (const ReasonCode& one : explanation.reason_codes) {
    codes.push_back(context.codec.schema().features[one.feature].reason_code);
  }
  return fmt::format("{}", fmt::join(codes, "; "));
}

std::string plausibility_sentence(const Explanation& explanation) {
  if (!explanation.plausibility) return {};
  return fmt::format(
      "Plausibility: of other accepted people, {} are at least as unusual as this record (a "
      "description, not a test); the nearest accepted one is number {} of the training rows.",
      percent(explanation.plausibility->share), explanation.plausibility->nearest);
}

}  // namespace croco
