// SPDX-License-Identifier: Apache-2.0
#include <croco/data/catalog.hpp>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <stdlib.h>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/sha256.hpp>

namespace croco {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Sets a variable, or unsets it, until the end of the scope.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, std::optional<std::string> value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    assign(value);
  }
  ~ScopedVariable() { assign(before_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void assign(const std::optional<std::string>& value) const {
    value ? ::setenv(name_.c_str(), value->c_str(), 1) : ::unsetenv(name_.c_str());
  }

  std::string name_;
  std::optional<std::string> before_;
};

template <class Exception, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "no such exception";
  return {};
}

TEST(CatalogTest, FindsNamesInTheirSpellings) {
  for (const CatalogEntry& entry : catalog()) EXPECT_EQ(find_entry(entry.name), &entry);
  ASSERT_NE(find_entry("gsc"), nullptr);
  EXPECT_EQ(find_entry("gsc")->name, "give-me-some-credit");
  EXPECT_EQ(find_entry("give_me_some_credit"), find_entry("gsc"));
  EXPECT_EQ(find_entry("Give-Me-Some-Credit"), find_entry("gsc"));
  EXPECT_EQ(find_entry("german_credit"), find_entry("german"));
  EXPECT_EQ(find_entry("german.csv"), nullptr);
  EXPECT_EQ(find_entry(""), nullptr);
}

TEST(CatalogTest, EveryEntryCanBeObtained) {
  for (const CatalogEntry& entry : catalog()) {
    EXPECT_EQ(entry.urls.empty(), entry.embedded) << entry.name;
    for (const std::string& url : entry.urls) {
      EXPECT_THAT(url, ::testing::StartsWith("https://"));
      EXPECT_THAT(url, ::testing::EndsWith("/" + entry.file));
    }
    EXPECT_EQ(entry.sha256.size(), 64U) << entry.name;
  }
}

TEST(CatalogTest, TheEmbeddedTextHasTheDigestOnRecord) {
  const CatalogEntry& german = *find_entry("german");
  const CsvTable table = load_dataset(german);
  EXPECT_EQ(table.source, "german_credit.csv");
  std::string text = csv_record(table.header);
  for (const CsvRow& row : table.rows) text += csv_record(row.fields);
  EXPECT_EQ(sha256(text), german.sha256);
}

TEST(CatalogTest, AnEntryFromElsewhereHasNoSchema) {
  CatalogEntry stranger = *find_entry("german");
  stranger.name = "stranger";
  EXPECT_THAT(message_of<InvalidArgument>([&] { static_cast<void>(catalog_schema(stranger)); }),
              HasSubstr("'stranger'"));
  EXPECT_THROW(static_cast<void>(load_dataset(stranger)), InvalidArgument);
}

TEST(CatalogTest, TheCacheFollowsTheEnvironment) {
  const ScopedVariable home("HOME", "/home/somebody");
  {
    const ScopedVariable cache("XDG_CACHE_HOME", "/var/cache/somebody");
    EXPECT_EQ(cache_folder(), "/var/cache/somebody/croco");
  }
  for (const std::optional<std::string>& unusable :
       {std::optional<std::string>(), {""}, {"cache"}}) {
    const ScopedVariable cache("XDG_CACHE_HOME", unusable);
    EXPECT_EQ(cache_folder(), "/home/somebody/.cache/croco");
  }
}

TEST(CatalogTest, WithoutAHomeThereIsNoCache) {
  const ScopedVariable home("HOME", std::nullopt);
  const ScopedVariable cache("XDG_CACHE_HOME", std::nullopt);
  const ScopedVariable data("CROCO_DATA_DIR", std::nullopt);
  EXPECT_THAT(message_of<IoError>([] { static_cast<void>(cache_folder()); }),
              HasSubstr("$HOME is unset"));
  EXPECT_TRUE(search_folders({}).empty());
  EXPECT_THAT(message_of<IoError>([] { static_cast<void>(load_dataset(*find_entry("adult"))); }),
              HasSubstr("no folder to look in"));
}

TEST(CatalogTest, SearchesTheOptionThenTheVariableThenTheCache) {
  const ScopedVariable home("HOME", "/home/somebody");
  const ScopedVariable cache("XDG_CACHE_HOME", std::nullopt);
  const ScopedVariable data("CROCO_DATA_DIR", "/srv/data");
  EXPECT_THAT(search_folders({.data_dir = "here"}),
              ElementsAre("here", "/srv/data", "/home/somebody/.cache/croco"));
  EXPECT_THAT(search_folders({}), ElementsAre("/srv/data", "/home/somebody/.cache/croco"));
  EXPECT_THAT(search_folders({.data_dir = "/srv/data"}),
              ElementsAre("/srv/data", "/home/somebody/.cache/croco"));
}

