// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>

#include <croco/base/sha256.hpp>
#include <croco/base/types.hpp>

int main() {
  croco::Matrix points(0, 2);
  points.append(croco::Vector{0.25, 0.5});
  if (points.count() != 1 || points.rows()[0][1] != 0.5) {
    std::cerr << "a row of (0.25, 0.5) did not come back\n";
    return 1;
  }
  // The example of FIPS 180-2: the library itself is linked, not only its headers.
  const std::string digest = croco::sha256("abc");
  if (digest != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") {
    std::cerr << "the SHA-256 of 'abc' is " << digest << '\n';
    return 1;
  }
  std::cout << "consumer: croco is usable\n";
  return 0;
}
