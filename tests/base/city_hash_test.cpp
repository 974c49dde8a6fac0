// SPDX-License-Identifier: Apache-2.0
#include <croco/base/city_hash.hpp>

#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace croco {
namespace {

// The hashes that CatBoost saves beside texts: see tests/golden/make_catboost_models.py.
TEST(CityHash, IsCatboostsForTextsOfEveryLength) {
  std::ifstream in(std::string(CROCO_GOLDEN_DIR) + "/city_hash.json");
  std::set<std::size_t> lengths;
  const nlohmann::json golden = nlohmann::json::parse(in);
  for (const nlohmann::json& one : golden.at("hashes")) {
    const std::string text = one.at("text");
    lengths.insert(text.size());
    EXPECT_EQ(city_hash(text) & 0xFFFFFFFF, one.at("hash").get<std::uint64_t>()) << text;
  }
  for (std::size_t length = 0; length < 100; ++length) EXPECT_TRUE(lengths.contains(length));
  EXPECT_GT(*lengths.rbegin(), 256U);
}

}  // namespace
}  // namespace croco
