// SPDX-License-Identifier: Apache-2.0
// Readers of tree models on files that were damaged at random: they read a model or say what is
// wrong, and a model that was read answers. Meant for runs under AddressSanitizer too.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/base/random.hpp>
#include <croco/models/input_columns.hpp>
#include <croco/models/trees/tree_model.hpp>
#include <tests/fixtures.hpp>
#include <tests/trees.hpp>

namespace croco {
namespace {

/// Rounds for each file; CROCO_MUTATIONS asks for more.
std::size_t rounds() {
  const char* asked = std::getenv("CROCO_MUTATIONS");  // NOLINT(concurrency-mt-unsafe)
  return asked == nullptr ? 150 : static_cast<std::size_t>(std::strtoul(asked, nullptr, 10));
}

/// The place of a digit, so that structures stay whole and numbers do not.
std::size_t digit_at(const std::string& bytes, std::size_t from) {
  const std::size_t at = bytes.find_first_of("0123456789", from);
  return at == std::string::npos ? from : at;
}

std::string damaged(std::string bytes, Sequence& random) {
  const auto place = [&] { return random.below(static_cast<std::uint32_t>(bytes.size())); };
  const std::uint32_t edits = 1 + random.below(4);
  for (std::uint32_t e = 0; e < edits && !bytes.empty(); ++e) {
    const std::size_t at = place();
    switch (random.below(7)) {
      case 0:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 2:
        bytes.erase(at, 1 + random.below(40));
        break;
      case 3:
        bytes.insert(at, bytes.substr(place(), 1 + random.below(60)));
        break;
      case 4:
        bytes[digit_at(bytes, at)] = static_cast<char>('0' + random.below(10));
        break;
      case 5:
        bytes.insert(digit_at(bytes, at), random.below(2) == 0 ? "-" : "9999999");
        break;
      default:
        if (random.below(8) == 0) bytes.resize(at);
    }
  }
  return bytes;
}

/// As the reader of the whole file, whatever the damage makes it look like.
TreeEnsemble read_ensemble(const std::string& file, const std::string& bytes) {
  if (file.starts_with("cat_")) return parse_catboost(bytes, file);
  if (file.ends_with(".json")) return parse_xgboost(bytes, file);
  if (file.ends_with(".ubj")) return parse_xgboost_ubjson(bytes, file);
  return parse_lightgbm(bytes, file);
}

class TreeMutations : public testing::TestWithParam<std::string> {};

TEST_P(TreeMutations, AreReadOrRefusedWithTheFilesName) {
  const std::string& file = GetParam();
  const std::string whole = fixtures::tree_file(file);
  Sequence random({11, Purpose::train, 3});
  std::size_t refused = 0;
  for (std::size_t round = 0; round < rounds(); ++round) {
    const std::string bytes = damaged(whole, random);
    try {
      const TreeEnsemble ensemble = read_ensemble(file, bytes);
      const TreeModel model(ensemble, InputColumns::identity(ensemble.width));
      Matrix rows(64, ensemble.width);
      rows.data = fixtures::random_vector(rows.data.size(), round, -5, 50);
      Vector logits(rows.count());
      model.logits(rows.rows(), logits);
      EXPECT_EQ(logits[0], model.logit(rows[0]));
    } catch (const ModelError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(file)) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 0U);
}

INSTANTIATE_TEST_SUITE_P(Files, TreeMutations,
                         testing::Values("xgb_categories.json", "xgb_categories.ubj",
                                         "xgb_raw.json", "xgb_dart.json", "lgb_categories.txt",
                                         "lgb_sigmoid.txt", "cat_categories.json",
                                         "cat_lossguide.json", "cat_cross_entropy.json"),
                         [](const auto& given) {
                           std::string name = given.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace croco
