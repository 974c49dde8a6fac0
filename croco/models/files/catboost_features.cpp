// SPDX-License-Identifier: Apache-2.0
#include <croco/models/files/catboost_features.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <croco/base/numbers.hpp>

namespace croco::catboost {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kQuestionBytes = 64;

double number(const JsonReader& reader, const Json& object, const char* key) {
  const Json& value = reader.member(object, key);
  if (!value.is_number()) reader.fail(fmt::format("'{}' must be a number", key));
  return value.get<double>();
}

std::size_t entries(const JsonReader& reader, const Json& info, const char* key) {
  const Json* found = reader.find(info, key);
  if (found == nullptr || found->is_null()) return 0;
  return reader.list(info, key).size();
}

/// Whether a missing number is sent as one that is above every border. CatBoost looks at the rule
/// only where it has met missing values in training; otherwise they are below.
bool missing_above(const JsonReader& reader, const Json& feature) {
  const std::string rule = reader.text(feature, "nan_value_treatment");
  if (rule != "AsIs" && rule != "AsFalse" && rule != "AsTrue") {
    reader.fail(fmt::format("'nan_value_treatment' is '{}'; AsIs, AsFalse and AsTrue are known",
                            rule.substr(0, 40)));
  }
  const Json& met = reader.member(feature, "has_nans");
  if (!met.is_boolean()) reader.fail("'has_nans' must be true or false");
  return met.get<bool>() && rule == "AsTrue";
}

}  // namespace

std::int64_t whole(const JsonReader& reader, const Json& object, const char* key,
                   std::int64_t least, std::int64_t most) {
  const double out = number(reader, object, key);
  if (!(out >= static_cast<double>(least)) || !(out <= static_cast<double>(most)) ||
      out != std::floor(out)) {
    reader.fail(fmt::format("'{}' is {}; it must be a whole number from {} to {}", key,
                            format_number(out), least, most));
  }
  return static_cast<std::int64_t>(out);
}

double largest_not_above(float border) noexcept {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr float kLargest = std::numeric_limits<float>::max();
  // Half the way to the next larger number is rounded to the even one of both; beyond the largest
  // one lies infinity, at the place of the next power of two.
  const double middle =
      border == kLargest
          ? 0x1.ffffffp127
          : (static_cast<double>(border) +
             static_cast<double>(std::nextafter(border, std::numeric_limits<float>::infinity()))) /
                2;
  const bool even = border != kLargest && static_cast<float>(middle) == border;
  return even ? middle : std::nextafter(middle, -kInfinity);
}

Features::Features(const JsonReader& reader, const Json& info, ModelBudget& budget,
                   TreeEnsemble& ensemble) {
  for (const char* kind : {"text_features", "embedding_features"}) {
    if (entries(reader, info, kind) == 0) continue;
    reader.fail(fmt::format("the model has '{}'; numbers and categories are read", kind));
  }
  if (entries(reader, info, "ctrs") > 0) {
    reader.fail(
        "the model replaces categories by statistics of the target (CTRs), which are not read. "
        "Train it with one_hot_max_size=255 and categories of at most as many levels, or give "
        "each level a column of its own (pandas.get_dummies), or ask it by --model-command");
  }
  add_numbers(reader, info, budget);
  add_categories(reader, info, budget);
  place_columns(reader, ensemble);
}

Features::Column Features::column(const JsonReader& reader, const Json& feature) {
  Column out;
  out.flat = static_cast<std::size_t>(
      whole(reader, feature, "flat_feature_index", 0, std::int64_t{kMaxTreeColumns} - 1));
  out.name = reader.text(feature, "feature_id");
  return out;
}

void Features::add_numbers(const JsonReader& reader, const Json& info, ModelBudget& budget) {
  const std::size_t count = entries(reader, info, "float_features");
  budget.keep(count, kColumnBytes, "the columns of its rows");
  for (std::size_t i = 0; i < count; ++i) {
    const Json& feature = info["float_features"][i];
    const JsonReader here = reader.at(fmt::format("float feature {}", i));
    columns_.push_back(column(here, feature));
    Question question{.column = static_cast<std::uint32_t>(columns_.back().flat)};
    question.feature = whole(here, feature, "feature_index", 0, kMaxTreeColumns);
    question.missing_left = !missing_above(here, feature);
    budget.keep(here.list(feature, "borders").size(), kQuestionBytes, "its borders");
    double last = -std::numeric_limits<double>::infinity();
    for (const double border : here.numbers(feature, "borders", std::nullopt)) {
      if (!(std::abs(border) <= static_cast<double>(std::numeric_limits<float>::max()))) {
        here.fail(
            fmt::format("the border {} is no number of single precision", format_number(border)));
      }
      question.value = static_cast<double>(static_cast<float>(border));
      if (!(question.value > last)) {
        here.fail(fmt::format("its borders must ascend; {} follows {}", format_number(border),
                              format_number(last)));
      }
      last = question.value;
      questions_.push_back(question);
    }
  }
}

