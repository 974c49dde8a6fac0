// SPDX-License-Identifier: Apache-2.0
/// Questions that cannot be read, and things that are not there.
#pragma once

#include <croco/base/error.hpp>

namespace croco {

/// The text of a question is not one: no JSON, an unknown key, another type.
class BadRequest : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

/// What was asked about does not exist.
class NotFound : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

}  // namespace croco
