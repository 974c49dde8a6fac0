// SPDX-License-Identifier: Apache-2.0
/// A certificate as somebody handed it over: what it states, and nothing that has been checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/noise/noise.hpp>
#include <croco/robustness/certificate.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {

/// The version of the format that is written and read.
inline constexpr int kCertificateVersion = 1;

/// Noise on several columns together: residuals, a covariance, or what flips make of the levels of
/// a category.
struct StatedRows {
  std::vector<std::string> columns = {};
  Matrix rows = {};
};

/// Columns and features by name: which ones there are is for the model to say.
struct StatedCertificate {
  std::string source;  ///< how messages name it: "advice.jsonl, line 3"
  std::optional<std::size_t> row = {};
  std::optional<std::size_t> option = {};  ///< of several, from 1

  std::string statement;
  Certificate certificate;
  std::optional<double> target = {};
  std::optional<bool> target_met = {};
  std::uint64_t person = 0;  ///< whose own draws they are, where they are not shared
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
  std::vector<std::pair<std::string, std::string>> told;
  std::vector<std::pair<std::string, double>> origin;  ///< NaN: missing
  std::vector<std::pair<std::string, double>> point;
  std::string program;
};

}  // namespace croco
