// SPDX-License-Identifier: Apache-2.0
#include <croco/verify/verify_models.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/explain/model_change_answers.hpp>
#include <croco/robustness/model_change.hpp>
#include <croco/robustness/model_population.hpp>

namespace croco {
namespace {

bool agree(double a, double b) noexcept {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

std::vector<RetrainedModel> all_of(const ModelPopulation& population) {
  std::vector<RetrainedModel> out = population.search;
  out.insert(out.end(), population.certify.begin(), population.certify.end());
  return out;
}

class ModelsVerifier {
 public:
  ModelsVerifier(const StatedCertificate& stated, const Problem& problem, const Explanation& answer,
                 const VerifyOptions& options, const std::stop_token& stop,
                 std::vector<Finding>& findings)
      : models_(*stated.models),
        change_(stated.models->change),
        stated_(stated),
        problem_(problem),
        advice_{answer.origin, answer.point, stated.person},
        options_(options),
        stop_(stop),
        findings_(findings) {}

  void run() {
    if (!check_models() || !check_bounds()) return;
    check_samples();
    check_fresh();
  }

 private:
  bool add(Check check, bool holds, std::string text) {
    findings_.push_back({check, holds, std::move(text)});
    return holds;
  }
  bool refuse_models(std::string text) { return add(Check::models, false, std::move(text)); }

  /// The files, then what follows from them: which of them certify.
  bool check_models() {
    const std::size_t count = models_.search.size() + models_.certify.size();
    if (!options_.models) {
      return refuse_models(fmt::format(
          "the certificate speaks of {} retrained models, and no models are given to check it with",
          count));
    }
    std::map<std::string, std::string> stated;
    for (const auto* part : {&models_.search, &models_.certify}) {
      for (const StatedModels::File& file : *part) {
        if (stated.emplace(file.name, file.fingerprint).second) continue;
        return refuse_models(fmt::format("the certificate names {} twice", file.name));
      }
    }
    const std::vector<RetrainedModel> given = all_of(*options_.models);
    for (const RetrainedModel& one : given) {
      const auto found = stated.find(one.file);
      if (found == stated.end()) {
        return refuse_models(
            fmt::format("{} is given, and the certificate does not name it", one.file));
      }
      if (found->second != one.fingerprint) {
        return refuse_models(
            fmt::format("{} is another model: SHA-256 {}..., and the certificate is about {}...",
                        one.file, one.fingerprint.substr(0, 16), found->second.substr(0, 16)));
      }
      stated.erase(found);
    }
    if (!stated.empty()) {
      return refuse_models(
          fmt::format("{} is missing, which the certificate names", stated.begin()->first));
    }
    if (models_.recipe != options_.models->recipe) {
      return refuse_models("the recipe is not that of the manifest beside the models");
    }
    return check_split(given);
  }

  bool check_split(std::vector<RetrainedModel> given) {
    std::ranges::sort(given, {}, &RetrainedModel::fingerprint);
    const auto role = [&](std::size_t i) {
      return i < models_.search.size() ? "search" : "certify";
    };
    for (std::size_t i = 0; i < given.size(); ++i) {
      const bool searches = i < models_.search.size();
      const StatedModels::File& file =
          searches ? models_.search[i] : models_.certify[i - models_.search.size()];
      if (file.name == given[i].file) continue;
      return refuse_models(
          fmt::format("by their fingerprints {} belongs to '{}' in place {}, where the certificate "
                      "has {}: a model that a search may see must not certify",
                      given[i].file, role(i), searches ? i : i - models_.search.size(), file.name));
    }
    for (std::size_t i = models_.search.size(); i < given.size(); ++i) {
      certifying_.push_back(given[i].model);
    }
    return add(Check::models, true,
               fmt::format("the same {} retrained models, of which {} certify", given.size(),
                           certifying_.size()));
  }

  [[nodiscard]] ModelChangeOptions stated_options() const {
    return {.confidence = change_.confidence,
            .samples = change_.samples,
            .limit = change_.limit,
            .target = stated_.target,
            .family = change_.family,
            .candidates = change_.candidates,
            .purpose = change_.purpose};
  }

  bool check_bounds() {
    const auto refuse = [&](std::string text) { return add(Check::joint, false, std::move(text)); };
    if (change_.invalid.size() != certifying_.size()) {
      return refuse(fmt::format("'models.invalid' has {} counts; {} models certify",
                                change_.invalid.size(), certifying_.size()));
    }
    if (change_.candidates != 1 && change_.candidates != kModelCandidates) {
      return refuse(fmt::format("'models.candidates' is {}; it must be 1 or {}", change_.candidates,
                                kModelCandidates));
    }
    try {
      validate(stated_options());
    } catch (const InvalidArgument& error) {
      return refuse(error.what());
    }
    for (const std::size_t invalid : change_.invalid) {
      if (invalid > change_.samples) {
        return refuse(fmt::format("'models.invalid' has {}; a model has {} samples", invalid,
                                  change_.samples));
      }
    }
    ModelChange again = change_;
    state_model_change(stated_options(), again);
    const std::pair<std::string_view, std::pair<double, double>> numbers[] = {
        {"joint.rate", {change_.rate, again.rate}},
        {"joint.bound", {change_.bound, again.bound}},
        {"joint.upper", {change_.upper, again.upper}},
        {"share.upper", {change_.share_upper, again.share_upper}},
        {"list.upper", {change_.worst_upper, again.worst_upper}}};
    for (const auto& [key, values] : numbers) {
      if (agree(values.first, values.second)) continue;
      return refuse(fmt::format("'models.{}' is {}; from the counts it is {}", key, values.first,
                                values.second));
    }
    if (change_.most != again.most || change_.exceeding != again.exceeding ||
        change_.worst != again.worst) {
      return refuse("'models.share' or 'models.list' does not follow from the counts");
    }
    return true;
  }

  void check_samples() {
    const std::size_t samples = change_.samples * certifying_.size();
    if (samples > options_.max_samples) {
      add(Check::joint, false,
          fmt::format("{} samples of {} models are more than the {} that are generated again",
                      change_.samples, certifying_.size(), options_.max_samples));
      return;
    }
    Problem problem = problem_;
    problem.seed = change_.seed;
    problem.shared_draws = change_.shared_draws;
    const std::vector<ModelChange> made = certify_models(problem, certifying_, {&advice_, 1},
                                                         stated_options(), options_.threads, stop_);
    if (made.empty()) return;
    const auto difference = std::ranges::mismatch(made[0].invalid, change_.invalid);
    if (difference.in1 != made[0].invalid.end()) {
      const auto i = static_cast<std::size_t>(difference.in1 - made[0].invalid.begin());
      add(Check::joint, false,
          fmt::format("generated again, {} of {} samples fail with {}, and not {}", *difference.in1,
                      change_.samples, models_.certify[i].name, *difference.in2));
      return;
    }
    if (made[0].rejecting != change_.rejecting) {
      add(Check::joint, false,
          fmt::format("'models.rejecting' is {}; {} of the models refuse the point itself",
                      change_.rejecting, made[0].rejecting));
      return;
    }
    add(Check::joint, true,
        fmt::format("generated again, {} of the samples of {} models fail, and {} follows",
                    percent(change_.rate), certifying_.size(), percent(change_.upper)));
  }

  void check_fresh() {
    if (!options_.fresh_models) return;
    std::set<std::string_view> own;
    for (const auto* part : {&models_.search, &models_.certify}) {
      for (const StatedModels::File& file : *part) own.insert(file.fingerprint);
    }
    Models fresh;
    for (const RetrainedModel& one : all_of(*options_.fresh_models)) {
      if (own.contains(one.fingerprint)) {
        add(Check::fresh_models, false,
            fmt::format("{} is a model of the certificate; fresh models must be others", one.file));
        return;
      }
      fresh.push_back(one.model);
    }
    Problem problem = problem_;
    problem.seed = options_.seed.value_or(change_.seed + 1);
    ModelChangeOptions audit = stated_options();
    audit.candidates = 1;
    audit.purpose = Purpose::models_audit;
    const std::vector<ModelChange> seen =
        certify_models(problem, fresh, {&advice_, 1}, audit, options_.threads, stop_);
    if (seen.empty()) return;
    Vector rates;
    for (const std::size_t invalid : seen[0].invalid) {
      rates.push_back(static_cast<double>(invalid) / static_cast<double>(change_.samples));
    }
    const bool holds = joint_lower(rates, kContradiction) <= change_.upper;
    add(Check::fresh_models, holds,
        fmt::format("{} of the samples of {} other models fail: that {} the bound of {}",
                    percent(seen[0].rate), fresh.size(), holds ? "agrees with" : "contradicts",
                    percent(change_.upper)));
  }

  const StatedModels& models_;
  const ModelChange& change_;
  const StatedCertificate& stated_;
  const Problem& problem_;
  Advice advice_;
  const VerifyOptions& options_;
  const std::stop_token& stop_;
  std::vector<Finding>& findings_;
  Models certifying_;
};

}  // namespace

void verify_models(const StatedCertificate& stated, const Problem& problem,
                   const Explanation& answer, const VerifyOptions& options,
                   const std::stop_token& stop, std::vector<Finding>& findings) {
  if (!stated.models) return;
  ModelsVerifier(stated, problem, answer, options, stop, findings).run();
}

}  // namespace croco
