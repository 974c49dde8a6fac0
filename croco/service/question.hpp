// SPDX-License-Identifier: Apache-2.0
/// What is asked about one person, as a request states it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <croco/data/codec.hpp>
#include <croco/explain/explain_options.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/loading/people.hpp>
#include <croco/service/service.hpp>

namespace croco {

/// `--noise`, `--noise-on`, `--noise-scale`, `--flip` and `--falls-short`.
struct NoiseQuestion {
  std::string spec = {};
  std::string scope = {};
  std::map<std::string, double> scales = {};
  std::map<std::string, double> flips = {};
  bool falls_short = false;

  [[nodiscard]] bool is_stated() const noexcept {
    return !spec.empty() || !scales.empty() || !flips.empty();
  }
  /// As the command line resolves the same options. Throws InvalidArgument.
  [[nodiscard]] Noise resolve(const Codec& codec) const;
};

struct Question {
  Person person = {};
  bool typed = false;  ///< the record came with the question
  std::string method = "certified";
  double target = 0.05;
  double confidence = 0.999;
  NoiseQuestion noise = {};
  std::vector<Restriction> restrictions = {};
  std::size_t alternatives = 1;
  bool disjoint = false;
  std::optional<std::size_t> max_changes = {};
  std::size_t max_samples = 100'000;
  std::optional<double> threshold = {};
  std::optional<int> wanted = {};
  bool reasons = true;
  MissingPolicy missing = MissingPolicy::error;
  std::uint64_t seed = 0;

  // Of single operations.
  std::vector<double> targets = {};       ///< tradeoff
  std::vector<std::string> methods = {};  ///< compare
  std::optional<Record> after = {};       ///< certify, cloud
  std::size_t count = 1000;               ///< cloud

  [[nodiscard]] Goal goal(const LoadedModel& loaded) const;
  [[nodiscard]] CertifyOptions certify() const;
  /// Everything that decides an answer but the person. Throws InvalidArgument.
  [[nodiscard]] ExplainOptions options(const LoadedModel& loaded) const;
  /// The same in a text, equal for equal options.
  [[nodiscard]] std::string key() const;
  /// The options as `croco explain` takes them; none when it has no such options.
  [[nodiscard]] std::optional<std::string> command() const;
};

/// Which keys a question may have beside those about a person and the answer.
enum class QuestionKind : std::uint8_t { explain, tradeoff, compare, certify, cloud };

/// Reads a question. `people` are those that it may name by row. Throws BadRequest, NotFound,
/// InvalidArgument or DataError, with no value of a record in the text.
[[nodiscard]] Question read_question(std::string_view json, QuestionKind kind,
                                     const LoadedModel& loaded, std::span<const Person> people,
                                     const ServiceOptions& defaults);

/// A question about a certificate.
struct VerifyQuestion {
  std::string text = {};
  std::optional<std::uint64_t> seed = {};
  std::size_t samples = 100'000;
};
[[nodiscard]] VerifyQuestion read_verify_question(std::string_view json);

}  // namespace croco
