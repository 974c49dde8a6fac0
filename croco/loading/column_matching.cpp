// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/column_matching.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/suggest.hpp>

namespace croco {
namespace {

constexpr std::array<std::string_view, 5> kBetween{"=", "_", ".", ":", "__"};

std::string without_blanks(std::string text) {
  std::ranges::replace(text, ' ', '_');
  return text;
}

/// What libraries see of a number or a code that is missing.
InputColumn missing_column() {
  return InputColumn::constant_of(std::numeric_limits<double>::quiet_NaN());
}

InputColumn number_column(const Codec& codec, std::size_t f) {
  if (codec.stays_missing(f)) return missing_column();
  InputColumn out;
  out.column = codec.column_of(f);
  out.minimum = codec.origin_of(f);
  out.unit = codec.unit_of(f);
  return out;
}

InputColumn code_column(const Codec& codec, std::size_t f, Vector codes) {
  if (codec.stays_missing(f)) return missing_column();
  InputColumn out;
  out.kind = InputColumn::Kind::code;
  out.column = codec.column_of(f);
  out.codes = std::move(codes);
  return out;
}

/// Of a category that is missing, no level is there: all its columns are 0.
InputColumn level_column(const Codec& codec, std::size_t column) {
  if (codec.stays_missing(codec.feature_of(column))) return InputColumn::constant_of(0);
  InputColumn out;
  out.column = column;
  return out;
}

/// Every spelling of every column, and what it means.
class Spellings {
 public:
  explicit Spellings(const Codec& codec) {
    const std::vector<Feature>& features = codec.schema().features;
    for (std::size_t f = 0; f < features.size(); ++f) {
      add(features[f].name, {f, std::nullopt});
      if (features[f].type != FeatureType::categorical) continue;
      for (std::size_t l = 0; l < features[f].levels.size(); ++l) {
        for (const std::string_view between : kBetween) {
          add(fmt::format("{}{}{}", features[f].name, between, features[f].levels[l]),
              {f, codec.column_of(f) + l});
        }
      }
    }
  }

  struct Meaning {
    std::size_t feature = 0;
    std::optional<std::size_t> level_column = {};

    auto operator<=>(const Meaning&) const = default;
  };

  /// The meanings of a name: as it is spelt, or else with blanks as underscores.
  [[nodiscard]] std::vector<Meaning> find(const std::string& name) const {
    const auto exact = exact_.find(name);
    if (exact != exact_.end()) return exact->second;
    const auto loose = loose_.find(without_blanks(name));
    return loose == loose_.end() ? std::vector<Meaning>() : loose->second;
  }
  [[nodiscard]] std::vector<std::string> all() const {
    std::vector<std::string> out;
    for (const auto& [name, meanings] : exact_) out.push_back(name);
    return out;
  }

 private:
  void add(const std::string& name, const Meaning& meaning) {
    for (auto* table : {&exact_, &loose_}) {
      std::vector<Meaning>& list = (*table)[table == &exact_ ? name : without_blanks(name)];
      if (std::ranges::find(list, meaning) == list.end()) list.push_back(meaning);
    }
  }

