// SPDX-License-Identifier: Apache-2.0
#include <croco/audit/people_lines.hpp>

#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <tests/audit/audited_people.hpp>

namespace croco {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(PeopleLines, AreReadBackAsTheyWere) {
  const Schema schema = people::schema();
  const auto attributes = audited::attributes();
  const PeopleLines lines(attributes, schema);
  const auto everyone = audited::people();
  EXPECT_EQ(lines.read(lines.lines(everyone)), everyone);
}

TEST(PeopleLines, AreAPlainTable) {
  const Schema schema = people::schema();
  const auto attributes = audited::attributes();
  const PeopleLines lines(attributes, schema);
  EXPECT_EQ(lines.header(),
            "row,outcome,score,cost,plain_cost,changed,limits,group:home,swapped:home,group:town "
            "<b>\n");
  const auto everyone = audited::people();
  EXPECT_EQ(lines.lines({&everyone[4], 1}),
            "4,impossible,0.116,inf,0.2,,\"[[\"\"income\"\",\"\"maximum\"\"],[\"\"age\"\","
            "\"\"fixed\"\"]]\",rent,\"[[\"\"own\"\",0.4]]\",East\n");
  EXPECT_THAT(lines.lines({&everyone[0], 1}),
              StartsWith("0,certified,0.1,0.5,0.2,\"[\"\"income\"\",\"\"debt\"\"]\",,rent,"));
  EXPECT_EQ(lines.lines({&everyone[80], 1}), "80,error,,,,,,,,\n");
}

TEST(PeopleLines, RefuseAnotherText) {
  const Schema schema = people::schema();
  const auto attributes = audited::attributes();
  const PeopleLines lines(attributes, schema);
  for (const char* text :
       {"1,certified,0.1,1,1,,,rent,,Atlantis\n", "1,rich,0.1,1,1,,,rent,,East\n",
        "1,certified,0.1,1,1,[x,,rent,,East\n", "1,certified\n"}) {
    EXPECT_THAT(fixtures::message_of<DataError>([&] { return lines.read(text); }),
                HasSubstr("people.csv, line 2: is no line of this audit"))
        << text;
  }
}

}  // namespace
}  // namespace croco
