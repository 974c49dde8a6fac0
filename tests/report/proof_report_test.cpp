// SPDX-License-Identifier: Apache-2.0
// What reports say of proofs.
#include <limits>

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

TEST(ProofSentence, RoundsTheBoundDownAndTheGapUp) {
  EXPECT_EQ(
      proof_sentence(answers::proven()),
      "No admissible change that costs less than 0.9678 can meet the target (99.75 % confidence); "
      "this one costs 1, at most 3.4 % more.");
}

TEST(ProofSentence, ComparesOnlyAdviceThatMeetsTheTarget) {
  Explanation unmet = answers::unmet();
  unmet.proof = answers::proven().proof;
  EXPECT_EQ(
      proof_sentence(unmet),
      "No admissible change that costs less than 0.9678 can meet the target (99.75 % confidence).");
  EXPECT_EQ(unmet.proven_gap(), std::nullopt);
}

TEST(ProofSentence, SaysWhenNothingCanMeetTheTargetOrNothingIsKnown) {
  EXPECT_EQ(proof_sentence(answers::infeasible()), "");
  Explanation answer = answers::infeasible();
  answer.proof = Proof{.basis = ProofBasis::sampling,
                       .lower = std::numeric_limits<double>::infinity(),
                       .infeasible = true,
                       .confidence = 0.999};
  EXPECT_EQ(proof_sentence(answer),
            "No admissible change can meet the target (99.9 % confidence).");
  answer.proof = Proof{.confidence = 0.999, .reason = "the noise depends on the advice"};
  EXPECT_EQ(proof_sentence(answer),
            "What the target costs at least is not known: the noise depends on the advice.");
  answer.proof = Proof{.basis = ProofBasis::smoothing, .lower = 0, .confidence = 0.999};
  EXPECT_EQ(proof_sentence(answer),
            "No lower bound above 0 on the cost of meeting the target was found.");
}

TEST(ProofReport, TextAndHtmlCarryTheSentence) {
  const Codec codec = people::codec();
  const ReportContext context = answers::context(codec);
  const Explanation answer = answers::proven();
  EXPECT_THAT(text_block(context, answer), HasSubstr("at most 3.4 % more."));
  EXPECT_THAT(html_page(context, std::vector{answer}), HasSubstr(proof_sentence(answer)));
  EXPECT_THAT(text_block(context, answers::found()), Not(HasSubstr("can meet")));
}

TEST(ProofReport, CsvHasItsColumnsOnlyWithProofs) {
  const Codec codec = people::codec();
  ReportContext context = answers::context(codec);
  EXPECT_THAT(csv_header(context), Not(HasSubstr("cost_lower")));
  context.proofs = true;
  EXPECT_THAT(
      csv_header(context),
      HasSubstr("relaxations,cost,level_price,cost_lower,cost_gap,proof_confidence,proof,income,"));
  EXPECT_THAT(csv_line(context, answers::proven()), HasSubstr(",1,,,,,1,0,0.96789,0.0331752575"));
  EXPECT_THAT(csv_line(context, answers::proven()), HasSubstr(",0.9975,sampling,75,"));
  EXPECT_THAT(csv_line(context, answers::error()), HasSubstr(",,,,,"));
  Explanation impossible = answers::infeasible();
  impossible.proof = Proof{.basis = ProofBasis::sampling,
                           .lower = std::numeric_limits<double>::infinity(),
                           .infeasible = true,
                           .confidence = 0.999};
  EXPECT_THAT(csv_line(context, impossible), HasSubstr(",,,,0.999,infeasible,40,"));
}

TEST(ProofReport, JsonStatesThePartsOfTheProof) {
  const Codec codec = people::codec();
  const auto json =
      nlohmann::json::parse(json_line(answers::context(codec), answers::proven())).at("proof");
  EXPECT_EQ(json.at("statement"), proof_sentence(answers::proven()));
  EXPECT_EQ(json.at("basis"), "sampling");
  EXPECT_EQ(json.at("confidence"), 0.9975);
  EXPECT_EQ(json.at("infeasible"), false);
  EXPECT_EQ(json.at("cost_lower"), 0.96789);
  EXPECT_NEAR(json.at("gap"), 1 / 0.96789 - 1, 1e-12);
  EXPECT_EQ(json.at("sampled").dump(),
            R"({"allowed":905,"boxes":17,"cost":0.97,"samples":16384,"solved":true})");
  Explanation impossible = answers::infeasible();
  impossible.proof = Proof{.basis = ProofBasis::smoothing,
                           .lower = std::numeric_limits<double>::infinity(),
                           .infeasible = true,
                           .confidence = 0.999};
  const auto none = nlohmann::json::parse(json_line(answers::context(codec), impossible));
  EXPECT_EQ(none.at("proof").at("infeasible"), true);
  EXPECT_FALSE(none.at("proof").contains("cost_lower"));
}

}  // namespace
}  // namespace croco
