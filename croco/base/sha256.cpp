// SPDX-License-Identifier: Apache-2.0
#include <croco/base/sha256.hpp>

#include <array>

// These functions stand alone, where the newer interface needs the whole library with its
// providers: a wheel links them statically.
#define OPENSSL_SUPPRESS_DEPRECATED  // NOLINT(readability-identifier-naming): OpenSSL's own name
#include <openssl/sha.h>

#include <croco/base/error.hpp>

namespace croco {

struct Sha256::State {
  SHA256_CTX context = {};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  if (SHA256_Init(&state_->context) != 1) {
    throw Error("SHA-256: the cryptographic library refuses to start a digest");
  }
}

Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  if (state_ == nullptr) throw InvalidArgument("SHA-256: update after finish");
  if (SHA256_Update(&state_->context, bytes.data(), bytes.size()) != 1) {
    throw Error("SHA-256: the cryptographic library refuses the data");
  }
}

std::string Sha256::finish() {
  if (state_ == nullptr) throw InvalidArgument("SHA-256: finish was called twice");
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  if (SHA256_Final(digest.data(), &state_->context) != 1) {
    throw Error("SHA-256: the cryptographic library refuses to finish the digest");
  }
  state_.reset();

  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.finish();
}

}  // namespace croco
