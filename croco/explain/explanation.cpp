// SPDX-License-Identifier: Apache-2.0
#include <croco/explain/explanation.hpp>

#include <array>

#include <fmt/format.h>

namespace croco {

std::string_view name_of(Status status) noexcept {
  constexpr std::array<std::string_view, kStatuses> kNames{"found",   "unmet", "infeasible",
                                                           "already", "error", "undecided"};
  return kNames[static_cast<std::size_t>(status)];
}

Explanation refused_answer(const Person& person, const std::string& rule) {
  Explanation out;
  out.row = person.row;
  out.where = person.where;
  out.before = person.record;
  out.reason = fmt::format("{}: {}", person.where, rule);
  out.missing = true;
  return out;
}

}  // namespace croco
