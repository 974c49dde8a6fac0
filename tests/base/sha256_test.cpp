// SPDX-License-Identifier: Apache-2.0
#include <croco/base/sha256.hpp>

#include <random>
#include <string>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>

namespace croco {
namespace {

// The examples of FIPS 180-4.
TEST(Sha256, AgreesWithTheStandard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheSameDigest) {
  std::string bytes(10'000, '\0');
  std::mt19937 random(3);
  for (char& byte : bytes) byte = static_cast<char>(random() & 0xFFU);
  Sha256 digest;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = random() % 200;
    digest.update(std::string_view(bytes).substr(at, size));
    at += size;
  }
  EXPECT_EQ(digest.finish(), sha256(bytes));
}

TEST(Sha256, RefusesUseAfterFinish) {
  Sha256 digest;
  EXPECT_EQ(digest.finish().size(), 64U);
  EXPECT_THROW(static_cast<void>(digest.finish()), InvalidArgument);
  EXPECT_THROW(digest.update("more"), InvalidArgument);
}

}  // namespace
}  // namespace croco
