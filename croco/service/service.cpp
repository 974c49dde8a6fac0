// SPDX-License-Identifier: Apache-2.0
#include <croco/service/service.hpp>

#include <algorithm>
#include <utility>
#include <variant>

#include <croco/base/error.hpp>
#include <croco/base/stopped.hpp>
#include <croco/explain/feature_noise.hpp>
#include <croco/loading/accepted_examples.hpp>
#include <croco/models/model.hpp>
#include <croco/service/people_text.hpp>
#include <croco/service/record_check.hpp>
#include <croco/service/service_impl.hpp>

namespace croco {

namespace embedded {
// NOLINTBEGIN(readability-identifier-naming): named after the files
extern const std::string_view service_openapi;
// NOLINTEND(readability-identifier-naming)
}  // namespace embedded

namespace {

/// Explainers at most.
constexpr std::size_t kExplainers = 32;

/// Fewer samples and less search: for a first look, which promises nothing.
void make_quick(ExplainOptions& options) {
  constexpr std::size_t kQuickSamples = 4096;
  constexpr std::size_t kQuickRows = 100'000;
  options.reasons = false;
  options.alternatives = 1;
  options.disjoint = false;
  auto* certified = std::get_if<Certified>(&options.method);
  if (certified == nullptr) {
    options.certificates = false;
    return;
  }
  options.certify.samples = std::min(options.certify.samples, kQuickSamples);
  options.certify.exact = false;
  certified->calibration_samples = kQuickSamples;
  certified->search_budget = kQuickRows;
}

}  // namespace

Service::Impl::Impl(LoadedModel model, std::vector<Person> people, ServiceOptions options)
    : loaded_(std::move(model)),
      people_(std::move(people)),
      options_(std::move(options)),
      standings_(people_.size()),
      texts_(people_.size()),
      samples_(std::make_shared<SampleCache>(options_.cache_bytes)),
      explainers_(kExplainers, [this] { return samples_->counts().alive > options_.cache_bytes; }) {
  const Goal goal = loaded_.goal.value_or(Goal());
  Matrix points(0, loaded_.codec.width());
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < people_.size(); ++i) {
    const Person& person = people_[i];
    texts_[i] = searchable(person);
    if (!person.problem.empty() ||
        !record_fault(loaded_.codec, person.record, MissingPolicy::impute).empty()) {
      continue;
    }
    points.append(loaded_.codec.encode(person.record, {}, MissingPolicy::impute));
    rows.push_back(i);
  }
  Vector logits(rows.size());
  if (!rows.empty()) loaded_.model->logits(points.rows(), logits);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    standings_[rows[k]] = {true, goal.reached(logits[k]), sigmoid(logits[k])};
  }
}

Question Service::Impl::read(std::string_view json, QuestionKind kind) const {
  return read_question(json, kind, loaded_, people_, options_);
}

Service::Impl::Prepared Service::Impl::prepare(const std::string& key, const Question& question,
                                               bool quick) const {
  return explainers_.get(key, [&] {
    ExplainOptions options = question.options(loaded_);
    add_starts(options);
    if (quick) make_quick(options);
    options.samples = samples_;
    options.threads = options_.threads;
    auto made = std::make_shared<PreparedExplainer>(loaded_, std::move(options));
    made->context.noise_assumed =
        !question.noise.is_stated() && !states_noise(loaded_.codec.schema());
    made->context.kept = options_.kept;
    made->context.identified = options_.identified;
    return made;
  });
}

void Service::Impl::add_starts(ExplainOptions& options) const {
  auto* certified = std::get_if<Certified>(&options.method);
  if (certified == nullptr || loaded_.model->gradient() != nullptr) return;
  const std::pair goal{options.goal.threshold(), options.goal.wanted()};
  {
    const std::scoped_lock lock(starts_mutex_);
    if (const auto known = starts_.find(goal); known != starts_.end()) {
      certified->accepted = known->second;
      return;
    }
  }
  auto found = accepted_examples(loaded_, options.goal);
  const std::scoped_lock lock(starts_mutex_);
  constexpr std::size_t kGoals = 8;
  if (starts_.size() >= kGoals) starts_.clear();
  certified->accepted = starts_.try_emplace(goal, std::move(found)).first->second;
}

Service::Impl::Prepared Service::Impl::prepared(const Question& question) const {
  return prepare(question.key(), question, false);
}

Service::Impl::Prepared Service::Impl::prepared_quick(const Question& question) const {
  return prepare("quick " + question.key(), question, true);
}

ReportContext Service::Impl::plain_context() const {
  ReportContext out = report_context(loaded_, default_noise(loaded_.codec),
                                     loaded_.goal.value_or(Goal()), "certified", options_.target);
  out.noise_assumed = !states_noise(loaded_.codec.schema());
  return out;
}

Service::CacheCounts Service::Impl::cache_counts() const {
  const PreparedExplainers::Counts explainers = explainers_.counts();
  const SampleCache::Counts samples = samples_->counts();
  return {explainers.kept, explainers.hits, explainers.misses, samples.hits,
          samples.misses,  samples.bytes,   samples.alive};
}

void require_going(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Stopped("stopped");
}

Explanation explain_one(const PreparedExplainer& prepared, const Person& person,
                        const std::stop_token& stop) {
  std::vector<Explanation> answers = prepared.explainer.explain({&person, 1}, stop);
  if (answers.empty()) throw Stopped("stopped");
  require_going(stop);
  return std::move(answers.front());
}

Service::Service(LoadedModel model, std::vector<Person> people, ServiceOptions options)
    : impl_(std::make_unique<const Impl>(std::move(model), std::move(people), std::move(options))) {
}
Service::~Service() = default;
Service::Service(Service&&) noexcept = default;
Service& Service::operator=(Service&&) noexcept = default;

std::string_view Service::openapi() { return embedded::service_openapi; }

std::string Service::model() const { return impl_->model(); }
std::string Service::schema() const { return impl_->schema(); }
std::string Service::people(const PeopleQuery& query) const { return impl_->people(query); }
std::string Service::person(std::size_t row) const { return impl_->person(row); }

Reply Service::explain(std::string_view question, std::string_view accept,
                       const std::stop_token& stop) const {
  return impl_->explain(question, accept, stop);
}
std::string Service::tradeoff(std::string_view question, const std::stop_token& stop) const {
  return impl_->tradeoff(question, stop);
}
std::string Service::cloud(std::string_view question, const std::stop_token& stop) const {
  return impl_->cloud(question, stop);
}
std::string Service::certify(std::string_view question, const std::stop_token& stop) const {
  return impl_->certify(question, stop);
}
std::string Service::verify(std::string_view question, const std::stop_token& stop) const {
  return impl_->verify(question, stop);
}
std::string Service::compare(std::string_view question, const std::stop_token& stop) const {
  return impl_->compare(question, stop);
}
std::string Service::letter(std::string_view question, const std::stop_token& stop) const {
  return impl_->letter(question, stop);
}
void Service::explain_events(std::string_view question, const Events& events,
                             const std::stop_token& stop) const {
  impl_->explain_events(question, events, stop);
}
void Service::tradeoff_events(std::string_view question, const Events& events,
                              const std::stop_token& stop) const {
  impl_->tradeoff_events(question, events, stop);
}
Service::CacheCounts Service::cache_counts() const { return impl_->cache_counts(); }

}  // namespace croco
