// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/category_codes.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include <croco/base/city_hash.hpp>
#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/suggest.hpp>

namespace croco {
namespace {

constexpr std::string_view kSavedCategories =
    "XGBoost saves categories from version 3.1 on, unless the booster is a slice: save the whole "
    "one and choose with --rounds. LightGBM saves those of pandas columns of type category";

std::string_view name_of(CategoryOrder order) noexcept {
  return order == CategoryOrder::schema ? "schema" : "numbers";
}

Vector places_among(const std::vector<std::string>& levels, const std::vector<std::string>& known) {
  Vector codes;
  for (const std::string& level : levels) {
    const auto same = [&](const std::string& other) {
      if (other == level) return true;
      const std::optional<double> a = parse_number(level);
      return a && a == parse_number(other);  // 1 and 1.0
    };
    const auto found = std::ranges::find_if(known, same);
    codes.push_back(found == known.end() ? std::numeric_limits<double>::quiet_NaN()
                                         : static_cast<double>(found - known.begin()));
  }
  return codes;
}

/// The places of the levels' hashes. A level that no split asks for is just not one of those.
Vector places_of_hashes(const Feature& feature, const CodedColumn& column,
                        const CategoryOrders& orders, const std::string& source) {
  if (orders.by_feature.contains(feature.name)) {
    throw InvalidArgument(
        fmt::format("category-order is given for '{}'; {} holds hashes of its categories' texts",
                    feature.name, source));
  }
  Vector codes;
  bool any = false;
  for (const std::string& level : feature.levels) {
    const auto hash = static_cast<std::int32_t>(static_cast<std::uint32_t>(city_hash(level)));
    const auto found = std::ranges::find(*column.hashes, hash);
    codes.push_back(static_cast<double>(found - column.hashes->begin()));
    any = any || found != column.hashes->end();
  }
  if (any || column.hashes->empty()) return codes;
  throw ModelError(fmt::format(
      "{}: the model's column '{}' splits {} categories by the hashes of their texts; none of the "
      "data's levels is one of them: {}. Levels have to be spelt as in training",
      source, column.name, column.hashes->size(), quoted_list(feature.levels)));
}

/// The numbers that the levels are; nothing when one is none.
std::optional<Vector> numbers_of(const std::vector<std::string>& levels) {
  Vector codes;
  for (const std::string& level : levels) {
    const std::optional<double> number = parse_number(level);
    if (!number || !std::isfinite(*number)) return std::nullopt;
    codes.push_back(*number);
  }
  return codes;
}

}  // namespace

std::optional<CategoryOrder> CategoryOrders::of(const std::string& feature) const {
  const auto found = by_feature.find(feature);
  return found == by_feature.end() ? others : found->second;
}

CategoryOrders parse_category_orders(const std::vector<std::string>& texts) {
  CategoryOrders out;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    const bool named = equals != std::string::npos;
    const std::string_view word =
        named ? std::string_view(text).substr(equals + 1) : std::string_view(text);
    if ((word != "schema" && word != "numbers") || (named && equals == 0)) {
      throw InvalidArgument(
          fmt::format("category-order is '{}'; it must be schema or numbers, or one of them for a "
                      "feature, such as purpose=schema",
                      text));
    }
    const CategoryOrder order = word == "schema" ? CategoryOrder::schema : CategoryOrder::numbers;
    const bool fresh = named ? out.by_feature.try_emplace(text.substr(0, equals), order).second
                             : !out.others.has_value();
    if (!fresh) {
      throw InvalidArgument(
          fmt::format("category-order is given twice for {}",
                      named ? "'" + text.substr(0, equals) + "'" : "all features"));
    }
    if (!named) out.others = order;
  }
  return out;
}

std::string text_of(const CategoryOrders& orders) {
  std::string out(orders.others ? name_of(*orders.others) : "");
  for (const auto& [feature, order] : orders.by_feature) {
    out += fmt::format("{}{}={}", out.empty() ? "" : ", ", feature, name_of(order));
  }
  return out;
}

Vector category_codes(const Feature& feature, const CodedColumn& column,
                      const CategoryOrders& orders, const std::string& source) {
  if (!column.levels.empty()) {
    if (orders.by_feature.contains(feature.name)) {
      throw InvalidArgument(
          fmt::format("category-order is given for '{}'; {} holds its categories: {}", feature.name,
                      source, quoted_list(column.levels)));
    }
    return places_among(feature.levels, column.levels);
  }
  if (column.hashes) return places_of_hashes(feature, column, orders, source);
  const std::optional<Vector> numbers = numbers_of(feature.levels);
  // What is said of all features is for those of which nothing else is known.
  const bool clear = numbers && !column.unexplained;
  if (clear && !orders.by_feature.contains(feature.name)) return *numbers;
  if (const std::optional<CategoryOrder> order = orders.of(feature.name)) {
    if (order == CategoryOrder::numbers) {
      if (numbers) return *numbers;
      throw InvalidArgument(
          fmt::format("category-order is numbers for '{}'; its levels are {}, and not all of them "
                      "are numbers",
                      feature.name, quoted_list(feature.levels)));
    }
    Vector places;
    for (std::size_t l = 0; l < feature.levels.size(); ++l) {
      places.push_back(static_cast<double>(l));
    }
    return places;
  }
  throw ModelError(fmt::format(
      "{}: the model's column '{}' takes codes for levels, and the file does not say which level "
      "has which code. Say it with --category-order {}=schema, when a code is the place of a level "
      "among the schema's, from 0{}. {}",
      source, column.name, feature.name,
      numbers ? fmt::format(", or with {}=numbers, when it is the level itself", feature.name) : "",
      kSavedCategories));
}

void require_number(const Feature& feature, const CodedColumn& column, const CategoryOrders& orders,
                    const std::string& source) {
  const std::optional<CategoryOrder> order = orders.of(feature.name);
  const bool texts = column.hashes && !column.hashes->empty();
  if (texts || !column.levels.empty() || (column.unexplained && order == CategoryOrder::schema)) {
    throw ModelError(
        fmt::format("{}: the model's column '{}' is a category, and a number in the data; call it "
                    "categorical in the schema",
                    source, column.name));
  }
  if (!column.unexplained || order == CategoryOrder::numbers) return;
  throw ModelError(fmt::format(
      "{}: the model's column '{}' is a category, and a number in the data; the file does not say "
      "whether its codes are these numbers. If they are, say it with --category-order {}=numbers; "
      "otherwise call it categorical in the schema. {}",
      source, column.name, feature.name, kSavedCategories));
}

}  // namespace croco