/// Two folders, `first` as --data-dir and `second` as $CROCO_DATA_DIR, and an empty cache.
class LoadTest : public ::testing::Test {
 protected:
  LoadTest()
      : root_(make_root()),
        cache_("XDG_CACHE_HOME", root_.string()),
        data_("CROCO_DATA_DIR", (root_ / "second").string()) {
    fs::create_directory(root_ / "first");
    fs::create_directory(root_ / "second");
    options_.locations.data_dir = root_ / "first";
  }
  ~LoadTest() override { fs::remove_all(root_); }

  static fs::path make_root() {
    std::string pattern = (fs::temp_directory_path() / "croco-catalog-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    return pattern;
  }
  static CatalogEntry small_entry(const std::string& text) {
    CatalogEntry entry = *find_entry("adult");
    entry.rows = 1;
    entry.sha256 = sha256(text);
    return entry;
  }

  fs::path root_;
  ScopedVariable cache_;
  ScopedVariable data_;
  LoadOptions options_;
};

TEST_F(LoadTest, TakesTheFirstFolderThatHasTheFile) {
  const std::string text = "a,b\n1,2\n";
  const CatalogEntry entry = small_entry(text);
  fs::create_directory(root_ / "croco");
  write_file(root_ / "croco" / "adult.csv", text);
  EXPECT_EQ(load_dataset(entry, options_).source, (root_ / "croco" / "adult.csv").string());
  write_file(root_ / "second" / "adult.csv", text);
  EXPECT_EQ(load_dataset(entry, options_).source, (root_ / "second" / "adult.csv").string());
  write_file(root_ / "first" / "adult.csv", text);
  const CsvTable table = load_dataset(entry, options_);
  EXPECT_EQ(table.source, (root_ / "first" / "adult.csv").string());
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_THAT(table.rows[0].fields, ElementsAre("1", "2"));
}

TEST_F(LoadTest, RefusesAModifiedFileUnlessAllowed) {
  const CatalogEntry entry = small_entry("a,b\n1,2\n");
  const fs::path path = root_ / "first" / "adult.csv";
  write_file(path, "a,b\n1,3\n");
  // A good copy further down the search must not hide that the chosen folder holds a bad one.
  write_file(root_ / "second" / "adult.csv", "a,b\n1,2\n");
  const std::string message =
      message_of<DataError>([&] { static_cast<void>(load_dataset(entry, options_)); });
  EXPECT_THAT(message, HasSubstr(path.string()));
  EXPECT_THAT(message, HasSubstr("its SHA-256 is " + sha256("a,b\n1,3\n")));
  EXPECT_THAT(message, HasSubstr("expected " + entry.sha256));

  options_.allow_modified = true;
  EXPECT_THAT(load_dataset(entry, options_).rows[0].fields, ElementsAre("1", "3"));
}

TEST_F(LoadTest, NamesEveryFolderAndTheWaysOut) {
  const std::string message =
      message_of<IoError>([&] { static_cast<void>(load_dataset(*find_entry("gsc"), options_)); });
  EXPECT_THAT(message,
              HasSubstr("give_me_some_credit.csv was not found in " + (root_ / "first").string() +
                        ", " + (root_ / "second").string() + ", " + (root_ / "croco").string()));
  EXPECT_THAT(message, HasSubstr("`croco data fetch give-me-some-credit`"));
  EXPECT_THAT(message, HasSubstr("into one of these folders by hand"));
  EXPECT_THAT(message, HasSubstr(find_entry("gsc")->urls.front()));
}

/// The data sets themselves; those that are not embedded come from $CROCO_TEST_DATA_DIR.
class SlowRealDataTest : public ::testing::TestWithParam<std::string> {};

void expect_levels(const Feature& feature, const std::set<std::string>& values) {
  const std::set<std::string> levels(feature.levels.begin(), feature.levels.end());
  EXPECT_EQ(levels, values) << feature.name;
}

void expect_range(const Feature& feature, const std::set<std::string>& values) {
  std::vector<double> numbers;
  for (const std::string& value : values) {
    const std::optional<double> number = parse_number(value);
    ASSERT_TRUE(number) << feature.name << ": " << value;
    numbers.push_back(*number);
  }
  const auto [least, greatest] = std::ranges::minmax(numbers);
  if (feature.movement == Movement::fixed) {
    EXPECT_FALSE(feature.minimum || feature.maximum) << feature.name;
  } else {
    // Nothing is proposed that nobody in the data has.
    EXPECT_GE(feature.minimum, least) << feature.name;
    EXPECT_LE(feature.maximum, greatest) << feature.name;
    EXPECT_TRUE(feature.minimum && feature.maximum) << feature.name;
  }
}

TEST_P(SlowRealDataTest, FitsItsSchema) {
  const CatalogEntry& entry = *find_entry(GetParam());
  LoadOptions options;
  if (!entry.embedded) {
    const char* folder = std::getenv("CROCO_TEST_DATA_DIR");
    if (folder == nullptr) GTEST_SKIP() << "CROCO_TEST_DATA_DIR is not set";
    options.locations.data_dir = folder;
  }
  const CsvTable table = load_dataset(entry, options);
  const Schema schema = catalog_schema(entry);
  EXPECT_EQ(table.rows.size(), entry.rows);

  std::vector<std::string> columns;
  for (const Feature& feature : schema.features) columns.push_back(feature.name);
  columns.push_back(schema.label.name);
  ASSERT_EQ(table.header, columns);

  std::vector<std::set<std::string>> values(columns.size());
  for (const CsvRow& row : table.rows) {
    ASSERT_EQ(row.fields.size(), columns.size()) << "line " << row.line;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      values[column].insert(row.fields[column]);
    }
  }
  for (std::size_t index = 0; index < schema.features.size(); ++index) {
    const Feature& feature = schema.features[index];
    if (feature.type == FeatureType::categorical) {
      expect_levels(feature, values[index]);
    } else {
      expect_range(feature, values[index]);
    }
  }
  EXPECT_EQ(values.back(),
            (std::set<std::string>{schema.label.favourable, schema.label.unfavourable}));
}

