// SPDX-License-Identifier: Apache-2.0
// Populations of retrained models: how they are trained, read and split.
#include <croco/loading/retrain.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/sha256.hpp>
#include <croco/data/dataset.hpp>
#include <croco/loading/fitted_model.hpp>
#include <croco/loading/population_manifest.hpp>
#include <tests/fixtures.hpp>

namespace croco {
namespace {

namespace fs = std::filesystem;
using fixtures::message_of;
using testing::HasSubstr;

class Population : public testing::Test {
 protected:
  Population() {
    folder_ = fs::path(testing::TempDir()) /
              fmt::format("croco-retrain-{}-{}", ::getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directory(folder_);
    std::string text = "income,debt,accepted\n";
    for (int i = 0; i < 120; ++i) {
      const int income = i * 37 % 101;
      const int debt = i * 53 % 51;
      text += fmt::format("{},{},{}\n", income, debt, income + i % 13 > debt + 25 ? "yes" : "no");
    }
    table_ = parse_csv(text, "people.csv");
    const Schema schema{.label = {"accepted", "yes", "no"},
                        .features = {{.name = "income", .minimum = 0, .maximum = 100, .step = 1},
                                     {.name = "debt", .minimum = 0, .maximum = 50, .step = 1}}};
    write_file(folder_ / "model.json",
               fit_model(table_, schema, MissingPolicy::error, training(), "people").file);
    like_ = std::make_unique<LoadedModel>(load_model(folder_ / "model.json"));
  }
  ~Population() override { fs::remove_all(folder_); }

  [[nodiscard]] static TrainOptions training() {
    TrainOptions out;
    out.hidden = {4};
    out.epochs = 6;
    return out;
  }
  [[nodiscard]] static RetrainOptions options(std::size_t count,
                                              Resample resample = Resample::bootstrap) {
    RetrainOptions out{.count = count, .train = training(), .threads = 1};
    out.train.resample = resample;
    return out;
  }
  [[nodiscard]] Retrained train_into(const std::string& name, const RetrainOptions& options) const {
    return retrain(table_, *like_, folder_ / name, options);
  }
  [[nodiscard]] std::map<std::string, std::string> files_in(const std::string& name) const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::directory_iterator(folder_ / name)) {
      out[entry.path().filename()] = read_file(entry.path());
    }
    return out;
  }
  [[nodiscard]] std::vector<fs::path> paths_in(const std::string& name) const {
    std::vector<fs::path> out;
    for (const auto& [file, bytes] : files_in(name)) out.push_back(folder_ / name / file);
    return out;
  }
  [[nodiscard]] ModelPopulation load(const std::vector<fs::path>& paths,
                                     const PopulationOptions& split = {}) const {
    return load_population(paths, *like_, {}, split);
  }

