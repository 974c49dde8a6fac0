// SPDX-License-Identifier: Apache-2.0
/// A pointer that follows work from thread to thread: what a thread has set is what the body of its
/// `parallel_for` sees, on whatever thread that runs. Whoever is called back deep inside a
/// computation finds the call that it belongs to.
///
///     const TaskContextScope scope(&call);
///     parallel_for(n, 0, [](std::size_t) { use(task_context()); });
#pragma once

namespace croco {

/// Of the work that this thread does; null where nobody has set one.
[[nodiscard]] void* task_context() noexcept;

/// Sets the context of this thread until the end of the scope.
class TaskContextScope {
 public:
  explicit TaskContextScope(void* context) noexcept;
  ~TaskContextScope();
  TaskContextScope(const TaskContextScope&) = delete;
  TaskContextScope& operator=(const TaskContextScope&) = delete;

 private:
  void* before_;
};

}  // namespace croco