void Features::add_categories(const JsonReader& reader, const Json& info, ModelBudget& budget) {
  const std::size_t count = entries(reader, info, "categorical_features");
  budget.keep(count, kColumnBytes, "the columns of its rows");
  for (std::size_t i = 0; i < count; ++i) {
    const Json& feature = info["categorical_features"][i];
    const JsonReader here = reader.at(fmt::format("categorical feature {}", i));
    columns_.push_back(column(here, feature));
    Question question{.column = static_cast<std::uint32_t>(columns_.back().flat), .category = true};
    question.feature = whole(here, feature, "feature_index", 0, kMaxTreeColumns);
    std::vector<std::int32_t>& hashes = columns_.back().hashes.emplace();
    if (entries(here, feature, "values") == 0) continue;
    budget.keep(here.list(feature, "values").size(), kQuestionBytes, "its categories");
    for (const std::int64_t hash : here.integers(feature, "values", std::nullopt)) {
      if (hash < std::numeric_limits<std::int32_t>::min() ||
          hash > std::numeric_limits<std::int32_t>::max()) {
        here.fail(fmt::format("the value {} is no hash of 32 bits", hash));
      }
      question.value = static_cast<double>(hash);
      question.place = hashes.size();
      hashes.push_back(static_cast<std::int32_t>(hash));
      questions_.push_back(question);
    }
    std::vector<std::int32_t> sorted = hashes;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
      here.fail(fmt::format("the value {} occurs twice", *twice));
    }
  }
}

/// Every column of a row is one feature.
void Features::place_columns(const JsonReader& reader, TreeEnsemble& ensemble) {
  if (columns_.empty()) reader.fail("there are no features; a model needs columns");
  std::ranges::sort(columns_, {}, &Column::flat);
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    if (columns_[j].flat == j) continue;
    reader.fail(fmt::format("'flat_feature_index' must number the {} features from 0; {} is {}",
                            columns_.size(), j, columns_[j].flat > j ? "missing" : "there twice"));
  }
  ensemble.width = columns_.size();
  // Names that are empty or made up say nothing.
  const bool named = std::ranges::any_of(columns_, [](const Column& column) {
    return !column.name.empty() && column.name != fmt::format("{}", column.flat);
  });
  for (Column& column : columns_) {
    if (named) ensemble.names.push_back(std::move(column.name));
    ensemble.hashed_levels.push_back(std::move(column.hashes));
  }
}

TreeNode Features::split(const JsonReader& reader, const Json& split, ModelBudget& budget,
                         TreeEnsemble& ensemble) {
  const std::string type = reader.text(split, "split_type");
  if (type != "FloatFeature" && type != "OneHotFeature") {
    reader.fail(fmt::format("'split_type' is '{}'; FloatFeature and OneHotFeature are read",
                            type.substr(0, 40)));
  }
  if (questions_.empty()) reader.fail("is a split, and no feature has borders or values");
  const auto last = static_cast<std::int64_t>(questions_.size()) - 1;
  const std::int64_t index = whole(reader, split, "split_index", 0, last);
  Question& question = questions_[static_cast<std::size_t>(index)];
  const bool category = type == "OneHotFeature";
  const char* const feature = category ? "cat_feature_index" : "float_feature_index";
  const char* const value = category ? "value" : "border";
  const double described = number(reader, split, value);
  const bool single = std::abs(described) <= static_cast<double>(std::numeric_limits<float>::max());
  const double compared =
      category || !single ? described : static_cast<double>(static_cast<float>(described));
  if (category != question.category ||
      whole(reader, split, feature, 0, kMaxTreeColumns) != question.feature ||
      compared != question.value) {
    reader.fail(fmt::format(
        "'split_index' is {}, the {} {} of feature {}; the split describes {} {} of feature {}",
        index, question.category ? "value" : "border", format_number(question.value),
        question.feature, value, format_number(described),
        format_number(number(reader, split, feature))));
  }
  TreeNode out;
  out.column = question.column;
  if (!category) {
    out.number = largest_not_above(static_cast<float>(question.value));
    out.missing_left = question.missing_left;
    return out;
  }
  if (!question.set) {
    count_codes(budget, question.place + 1);
    CodeSet set{.members = std::vector<bool>(question.place + 1), .members_left = false};
    set.members.back() = true;
    question.set = append_set(ensemble, std::move(set), reader.source());
  }
  out.rule = SplitRule::in_set;
  out.set = *question.set;
  out.missing_left = true;
  return out;
}

}  // namespace croco::catboost
