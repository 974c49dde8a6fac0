// SPDX-License-Identifier: Apache-2.0
/// One connection to a remote model.
#pragma once

#include <croco/base/types.hpp>

namespace croco {

/// Answers one batch at a time. One that has thrown must not be asked again.
class RowService {
 public:
  virtual ~RowService() = default;
  /// Sets `answers[k]` to the number that it gives for row k of `values`, whatever that is. Throws
  /// IoError when there is no answer, ModelError when it is not one number per row.
  virtual void ask(Rows values, MutableView answers) = 0;
};

}  // namespace croco
