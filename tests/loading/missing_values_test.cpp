// SPDX-License-Identifier: Apache-2.0
// People who lack values and keep the blanks, with models that the libraries themselves grew: what
// is certified is what the model answers to the record with these values missing.
#include <croco/loading/missing_values.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/sha256.hpp>
#include <croco/explain/assess_points.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/loading/column_matching.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/loading/score_check.hpp>
#include <croco/robustness/certify.hpp>
#include <tests/fixtures.hpp>
#include <tests/golden.hpp>
#include <tests/people.hpp>

namespace croco {
namespace {

using fixtures::message_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::string> kPurposes{"car",   "furniture", "other",
                                         "radio", "repairs",   "study trip"};

golden::Json golden_model(const std::string& file) {
  for (const golden::Json& model : golden::list("trees", "models")) {
    if (model.at("files").at(0) == file) return model;
  }
  throw std::runtime_error(file + ": no such model");
}

/// The golden rows as records, with different spellings of what is missing.
std::vector<Person> people_of(const golden::Json& model) {
  const std::vector<std::string> spellings{"", "NA", "?"};
  std::vector<Person> out;
  for (const golden::Json& row : model.at("rows")) {
    Record record;
    for (std::size_t j = 0; j < row.size(); ++j) {
      record.push_back(row[j].is_null() ? spellings[out.size() % 3]
                       : j == 5         ? kPurposes[static_cast<std::size_t>(row[j].get<double>())]
                                        : format_number(row[j].get<double>()));
    }
    out.push_back(people::person(out.size(), std::move(record)));
  }
  return out;
}

/// A model with a schema in which amount, months and purpose may change.
LoadedModel load(const std::string& file) {
  const golden::Json model = golden_model(file);
  TrainingData data;
  std::string text;
  for (const std::string name : model.at("columns")) {
    Feature feature{.name = name, .movement = Movement::fixed};
    if (name == "purpose") {
      feature = {.name = name, .type = FeatureType::categorical, .levels = kPurposes};
    } else if (name == "amount") {
      feature = {.name = name, .minimum = 100, .maximum = 20000, .step = 1};
    } else if (name == "months") {
      feature = {.name = name, .minimum = 1, .maximum = 80, .step = 1};
    }
    data.schema.features.push_back(feature);
    text += (text.empty() ? "" : ",") + name;
  }
  text += "\n";
  for (const Person& person : people_of(model)) {
    text += fmt::format("{}\n", fmt::join(person.record, ","));
  }
  data.rows = parse_csv(text, "people.csv");
  LoadModelOptions options;
  options.training = [data] { return data; };
  return load_model(std::filesystem::path(CROCO_GOLDEN_DIR) / "trees" / file, options);
}

ExplainOptions keep() {
  ExplainOptions options;
  options.method = Certified{.target = 0.2};
  options.noise = Noise{.scale = 0.02, .scope = NoiseScope::continuous};
  options.certify = {.samples = 4000, .sequential = false};
  options.missing = MissingPolicy::keep;
  options.reasons = false;
  options.threads = 2;
  return options;
}

/// The base model, told NaN in some columns, row by row: the plainest way there is.
class ToldNaN final : public Model {
 public:
  ToldNaN(const Model& model, const Codec& codec, std::vector<std::size_t> features)
      : model_(model), codec_(codec), features_(std::move(features)) {}
  [[nodiscard]] std::size_t width() const noexcept override { return model_.width(); }
  void logits(Rows rows, MutableView out) const override {
    for (std::size_t k = 0; k < rows.count(); ++k) {
      Vector row(rows[k].begin(), rows[k].end());
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (std::ranges::binary_search(features_, codec_.feature_of(j))) row[j] = kMissing;
      }
      out[k] = model_.logit(row);
    }
  }

