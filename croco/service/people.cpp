// SPDX-License-Identifier: Apache-2.0
// The loaded people, page by page.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/data/cell.hpp>
#include <croco/service/people_text.hpp>
#include <croco/service/request_error.hpp>
#include <croco/service/service_impl.hpp>

namespace croco {
namespace {

constexpr std::size_t kMostPerPage = 500;

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// What people are ordered by: numbers before texts, and those without a value last.
struct SortKey {
  int kind = 2;
  double number = 0;
  std::string_view text = {};

  [[nodiscard]] bool before(const SortKey& other) const {
    if (kind != other.kind) return kind < other.kind;
    return kind == 0 ? number < other.number : text < other.text;
  }
};

SortKey value_key(const Feature& feature, const std::string& value) {
  if (feature.type == FeatureType::categorical) {
    if (const auto level = cell_level(feature, value)) return {0, static_cast<double>(*level)};
    return {2};
  }
  if (const auto number = cell_number(value)) return {0, *number};
  return {2};
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string searchable(const Person& person) {
  std::string out = fmt::format("\n{}\n", person.row);
  for (const auto& [name, value] : person.kept) out += lower_case(value) + "\n";
  for (const std::string& value : person.record) out += lower_case(value) + "\n";
  return out;
}

std::string_view Service::Impl::decision(std::size_t row) const {
  const Standing& standing = standings_[row];
  if (!standing.readable) return "unreadable";
  return standing.reached ? "accepted" : "rejected";
}

Service::Impl::Json Service::Impl::person_json(std::size_t row) const {
  const Person& person = people_[row];
  Json record = Json::object();
  const std::vector<Feature>& features = loaded_.codec.schema().features;
  for (std::size_t f = 0; f < std::min(features.size(), person.record.size()); ++f) {
    record[features[f].name] = person.record[f];
  }
  Json kept = Json::object();
  for (const auto& [name, value] : person.kept) kept[name] = value;
  Json out{{"row", row},
           {"decision", decision(row)},
           {"score", nullptr},
           {"record", std::move(record)},
           {"kept", std::move(kept)}};
  const Standing& standing = standings_[row];
  if (standing.readable && std::isfinite(standing.score)) out["score"] = standing.score;
  return out;
}

std::string Service::Impl::person(std::size_t row) const {
  if (row >= people_.size()) {
    throw NotFound(people_.empty() ? std::string("no people are loaded")
                                   : fmt::format("there are rows 0 to {}", people_.size() - 1));
  }
  return dumped(person_json(row));
}

std::vector<std::size_t> Service::Impl::listed(const PeopleQuery& query) const {
  const std::string text = lower_case(query.text);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < people_.size(); ++row) {
    if (!query.decision.empty() && decision(row) != query.decision) continue;
    if (texts_[row].find(text) != std::string::npos) rows.push_back(row);
  }
  const bool reversed = query.sort.starts_with('-');
  const std::string by = reversed ? query.sort.substr(1) : query.sort;
  if (by != "row" && !by.empty()) {
    const bool score = by == "score";
    std::size_t feature = 0;
    if (!score) {
      try {
        feature = loaded_.codec.schema().index_of(by);
      } catch (const DataError&) {
        throw InvalidArgument("sort must be row, score or the name of a feature");
      }
    }
    std::vector<SortKey> keys(people_.size());
    for (const std::size_t row : rows) {
      if (score && standings_[row].readable) keys[row] = {0, standings_[row].score};
      if (!score && feature < people_[row].record.size()) {
        keys[row] =
            value_key(loaded_.codec.schema().features[feature], people_[row].record[feature]);
      }
    }
    std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
      if (keys[a].kind != keys[b].kind) return keys[a].kind < keys[b].kind;
      return reversed ? keys[b].before(keys[a]) : keys[a].before(keys[b]);
    });
  } else if (reversed) {
    std::ranges::reverse(rows);
  }
  return rows;
}

std::string Service::Impl::people(const PeopleQuery& query) const {
  if (query.limit < 1 || query.limit > kMostPerPage) {
    throw InvalidArgument(fmt::format("limit must be a whole number from 1 to {}", kMostPerPage));
  }
  if (!query.decision.empty() && query.decision != "accepted" && query.decision != "rejected" &&
      query.decision != "unreadable") {
    throw InvalidArgument("decision must be accepted, rejected or unreadable");
  }
  const std::optional<std::size_t> first =
      query.cursor.empty() ? std::size_t{0} : whole_number(query.cursor);
  if (!first) throw InvalidArgument("cursor must be 'next' of an earlier page");
  const std::vector<std::size_t> rows = listed(query);
  Json people = Json::array();
  const std::size_t begin = std::min(*first, rows.size());
  const std::size_t end = std::min(rows.size(), begin + query.limit);
  for (std::size_t k = begin; k < end; ++k) people.push_back(person_json(rows[k]));
  Json out{{"total", people_.size()},
           {"matching", rows.size()},
           {"people", std::move(people)},
           {"next", nullptr}};
  if (end < rows.size()) out["next"] = std::to_string(end);
  return dumped(out);
}

}  // namespace croco
