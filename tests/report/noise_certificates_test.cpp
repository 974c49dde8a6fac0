// SPDX-License-Identifier: Apache-2.0
// Certificates under every kind of noise: written, read, verified, and refused when changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/report/noise_words.hpp>
#include <croco/report/writer.hpp>

#include "tests/report/certificate_files.hpp"

namespace croco {
namespace {

using testing::HasSubstr;

class NoiseCertificates : public CertificateFiles {
 protected:
  /// Income and debt may be off, and homes be got wrong.
  static Noise noise(NoiseShape shape) {
    Noise out{.shape = shape, .scope = NoiseScope::continuous};
    if (shape < NoiseShape::mixed) out.scale = 0.03;
    out.flips = {LevelFlips({3, 2}, {0.98, 0.02, 0.05, 0.95})};
    if (shape == NoiseShape::mixed) {
      out.column_scales = {0.05, 0.02, 0, 0, 0};
      out.column_shapes = {NoiseShape::uniform, NoiseShape::gaussian, NoiseShape::gaussian,
                           NoiseShape::gaussian, NoiseShape::gaussian};
    } else if (shape == NoiseShape::empirical) {
      out.residuals = {{0, 1}, Matrix(3, 2)};
      out.residuals.rows.data = {0.05, -0.01, -0.04, 0.02, 0.003, 0.1};
    } else if (shape == NoiseShape::correlated) {
      Matrix matrix(2, 2);
      matrix.data = {0.0025, 0.0005, 0.0005, 0.0004};
      out.covariance = Covariance({0, 1}, matrix);
    }
    return out;
  }
  static ExplainOptions with(NoiseShape shape) {
    ExplainOptions out = options();
    out.noise = noise(shape);
    return out;
  }
};

TEST_F(NoiseCertificates, HoldAndAreTheSameOnEveryNumberOfThreads) {
  for (const NoiseShape shape :
       {NoiseShape::gaussian, NoiseShape::uniform, NoiseShape::laplace, NoiseShape::student_t,
        NoiseShape::mixed, NoiseShape::empirical, NoiseShape::correlated}) {
    ExplainOptions once = with(shape);
    const Json made = certificate(model_, once);
    EXPECT_EQ(failures(made), "") << made["noise"].dump();
    EXPECT_EQ(check(made).noise, once.noise);
    EXPECT_TRUE(made.at("target_met").get<bool>());
    once.threads = 3;
    EXPECT_EQ(certificate(model_, once).dump(), made.dump());
  }
}

TEST_F(NoiseCertificates, OneSidedNoiseWithFlipsHoldsToo) {
  ExplainOptions once = with(NoiseShape::gaussian);
  once.noise->falls_short = true;
  once.noise->scope = NoiseScope::changed;
  EXPECT_EQ(failures(certificate(model_, once)), "");
}

TEST_F(NoiseCertificates, OtherNoiseIsNoticed) {
  Json flips = certificate(model_, with(NoiseShape::gaussian));
  flips["noise"]["flips"][0]["transition"][0] = {0.9, 0.1};
  EXPECT_THAT(failures(flips), HasSubstr("samples: generated again"));
  Json residuals = certificate(model_, with(NoiseShape::empirical));
  residuals["noise"]["residuals"]["rows"][2][0] = -0.3;
  EXPECT_THAT(failures(residuals), HasSubstr("samples: generated again"));
  Json covariance = certificate(model_, with(NoiseShape::correlated));
  covariance["noise"]["covariance"]["matrix"][0][0] = 0.01;
  EXPECT_THAT(failures(covariance), HasSubstr("samples: generated again"));
  Json mixed = certificate(model_, with(NoiseShape::mixed));
  mixed["noise"]["column_shapes"]["income"] = "gaussian";
  EXPECT_THAT(failures(mixed), HasSubstr("samples: generated again"));
}

TEST_F(NoiseCertificates, WhatIsNeverDrawnIsNotStated) {
  // Written as 0, whatever was asked for; and refused when somebody states it.
  ExplainOptions more = with(NoiseShape::gaussian);
  more.noise->column_scales = {0.03, 0.03, 0.03, 0.4, 0.4};
  const Json flipped = certificate(model_, more);
  EXPECT_EQ(flipped["noise"]["column_scales"]["home_own"], 0);
  EXPECT_EQ(failures(flipped), "");
  Json raised = flipped;
  raised["noise"]["column_scales"]["home_own"] = 0.4;
  EXPECT_EQ(failures(raised),
            "record: 'noise.column_scales.home_own' is 0.4; the column has no noise of this scope "
            "or flips, so that it must be 0\n");
  Json mixed = certificate(model_, with(NoiseShape::mixed));
  mixed["noise"]["column_shapes"]["age"] = "uniform";
  EXPECT_EQ(failures(mixed),
            "record: 'noise.column_shapes.age' is uniform; the column has no noise of this scope "
            "or flips, so that it must be gaussian\n");
  ExplainOptions observed = with(NoiseShape::empirical);
  observed.noise->residuals = {{0, 2}, Matrix(2, 2)};
  observed.noise->residuals.rows.data = {0.05, 0.3, -0.04, 0.2};
  observed.noise->scope = NoiseScope::movable;  // age is not
  Json residuals = certificate(model_, observed);
  EXPECT_EQ(residuals["noise"]["residuals"]["rows"], Json::parse("[[0.05,0.0],[-0.04,0.0]]"));
  EXPECT_EQ(failures(residuals), "");
  residuals["noise"]["residuals"]["rows"][1][1] = 0.2;
  EXPECT_THAT(failures(residuals), HasSubstr("'noise.residuals.age' is 0.2; the column has no"));
}

TEST_F(NoiseCertificates, NothingIsBelieved) {
  const auto changed = [&](NoiseShape shape, const std::string& pointer, const Json& value) {
    Json json = certificate(model_, with(shape));
    json[Json::json_pointer("/noise/" + pointer)] = value;
    return failures(json);
  };
  EXPECT_EQ(changed(NoiseShape::gaussian, "flips", 3),
            "malformed: certificate.json: 'noise.flips' is 3; it must be an array of objects\n");
  EXPECT_EQ(changed(NoiseShape::gaussian, "flips/0/columns", {"home_rent"}),
            "malformed: certificate.json: 'noise.flips[0].transition' is [0.98,0.02]; it must be "
            "rows of 1 numbers\n");
  EXPECT_EQ(changed(NoiseShape::gaussian, "flips/0/columns", {"home_own", "home_rent"}),
            "record: 'noise.flips' names 'home_own' and others, which are not the levels of one "
            "category in their order\n");
  EXPECT_EQ(changed(NoiseShape::gaussian, "flips/0/columns", {"home_own", "nowhere"}),
            "record: 'noise.flips' names 'nowhere', which is no column of the model\n");
  EXPECT_EQ(changed(NoiseShape::gaussian, "flips/0/more", 1),
            "malformed: certificate.json: the key 'noise.flips[0].more' is unknown; a certificate "
            "of version 2 does not have it here\n");
  EXPECT_EQ(changed(NoiseShape::gaussian, "flips/0/transition/0/0", 0.5),
            "record: row 1 of the transition matrix sums to 0.52; each row must sum to 1\n");
  EXPECT_EQ(changed(NoiseShape::empirical, "residuals/rows", Json::array()),
            "malformed: certificate.json: 'noise.residuals.rows' is []; it must be an array of "
            "rows\n");
  EXPECT_EQ(changed(NoiseShape::empirical, "residuals/rows/0/0", "x"),
            "malformed: certificate.json: 'noise.residuals.rows' is \"x\"; it must be rows of "
            "finite numbers\n");
  EXPECT_EQ(changed(NoiseShape::correlated, "covariance/columns", 1),
            "malformed: certificate.json: 'noise.covariance.columns' is 1; it must be an array of "
            "names\n");
  EXPECT_THAT(changed(NoiseShape::correlated, "covariance/matrix/0/1", 0.0),
              HasSubstr("a covariance must be symmetric"));
  EXPECT_THAT(changed(NoiseShape::mixed, "column_shapes/income", "student-t"),
              HasSubstr("must be one of gaussian, uniform, laplace"));
}

TEST_F(NoiseCertificates, ReportsSayTheNoiseByFeature) {
  const Explainer explainer(model_, people::codec(), with(NoiseShape::mixed));
  const ReportContext said = context(explainer);
  EXPECT_EQ(noise_phrase(said),
            "noise (Income within 5 k, debt sd 1) on continuous columns and wrong categories (home "
            "2 to 5 % by level)");
  const std::vector<NoiseOf> list = noise_by_feature(said);
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].feature, "income");
  EXPECT_EQ(list[0].kind, "half_width");
  EXPECT_DOUBLE_EQ(list[0].value, 5);
  EXPECT_EQ(list[0].unit, "k");
  EXPECT_EQ(list[1].text, "sd 1");
  EXPECT_EQ(list[2].text, "wrong in 2 to 5 % by level of cases");
  EXPECT_DOUBLE_EQ(list[2].value, 0.05);