 private:
  const Model& model_;
  const Codec& codec_;
  std::vector<std::size_t> features_;
};

TEST(MissingValues, ScoresOfPeopleWhoLackValuesAreTheLibrarys) {
  for (const std::string file :
       {"xgb_numbers.json", "xgb_categories.json", "xgb_one_hot_split.json", "lgb_numbers.txt",
        "lgb_categories.txt", "lgb_zeros_missing.txt", "lgb_no_missing.txt"}) {
    const LoadedModel loaded = load(file);
    const golden::Json model = golden_model(file);
    const Vector margins = golden::vector(model.at("margins"));
    const std::vector<Person> people = people_of(model);
    StatedScores stated{"the library", {}};
    for (const double margin : margins) stated.scores.push_back(sigmoid(margin));
    const ScoreCheck check = compare_scores(*loaded.model, loaded.codec, Goal(), people, stated,
                                            {MissingPolicy::keep, loaded.models});
    EXPECT_EQ(check.compared, people.size()) << file;
    EXPECT_TRUE(check.agrees()) << file << ": " << check.different << " differ by "
                                << check.largest;
    for (const MissingPattern& pattern : missing_patterns(loaded.codec, people)) {
      if (pattern.features.empty()) continue;
      const PartialModel partial = partial_model(loaded.models, loaded.codec, pattern.features);
      for (const std::size_t i : pattern.members) {
        EXPECT_EQ(partial.model->logit(partial.codec.encode(people[i].record, "here")), margins[i])
            << file << ", row " << i;
      }
    }
  }
}

TEST(MissingValues, CertificatesCountWhatTheModelAnswersToNaN) {
  for (const std::string file : {"xgb_categories.json", "lgb_numbers.txt"}) {
    const LoadedModel loaded = load(file);
    std::vector<Person> people = people_of(golden_model(file));
    std::erase_if(people, [&](const Person& person) {
      return loaded.codec.missing_features(person.record).empty();
    });
    people.resize(24);
    const ExplainOptions options = keep();
    const Explainer explainer(loaded, options);
    const std::vector<Explanation> answers = explainer.explain(people);
    ASSERT_EQ(answers.size(), people.size());
    std::size_t certified = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const Explanation& answer = answers[i];
      EXPECT_EQ(answer.row, people[i].row);
      EXPECT_EQ(answer.missing_features, loaded.codec.missing_features(people[i].record));
      const ToldNaN told(*loaded.model, loaded.codec, answer.missing_features);
      EXPECT_EQ(answer.score_before, sigmoid(told.logit(answer.origin))) << file;
      EXPECT_EQ(answer.status == Status::already, answer.score_before > 0.5);
      if (!answer.certificate) continue;
      ++certified;
      for (std::size_t f = 0; f < answer.after.size(); ++f) {
        const bool kept = std::ranges::binary_search(answer.missing_features, f);
        EXPECT_EQ(answer.after[f].empty(), kept) << "the blank stays, and nothing else becomes one";
        EXPECT_EQ(answer.before[f].empty(), kept);
      }
      EXPECT_EQ(answer.score, sigmoid(told.logit(answer.point)));
      const Problem problem{told, loaded.codec.space(), *options.noise, options.goal};
      CertifyOptions again = options.certify;
      again.target = 0.2;
      again.attempt = answer.certificate->attempt;
      again.attempts = answer.certificate->attempts;
      const Advice advice{answer.origin, answer.point, answer.row};
      EXPECT_EQ(certify(problem, {&advice, 1}, again, 1, {}).at(0).invalid,
                answer.certificate->invalid)
          << file << ", row " << answer.row;
    }
    EXPECT_GT(certified, 4U) << file;
  }
}

TEST(MissingValues, AnswersDependOnTheRowAlone) {
  const LoadedModel loaded = load("lgb_categories.txt");
  std::vector<Person> people = people_of(golden_model("lgb_categories.txt"));
  people.resize(16);
  ExplainOptions options = keep();
  const auto told = [](const std::vector<Explanation>& answers) {
    std::vector<std::string> out;
    for (const Explanation& answer : answers) {
      out.push_back(fmt::format("{} {} {} {} {}", answer.row, name_of(answer.status),
                                fmt::join(answer.after, ","), answer.score,
                                answer.certificate ? answer.certificate->invalid : 0));
    }
    return out;
  };
  options.threads = 1;
  const Explainer one(loaded, options);
  const auto expected = told(one.explain(people));
  options.threads = 3;
  EXPECT_EQ(told(Explainer(loaded, options).explain(people)), expected);
  std::vector<std::string> batched;
  for (const Person& person : people) {
    batched.push_back(told(one.explain({&person, 1})).at(0));
  }
  EXPECT_EQ(batched, expected);
  // People who have all their values get the answers that they get without the option.
  options.missing = MissingPolicy::drop;
  const auto dropped = Explainer(loaded, options).explain(people);
  std::size_t complete = 0;
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    if (dropped[i].missing) continue;
    ++complete;
    EXPECT_EQ(told({dropped[i]}).at(0), expected[i]);
  }
  EXPECT_GT(complete, 2U);
  EXPECT_LT(complete, people.size());
}

TEST(MissingValues, AStopLeavesOutWhatIsNotFinished) {
  const LoadedModel loaded = load("lgb_numbers.txt");
  const Explainer explainer(loaded, keep());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(explainer.explain(people_of(golden_model("lgb_numbers.txt")), stop.get_token()),
              IsEmpty());
}

TEST(MissingValues, ModelsThatTakeNoneRefuseThePersonByName) {
  ExplainOptions options = people::options();
  options.missing = MissingPolicy::keep;
  const std::vector<Person> people{people::person(0, {"40", "NA", "30", "rent"}),
                                   people::person(1, {"40", "10", "30", "rent"})};
  const auto answers = people::explainer(options).explain(people);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].status, Status::error);
  EXPECT_EQ(answers[0].reason,
            "people.csv, line 2: column 'debt': the value is missing, and this model takes no "
            "missing values; --missing drop or impute says what to do with such rows");
  EXPECT_EQ(answers[0].before, people[0].record) << "as it was given";
  EXPECT_EQ(answers[1].status, Status::found);
}

