// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>

#include <croco/report/writer.hpp>
#include <tests/report/answers.hpp>

namespace croco {
namespace {

class TextReport : public testing::Test {
 protected:
  Codec codec_ = people::codec();
  ReportContext context_ = answers::context(codec_);
};

TEST_F(TextReport, ChangesStandInATable) {
  EXPECT_EQ(
      text_block(context_, answers::found()),
      "Row 12: the answer is 'no' (score 0.250)\n"
      "    Income   40 k  ->  75 k\n"
      "    debt       10  ->  2.5\n"
      "  Raise the Income from 40 k to 75 k and lower debt from 10 to 2.5. With this the "
      "answer is\n"
      "  'yes' (score 0.875). Even if you miss the Income by about 10 k and debt by about 5, "
      "with noise\n"
      "  on age, the answer stays 'yes' in at least 95.4 of 100 cases (99.9 % confidence).\n"
      "  It costs 1.\n"
      "  Certificate: under gaussian noise (sd 0.1) on continuous columns at most 4.6 % fail "
      "(99.9 %\n"
      "  confidence; 4,321 of 100,000 fresh samples failed); the target of at most 5 % failures is "
      "met.\n");
}

TEST_F(TextReport, WithoutAdviceThereIsAReason) {
  EXPECT_EQ(text_block(context_, answers::already()),
            "Row 5: the answer is already 'yes' (score 0.750)\n  Nothing needs to change.\n");
  EXPECT_EQ(text_block(context_, answers::error()),
            "Row 6: could not be read\n"
            "  people.csv, line 8: has 3 fields, but the header has 4.\n");
}

TEST_F(TextReport, LinesFitATerminal) {
  for (const Explanation& answer : {answers::found(), answers::unmet(), answers::infeasible()}) {
    std::istringstream lines(text_block(context_, answer));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 96) << line;
  }
}

TEST_F(TextReport, AWordThatIsTooLongStandsAlone) {
  Explanation answer = answers::infeasible();
  answer.reason = "short " + std::string(200, 'x') + " end";
  EXPECT_EQ(text_block(context_, answer), "Row 4: the answer is 'no' (score 0.125)\n  short\n  " +
                                              std::string(200, 'x') + "\n  end.\n");
}

}  // namespace
}  // namespace croco
