// SPDX-License-Identifier: Apache-2.0
/// The certified method with every default filled in, as its searches take it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/methods/method.hpp>

namespace croco {

/// See `Certified` for the meaning of each field.
struct CertifiedSettings {
  double target = 0.05;
  double confidence = 0.999;
  std::size_t certificate_samples = 100'000;
  bool exact = true;
  std::vector<double> aims = {};
  bool calibrate_for_certificate = true;
  std::size_t search_samples = 2048;
  std::size_t calibration_samples = 32'768;
  std::size_t search_budget = 4'000'000;
  std::size_t soft_search_budget = 4'000'000;
  std::shared_ptr<const Matrix> accepted = {};
};

/// The defaults of searches live here and nowhere else. Throws InvalidArgument naming the field,
/// the value and the rule.
[[nodiscard]] CertifiedSettings settings_of(const Certified& options, bool expensive_queries);

}  // namespace croco