INSTANTIATE_TEST_SUITE_P(All, SlowRealDataTest,
                         ::testing::Values("german", "adult", "compas", "gsc"),
                         [](const auto& test) { return test.param; });

TEST(CatalogTest, SchemasMoveOnlyWhatPeopleCanChange) {
  const auto movement = [](const char* set, std::string_view feature) {
    const Schema schema = catalog_schema(*find_entry(set));
    return schema.features[schema.index_of(feature)].movement;
  };
  for (const char* set : {"german", "adult", "compas", "gsc"}) {
    EXPECT_EQ(movement(set, "age"), Movement::fixed) << set;
  }
  EXPECT_EQ(movement("german", "duration"), Movement::both);
  EXPECT_EQ(movement("german", "existing_credits"), Movement::down);
  EXPECT_EQ(movement("german", "credit_history"), Movement::fixed);
  EXPECT_EQ(movement("adult", "education-num"), Movement::up);
  EXPECT_EQ(movement("adult", "sex"), Movement::fixed);
  EXPECT_EQ(movement("compas", "priors_count"), Movement::up);
  EXPECT_EQ(movement("compas", "two_year_recid"), Movement::fixed);
  EXPECT_EQ(movement("gsc", "DebtRatio"), Movement::down);
  EXPECT_EQ(movement("gsc", "MonthlyIncome"), Movement::up);
}

TEST(CatalogTest, SchemasHaveNoiseAndWordsForWhatMayMove) {
  for (const CatalogEntry& entry : catalog()) {
    const Schema schema = catalog_schema(entry);
    EXPECT_TRUE(std::ranges::any_of(schema.features, [](const Feature& feature) {
      return !feature.noise.empty();
    })) << entry.name;
    for (const Feature& feature : schema.features) {
      if (feature.movement == Movement::fixed) {
        EXPECT_TRUE(feature.advice.empty()) << entry.name << " " << feature.name;
        continue;
      }
      const bool by_move = !feature.moves.empty() &&
                           std::ranges::all_of(feature.moves, [&](const CategoryMove& move) {
                             return !move.advice.empty() || !feature.advice.find(move.to).empty();
                           });
      EXPECT_TRUE(by_move || !feature.advice.empty()) << entry.name << " " << feature.name;
      if (feature.type == FeatureType::numeric) {
        EXPECT_GT(feature.step, 0) << entry.name << " " << feature.name;
      }
    }
  }
}

}  // namespace
}  // namespace croco
