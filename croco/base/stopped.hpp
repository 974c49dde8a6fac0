// SPDX-License-Identifier: Apache-2.0
/// The one way in which being cancelled is an exception.
#pragma once

#include <croco/base/error.hpp>

namespace croco {

/// A stop was requested while somebody else was waited for: a remote model. Nothing is
/// wrong; whoever asked for the stop says what becomes of the work.
class Stopped : public Error {
 public:
  using Error::Error;
};

}  // namespace croco
