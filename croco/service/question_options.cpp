// SPDX-License-Identifier: Apache-2.0
// From a question to the options of the library, and to those of the command line.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/explain/feature_noise.hpp>
#include <croco/methods/named_method.hpp>
#include <croco/service/question.hpp>

namespace croco {
namespace {

/// A word of a command line, in quotes where a shell would read it otherwise.
std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '=' || c == ':' ||
           c == ',';
  });
  if (plain) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string by_feature(const std::map<std::string, double>& values, const char* option) {
  std::string out;
  for (const auto& [name, value] : values) {
    out += fmt::format(" {} {}", option, shell_word(name + "=" + format_number(value)));
  }
  return out;
}

}  // namespace

Noise NoiseQuestion::resolve(const Codec& codec) const {
  const bool stated = states_noise(codec.schema());
  const bool by_schema = spec == "schema";
  if (by_schema && !stated) {
    throw InvalidArgument("noise is 'schema'; the schema states no noise of any feature");
  }
  Noise out;
  if (by_schema || !is_stated()) {
    out = default_noise(codec);
  } else {
    out = parse_noise(spec.empty() ? "gaussian" : spec);
    if (!scales.empty() || spec.empty()) {
      out = spec.find(':') == std::string::npos ? exact_noise(codec, std::move(out))
                                                : even_noise(codec, std::move(out));
    }
  }
  for (const auto& [name, scale] : scales) {
    const std::size_t feature = codec.schema().index_of(name);
    if (codec.schema().features[feature].type != FeatureType::numeric) {
      throw InvalidArgument(
          fmt::format("noise-scale: '{}' is a category, and scales are for numbers", name));
    }
    if (!(scale >= 0) || !std::isfinite(scale)) {
      throw InvalidArgument(
          fmt::format("noise-scale of '{}' is {}; it must be at least 0", name, scale));
    }
    set_scale(codec, feature, scale, ScaleUnit::own, out);
  }
  for (const auto& [name, probability] : flips) {
    try {
      set_flip(codec, codec.schema().index_of(name), probability, out);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("flip of '{}': {}", name, error.what()));
    }
  }
  out.falls_short = falls_short;
  if (!scope.empty()) {
    if (!is_stated() && !stated) out.column_scales.clear();  // the scope says itself what is noisy
    out.scope = parse_scope(scope);
  }
  return out;
}

Goal Question::goal(const LoadedModel& loaded) const {
  const Goal usual = loaded.goal.value_or(Goal());
  return Goal(threshold.value_or(usual.threshold()), wanted.value_or(usual.wanted()));
}

CertifyOptions Question::certify() const {
  return {.samples = max_samples, .confidence = confidence};
}

ExplainOptions Question::options(const LoadedModel& loaded) const {
  return {.method = make_method(method, {}, target, confidence),
          .noise = noise.resolve(loaded.codec),
          .goal = goal(loaded),
          .certify = certify(),
          .missing = missing,
          .seed = seed,
          .reasons = reasons,
          .max_changes = max_changes,
          .alternatives = alternatives,
          .disjoint = disjoint,
          .restrictions = restrictions};
}

std::string Question::key() const {
  std::string out = fmt::format(
      "{} {} {} {} {} {} {} {} {} {} {} {} {}|{}|{}|{}", method, target, confidence, alternatives,
      disjoint, max_changes.value_or(0), max_samples, threshold.value_or(-1), wanted.value_or(-1),
      reasons, static_cast<int>(missing), seed, noise.falls_short, noise.spec, noise.scope,
      by_feature(noise.scales, "s") + by_feature(noise.flips, "f"));
  for (const Restriction& one : restrictions) {
    out += fmt::format("|{} {} {} {} {}", one.feature, one.fixed, static_cast<int>(one.movement),
                       one.minimum ? format_number(*one.minimum) : "",
                       one.maximum ? format_number(*one.maximum) : "");
    for (const std::string& level : one.levels) out += shell_word(level);
  }
  return out;
}

std::optional<std::string> Question::command() const {
  if (typed || !restrictions.empty()) return std::nullopt;
  std::string out = fmt::format("croco explain --model MODEL --data DATA --rows {}", person.row);
  if (method != "certified") out += " --method " + method;
  if (method != "wachter") out += " --target " + format_number(target);
  out += " --confidence " + format_number(confidence);
  if (!noise.spec.empty()) out += " --noise " + shell_word(noise.spec);
  if (!noise.scope.empty()) out += " --noise-on " + noise.scope;
  out += by_feature(noise.scales, "--noise-scale") + by_feature(noise.flips, "--flip");
  if (noise.falls_short) out += " --falls-short";
  if (alternatives > 1) out += fmt::format(" --alternatives {}", alternatives);
  if (disjoint) out += " --disjoint";
  if (max_changes) out += fmt::format(" --max-changes {}", *max_changes);
  if (max_samples != CertifyOptions{}.samples) out += fmt::format(" --max-samples {}", max_samples);
  if (threshold) out += " --threshold " + format_number(*threshold);
  if (wanted) out += fmt::format(" --want {}", *wanted);
  if (!reasons) out += " --reasons off";
  if (missing == MissingPolicy::impute) out += " --missing impute";
  if (missing == MissingPolicy::keep) out += " --missing keep";
  if (seed != 0) out += fmt::format(" --seed {}", seed);
  return out;
}

}  // namespace croco
