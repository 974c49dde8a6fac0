// SPDX-License-Identifier: Apache-2.0
/// The part of an address behind the question mark.
#pragma once

#include <string_view>

#include <croco/service/service.hpp>

namespace croco::server {

/// Reads the query of /api/v1/people. Throws InvalidArgument naming the key and the rule, never a
/// value.
[[nodiscard]] PeopleQuery read_people_query(std::string_view query);

}  // namespace croco::server
