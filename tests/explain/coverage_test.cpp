// SPDX-License-Identifier: Apache-2.0
// What certificates are worth: thousands of them on a trained network, against the truth.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <croco/base/normal.hpp>
#include <croco/data/catalog.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/dataset.hpp>
#include <croco/models/training/train.hpp>
#include <croco/robustness/certify.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

constexpr double kTarget = 0.1;

/// The point on the segment from a refused to an accepted person whose rate, on draws that decide
/// nothing else, is `rate`; it is as hard to certify as points can be.
Vector point_with_rate(const Problem& problem, const NoiseBank& bank, View refused, View accepted,
                       double rate) {
  double low = 0;
  double high = 1;
  Vector point(refused.size());
  for (int halving = 0; halving < 14; ++halving) {
    const double middle = (low + high) / 2;
    for (std::size_t j = 0; j < point.size(); ++j) {
      point[j] = refused[j] + middle * (accepted[j] - refused[j]);
    }
    (tally(problem, bank, {point, point, 0}, false).rate() <= rate ? high : low) = middle;
  }
  return point;
}

TEST(SlowCoverage, TrueRatesExceedTheirBoundsNoMoreOftenThanTheConfidenceAllows) {
  constexpr std::size_t kPoints = 500;
  constexpr std::size_t kCertificates = 5000;
  constexpr double kConfidence = 0.95;
  const CatalogEntry* german = find_entry("german");
  ASSERT_NE(german, nullptr);
  const CsvTable table = load_dataset(*german);
  const Codec codec = Codec::fit(catalog_schema(*german), table);
  const Dataset data = encode_dataset(table, codec);
  const auto model =
      train(data.points.rows(), data.labels, {.hidden = {12}, .epochs = 30, .seed = 4}).model;
  const Noise noise{.scale = 0.1, .scope = NoiseScope::continuous};
  const Problem problem{*model, codec.space(), noise, Goal(), 1, true};

  std::vector<View> refused;
  std::vector<View> accepted;
  for (std::size_t i = 0; i < data.points.count(); ++i) {
    const double logit = model->logit(data.points[i]);
    if (logit < 0) refused.push_back(data.points[i]);
    if (logit > 2) accepted.push_back(data.points[i]);
  }
  ASSERT_GT(refused.size(), 50U);
  ASSERT_GT(accepted.size(), 50U);
  const NoiseBank bank(problem, {1, Purpose::search, Stream::kShared}, 0, 4096);
  std::vector<Vector> points;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double share = 0.85 + 0.2 * static_cast<double>(i % 21) / 20;
    points.push_back(point_with_rate(problem, bank, refused[i % refused.size()],
                                     accepted[i * 7 % accepted.size()], share * kTarget));
  }

  std::vector<Advice> once;
  std::vector<Advice> advice;
  for (const Vector& point : points) once.push_back({point, point, 0});
  for (std::size_t i = 0; i < kCertificates; ++i) {
    advice.push_back({points[i % kPoints], points[i % kPoints], i});
  }
  // Groups with draws of their own: the errors of one set of draws would be common to all points.
  std::vector<Tally> truth;
  constexpr std::size_t kGroup = 25;
  for (std::size_t first = 0; first < kPoints; first += kGroup) {
    Problem other = problem;
    other.seed = 1000 + first;
    const auto part = tally(other, std::span(once).subspan(first, kGroup),
                            {.purpose = Purpose::evaluate, .samples = 1'000'000, .threads = 0});
    truth.insert(truth.end(), part.begin(), part.end());
  }
  Problem own = problem;
  own.shared_draws = false;
  const auto certificates =
      certify(own, advice, {.samples = 20'000, .confidence = kConfidence, .target = kTarget}, 0);

  std::size_t exceeded = 0;
  std::size_t wrong = 0;
  std::size_t issued = 0;
  std::size_t early = 0;
  for (std::size_t i = 0; i < kCertificates; ++i) {
    const double rate = truth[i % kPoints].rate();
    EXPECT_NEAR(rate, kTarget, 0.4 * kTarget);
    exceeded += rate > certificates[i].upper ? 1U : 0U;
    issued += certificates[i].upper <= kTarget ? 1U : 0U;
    wrong += certificates[i].upper <= kTarget && rate > kTarget ? 1U : 0U;
    early += certificates[i].samples < 20'000 ? 1U : 0U;
  }
  RecordProperty("exceeded", static_cast<int>(exceeded));
  RecordProperty("issued", static_cast<int>(issued));
  RecordProperty("wrong", static_cast<int>(wrong));
  RecordProperty("early", static_cast<int>(early));
  const std::size_t allowed = kCertificates - fixtures::least_count(kCertificates, kConfidence);
  EXPECT_LE(exceeded, allowed);
  EXPECT_LE(wrong, allowed);
  // The bounds are put to the test: they are not so wide that nothing could ever exceed them.
  EXPECT_GT(exceeded, kCertificates / 200);
  EXPECT_GT(issued, kCertificates / 20);
  EXPECT_GT(early, 0U);
}

}  // namespace
}  // namespace croco
