// SPDX-License-Identifier: Apache-2.0
/// Checks what a certificate says about retrained models.
#pragma once

#include <stop_token>

#include <croco/explain/explanation.hpp>
#include <croco/robustness/problem.hpp>
#include <croco/verify/verify.hpp>

namespace croco {

/// Adds the findings: the models and their split, the bounds and the samples, fresh models.
/// `answer` is what the certificate speaks of; the problem has its seed. Incomplete when `stop` is
/// requested.
void verify_models(const StatedCertificate& stated, const Problem& problem,
                   const Explanation& answer, const VerifyOptions& options,
                   const std::stop_token& stop, std::vector<Finding>& findings);

}  // namespace croco
