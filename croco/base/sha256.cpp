// SPDX-License-Identifier: Apache-2.0
#include <croco/base/sha256.hpp>

#include <array>

#include <openssl/evp.h>

#include <croco/base/error.hpp>

namespace croco {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();

  State() = default;
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  if (state_->context == nullptr ||
      EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) != 1) {
    throw Error("SHA-256: the cryptographic library refuses to start a digest");
  }
}

Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  if (state_ == nullptr) throw InvalidArgument("SHA-256: update after finish");
  if (EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) != 1) {
    throw Error("SHA-256: the cryptographic library refuses the data");
  }
}

std::string Sha256::finish() {
  if (state_ == nullptr) throw InvalidArgument("SHA-256: finish was called twice");
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_DigestFinal_ex(state_->context, digest.data(), &size) != 1) {
    throw Error("SHA-256: the cryptographic library refuses to finish the digest");
  }
  state_.reset();

  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(std::size_t{2} * size);
  for (unsigned int k = 0; k < size; ++k) {
    text += kDigits[digest[k] >> 4U];
    text += kDigits[digest[k] & 15U];
  }
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.finish();
}

}  // namespace croco
