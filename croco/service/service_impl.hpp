// SPDX-License-Identifier: Apache-2.0
/// What the operations of a service share.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <croco/explain/explainer.hpp>
#include <croco/robustness/sample_cache.hpp>
#include <croco/service/prepared.hpp>
#include <croco/service/question.hpp>
#include <croco/service/service.hpp>

namespace croco {

class Service::Impl {
 public:
  using Json = nlohmann::ordered_json;
  using Prepared = PreparedExplainers::Prepared;

  Impl(LoadedModel model, std::vector<Person> people, ServiceOptions options);

  [[nodiscard]] std::string model() const;
  [[nodiscard]] std::string schema() const;
  [[nodiscard]] std::string people(const PeopleQuery& query) const;
  [[nodiscard]] std::string person(std::size_t row) const;

  [[nodiscard]] Reply explain(std::string_view json, std::string_view accept,
                              const std::stop_token& stop) const;
  void explain_events(std::string_view json, const Events& events,
                      const std::stop_token& stop) const;
  void tradeoff_events(std::string_view json, const Events& events,
                       const std::stop_token& stop) const;
  [[nodiscard]] std::string tradeoff(std::string_view json, const std::stop_token& stop) const;
  [[nodiscard]] std::string cloud(std::string_view json, const std::stop_token& stop) const;
  [[nodiscard]] std::string certify(std::string_view json, const std::stop_token& stop) const;
  [[nodiscard]] std::string verify(std::string_view json, const std::stop_token& stop) const;
  [[nodiscard]] std::string compare(std::string_view json, const std::stop_token& stop) const;
  [[nodiscard]] std::string letter(std::string_view json, const std::stop_token& stop) const;
  [[nodiscard]] CacheCounts cache_counts() const;

 private:
  /// What is known of one of the people before anybody asks.
  struct Standing {
    bool readable = false;
    bool reached = false;
    double score = 0.0;
  };

  [[nodiscard]] Question read(std::string_view json, QuestionKind kind) const;
  [[nodiscard]] Prepared prepared(const Question& question) const;
  /// Quick: fewer samples and no reasons. For a look that promises nothing.
  [[nodiscard]] Prepared prepared_quick(const Question& question) const;
  [[nodiscard]] Prepared prepare(const std::string& key, const Question& question,
                                 bool quick) const;
  /// Where searches without a gradient begin; found once for a goal, since all examples are asked.
  void add_starts(ExplainOptions& options) const;
  [[nodiscard]] Json person_json(std::size_t row) const;
  [[nodiscard]] std::string_view decision(std::size_t row) const;
  [[nodiscard]] std::vector<std::size_t> listed(const PeopleQuery& query) const;
  /// The context of answers that no explainer makes.
  [[nodiscard]] ReportContext plain_context() const;
  void send_preview(const Question& question, const Events& events,
                    const std::stop_token& stop) const;
  /// What is to be said of an answer that its row does not say.
  [[nodiscard]] std::vector<std::string> warnings(const Question& question,
                                                  const ReportContext& context) const;

  LoadedModel loaded_;
  std::vector<Person> people_;
  ServiceOptions options_;
  std::vector<Standing> standings_;
  std::vector<std::string> texts_;  ///< people's values in lower case, to look for words in
  std::shared_ptr<SampleCache> samples_;
  mutable PreparedExplainers explainers_;
  mutable std::mutex starts_mutex_;
  /// By threshold and wanted class.
  mutable std::map<std::pair<double, int>, std::shared_ptr<const Matrix>> starts_;
};

/// The answer of one person; throws Stopped when `stop` was requested meanwhile.
[[nodiscard]] Explanation explain_one(const PreparedExplainer& prepared, const Person& person,
                                      const std::stop_token& stop);

/// Throws Stopped when a stop is requested.
void require_going(const std::stop_token& stop);

/// Bytes that are not UTF-8 become replacement characters.
[[nodiscard]] std::string dumped(const nlohmann::ordered_json& json);

}  // namespace croco
