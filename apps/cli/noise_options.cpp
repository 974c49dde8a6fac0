// SPDX-License-Identifier: Apache-2.0
// How the command line states noise.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <apps/cli/options.hpp>
#include <apps/cli/print.hpp>
#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/suggest.hpp>
#include <croco/explain/feature_noise.hpp>
#include <croco/report/noise_words.hpp>

namespace croco::cli {
namespace {

constexpr std::string_view kSchema = "schema";

/// An unknown name on the command line is a mistake of the command line, not of the data.
std::size_t feature_of(const Schema& schema, const std::string& name, std::string_view option) {
  try {
    return schema.index_of(name);
  } catch (const DataError& error) {
    throw InvalidArgument(fmt::format("{}: {}", option, error.what()));
  }
}

/// "duration=1" or "duration=0.02:encoded"
void apply_scale(const std::string& text, const Codec& codec, Noise& noise) {
  const std::size_t equals = text.rfind('=');
  constexpr std::string_view kEncoded = ":encoded";
  std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  const bool encoded = value.ends_with(kEncoded);
  if (encoded) value.resize(value.size() - kEncoded.size());
  const auto scale = parse_number(value);
  if (!scale) {
    throw InvalidArgument(fmt::format(
        "noise-scale is '{}'; it must be FEATURE=NUMBER, such as income=200, in the feature's own "
        "units, or FEATURE=NUMBER:encoded",
        text));
  }
  const std::string name = text.substr(0, equals);
  const std::size_t feature = feature_of(codec.schema(), name, "noise-scale");
  if (codec.schema().features[feature].type != FeatureType::numeric) {
    throw InvalidArgument(fmt::format(
        "noise-scale is '{}'; '{}' is a category, and scales are for numbers", text, name));
  }
  if (!(*scale >= 0) || !std::isfinite(*scale)) {
    throw InvalidArgument(
        fmt::format("noise-scale of '{}' is {}; it must be at least 0", name, *scale));
  }
  set_scale(codec, feature, *scale, encoded ? ScaleUnit::range : ScaleUnit::own, noise);
}

/// "housing=0.02"
void apply_flip(const std::string& text, const Codec& codec, Noise& noise) {
  const std::size_t equals = text.rfind('=');
  const auto probability =
      equals == std::string::npos ? std::nullopt : parse_number(text.substr(equals + 1));
  if (!probability) {
    throw InvalidArgument(
        fmt::format("flip is '{}'; it must be FEATURE=PROBABILITY, such as housing=0.02", text));
  }
  const std::string name = text.substr(0, equals);
  try {
    set_flip(codec, feature_of(codec.schema(), name, "flip"), *probability, noise);
  } catch (const InvalidArgument& error) {
    const std::string_view what = error.what();
    if (what.starts_with("flip: ")) throw;
    throw InvalidArgument(fmt::format("flip is '{}'; {}", text, what));
  }
}

/// The numbers without noise of a run that has a scale for each column.
std::vector<std::string> exact_numbers(const Codec& codec, const Noise& noise) {
  std::vector<std::string> out;
  for (std::size_t j = 0; j < codec.width(); ++j) {
    const Feature& feature = codec.schema().features[codec.feature_of(j)];
    const bool exact = feature.type == FeatureType::numeric && noise.column_scales[j] == 0;
    if (exact) out.push_back(feature.name);
  }
  return out;
}

/// Which noise counts when no option states any, and how to state another.
void note_noise(const Codec& codec, const Noise& noise, bool assumed) {
  const ReportContext context{.codec = codec,
                              .method = {},
                              .target = {},
                              .noise = noise,
                              .goal = Goal(),
                              .model_name = {},
                              .model_fingerprint = {},
                              .schema_fingerprint = {}};
  if (!assumed) {
    print_note("note: noise as the schema states it: {}\n", noise_phrase(context));
    return;
  }
  std::string assumed_noise = noise_phrase(context);
  std::string exact = noise.scope == NoiseScope::continuous ? "; categories are exact" : "";
  if (!noise.column_scales.empty()) {
    const bool none =
        std::ranges::all_of(noise.column_scales, [](double scale) { return scale == 0; });
    assumed_noise = none
                        ? "none"
                        : fmt::format("gaussian noise (sd {}) on numbers with more than two values",
                                      format_number(noise.scale));
    exact = fmt::format("; categories and {} are exact", quoted_list(exact_numbers(codec, noise)));
  }
  print_note(
      "note: neither the schema nor an option states noise; assumed: {}, in ranges of the "
      "training data{}. --noise, --noise-scale, --flip or 'noise' in the schema state "
      "other noise\n",
      assumed_noise, exact);
}

}  // namespace

void NoiseOptions::add_to(Command& command) {
  command
      .add_option(
          "--noise", noise,
          "gaussian:variance=V, gaussian:sd=S, uniform:half-width=H, laplace:scale=B or "
          "student-t:scale=S,dof=D, in encoded units; or schema, for what the schema states "
          "[schema if it states any; else gaussian:sd=0.1 is assumed, on numeric features with "
          "more "
          "than two values]")
      .type_name("NOISE");
  command
      .add_option("--noise-on", scope,
                  "Noisy columns: all, continuous, movable or changed; flips always apply [all; "
                  "continuous where the noise is assumed and the data are not encoded]")
      .type_name("SCOPE");
  command
      .add_option("--noise-scale", scales,
                  "Scale of one feature, in its own units (income=200) or encoded "
                  "(income=0.01:encoded); may be repeated. When --noise has no scale of its own, "
                  "the other features are exact")
      .type_name("FEATURE=NUMBER");
  command
      .add_option(
          "--flip", flips,
          "Probability that a category turns into another level that occurs in the training data "
          "(housing=0.02); may be repeated. Without --noise, everything else is exact")
      .type_name("FEATURE=PROBABILITY");
  Option file =
      command.add_option("--noise-file", residuals,
                         "Resample observed errors, the rows of a CSV file: a column per numeric "
                         "feature, in its own units; features without a column are exact");
  file.type_name("FILE");
  command
      .add_option("--noise-covariance", covariance,
                  "Correlated Gaussian noise with the covariance of a CSV or JSON file, by numeric "
                  "feature in its own units; the other features are exact")
      .type_name("FILE")
      .excludes(file);
  command.add_flag("--falls-short", falls_short,
                   "One-sided noise: changes only ever fall short of the advice");
}

Noise NoiseOptions::resolve_base(const Codec& codec) const {
  if (!residuals.empty() || !covariance.empty()) {
    const std::string_view option = residuals.empty() ? "noise-covariance" : "noise-file";
    if (!noise.empty() || !scales.empty()) {
      throw InvalidArgument(fmt::format("{} says all of the numeric noise; {} cannot be added",
                                        option, noise.empty() ? "noise-scale" : "noise"));
    }
    return residuals.empty() ? read_covariance_noise(codec, covariance)
                             : residual_noise(codec, read_csv(residuals));
  }
  const bool nothing = noise.empty() && scales.empty() && flips.empty();
  const bool stated = states_noise(codec.schema());
  if (noise == kSchema && !stated) {
    throw InvalidArgument("noise is 'schema'; the schema states no noise of any feature");
  }
  if (noise == kSchema || nothing) return default_noise(codec);
  Noise shape = parse_noise(noise.empty() ? "gaussian" : noise);
  if (scales.empty() && !noise.empty()) return shape;
  // Stated feature by feature: what is not stated is exact, unless the shape says how noisy it is.
  return noise.find(':') == std::string::npos ? exact_noise(codec, shape)
                                              : even_noise(codec, shape);
}

Noise NoiseOptions::resolve(const Codec& codec) const {
  Noise out = resolve_base(codec);
  for (const std::string& text : scales) apply_scale(text, codec, out);
  for (const std::string& text : flips) apply_flip(text, codec, out);
  out.falls_short = falls_short;
  if (!scope.empty()) {
    // A scope that is asked for says itself what is noisy.
    if (is_assumed(codec.schema())) out.column_scales.clear();
    out.scope = parse_scope(scope);
  }
  if (!is_stated()) note_noise(codec, out, is_assumed(codec.schema()));
  return out;
}

bool NoiseOptions::is_stated() const {
  return !noise.empty() || !scales.empty() || !flips.empty() || !residuals.empty() ||
         !covariance.empty();
}

bool NoiseOptions::is_assumed(const Schema& schema) const {
  return !is_stated() && !states_noise(schema);
}

}  // namespace croco::cli
