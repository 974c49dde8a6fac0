// SPDX-License-Identifier: Apache-2.0
#include <croco/report/row_maker.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/sha256.hpp>
#include <croco/explain/broken_rules.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/explain/reasons/relation_conflict.hpp>
#include <croco/explain/recommendation.hpp>
#include <croco/explain/status_reasons.hpp>
#include <croco/loading/missing_values.hpp>
#include <croco/models/model.hpp>
#include <croco/report/report_lines.hpp>
#include <croco/report/row_fields.hpp>
#include <croco/report/writer.hpp>
#include <croco/verify/certificate_keys.hpp>
#include <croco/verify/stated_noise.hpp>

namespace croco {
namespace {

using row::choice;
using row::Fault;
using row::Json;
using row::number_of;

/// Stands for the place of a row in its file, where the file is not there.
constexpr std::string_view kSomewhere = "\x01";

class RowMaker {
 public:
  RowMaker(const Json& given, const RowSources& sources, std::vector<std::string>& unchecked)
      : given_(given),
        sources_(sources),
        codec_(sources.loaded.codec.with_cost(cost())),
        context_(context()),
        unchecked_(unchecked) {}

  /// The line as it has to be. Throws Fault.
  Json line() {
    if (!given_.contains("row") || !given_.at("row").is_number_unsigned()) {
      throw Fault("'row' must be a whole number");
    }
    answer_.row = given_.at("row").get<std::size_t>();
    answer_.alternative = given_.value("alternative", std::size_t{0});
    answer_.before = record("before", true);
    answer_.kept =
        stated_kept(json_text(given_), sources_.run != nullptr ? &sources_.run->kept : nullptr);
    const Status stated = choice(given_, "status",
                                 {Status::found, Status::unmet, Status::infeasible, Status::already,
                                  Status::error, Status::undecided});
    if (!encode_before(stated)) return written();
    answer_.score_before = sigmoid(model().logit(answer_.origin));
    const bool reached = goal().reached(model().logit(answer_.origin));
    if (explains() && (reached || stated == Status::already)) {
      answer_.status = reached ? Status::already : Status::infeasible;
    } else if (stated == Status::infeasible) {
      answer_.status = Status::infeasible;
      take_reason("status, reason: that the search found no advice");
    } else {
      advise(stated);
    }
    if (given_.contains("queries")) unchecked_.emplace_back("queries: rows that it cost");
    take_obstacle();
    take_proof();
    answer_.plausibility = row::plausibility_of(given_, unchecked_);
    answer_.reason_codes = row::reason_codes_of(given_, codec_.schema(), unchecked_);
    return written();
  }

 private:
  [[nodiscard]] bool explains() const {
    // A run without a manifest: only advice of croco's own is certified for a search.
    if (sources_.run != nullptr) return sources_.run->run.command != "certify";
    return sources_.stated == nullptr || sources_.stated->certificate.purpose == Purpose::certify ||
           sources_.stated->certificate.bound == BoundKind::exact;
  }
  [[nodiscard]] bool certified() const { return explains() && context_.method == "certified"; }

  [[nodiscard]] std::optional<std::string> option(std::string_view name) const {
    if (sources_.run == nullptr) return std::nullopt;
    for (const auto& [key, value] : sources_.run->run.options) {
      if (key == name) return value;
    }
    return std::nullopt;
  }
  [[nodiscard]] double option_number(std::string_view name, double otherwise) const {
    const std::optional<std::string> text = option(name);
    return text ? parse_number(*text).value_or(otherwise) : otherwise;
  }

  /// Whether values stay missing: the run says so, or without it the records do.
  [[nodiscard]] bool keeps() const {
    if (sources_.run != nullptr) return option("missing") == "keep";
    return sources_.certificate != nullptr && sources_.certificate->answer &&
           !sources_.certificate->answer->missing_features.empty();
  }
  [[nodiscard]] const Model& model() const {
    return partial_ ? *partial_->model : *sources_.loaded.model;
  }
  /// Clear of the tolerance of the model that the person is judged by.
  [[nodiscard]] Goal goal() const {
    return context_.goal.clear_of(model().tolerance(context_.goal.threshold()));
  }
  [[nodiscard]] const Codec& own() const { return partial_ ? partial_->codec : codec_; }