TEST(MissingValues, ColumnsOfModels) {
  const Codec codec = people::codec().with_missing({1, 3});
  const auto constant = [](const InputColumns& columns, std::size_t i) {
    return columns[i].kind == InputColumn::Kind::constant;
  };
  const ForeignColumns named{.width = 5,
                             .names = {"income", "debt", "age", "home_rent", "home=own"}};
  const InputColumns columns = match_columns(codec, named, "m");
  EXPECT_FALSE(constant(columns, 0));
  ASSERT_TRUE(constant(columns, 1));
  EXPECT_TRUE(std::isnan(columns[1].value(0.3))) << "a number is NaN";
  ASSERT_TRUE(constant(columns, 3) && constant(columns, 4));
  EXPECT_EQ(columns[3].value(1), 0) << "no level is there";
  EXPECT_EQ(columns[4].value(1), 0);
  const ForeignColumns coded{.width = 1, .names = {"home"}, .levels = {{"rent", "own"}}};
  const InputColumns codes = match_columns(codec, coded, "m");
  ASSERT_TRUE(constant(codes, 0));
  EXPECT_TRUE(std::isnan(codes[0].value(0))) << "a code is NaN";
}

class AssessKept : public testing::Test {
 protected:
  [[nodiscard]] std::vector<Explanation> judge(const std::vector<AdvisedPerson>& pairs,
                                               MissingPolicy policy = MissingPolicy::keep) const {
    const Problem problem{*loaded_.model, loaded_.codec.space(), *keep().noise, Goal()};
    return assess(problem, loaded_.codec, pairs, {.samples = 2000, .sequential = false}, 0.5, 2, {},
                  {policy, loaded_.models});
  }

  LoadedModel loaded_ = load("xgb_numbers.json");
};

TEST_F(AssessKept, PairsThatLackTheSameValuesAreJudgedWithoutThem) {
  const Person before = people::person(4, {"3000", "NA", "0.3", "-200", "1"});
  const Person after = people::person(0, {"9000", "", "0.3", "-200", "1"});
  const Person whole = people::person(5, {"3000", "36", "0.3", "-200", "1"});
  const auto answers = judge({{before, after}, {whole, whole}});
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].row, 4U);
  EXPECT_THAT(answers[0].missing_features, ElementsAre(1U));
  EXPECT_EQ(answers[0].after[1], "");
  EXPECT_EQ(answers[0].features_changed, 1U);
  Vector row = loaded_.codec.encode({"9000", "1", "0.3", "-200", "1"}, "here");
  row[1] = kMissing;
  EXPECT_EQ(answers[0].score, sigmoid(loaded_.model->logit(row)));
  EXPECT_TRUE(answers[0].certificate);
  EXPECT_THAT(answers[1].missing_features, IsEmpty());
  EXPECT_TRUE(answers[1].certificate);
}

TEST_F(AssessKept, PairsThatDoNotAreRefused) {
  const auto answers = judge({{people::person(0, {"3000", "NA", "0.3", "-200", "1"}),
                               people::person(1, {"9000", "36", "0.3", "-200", "1"})},
                              {people::person(2, {"3000", "12", "0.3", "-200", "1"}),
                               people::person(3, {"9000", "36", "", "-200", "1"})}});
  EXPECT_EQ(answers.at(0).reason,
            "people.csv, line 3: column 'months': the value is missing in the present record and "
            "given in the other; values that stay missing are missing in both");
  EXPECT_EQ(answers.at(1).reason,
            "people.csv, line 5: column 'share': the value is missing in the advised record and "
            "given in the other; values that stay missing are missing in both");
  EXPECT_EQ(answers[1].row, 2U);
}

TEST_F(AssessKept, OtherPolicies) {
  const AdvisedPerson pair{people::person(0, {"3000", "NA", "0.3", "-200", "1"}),
                           people::person(1, {"9000", "", "0.3", "-200", "1"})};
  for (const MissingPolicy policy : {MissingPolicy::error, MissingPolicy::drop}) {
    const auto answers = judge({pair}, policy);
    EXPECT_TRUE(answers.at(0).missing);
    EXPECT_THAT(answers[0].reason, HasSubstr("column 'months': the value is missing ('NA')"));
  }
  const auto imputed = judge({pair}, MissingPolicy::impute);
  EXPECT_EQ(imputed.at(0).after[1], loaded_.codec.scales()[1].typical);
  EXPECT_THAT(imputed[0].missing_features, IsEmpty());
}

}  // namespace
}  // namespace croco
