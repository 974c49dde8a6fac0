// SPDX-License-Identifier: Apache-2.0
/// What `--json` prints: one object, whose keys stand in the order in which they were added. The
/// JSON library is behind this boundary, as its header takes seconds to compile.
///
///     JsonSummary summary;
///     summary.add("rows", std::size_t{40});
///     print_out("{}\n", summary.text());
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace croco::cli {

class JsonSummary {
 public:
  JsonSummary();
  ~JsonSummary();
  JsonSummary(JsonSummary&&) noexcept;
  JsonSummary& operator=(JsonSummary&&) noexcept;

  // Numbers that are not finite, and what is not known, become null.
  void add(const std::string& key, std::string_view text);
  void add(const std::string& key, const char* text) { add(key, std::string_view(text)); }
  void add(const std::string& key, std::size_t number);
  void add(const std::string& key, double number);
  void add(const std::string& key, bool truth);
  void add(const std::string& key, std::optional<std::size_t> number);
  void add(const std::string& key, std::optional<double> number);
  void add(const std::string& key, const JsonSummary& part);
  /// Appends to a list, which begins with the first.
  void append(const std::string& key, const JsonSummary& part);

  /// Indented by two blanks.
  [[nodiscard]] std::string text() const;

 private:
  struct Object;
  std::unique_ptr<Object> object_;
};

}  // namespace croco::cli
