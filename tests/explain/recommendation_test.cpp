// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/recommendation.hpp>

#include <cmath>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include <croco/explain/explainer.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

TEST(ToldRecord, KeepsTheWordingOfWhatStays) {
  const Codec codec = people::codec();
  const Record before{"40.0", "10", "30", "rent"};
  const Vector origin = codec.encode(before, "here");
  Vector point = origin;
  point[1] = 0.1;
  EXPECT_EQ(recommended_record(codec, before, origin, point), Record({"40.0", "5", "30", "rent"}));
  EXPECT_EQ(features_changed(codec, origin, point), 1);
  EXPECT_EQ(features_changed(codec, origin, origin), 0);
  point[3] = 0;
  point[4] = 1;
  EXPECT_EQ(recommended_record(codec, before, origin, point), Record({"40.0", "5", "30", "own"}));
  EXPECT_EQ(features_changed(codec, origin, point), 2) << "both columns of a category are one";
}

TEST(ToldRecord, KeepsTheWordingWhereTheDigitsEnd) {
  const Codec codec = people::codec();
  const Record before{"40.0", "12.500", "30", "rent"};
  const Vector origin = codec.encode(before, "here");
  Vector point = origin;
  for (const std::size_t j : {0UL, 1UL}) point[j] = std::nextafter(point[j], 1);
  EXPECT_EQ(recommended_record(codec, before, origin, point), before);
}

/// A share in 0.1 .. 0.65107 of training data from 0 to 0.65, and a whole number.
Codec shares() {
  Schema schema;
  schema.features = {{.name = "share", .minimum = 0.1, .maximum = 0.65107},
                     {.name = "count", .step = 1}};
  return Codec(schema, {{0, 0.65, "0.3"}, {0, 20, "4"}});
}

std::string few_digits(const Codec& codec, const std::string& share, const std::string& to) {
  const Person person = people::person(0, {share, "4"});
  const Vector origin = codec.encode(person.record, "here");
  const Vector point = codec.encode({to, "4"}, "here");
  const Recommendation made = recommend(codec, person, origin, point,
                                        {Rounding::nearest, Digits::few}, MissingPolicy::error);
  EXPECT_TRUE(made.admissible);
  EXPECT_EQ(made.point, codec.encode(made.record, "here")) << "what is reported is what is judged";
  EXPECT_EQ(made.record[1], "4");
  return made.record[0];
}

TEST(Recommend, NumbersWithoutAStepHaveFourDigitsOfTheirRange) {
  const Codec codec = shares();
  EXPECT_EQ(few_digits(codec, "0.3340425", "0.401234567"), "0.4013") << "away from the present";
  EXPECT_EQ(few_digits(codec, "0.3340425", "0.301234567"), "0.3012");
  EXPECT_EQ(few_digits(codec, "0.3340425", "0.4012"), "0.4012") << "on a digit already";
  EXPECT_EQ(few_digits(codec, "0.3340425", "0.65101"), "0.65101")
      << "rounding would leave the range, which ends at 0.65107";
  EXPECT_EQ(few_digits(codec, "0.3340425", "0.3340425"), "0.3340425") << "no change";
  EXPECT_EQ(few_digits(codec, "0.40", "0.40000000001"), "0.40")
      << "a change that is lost in the digits";
  EXPECT_EQ(few_digits(codec, "0.05", "0.0712345"), "0.0713") << "nearer to a range";
}

TEST(Recommend, NumbersThatMeanThemselvesKeepAllDigits) {
  const Codec codec = shares();
  const Vector origin = codec.encode({"0.3", "4"}, "here");
  EXPECT_TRUE(has_free_numbers(codec, origin, codec.encode({"0.4", "4"}, "here")));
  EXPECT_FALSE(has_free_numbers(codec, origin, codec.encode({"0.3", "7"}, "here")));
  const Codec encoded = Codec::identity({"share", "count"}, codec.space());
  EXPECT_FALSE(has_free_numbers(encoded, origin, codec.encode({"0.4", "4"}, "here")));
}

TEST(Recommend, AdviceIsGivenInFewDigitsAndCertifiedSo) {
  for (const auto& model : {people::model(), people::hidden_model()}) {
    Schema schema = people::schema();
    schema.features[0].step = 0;
    const Codec codec(schema, people::codec().scales());
    const Explainer explainer(model, codec,
                              {.method = Certified{.target = 0.1}, .noise = Noise{.scale = 0.02}});
    const Person person = people::person(0, {"40.0", "10", "30", "rent"});
    const Explanation answer = explainer.explain(std::span(&person, 1)).at(0);
    ASSERT_EQ(answer.status, Status::found);
    ASSERT_TRUE(answer.certificate);
    EXPECT_LE(answer.certificate->upper, 0.1);
    EXPECT_EQ(answer.point, codec.encode(answer.after, "here"));
    for (const std::size_t f : {0UL, 1UL}) {
      const std::size_t point = answer.after[f].find('.');
      const std::size_t decimals =
          point == std::string::npos ? 0 : answer.after[f].size() - point - 1;
      EXPECT_LE(decimals, f == 0 ? 1U : 2U) << answer.after[f];
    }
  }
}

}  // namespace
}  // namespace croco