  const std::vector<Person> people = people::everyone();
  const auto answers = explainer.explain(std::span(people).first(1));
  EXPECT_THAT(csv_header(said), HasSubstr(",noise,income"));
  EXPECT_THAT(csv_line(said, answers[0]),
              HasSubstr("income within 5 k; debt sd 1; home wrong in 2 to 5 % by level of cases"));
  EXPECT_THAT(json_line(said, answers[0]),
              HasSubstr(R"("noise":[{"feature":"income","half_width":5.0,"unit":"k"})"));
  EXPECT_THAT(html_page(said, answers), HasSubstr("<li>Income: within 5 k</li>"));
  EXPECT_THAT(text_block(said, answers[0]),
              HasSubstr("Certificate: under noise (Income within 5 k,"));
}

TEST_F(NoiseCertificates, PhrasesOfTheOtherShapes) {
  const auto phrase = [&](const Noise& noise) {
    ExplainOptions once = options();
    once.noise = noise;
    return noise_phrase(context(Explainer(model_, people::codec(), once)));
  };
  Noise alone{.column_scales = Vector(5, 0.0), .flips = noise(NoiseShape::gaussian).flips};
  EXPECT_EQ(phrase(alone), "wrong categories (home 2 to 5 % by level)");
  Noise drawn = noise(NoiseShape::empirical);
  drawn.flips.clear();
  EXPECT_THAT(phrase(drawn), HasSubstr("noise as in 3 observed errors (Income about +- "));
  Noise together = noise(NoiseShape::correlated);
  together.flips.clear();
  EXPECT_EQ(phrase(together),
            "correlated gaussian noise (Income sd 5 k, debt sd 1) on continuous columns");
}

}  // namespace
}  // namespace croco
