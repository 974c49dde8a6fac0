// SPDX-License-Identifier: Apache-2.0
/// What random samples are for.
///
///     if (certificate.purpose == croco::Purpose::audit) { ... }  // advice of another tool
#pragma once

#include <cstdint>

namespace croco {

/// What samples are for. Samples of different purposes never overlap: the ones that helped to
/// choose a point flatter it, and must not certify it. The numbers are part of the samples: never
/// renumber.
enum class Purpose : std::uint8_t {
  search = 0,         ///< steps of an optimisation
  check = 1,          ///< a method's own stopping rule
  certify = 2,        ///< certificates
  evaluate = 3,       ///< measurements in experiments
  train = 4,          ///< initial weights, splits, mini-batches
  audit = 5,          ///< certificates of advice that another tool or an earlier run made
  reasons = 6,        ///< rates within reach of people without certified advice
  prove = 7,          ///< lower bounds on the cost of what meets a target
  show = 8,           ///< outcomes for people to look at, who may then choose another point
  models = 9,         ///< statements about retrained models
  models_audit = 10,  ///< the same for advice that another tool or an earlier run made
  resample = 11,      ///< people resampled for the intervals of an audit
};

}  // namespace croco
