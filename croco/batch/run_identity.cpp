// SPDX-License-Identifier: Apache-2.0
#include <croco/batch/run_identity.hpp>

#include <map>

#include <fmt/format.h>

namespace croco {
namespace {

using Values = std::map<std::string, std::string>;

/// Values of repeated options are one text.
Values values_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Values out;
  for (const auto& [name, value] : pairs) {
    const auto [at, is_new] = out.emplace(name, value);
    if (!is_new) at->second += ", " + value;
  }
  return out;
}

std::string shown(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) return "not given";
  return found->second.empty() ? "given" : fmt::format("'{}'", found->second);
}

}  // namespace

std::string differences(const RunIdentity& before, const RunIdentity& now) {
  std::vector<std::string> out;
  const Values things = values_of(before.things);
  for (const auto& [name, value] : values_of(now.things)) {
    const auto found = things.find(name);
    if (found == things.end() || found->second != value) {
      out.push_back(fmt::format("{} is another one", name));
    }
  }
  const Values old_options = values_of(before.options);
  const Values new_options = values_of(now.options);
  Values all = old_options;
  all.insert(new_options.begin(), new_options.end());
  for (const auto& [name, value] : all) {
    const std::string was = shown(old_options, name);
    const std::string is = shown(new_options, name);
    if (was != is) out.push_back(fmt::format("{} was {} and is {}", name, was, is));
  }
  return fmt::format("{}", fmt::join(out, "; "));
}

}  // namespace croco
