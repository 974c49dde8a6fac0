// SPDX-License-Identifier: Apache-2.0
/// The exception hierarchy. Exceptions are for broken requests; not converging, being infeasible or
/// being cancelled are answers and never thrown. Every message names the thing, the value and the
/// rule that it breaks.
///
///     try {
///       const auto model = croco::load_model("model.json");
///     } catch (const croco::ModelError& error) {  // or croco::Error, for all of them
///       std::cerr << error.what() << '\n';
///     }
#pragma once

#include <stdexcept>

#include <croco/base/export.hpp>

namespace croco {

/// Base of everything that croco throws on purpose.
class CROCO_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller asked for something impossible: an option out of range, a contradiction.
class CROCO_EXPORT InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// The data are wrong: a row, a column, a level, a schema.
class CROCO_EXPORT DataError : public Error {
 public:
  using Error::Error;
};

/// The model file is wrong, or does not fit the data: an operator, a shape, a weight.
class CROCO_EXPORT ModelError : public Error {
 public:
  using Error::Error;
};

/// The outside world failed: a path, a socket, a full disk.
class CROCO_EXPORT IoError : public Error {
 public:
  using Error::Error;
};

}  // namespace croco
