// SPDX-License-Identifier: Apache-2.0
/// The operations of `croco serve` without a server: JSON texts in, JSON texts out, as the document
/// `Service::openapi()` describes them. Answers are those of the commands of the same names: the
/// same options and seed give the same rows and certificates, byte for byte.
///
///     const croco::Service service(croco::load_model("model.json"), people);
///     const croco::Reply reply = service.explain(R"({"person": {"row": 11}})", "");
///     std::cout << reply.text;
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/loading/people.hpp>

namespace croco {

struct ServiceOptions {
  bool demo = false;     ///< the model is the one of the demonstration
  double target = 0.05;  ///< of questions that state none
  double confidence = 0.999;
  double seconds = 30;  ///< time limit of a question, for those who ask about limits
  std::size_t body_bytes = std::size_t{2} << 20;     ///< of a question at most, likewise
  std::size_t cache_bytes = std::size_t{256} << 20;  ///< of samples that are kept
  std::vector<std::string> kept = {};                ///< columns of the people that are no features
  bool identified = false;                           ///< the first of them says who a person is
  unsigned threads = 1;  ///< of one question; 0: all that the machine has
};

/// Which of the people are listed, and in which order.
struct PeopleQuery {
  std::string text = {};      ///< that some value or the row number contains
  std::string decision = {};  ///< accepted, rejected or unreadable; empty: all
  std::string sort = "row";   ///< row, score or a feature; `-score` is the other way round
  std::string cursor = {};    ///< of the page before
  std::size_t limit = 50;     ///< 1 .. 500
};

/// An answer and what it is.
struct Reply {
  std::string type;  ///< media type
  std::string text;
};

/// Why there is no answer, for programs and people. It never holds a value of a person.
struct Refusal {
  int status = 500;  ///< of HTTP
  std::string type;  ///< "urn:croco:data"
  std::string title;
  std::string detail;
};
/// What an exception of an operation is called.
[[nodiscard]] CROCO_EXPORT Refusal refusal_of(const std::exception_ptr& error);
/// As application/problem+json.
[[nodiscard]] CROCO_EXPORT std::string refusal_json(const Refusal& refusal);

/// Immutable and thread-safe but for what it keeps for the next question. Operations throw what
/// `refusal_of` names, and end soon when `stop` is requested, with an exception too.
class CROCO_EXPORT Service {
 public:
  Service(LoadedModel model, std::vector<Person> people, ServiceOptions options = {});
  ~Service();
  Service(Service&&) noexcept;
  Service& operator=(Service&&) noexcept;

  [[nodiscard]] static std::string_view openapi();

  [[nodiscard]] std::string model() const;
  [[nodiscard]] std::string schema() const;
  [[nodiscard]] std::string people(const PeopleQuery& query) const;
  [[nodiscard]] std::string person(std::size_t row) const;

  /// `accept` is the media type that is wanted: JSON unless it is application/x-ndjson, text/csv or
  /// application/vnd.croco.certificate+json.
  [[nodiscard]] Reply explain(std::string_view question, std::string_view accept,
                              const std::stop_token& stop = {}) const;
  [[nodiscard]] std::string tradeoff(std::string_view question,
                                     const std::stop_token& stop = {}) const;
  [[nodiscard]] std::string cloud(std::string_view question,
                                  const std::stop_token& stop = {}) const;
  [[nodiscard]] std::string certify(std::string_view question,
                                    const std::stop_token& stop = {}) const;
  [[nodiscard]] std::string verify(std::string_view question,
                                   const std::stop_token& stop = {}) const;
  [[nodiscard]] std::string compare(std::string_view question,
                                    const std::stop_token& stop = {}) const;
  [[nodiscard]] std::string letter(std::string_view question,
                                   const std::stop_token& stop = {}) const;

  /// Takes an event and its JSON, as soon as it is known.
  using Events = std::function<void(std::string_view event, const std::string& json)>;
  void explain_events(std::string_view question, const Events& events,
                      const std::stop_token& stop = {}) const;
  void tradeoff_events(std::string_view question, const Events& events,
                       const std::stop_token& stop = {}) const;

  /// What the caches hold and how often they helped.
  struct CacheCounts {
    std::size_t explainers = 0;
    std::size_t explainer_hits = 0;
    std::size_t explainer_misses = 0;
    std::size_t sample_hits = 0;
    std::size_t sample_misses = 0;
    std::size_t sample_bytes = 0;
    std::size_t sample_bytes_alive = 0;  ///< the same, and what is used although no longer kept
  };
  [[nodiscard]] CacheCounts cache_counts() const;

 private:
  class Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace croco
