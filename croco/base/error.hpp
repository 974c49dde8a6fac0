// SPDX-License-Identifier: Apache-2.0
/// The exception hierarchy. Exceptions are for broken requests; not converging, being infeasible or
/// being cancelled are answers and never thrown. Every message names the thing, the value and the
/// rule that it breaks.
#pragma once

#include <stdexcept>

namespace croco {

/// Base of everything that croco throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller asked for something impossible: an option out of range, a contradiction.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// The data are wrong: a row, a column, a level, a schema.
class DataError : public Error {
 public:
  using Error::Error;
};

/// The model file is wrong, or does not fit the data: an operator, a shape, a weight.
class ModelError : public Error {
 public:
  using Error::Error;
};

/// The outside world failed: a path, a socket, a full disk.
class IoError : public Error {
 public:
  using Error::Error;
};

}  // namespace croco
