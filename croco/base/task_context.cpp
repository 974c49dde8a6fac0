// SPDX-License-Identifier: Apache-2.0
#include <croco/base/task_context.hpp>

namespace croco {
namespace {

/// That of this thread.
void*& current() noexcept {
  thread_local void* context = nullptr;
  return context;
}

}  // namespace

void* task_context() noexcept { return current(); }

TaskContextScope::TaskContextScope(void* context) noexcept : before_(current()) {
  current() = context;
}
TaskContextScope::~TaskContextScope() { current() = before_; }

}  // namespace croco
