// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/audit_table.hpp>

#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <croco/audit/audit_text.hpp>
#include <croco/data/csv.hpp>
#include <tests/audit/audited_people.hpp>
#include <tests/report/answers.hpp>

namespace croco {
namespace {

using testing::HasSubstr;
using testing::Not;

class AuditTableTest : public testing::Test {
 protected:
  [[nodiscard]] const AuditRow* row(AuditSection section, std::string_view group,
                                    std::string_view measure, std::string_view item = "",
                                    std::string_view view = "") const {
    for (const AuditRow* one : table_.of(section, "home")) {
      if (one->group == group && one->measure == measure && one->item == item &&
          one->view == view) {
        return one;
      }
    }
    ADD_FAILURE() << "no row " << group << " " << measure;
    return nullptr;
  }

  Codec codec_ = people::codec();
  ReportContext context_ = answers::context(codec_);
  AuditSources sources_{"people <1>.csv", std::string(64, 'd')};
  AuditTable table_ = audit_table(audited::people(), audited::attributes(), context_,
                                  {.replicates = 200, .seed = 3});
};

TEST_F(AuditTableTest, CountsPeopleByGroup) {
  EXPECT_EQ(table_.people, 80U);
  EXPECT_EQ(table_.failed, 1U);
  EXPECT_EQ(table_.refused, 70U);
  const AuditRow* refused = row(AuditSection::group, "own", "refused");
  EXPECT_EQ(refused->people, 40U);
  EXPECT_EQ(refused->value, 0.75);
  EXPECT_FALSE(refused->small);
  const AuditRow* certified = row(AuditSection::group, "rent", "certified");
  EXPECT_EQ(certified->people, 40U);
  EXPECT_EQ(certified->value, 0.95);
  EXPECT_EQ(row(AuditSection::group, "rent", "impossible")->value, 0.025);
  EXPECT_EQ(row(AuditSection::group, "rent", "undecided")->value, 0.025);
}

TEST_F(AuditTableTest, QuantilesAndGapsAreThoseOfThePeople) {
  // Renters pay .5 to .578 in steps of .002, two of them anything: the 20th of 40.
  EXPECT_NEAR(row(AuditSection::group, "rent", "cost", "0.5")->value, 0.542, 1e-12);
  EXPECT_NEAR(row(AuditSection::gap, "rent", "refused", "", "raw")->value, 0.25, 1e-12);
  const AuditRow* delta = row(AuditSection::gap, "rent", "dominance", "", "raw");
  EXPECT_EQ(delta->value, 1);
  EXPECT_EQ(delta->reference, "own");
  // The same people: a renter saves by owning, as does an owner.
  const AuditRow* paired = row(AuditSection::gap, "rent", "mean_cost", "", "paired");
  EXPECT_GT(paired->people, 70U);
  EXPECT_GT(paired->value, 0.1);
}

TEST_F(AuditTableTest, NamesLeversAndLimits) {
  EXPECT_EQ(row(AuditSection::lever, "rent", "changed", "Income")->value, 1);
  EXPECT_EQ(row(AuditSection::lever, "rent", "changed", "Income")->people, 38U);
  EXPECT_EQ(row(AuditSection::limit, "rent", "held_back", "Income ends at 100 k")->value, 1);
}

TEST_F(AuditTableTest, CurvesRiseToTheShareWithCertifiedAdvice) {
  double last = 0;
  std::size_t points = 0;
  for (const AuditRow* one : table_.of(AuditSection::curve, "home")) {
    if (one->group != "rent") continue;
    EXPECT_GE(one->value, last);
    last = one->value;
    ++points;
  }
  EXPECT_EQ(points, 51U);
  EXPECT_NEAR(last, 0.95, 0.06);
}

TEST_F(AuditTableTest, SmallGroupsAreMarkedAndNotStatedJointly) {
  for (const AuditRow* one : table_.of(AuditSection::gap, "town <b>")) {
    if (one->group == "(missing)") {
      EXPECT_FALSE(one->joint) << one->measure;
    }
  }
}

TEST_F(AuditTableTest, CsvAndJsonHaveTheSameRows) {
  const CsvTable csv = parse_csv(audit_csv(table_), "audit.csv");
  const auto json = nlohmann::json::parse(audit_json(table_, context_, sources_));
  ASSERT_EQ(csv.rows.size(), table_.rows.size());
  ASSERT_EQ(json.at("rows").size(), table_.rows.size());
  for (std::size_t i = 0; i < table_.rows.size(); ++i) {
    const auto& one = json.at("rows").at(i);
    EXPECT_EQ(csv.rows[i].fields[csv.column("measure")], one.at("measure").get<std::string>());
    const std::string value = csv.rows[i].fields[csv.column("value")];
    if (one.at("value").is_number()) {
      EXPECT_EQ(std::stod(value), one.at("value").get<double>());
    } else if (one.at("value").is_string()) {
      EXPECT_EQ(value, one.at("value").get<std::string>());
    } else {
      EXPECT_EQ(value, "");
    }
  }
  EXPECT_EQ(json.at("data").at("sha256"), sources_.data_fingerprint);
  EXPECT_EQ(json.at("attributes").at(0).at("reference"), "own");
}

TEST_F(AuditTableTest, ThePageStandsAloneAndEscapesNames) {
  const std::string page = audit_page(table_, context_, sources_);
  EXPECT_THAT(page, HasSubstr("default-src 'none'; style-src 'sha256-"));
  EXPECT_THAT(page, HasSubstr("people &lt;1&gt;.csv"));
  EXPECT_THAT(page, HasSubstr("town &lt;b&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<b>town")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr(" style=")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, HasSubstr("The model refuses 70 of 80 people."));
  EXPECT_THAT(page, HasSubstr("<li>rent: mean cost of a certified yes, same people: +0.192 ["));
  EXPECT_THAT(page, HasSubstr(context_.model_fingerprint));
}

TEST_F(AuditTableTest, NobodyNeedsAStatement) {
  const AuditTable nobody = audit_table({}, audited::attributes(), context_, {.replicates = 100});
  EXPECT_EQ(nobody.people, 0U);
  EXPECT_THAT(audit_page(nobody, context_, sources_),
              HasSubstr("The model refuses 0 of 0 people."));
}

}  // namespace
}  // namespace croco