  /// The model and the space of somebody who lacks values.
  void keep_missing(const std::string& where) {
    const std::vector<std::size_t> features = codec_.missing_features(answer_.before);
    if (features.empty()) return;
    try {
      partial_ = partial_model(sources_.loaded.models, codec_, features);
    } catch (const Error& error) {
      throw DataError(fmt::format("{}: {}", where, error.what()));
    }
    answer_.missing_features = features;
  }

  [[nodiscard]] CostKind cost() const {
    if (sources_.run != nullptr) return sources_.run->cost;
    return parse_cost_kind(given_.value("cost_kind", std::string()));
  }

  [[nodiscard]] ReportContext context() const {
    const StatedRun* run = sources_.run;
    const Goal goal = run != nullptr ? run->goal : sources_.stated->goal;
    ReportContext out{
        .codec = codec_,
        .method = run != nullptr ? run->method : given_.value("method", ""),
        .target = run != nullptr ? run->target : sources_.stated->target,
        .noise = run != nullptr ? stated_noise(run->noise, codec_) : sources_.certificate->noise,
        .goal = goal.clear_of(sources_.loaded.model->tolerance(goal.threshold())),
        .model_name = sources_.loaded.name,
        .model_fingerprint = sources_.loaded.fingerprint,
        .schema_fingerprint = sha256(sources_.loaded.codec.json())};
    out.models = sources_.models;
    return out;
  }

  /// The texts of 'before' or 'after' in the schema's order; of a row that could not be read there
  /// may be none.
  [[nodiscard]] Record record(const char* key, bool may_be_empty) const {
    const Json object = given_.value(key, Json());
    if (may_be_empty && object.is_object() && object.empty()) return {};
    std::optional<Record> out = row::record_of(object, codec_.schema());
    if (!out) throw Fault(fmt::format("'{}' does not name exactly the features of the model", key));
    return std::move(*out);
  }

  /// A sentence of a row that is wrong in itself names the place of the row in its file; without
  /// that file the rest is compared.
  void refuse(const std::string& reason) {
    answer_.status = Status::error;
    answer_.reason = reason;
    const std::string stated = given_.value("reason", std::string());
    const std::size_t place = reason.find(kSomewhere);
    if (place == std::string::npos) return;
    const std::string_view tail = std::string_view(reason).substr(place + kSomewhere.size());
    if (stated.ends_with(tail)) answer_.reason = stated;
  }

  /// False when the row cannot be read, which then is the whole answer.
  bool encode_before(Status stated) {
    const Person* person = sources_.person;
    const std::string where = person != nullptr ? person->where : std::string(kSomewhere);
    if (person != nullptr && !person->problem.empty()) {
      refuse(person->problem);
      return false;
    }
    // Values that are given mean the same under every policy; missing ones are for the run to say.
    const bool strict = sources_.run != nullptr && option("missing").value_or("error") == "error";
    try {
      if (answer_.before.empty()) throw DataError("");
      if (keeps()) keep_missing(where);
      answer_.origin = own().encode(answer_.before, where,
                                    strict ? MissingPolicy::error : MissingPolicy::impute);
      const std::string fault = ratio_fault(own(), answer_.origin, where);
      if (stated != Status::error || fault.empty()) return !unreadable(stated);
      refuse(fault);
    } catch (const DataError& error) {
      if (std::string_view(error.what()).empty()) return !unreadable(stated);
      refuse(error.what());
    }
    return false;
  }

  /// A row that says it could not be read, for a reason that its record does not show.
  bool unreadable(Status stated) {
    if (stated != Status::error) {
      if (answer_.before.empty()) throw Fault("'before' is empty, and the row has an answer");
      return false;
    }
    if (!answer_.before.empty() && explains() && sources_.run != nullptr) {
      throw Fault("'status' is \"error\"; the record can be read");
    }
    answer_.status = Status::error;
    take_reason("status, reason: why the row could not be read (--data shows it)");
    return true;
  }

