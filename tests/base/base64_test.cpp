// SPDX-License-Identifier: Apache-2.0
#include <croco/base/base64.hpp>

#include <string>

#include <gtest/gtest.h>

namespace croco {
namespace {

TEST(Base64, HasTheVectorsOfRfc4648) {
  const std::pair<std::string, std::string> kVectors[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : kVectors) {
    EXPECT_EQ(base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, KeepsEveryByte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (std::size_t size = 250; size <= bytes.size(); ++size) {
    EXPECT_EQ(from_base64(base64(bytes.substr(0, size))), bytes.substr(0, size));
  }
}

TEST(Base64, RefusesWhatItWouldNotWrite) {
  for (const char* text : {"Zg", "Zg=", "Z===", "====", "Zm9v\n", "Zm 9", "Zm9*",
                           "Zh==", "Zm9=", "Zg==Zg==", "=Zg="}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace croco