  std::map<std::string, std::vector<Meaning>> exact_;
  std::map<std::string, std::vector<Meaning>> loose_;
};

std::vector<std::string> feature_names(const Codec& codec) {
  std::vector<std::string> names;
  for (const Feature& feature : codec.schema().features) names.push_back(feature.name);
  return names;
}

void require_known_features(const Codec& codec, const CategoryOrders& orders) {
  const std::vector<std::string> names = feature_names(codec);
  for (const auto& [name, order] : orders.by_feature) {
    if (std::ranges::find(names, name) != names.end()) continue;
    throw InvalidArgument(
        fmt::format("category-order is given for '{}', which is no feature of the data{} "
                    "(features: {})",
                    name, did_you_mean(name, names), quoted_list(names)));
  }
}

InputColumns match_in_order(const Codec& codec, const ForeignColumns& columns,
                            const std::string& source) {
  const std::size_t width = columns.width;
  const std::vector<Feature>& features = codec.schema().features;
  const bool numbers = std::ranges::all_of(
      features, [](const Feature& f) { return f.type == FeatureType::numeric; });
  if (width != codec.width()) {
    throw ModelError(
        fmt::format("{}: the model takes {} columns and has no names for them; the data make {} "
                    "({} features, categories as one column per level). Save the model with names "
                    "of its columns",
                    source, width, codec.width(), features.size()));
  }
  if (const auto column = text_column(columns)) {
    throw ModelError(
        fmt::format("{}: the model's column {} is a category of texts, and the model has no names "
                    "for its columns. Save the model with names of its columns",
                    source, *column));
  }
  std::vector<InputColumn> out;
  for (std::size_t f = 0; numbers && f < features.size(); ++f) {
    out.push_back(number_column(codec, f));
  }
  for (std::size_t j = 0; !numbers && j < codec.width(); ++j) {
    const std::size_t f = codec.feature_of(j);
    out.push_back(features[f].type == FeatureType::numeric ? number_column(codec, f)
                                                           : level_column(codec, j));
  }
  return {codec.width(), std::move(out)};
}

}  // namespace

std::optional<std::size_t> text_column(const ForeignColumns& columns) {
  for (std::size_t j = 0; j < columns.hashed_levels.size(); ++j) {
    if (columns.hashed_levels[j] && !columns.hashed_levels[j]->empty()) return j;
  }
  return std::nullopt;
}

InputColumns encoded_columns(const Codec& codec) {
  std::vector<InputColumn> out(codec.width());
  for (std::size_t j = 0; j < out.size(); ++j) {
    out[j].column = j;
    if (codec.stays_missing(codec.feature_of(j))) out[j] = missing_column();
  }
  return {codec.width(), std::move(out)};
}

InputColumns match_columns(const Codec& codec, const ForeignColumns& columns,
                           const std::string& source, const CategoryOrders& orders) {
  require_known_features(codec, orders);
  if (columns.names.empty()) return match_in_order(codec, columns, source);
  const Spellings spellings(codec);
  const std::vector<Feature>& features = codec.schema().features;
  std::vector<InputColumn> out;
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    const std::string& name = columns.names[i];
    if (const auto [other, fresh] = seen.try_emplace(name, i); !fresh) {
      throw ModelError(fmt::format("{}: columns {} and {} are both called '{}'", source,
                                   other->second, i, name));
    }
    const std::vector<Spellings::Meaning> meanings = spellings.find(name);
    if (meanings.empty()) {
      throw ModelError(fmt::format(
          "{}: the model's column '{}' is neither a feature of the data nor one of its levels{} "
          "(features: {}; levels are written feature=level or feature_level)",
          source, name, did_you_mean(name, spellings.all()), quoted_list(feature_names(codec))));
    }
    if (meanings.size() > 1) {
      throw ModelError(fmt::format(
          "{}: the model's column '{}' could mean several columns of the data, of the features "
          "'{}' and '{}'; rename one of them",
          source, name, features[meanings[0].feature].name, features[meanings[1].feature].name));
    }
    const Spellings::Meaning& meaning = meanings.front();
    CodedColumn column{.name = name};
    if (i < columns.hashed_levels.size()) column.hashes = columns.hashed_levels[i];
    if (meaning.level_column) {
      if (column.hashes && !column.hashes->empty()) {
        throw ModelError(
            fmt::format("{}: the model's column '{}' is a category of texts; the column of a level "
                        "holds the numbers 0 and 1. Train the model with it as a number",
                        source, name));
      }
      out.push_back(level_column(codec, *meaning.level_column));
      continue;
    }
    const Feature& feature = features[meaning.feature];
    if (i < columns.levels.size()) column.levels = columns.levels[i];
    column.unexplained = i < columns.unexplained_codes.size() && columns.unexplained_codes[i];
    if (feature.type == FeatureType::numeric) {
      require_number(feature, column, orders, source);
      out.push_back(number_column(codec, meaning.feature));
      continue;
    }
    Vector codes = category_codes(feature, column, orders, source);
    if (!codes.empty() && std::ranges::all_of(codes, [](double c) { return std::isnan(c); })) {
      throw ModelError(fmt::format(
          "{}: the model's column '{}' has the categories {}; none is a level of the data: {}",
          source, name, quoted_list(column.levels), quoted_list(feature.levels)));
    }
    out.push_back(code_column(codec, meaning.feature, std::move(codes)));
  }
  return {codec.width(), std::move(out)};
}

}  // namespace croco
