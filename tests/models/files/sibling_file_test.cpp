// SPDX-License-Identifier: Apache-2.0
#include <croco/models/files/sibling_file.hpp>

#include <string>

#include <gtest/gtest.h>

#include <croco/models/files/model_file.hpp>

#include "tests/fixtures.hpp"

namespace croco {
namespace {

std::string text_of(const std::string& name, std::uint64_t seed, std::size_t hidden = 6) {
  ModelFile file;
  file.name = name;
  file.target = "loan";
  file.inputs.names = {"a", "b", "c"};
  file.model =
      std::make_shared<const Mlp>(fixtures::random_mlp({3, hidden, 1}, Activation::relu, seed));
  file.encoding = R"({"schema":{"x":1.5},"scales":[0.25]})";
  return model_json(file);
}

std::string replaced(std::string text, const std::string& old, const std::string& other) {
  const std::size_t place = text.find(old);
  EXPECT_NE(place, std::string::npos) << old;
  return text.replace(place, old.size(), other);
}

SiblingFiles siblings() {
  const std::string text = text_of("first", 1);
  return {text, parse_model(text, "first.json").model};
}

TEST(SiblingFiles, GiveTheWeightsOfOtherFilesBitForBit) {
  const SiblingFiles files = siblings();
  for (const std::uint64_t seed : {2UL, 3UL, 4UL}) {
    const std::string text = text_of("another " + std::to_string(seed), seed);
    const auto expected = parse_model(text, "other.json").model;
    const auto network = files.read(text);
    ASSERT_NE(network, nullptr);
    for (std::size_t i = 0; i < expected->layers().size(); ++i) {
      EXPECT_EQ(network->layers()[i].weight, expected->layers()[i].weight);
      EXPECT_EQ(network->layers()[i].bias, expected->layers()[i].bias);
    }
    EXPECT_EQ(network->hidden_activation(), Activation::relu);
  }
}

TEST(SiblingFiles, LeaveEveryOtherTextToTheReaderOfWholeFiles) {
  const SiblingFiles files = siblings();
  const std::string text = text_of("other", 2);
  ASSERT_NE(files.read(text), nullptr);
  EXPECT_EQ(files.read(""), nullptr);
  EXPECT_EQ(files.read("{}"), nullptr);
  EXPECT_EQ(files.read(text.substr(0, text.size() / 2)), nullptr);
  EXPECT_EQ(files.read(text + "x"), nullptr);
  EXPECT_EQ(files.read(text_of("other", 2, 7)), nullptr) << "another shape";
  for (const auto& [old, other] : std::vector<std::pair<std::string, std::string>>{
           {"\"a\",", "\"z\","},              // another column
           {"0.25]", "0.26]"},                // another scale
           {"\"relu\"", "\"tanh\""},          // another activation
           {"\"other\"", "\"o\\u0074her\""},  // a name with an escape
           {"[[", "[[nan,"},                  // no number
           {"[[", "[[1e999,"},                // beyond all numbers, and one too many
           {"\"bias\"", "\"sabi\""}}) {
    EXPECT_EQ(files.read(replaced(text, old, other)), nullptr) << other;
  }
}

TEST(SiblingFiles, AreNoneOfTextsThatCrocoDidNotWrite) {
  const std::string written = text_of("first", 1);
  const std::string spaced = replaced(written, "{\"croco_model\"", "{ \"croco_model\"");
  const SiblingFiles files(spaced, parse_model(spaced, "spaced.json").model);
  EXPECT_EQ(files.read(spaced), nullptr);
  EXPECT_EQ(files.read(written), nullptr);
}

}  // namespace
}  // namespace croco
