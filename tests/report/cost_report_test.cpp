// SPDX-License-Identifier: Apache-2.0
// What reports say of costs: their kind wherever they are told, and the price of touching.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <croco/report/narrate.hpp>
#include <croco/report/writer.hpp>
#include <tests/report/answers.hpp>

namespace croco {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

/// The people's codec by another kind of cost, and with a price of touching the income.
Codec priced(CostKind kind, double touch_cost) {
  Schema schema = people::schema();
  schema.features[0].touch_cost = touch_cost;
  std::vector<FeatureScale> scales = people::codec().scales();
  for (std::size_t k = 0; k < 3; ++k) {
    scales[k].distribution = Distribution{
        .deviation = 10, .values = {scales[k].minimum, scales[k].maximum}, .shares = {0.25, 0.75}};
  }
  return Codec(schema, scales).with_cost(kind);
}

TEST(CostReport, NeedsNoNameUnderL1ButInJson) {
  const Codec codec = people::codec();
  const ReportContext context = answers::context(codec);
  EXPECT_EQ(cost_sentence(context, answers::found()), "It costs 1.");
  EXPECT_THAT(csv_header(context), Not(HasSubstr("cost_kind")));
  EXPECT_THAT(html_page(context, {}), Not(HasSubstr("cost")));
  const Json json = Json::parse(json_line(context, answers::found()));
  EXPECT_EQ(json.at("cost_kind"), "l1");
  EXPECT_FALSE(json.at("distance").contains("touch_price"));
}

TEST(CostReport, NamesTheKind) {
  const Codec codec = priced(CostKind::percentile, 0);
  const ReportContext context = answers::context(codec);
  const Explanation found = answers::found();
  EXPECT_EQ(cost_sentence(context, found), "It costs 1 (percentile).");
  EXPECT_THAT(text_block(context, found), HasSubstr("  It costs 1 (percentile).\n"));
  EXPECT_THAT(html_page(context, {&found, 1}),
              HasSubstr("<p class=\"certificate\">It costs 1 (percentile).</p>"));
  EXPECT_THAT(html_page(context, {}), HasSubstr("threshold 0.5, cost percentile."));
  EXPECT_EQ(Json::parse(json_line(context, found)).at("cost_kind"), "percentile");
  EXPECT_THAT(csv_header(context),
              HasSubstr(",relaxations,cost,level_price,cost_kind,touch_price,income,"));
  EXPECT_THAT(csv_line(context, found), HasSubstr(",1,0,percentile,0,75,2.5,30,rent"));
  EXPECT_EQ(cost_sentence(context, answers::infeasible()), "");
  EXPECT_THAT(csv_line(context, answers::infeasible()), HasSubstr(",,,percentile,,"));
}

TEST(CostReport, TellsThePriceOfTouching) {
  const Codec codec = priced(CostKind::l1, 0.25);
  ReportContext context = answers::context(codec);
  Explanation found = answers::proven();
  found.distance.touch_price = 0.25;
  EXPECT_EQ(cost_sentence(context, found),
            "It costs 1: 0.75 for numbers and 0.25 for touching them.");
  EXPECT_EQ(Json::parse(json_line(context, found)).at("distance").at("touch_price"), 0.25);
  EXPECT_THAT(csv_line(context, found), HasSubstr(",1,0,l1,0.25,75,"));
  // With proofs the cost is there once.
  context.proofs = true;
  EXPECT_THAT(
      csv_header(context),
      HasSubstr(",relaxations,cost,level_price,cost_kind,touch_price,cost_lower,cost_gap,"));
  EXPECT_THAT(csv_line(context, found), HasSubstr(",1,0,l1,0.25,0.96789,"));
}

}  // namespace
}  // namespace croco
