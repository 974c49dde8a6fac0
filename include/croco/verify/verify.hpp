// SPDX-License-Identifier: Apache-2.0
/// Checks a certificate that somebody handed over: against the model file, by generating its very
/// samples again, and by samples of one's own.
///
///     for (const croco::StatedCertificate& stated : croco::read_certificates("advice.jsonl")) {
///       const croco::Verification verification = croco::verify(stated, model, {.seed = 90210});
///       std::cout << (verification.holds() ? "holds" : "DOES NOT HOLD");
///     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/noise/noise.hpp>
#include <croco/robustness/certificate.hpp>
#include <croco/robustness/goal.hpp>

namespace croco {

/// The version of the format that is written. Version 1, which has other names for some keys, is
/// read as well.
inline constexpr int kCertificateVersion = 2;

/// Noise on several columns together: residuals, a covariance, or what flips make of the levels of
/// a category.
struct StatedRows {
  std::vector<std::string> columns = {};
  Matrix rows = {};
};

/// The version of certificates that speak of retrained models too.
inline constexpr int kModelsCertificateVersion = 3;

/// What a certificate says about retrained models.
struct StatedModels {
  struct File {
    std::string name;
    std::string fingerprint;
  };
  ModelChange change;
  std::vector<File> search;
  std::vector<File> certify;
  std::string recipe;  ///< JSON; empty: not stated
  std::vector<std::string> statements;
};

/// Columns and features by name: which ones there are is for the model to say.
struct StatedCertificate {
  std::string source;  ///< how messages name it: "advice.jsonl, line 3"
  std::optional<std::size_t> row = {};
  std::optional<std::size_t> alternative = {};  ///< of several, from 1
  int version = kCertificateVersion;            ///< of its format

  std::string statement;
  Certificate certificate;
  std::optional<double> target = {};
  std::optional<bool> target_met = {};
  std::uint64_t person = 0;  ///< whose own samples they are, where they are not shared
  Noise noise;               ///< without what follows
  std::vector<std::pair<std::string, double>> column_scales = {};
  std::vector<std::pair<std::string, NoiseShape>> column_shapes = {};
  std::optional<StatedRows> residuals = {};
  std::optional<StatedRows> covariance = {};
  std::vector<StatedRows> flips = {};
  Goal goal;
  std::string model_fingerprint;
  std::string schema_fingerprint;
  std::vector<std::pair<std::string, std::string>> before;  ///< empty: missing
  std::vector<std::pair<std::string, std::string>> recommended;
  std::vector<std::pair<std::string, double>> origin;  ///< NaN: missing
  std::vector<std::pair<std::string, double>> point;
  std::string program;
  std::optional<StatedModels> models = {};
};

/// What is checked, in this order.
enum class Check : std::uint8_t {
  model,         ///< the model file is the one that the certificate names
  schema,        ///< so is the encoding
  record,        ///< the records encode to exactly the points that the certificate names
  plan,          ///< the samples, looks and confidences are ones that croco plans
  bound,         ///< the bound follows from the counts (or from the closed form)
  target,        ///< whether the target is met is stated as it is
  samples,       ///< the same samples, generated again, give the same counts
  fresh,         ///< other samples do not contradict the bound
  models,        ///< the retrained models and their split are the ones that the certificate names
  joint,         ///< what is stated about them follows from their samples, generated again
  fresh_models,  ///< other models do not contradict it
  statement,     ///< the sentence says what the numbers say
  row,           ///< the row of a report says what its certificate, its run and the model say
  data,          ///< the person's record is that of the data
  again,         ///< the same run, made again, gives the same row
  manifest,      ///< the report has exactly the lines that the run wrote
};
/// `model`, `schema`, ...
[[nodiscard]] CROCO_EXPORT std::string_view name_of(Check check) noexcept;

struct Finding {
  Check check = Check::model;
  bool holds = false;
  std::string text;   ///< what was found, without a full stop
  bool note = false;  ///< it holds, and still has to be said: a target that is missed
};

struct CROCO_EXPORT Verification {
  std::vector<Finding> findings;  ///< up to the first one without which no other makes sense
  /// What the certificate speaks of, once its names have been resolved.
  std::optional<Explanation> answer = {};
  Noise noise = {};

  [[nodiscard]] bool holds() const noexcept;
  /// The statement may hold all the same: that the target is missed is part of it.
  [[nodiscard]] bool misses_target() const noexcept {
    return answer && answer->target_met == false;
  }
};

struct VerifyOptions {
  /// Of the fresh samples; not the certificate's own. By default the one after it.
  std::optional<std::uint64_t> seed = {};
  std::size_t samples = 100'000;          ///< fresh samples, at least 1
  std::size_t max_samples = 100'000'000;  ///< a certificate with more is not sampled again
  unsigned threads = 1;
  /// The retrained models of certificates that speak of some, and further ones to try them on.
  std::shared_ptr<const ModelPopulation> models = {};
  std::shared_ptr<const ModelPopulation> fresh_models = {};
};

/// The fresh samples contradict a bound when they exclude it with this confidence. It is this high
/// so that a true bound is hardly ever called false.
inline constexpr double kContradiction = 1 - 1e-6;

/// Never throws for what a certificate says: that is a finding. Throws InvalidArgument when the
/// fresh samples would be the certificate's own. No findings when `stop` is requested meanwhile.
[[nodiscard]] CROCO_EXPORT Verification verify(const StatedCertificate& stated,
                                               const LoadedModel& loaded,
                                               const VerifyOptions& options,
                                               const std::stop_token& stop = {});

}  // namespace croco
