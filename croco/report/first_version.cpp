// SPDX-License-Identifier: Apache-2.0
#include <croco/report/first_version.hpp>

#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_text.hpp>
#include <croco/verify/certificate_keys.hpp>
#include <croco/verify/verify.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

/// Then and now; longer phrases before those that they contain.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kWords{{
    {" % sure of all ", " % confidence for all "},
    {" % sure", " % confidence"},
    {" fresh draws failed", " fresh samples failed"},
    {"computed without draws", "computed without samples"},
    {", no more were made as the target is out of reach",
     "; sampling stopped, as the target is out of reach"},
    {" draws of its own", " samples of its own"},
    {" draws cannot certify", " samples cannot certify"},
    {" draws could not certify", " samples could not certify"},
    {" is told in steps of ", " is given in steps of "},
    {" could be told more finely ", " could be given more finely "},
    {"Values between the steps in which they are told would do; on the steps none does",
     "A solution exists between the steps in which values are given; on the steps none exists"},
    {"Values between the steps in which they are told would do; on the steps none was",
     "A solution exists between the steps in which values are given; on the steps none was"},
    {" other limits would do too", " other limits would give it too"},
}};

void rename(Json& object, std::string_view then, std::string_view now) {
  if (object.contains(now)) {
    throw DataError(fmt::format("'{}' is there; version 1 of the format does not have it", now));
  }
  const auto found = object.find(then);
  if (found == object.end()) return;
  Json value = std::move(*found);
  object.erase(found);
  object[std::string(now)] = std::move(value);
}

void reword(Json& value, bool sentence) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      reword(inner, key == "statement" || key == "reason" || key == "sentences" || key == "text");
    }
  } else if (value.is_array()) {
    for (Json& inner : value) reword(inner, sentence);
  } else if (value.is_string() && sentence) {
    value = in_current_words(value.get<std::string>());
  }
}

}  // namespace

std::string alternative_key(int version) {
  return version == kFirstVersion ? "option" : "alternative";
}

std::string with_current_keys(std::string_view row) {
  Json json = parse_json(row);
  rename(json, "option", "alternative");
  if (const auto obstacle = json.find("obstacle");
      obstacle != json.end() && obstacle->is_object()) {
    rename(*obstacle, "would_do", "relaxations");
    if (obstacle->value("kind", Json()) == "draws") (*obstacle)["kind"] = "samples";
  }
  if (const auto certificate = json.find("certificate");
      certificate != json.end() && certificate->is_object()) {
    for (const auto& [now, then] : kRenamedKeys) rename(*certificate, then, now);
    (*certificate)["croco_certificate"] = kCertificateVersion;
  }
  return json_text(json);
}

std::string in_current_words(std::string sentence) {
  for (const auto& [then, now] : kWords) {
    for (std::size_t at = sentence.find(then); at != std::string::npos;
         at = sentence.find(then, at + now.size())) {
      sentence.replace(at, then.size(), now);
    }
  }
  return sentence;
}

std::string row_in_current_words(std::string_view row) {
  Json json = parse_json(row);
  reword(json, false);
  return json_text(json);
}

}  // namespace croco
