// SPDX-License-Identifier: Apache-2.0
// Does a certificate hold? Its samples are made again, and fresh ones are drawn.
//
//     verify_certificate MODEL CERTIFICATE.json|ADVICE.jsonl
#include <iostream>

#include <croco/croco.hpp>

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: verify_certificate MODEL CERTIFICATE.json|ADVICE.jsonl\n";
    return 2;
  }
  const croco::LoadedModel model = croco::load_model(argv[1]);
  bool holds = true;
  for (const croco::StatedCertificate& stated : croco::read_certificates(argv[2])) {
    const croco::Verification verification = croco::verify(stated, model, {.seed = 90210});
    holds = holds && verification.holds();
    std::cout << stated.source << ": " << (verification.holds() ? "holds" : "DOES NOT HOLD")
              << '\n';
    for (const croco::Finding& finding : verification.findings) {
      if (!finding.holds) std::cout << "  " << finding.text << '\n';
    }
  }
  return holds ? 0 : 1;
} catch (const croco::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
