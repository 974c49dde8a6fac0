// SPDX-License-Identifier: Apache-2.0
/// What verifying a certificate found, in sentences.
#pragma once

#include <span>
#include <string>

#include <croco/explain/loaded_model.hpp>
#include <croco/explain/stated_certificate.hpp>
#include <croco/explain/verify.hpp>

namespace croco {

/// Compares the certificate's sentence with what its numbers say, and adds the finding. The wording
/// belongs to a version of the program: a sentence of another one is noted and not compared. Does
/// nothing when the certificate could not be resolved.
void check_statement(const StatedCertificate& stated, const LoadedModel& loaded,
                     Verification& verification);

/// A block for a terminal: the verdict, the sentence that the numbers say, a line per finding.
[[nodiscard]] std::string verification_text(const StatedCertificate& stated,
                                            const LoadedModel& loaded,
                                            const Verification& verification);

/// A line per finding.
[[nodiscard]] std::string findings_text(std::span<const Finding> findings);

/// What a certificate that holds does and does not say.
[[nodiscard]] std::string certificate_scope();

}  // namespace croco