  fs::path folder_;
  CsvTable table_;
  std::unique_ptr<LoadedModel> like_;
};

TEST_F(Population, IsTheSameOnAnyNumberOfThreadsAndAfterAStop) {
  EXPECT_EQ(train_into("one", options(6)).trained, 6U);
  RetrainOptions threaded = options(6);
  threaded.threads = 3;
  EXPECT_TRUE(train_into("three", threaded).finished);
  EXPECT_EQ(files_in("three"), files_in("one"));
  // A run that was killed: some files are there, and the manifest names none.
  EXPECT_EQ(train_into("killed", options(6)).trained, 6U);
  fs::remove(folder_ / "killed" / "model-0002.json");
  fs::remove(folder_ / "killed" / "model-0005.json");
  PopulationManifest begun = read_population_manifest(folder_ / "killed" / "manifest.json");
  begun.models.clear();
  write_file(folder_ / "killed" / "manifest.json", population_manifest_json(begun));
  const Retrained resumed = train_into("killed", options(6));
  EXPECT_EQ(resumed.trained, 2U);
  EXPECT_EQ(resumed.kept, 4U);
  EXPECT_EQ(files_in("killed"), files_in("one"));
}

TEST_F(Population, GrowsWithoutChangingWhatIsThere) {
  (void)train_into("models", options(3));
  const auto before = files_in("models");
  EXPECT_EQ(train_into("models", options(5)).trained, 2U);
  const auto after = files_in("models");
  EXPECT_EQ(after.size(), 6U);
  for (const auto& [file, bytes] : before) {
    if (file == "manifest.json") continue;
    EXPECT_EQ(after.at(file), bytes);
  }
  const PopulationManifest manifest = read_population_manifest(folder_ / "models/manifest.json");
  ASSERT_EQ(manifest.models.size(), 5U);
  for (const auto& entry : manifest.models) {
    EXPECT_EQ(entry.sha256, sha256(after.at(entry.file)));
    EXPECT_TRUE(entry.seed);
  }
  EXPECT_THAT(manifest.recipe, HasSubstr("\"resample\":\"bootstrap\""));
}

TEST_F(Population, ModelsOfOneRecipeDifferAndShareTheEncoding) {
  for (const Resample resample : {Resample::none, Resample::bootstrap, Resample::half}) {
    const std::string name(name_of(resample));
    (void)train_into(name, options(4, resample));
    const ModelPopulation models = load(paths_in(name));
    std::set<std::string> fingerprints;
    for (const auto* part : {&models.search, &models.certify}) {
      for (const RetrainedModel& one : *part) fingerprints.insert(one.fingerprint);
    }
    EXPECT_EQ(fingerprints.size(), 4U);
    EXPECT_EQ(models.search.size(), 1U);
  }
  EXPECT_EQ(parse_resample("half"), Resample::half);
  EXPECT_EQ(message_of<InvalidArgument>([] { return parse_resample("twice"); }),
            "resample is 'twice'; it must be seed, bootstrap or half");
}

/// Models of another seed are models of the same recipe: nothing is common to all models of a
/// folder but the data, or where only seeds differ also the split of `croco train`.
TEST_F(Population, ModelsSplitTheirRowsAnewWhereRowsAreResampled) {
  const Dataset data = encode_dataset(table_, like_->codec, MissingPolicy::error);
  for (const Resample resample : {Resample::none, Resample::bootstrap, Resample::half}) {
    const std::string name(name_of(resample));
    RetrainOptions seeded = options(3, resample);
    seeded.train.seed = 9;
    (void)train_into(name, seeded);
    const PopulationManifest manifest = read_population_manifest(folder_ / name / "manifest.json");
    const bool shared = resample == Resample::none;
    EXPECT_THAT(manifest.recipe, HasSubstr(shared ? "\"split\":\"shared\"" : "\"split\":\"own\""));
    TrainOptions own = training();
    own.resample = resample;
    own.seed = manifest.models[2].seed.value();
    if (shared) own.split_seed = 0;
    const TrainResult expected = train(data.points.rows(), data.labels, own);
    const LoadedModel there = load_model(folder_ / name / manifest.models[2].file);
    EXPECT_EQ(there.model->network()->layers()[0].weight, expected.model->layers()[0].weight)
        << name;
  }
}

TEST_F(Population, AnotherRecipeNeedsAnotherFolder) {
  (void)train_into("models", options(2));
  EXPECT_THAT(
      message_of<DataError>([&] { return train_into("models", options(2, Resample::half)); }),
      HasSubstr("'resample' \"bootstrap\", and it is \"half\" now"));
  RetrainOptions seeded = options(2);
  seeded.train.seed = 9;
  EXPECT_THAT(message_of<DataError>([&] { return train_into("models", seeded); }),
              HasSubstr("'seed' 0, and it is 9 now"));
  fs::create_directory(folder_ / "full");
  write_file(folder_ / "full" / "notes.txt", "mine");
  EXPECT_THAT(message_of<DataError>([&] { return train_into("full", options(2)); }),
              HasSubstr("the folder holds 'notes.txt' and no manifest"));
}

TEST_F(Population, NoticesAnAlteredFileWhenItGoesOn) {
  (void)train_into("models", options(3));
  const fs::path altered = folder_ / "models" / "model-0001.json";
  write_file(altered, read_file(altered) + " ");
  EXPECT_THAT(message_of<DataError>([&] { return train_into("models", options(4)); }),
              HasSubstr("model-0001.json: SHA-256 "));
}

TEST_F(Population, SplitsByFingerprintWhateverTheOrderAndTheNames) {
  (void)train_into("models", options(7));
  std::vector<fs::path> paths = paths_in("models");
  const ModelPopulation models = load(paths);
  EXPECT_EQ(models.search.size(), 2U);
  EXPECT_EQ(models.certify.size(), 5U);
  std::vector<std::string> order;
  for (const auto* part : {&models.search, &models.certify}) {
    for (const RetrainedModel& one : *part) order.push_back(one.fingerprint);
  }
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_THAT(models.recipe, HasSubstr("croco retrain"));
  std::ranges::reverse(paths);
  EXPECT_EQ(load(paths).search[0].fingerprint, models.search[0].fingerprint);
  EXPECT_EQ(load(paths, {.search_models = 0}).certify.size(), 7U);
  EXPECT_EQ(load(paths, {.threads = 3}).certify[4].file, models.certify[4].file);
  EXPECT_EQ(message_of<InvalidArgument>([&] { return load(paths, {.search_models = 7}); }),
            "search-models is 7; of 7 models at least 1 must be left to certify");
}

TEST_F(Population, MustBeExactlyWhatTheManifestNames) {
  (void)train_into("models", options(4));
  std::vector<fs::path> paths = paths_in("models");
  const auto message = [&] { return message_of<ModelError>([&] { return load(paths); }); };
  const std::vector<fs::path> all = paths;
  std::erase(paths, folder_ / "models" / "model-0002.json");
  EXPECT_THAT(message(), HasSubstr("1 of the 4 models that"));
  EXPECT_THAT(message(), HasSubstr("model-0002.json among them"));
  paths = all;
  fs::copy_file(folder_ / "models/model-0001.json", folder_ / "models/model-0009.json");
  paths.push_back(folder_ / "models" / "model-0009.json");
  EXPECT_THAT(message(), HasSubstr("are the same model; models must be drawn independently"));
  write_file(paths.back(), read_file(paths.back()) + " ");
  EXPECT_THAT(message(), HasSubstr("does not name model-0009.json"));
  paths = all;
  write_file(paths[1], read_file(paths[1]) + " ");
  EXPECT_THAT(message(), HasSubstr("SHA-256 "));
}

TEST_F(Population, RefusesTheModelInUseAndOtherEncodings) {
  (void)train_into("models", options(2));
  EXPECT_THAT(message_of<ModelError>([&] { return load({folder_ / "model.json"}); }),
              HasSubstr("it is the model in use"));
  CsvTable other = table_;
  for (CsvRow& row : other.rows) row.fields[0] += "0";
  Schema schema = like_->codec.schema();
  schema.features[0].maximum = 1010;
  fs::create_directory(folder_ / "other");
  write_file(folder_ / "other" / "a.json",
             fit_model(other, schema, MissingPolicy::error, training(), "other").file);
  EXPECT_THAT(message_of<ModelError>([&] { return load({folder_ / "other" / "a.json"}); }),
              HasSubstr("its encoding is not that of"));
  EXPECT_EQ(message_of<InvalidArgument>([&] { return load({}); }),
            "models names no model file; it must name at least 1");
}

}  // namespace
}  // namespace croco
