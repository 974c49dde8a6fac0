// SPDX-License-Identifier: Apache-2.0
/// The certificate as a file: everything that is needed to check it again, for whoever has the
/// model. docs/reference/certificates.md describes the format.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <croco/explain/explanation.hpp>
#include <croco/report/context.hpp>
#include <croco/verify/verify.hpp>

namespace croco {

/// The certificate of an answer, as a JSON object in one line; `null` when it has none.
[[nodiscard]] std::string certificate_json(const ReportContext& context,
                                           const Explanation& explanation);

/// The noise of a run as certificates state it, as a JSON object in one line. What no sample ever
/// has, such as the scale of a column outside of the scope, is 0 there.
[[nodiscard]] std::string certificate_noise_json(const ReportContext& context);

/// Bytes of one certificate at most.
inline constexpr std::size_t kMaxCertificateBytes = std::size_t{16} << 20;

/// Reads a certificate, or an answer that holds one; none when the answer has no certificate.
/// Nothing is believed: throws DataError naming `source`, the key, the value and the rule for
/// an unknown version, a key that is missing or unknown, another type, a number that is not finite
/// or out of its range.
[[nodiscard]] std::optional<StatedCertificate> read_certificate(std::string_view json,
                                                                const std::string& source);

/// Reads noise as certificates state it; nothing but the noise of what is returned is set. Throws
/// DataError as `read_certificate` does.
[[nodiscard]] StatedCertificate read_certificate_noise(std::string_view json,
                                                       const std::string& source);

/// A certificate's text, indented for people: of a certificate, or of an answer that holds one.
[[nodiscard]] std::string indented_certificate(std::string_view json);

}  // namespace croco