  void take_reason(std::string_view what) {
    answer_.reason = given_.value("reason", std::string());
    unchecked_.emplace_back(what);
  }

  void advise(Status stated) {
    answer_.after = record("after", false);
    try {
      answer_.point = own().encode(answer_.after, "'after'", MissingPolicy::impute);
    } catch (const DataError& error) {
      throw Fault(error.what());
    }
    const double logit = model().logit(answer_.point);
    answer_.score = sigmoid(logit);
    answer_.valid = goal().reached(logit);
    answer_.distance = distances(own().space(), answer_.origin, answer_.point);
    answer_.features_changed = features_changed(codec_, answer_.origin, answer_.point);
    if (!explains()) answer_.broken = broken_rules(codec_, answer_.origin, answer_.point);
    if (sources_.certificate != nullptr && sources_.certificate->answer) {
      require_same_records(*sources_.certificate->answer);
      answer_.certificate = sources_.certificate->answer->certificate;
      answer_.model_change = sources_.certificate->answer->model_change;
      if (context_.target) {
        answer_.target_met =
            answer_.valid && answer_.certificate->upper <= *context_.target && meets_over_models();
      }
    } else if (stated != Status::undecided) {
      throw Fault(fmt::format("'certificate' is missing; every answer that is {} has one",
                              name_of(stated)));
    }
    require_planned();
    take_search();
    judge(stated);
  }

  /// A certificate of somebody else, or of something else, is none of this row.
  void require_same_records(const Explanation& certified) const {
    const std::vector<Feature>& features = codec_.schema().features;
    for (std::size_t f = 0; f < features.size(); ++f) {
      const auto require = [&](const Record& own, const Record& other, std::string_view key,
                               std::string_view their) {
        if (own[f] == other[f]) return;
        throw Fault(
            fmt::format("'certificate.{}.{}' is \"{}\", and '{}.{}' is \"{}\": the certificate is "
                        "not about this row",
                        their, features[f].name, other[f], key, features[f].name, own[f]));
      };
      require(answer_.before, certified.before, "before", "before");
      require(answer_.after, certified.after, "after",
              certificate_key("recommended", sources_.stated->version));
    }
  }

  /// The samples are those that the run was asked for; `verify` checks the rest.
  void require_planned() const {
    const bool sampled = answer_.certificate && answer_.certificate->bound != BoundKind::exact;
    if (sources_.run == nullptr || sources_.run->run.command.empty() || !sampled) return;
    const auto require = [](std::string_view key, std::uint64_t given, double asked) {
      if (static_cast<double>(given) == asked) return;
      throw Fault(
          fmt::format("'certificate.{}' is {}; the run was asked for {}", key, given, asked));
    };
    require("seed", answer_.certificate->seed, option_number("seed", 0));
    if (double(answer_.certificate->maximum) <= option_number("query-budget", 0)) return;
    require("maximum", answer_.certificate->maximum, static_cast<double>(samples_asked()));
  }

  /// Status and reason, which follow from the numbers.
  void judge(Status stated) {
    const double target = context_.target.value_or(0);
    if (!explains()) {
      answer_.status = answer_.valid ? Status::found : Status::unmet;
      if (!answer_.valid) answer_.reason = refused_reason(context_.goal.wanted());
      return;
    }
    if (certified()) {
      const bool undecided =
          given_.value(Json::json_pointer("/obstacle/kind"), "") == name_of(ObstacleKind::samples);
      if (answer_.target_met.value_or(false)) {
        answer_.status = Status::found;
      } else if (undecided || !answer_.certificate) {
        answer_.status = Status::undecided;
        answer_.reason = undecided_reason(target, samples_asked());
      } else {
        answer_.status = Status::unmet;
        answer_.reason = meets_over_models()
                             ? missed_bound_reason(answer_.certificate->upper, target)
                             : missed_models_reason(answer_.model_change->upper, target);
      }
      return;
    }
    // The method's own rule, by what it says that it measured.
    const std::optional<double> measured =
        answer_.method_bound ? answer_.method_bound : answer_.method_rate;
    bool holds = !context_.target || !measured || *measured <= target;
    if (sources_.run == nullptr || option("as-published")) holds = stated == Status::found;
    answer_.status = holds ? Status::found : Status::unmet;
    if (!holds) {
      answer_.reason =
          missed_rule_reason(context_.method, answer_.method_rate, answer_.method_bound, target);
    }
  }

