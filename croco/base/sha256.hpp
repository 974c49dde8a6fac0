// SPDX-License-Identifier: Apache-2.0
/// SHA-256, for the fingerprints of models, schemas and data sets.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace croco {

/// The SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

/// SHA-256 of bytes that arrive in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void update(std::string_view bytes);
  /// The digest in hexadecimal; call once.
  [[nodiscard]] std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace croco
