// SPDX-License-Identifier: Apache-2.0
#include <croco/report/certificate_json.hpp>

#include <nlohmann/json.hpp>

#include <croco/base/json_text.hpp>
#include <croco/base/version.hpp>
#include <croco/noise/sample.hpp>
#include <croco/report/model_change_text.hpp>
#include <croco/report/narrate.hpp>
#include <croco/report/record_json.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

Json rows_json(Rows rows) {
  Json out = Json::array();
  for (std::size_t k = 0; k < rows.count(); ++k) {
    out.push_back(Vector(rows[k].begin(), rows[k].end()));
  }
  return out;
}

Json names_json(const Codec& codec, const std::vector<std::size_t>& columns) {
  Json out = Json::array();
  for (const std::size_t j : columns) out.push_back(codec.column_names()[j]);
  return out;
}

Json flips_json(const Codec& codec, const std::vector<LevelFlips>& flips) {
  Json out = Json::array();
  for (const LevelFlips& category : flips) {
    const OneHotGroup& group = category.group();
    std::vector<std::size_t> columns;
    for (std::size_t k = 0; k < group.count; ++k) columns.push_back(group.first + k);
    out.push_back({{"columns", names_json(codec, columns)},
                   {"transition", rows_json({category.transition(), group.count})}});
  }
  return out;
}

/// Columns without noise have residuals of 0.
Matrix drawn_residuals(const Residuals& residuals, View drawn) {
  Matrix out = residuals.rows;
  for (std::size_t k = 0; k < out.count(); ++k) {
    for (std::size_t i = 0; i < residuals.columns.size(); ++i) {
      if (drawn[residuals.columns[i]] == 0) out[k][i] = 0;
    }
  }
  return out;
}

Json noise_json(const ReportContext& context) {
  const Noise& noise = context.noise;
  const std::string text = noise_text(noise);
  // What is stated is what is sampled: nothing outside of the scope, nothing beside flips.
  const Vector drawn = scoped_scales(noise, context.codec.space());
  Json out{{"shape", text.substr(0, text.find(':'))}};
  if (noise.shape == NoiseShape::empirical) {
    out["residuals"] = {{"columns", names_json(context.codec, noise.residuals.columns)},
                        {"rows", rows_json(drawn_residuals(noise.residuals, drawn).rows())}};
  } else if (noise.shape == NoiseShape::correlated) {
    out["covariance"] = {{"columns", names_json(context.codec, noise.covariance.columns())},
                         {"matrix", rows_json(noise.covariance.matrix().rows())}};
  } else if (noise.column_scales.empty()) {
    out["scale"] = noise.scale;
  } else {
    out["column_scales"] = columns_json(context.codec, drawn, {});
  }
  if (noise.shape == NoiseShape::mixed) {
    Json shapes = Json::object();
    for (std::size_t j = 0; j < noise.column_shapes.size(); ++j) {
      const NoiseShape own = drawn[j] > 0 ? noise.column_shapes[j] : NoiseShape::gaussian;
      const std::string shape = noise_text({.shape = own});
      shapes[context.codec.column_names()[j]] = shape.substr(0, shape.find(':'));
    }
    out["column_shapes"] = std::move(shapes);
  }
  if (noise.shape == NoiseShape::student_t) out["dof"] = noise.degrees_of_freedom;
  if (!noise.flips.empty()) out["flips"] = flips_json(context.codec, noise.flips);
  out["on"] = name_of(noise.scope);
  out["falls_short"] = noise.falls_short;
  return out;
}

/// Which samples they were, and what had been planned.
void add_samples(const Certificate& certificate, std::size_t row, Json& out) {
  out["seed"] = certificate.seed;
  out["purpose"] = certificate.purpose == Purpose::audit ? "audit" : "certify";
  out["first_sample"] = certificate.first;
  out["samples_of"] = certificate.shared_draws ? Json("shared") : Json(row);
  out["attempt"] = certificate.attempt;
  out["attempts"] = certificate.attempts;
  out["looks"] = certificate.sequential ? "planned" : "one";
  out["maximum"] = certificate.maximum;
  // Of certificates within a query budget alone; the others read as they always did.
  if (certificate.first_look != CertifyOptions{}.first_look) {
    out["first_look"] = certificate.first_look;
  }
  if (certificate.attempt_stride != 0) out["attempt_stride"] = certificate.attempt_stride;
  out["stopped"] = name_of(certificate.stop);
}

}  // namespace

std::string certificate_noise_json(const ReportContext& context) {
  return json_text(noise_json(context));
}

std::string certificate_json(const ReportContext& context, const Explanation& explanation) {
  if (!explanation.certificate) return "null";
  const Certificate& certificate = *explanation.certificate;
  Json out;
  out["croco_certificate"] =
      explanation.model_change ? kModelsCertificateVersion : kCertificateVersion;
  out["statement"] = certificate_sentence(context, explanation);
  out["upper"] = certificate.upper;
  out["confidence"] = certificate.confidence;
  out["family"] = certificate.family;
  out["bound"] = name_of(certificate.bound);
  out["bound_confidence"] = certificate.bound_confidence;
  out["samples"] = certificate.samples;
  out["invalid"] = certificate.invalid;
  out["rate"] = certificate.rate;
  if (context.target) out["target"] = *context.target;
  if (explanation.target_met) out["target_met"] = *explanation.target_met;
  if (certificate.bound != BoundKind::exact) add_samples(certificate, explanation.row, out);
  out["noise"] = noise_json(context);
  out["threshold"] = context.goal.threshold();
  out["wanted"] = context.goal.wanted();
  out["model_sha256"] = context.model_fingerprint;
  out["schema_sha256"] = context.schema_fingerprint;
  out["before"] = record_json(context.codec, explanation.before, explanation.missing_features);
  out["recommended"] = record_json(context.codec, explanation.after, explanation.missing_features);
  out["origin"] = columns_json(context.codec, explanation.origin, explanation.missing_features);
  out["point"] = columns_json(context.codec, explanation.point, explanation.missing_features);
  if (explanation.model_change) {
    out["models"] = parse_json(model_change_json(context, explanation));
  }
  out["program"] = "croco " + std::string(version());
  // Records may hold bytes that are not UTF-8; they are shown as replacement characters.
  return json_text(out, -1, BrokenText::replace);
}

std::string indented_certificate(std::string_view json) {
  const Json parsed = parse_json(json);
  const Json& certificate = parsed.contains("certificate") ? parsed["certificate"] : parsed;
  return json_text(certificate, 2, BrokenText::replace) + "\n";
}

}  // namespace croco