  [[nodiscard]] bool meets_over_models() const {
    return !answer_.model_change || answer_.model_change->bound <= context_.target.value_or(1);
  }

  /// How many samples a certificate of the run may have.
  [[nodiscard]] std::size_t samples_asked() const {
    if (sources_.run == nullptr && answer_.certificate) return answer_.certificate->maximum;
    constexpr double kUsual = 100'000;
    return static_cast<std::size_t>(option_number("samples", option_number("max-samples", kUsual)));
  }

  void take_search() {
    const Json search = given_.value("search", Json::object());
    if (!search.is_object() || !search.value("steps", Json()).is_number_unsigned()) {
      throw Fault("'search.steps' must be a whole number");
    }
    answer_.steps = search.at("steps").get<std::size_t>();
    answer_.method_rate = number_of(search, "rate");
    answer_.method_bound = number_of(search, "bound");
    if (!explains()) {
      answer_.steps = 0;
      answer_.method_rate = answer_.method_bound = std::nullopt;
      return;
    }
    unchecked_.emplace_back("search: how the search went");
  }

  void take_obstacle() {
    const bool fails = answer_.status == Status::infeasible ||
                       (answer_.has_advice() && answer_.status != Status::found);
    if (!certified() || !fails) return;
    if (given_.contains("obstacle")) {
      obstacle_ = given_.at("obstacle");
      unchecked_.emplace_back("obstacle: why there is no certified advice, and what would give it");
    } else if (sources_.run != nullptr && !option("query-budget") &&
               option("reasons").value_or("on") == "on") {
      throw Fault("'obstacle' is missing; the run looked for reasons");
    }
  }

  /// The sentence follows from the numbers; these take the proof itself.
  void take_proof() {
    const bool asked = explains() && (answer_.has_advice() || answer_.status == Status::infeasible);
    const bool wanted = option("prove").has_value() && answer_.alternative <= 1;
    if (!given_.contains("proof") || !asked) {
      if (wanted && asked) throw Fault("'proof' is missing; the run proved something of every row");
      return;
    }
    const Json& json = given_.at("proof");
    if (!json.is_object()) throw Fault("'proof' must be an object");
    if (json.value("basis", "") == name_of(ProofBasis::none)) {
      statement_ = json.value("statement", std::string());
    }
    answer_.proof = row::proof_of(json);
    unchecked_.emplace_back("proof: what no change can beat");
  }

  /// With what could not be made again put back in.
  [[nodiscard]] Json written() const {
    Json out = parse_json(json_line(context_, answer_));
    if (!obstacle_.is_null()) out["obstacle"] = obstacle_;
    if (given_.contains("queries")) out["queries"] = given_.at("queries");
    if (statement_) out["proof"]["statement"] = *statement_;
    return out;
  }

  const Json& given_;
  const RowSources& sources_;
  Codec codec_;
  ReportContext context_;
  std::vector<std::string>& unchecked_;
  Explanation answer_;
  std::optional<PartialModel> partial_;
  Json obstacle_;
  std::optional<std::string> statement_;
};

}  // namespace

std::string make_row(std::string_view given, const RowSources& sources,
                     std::vector<std::string>& unchecked) {
  const Json json = parse_json(given);
  try {
    return json_text(RowMaker(json, sources, unchecked).line());
  } catch (const Json::exception&) {
    throw DataError("a value has another type than a report has there");
  }
}

}  // namespace croco
