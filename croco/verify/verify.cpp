// SPDX-License-Identifier: Apache-2.0
#include <croco/verify/verify.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/sha256.hpp>
#include <croco/loading/load_remote.hpp>
#include <croco/loading/missing_values.hpp>
#include <croco/models/model.hpp>
#include <croco/robustness/certify.hpp>
#include <croco/robustness/exact_rate.hpp>
#include <croco/robustness/looks.hpp>
#include <croco/verify/certificate_keys.hpp>
#include <croco/verify/stated_noise.hpp>
#include <croco/verify/verify_models.hpp>

namespace croco {
namespace {

/// Other machines and versions of the libraries may round the last digits differently.
constexpr double kSame = 1e-9;

bool same(double a, double b) noexcept {
  return std::abs(a - b) <= kSame * std::max(std::abs(a), std::abs(b));
}

class Verifier {
 public:
  Verifier(const StatedCertificate& stated, const LoadedModel& loaded, const VerifyOptions& options,
           std::stop_token stop)
      : stated_(stated),
        certificate_(stated.certificate),
        loaded_(loaded),
        model_(loaded.model),
        codec_(loaded.codec),
        options_(options),
        stop_(std::move(stop)) {}

  Verification run() {
    const std::string_view model =
        loaded_.remote ? "model, by its answers to made-up rows" : "model file";
    if (!check_file(Check::model, loaded_.fingerprint, stated_.model_fingerprint, model) ||
        !check_file(Check::schema, sha256(loaded_.codec.json()), stated_.schema_fingerprint,
                    "encoding (schema, scales, --encoded, --box)") ||
        !check_record()) {
      return std::move(out_);
    }
    require_threshold(loaded_, stated_.goal.threshold());
    const Problem problem{*model_,      codec_.space(),    out_.noise,
                          stated_.goal, certificate_.seed, certificate_.shared_draws};
    try {
      validate(problem);
    } catch (const Error& error) {
      add(Check::record, false, error.what());
      return std::move(out_);
    }
    answer_.valid = problem.goal.reached(model_->logit(answer_.point));
    const bool planned = exact() ? check_exact_plan(problem) : check_plan();
    if (planned) check_bound(problem);
    check_target();
    if (planned && !exact()) check_samples(problem);
    check_fresh(problem);
    verify_models(stated_, problem, answer_, options_, stop_, out_.findings);
    if (stop_.stop_requested()) out_.findings.clear();
    out_.answer = std::move(answer_);
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool exact() const noexcept { return certificate_.bound == BoundKind::exact; }

  /// What the certificate calls a key.
  [[nodiscard]] std::string key_of(std::string_view key) const {
    return certificate_key(key, stated_.version);
  }

  bool add(Check check, bool holds, std::string text) {
    out_.findings.push_back({check, holds, std::move(text)});
    return holds;
  }

  void note(Check check, std::string text) {
    out_.findings.push_back({check, true, std::move(text), true});
  }

  bool check_file(Check check, const std::string& ours, const std::string& theirs,
                  std::string_view what) {
    if (ours == theirs) return add(check, true, fmt::format("the same {}", what));
    return add(check, false,
               fmt::format("another {}: SHA-256 {}..., and the certificate is about {}...", what,
                           ours.substr(0, 16), theirs.substr(0, 16)));
  }

  /// Resolves names, and encodes the records again.
  bool check_record() {
    const Codec& codec = loaded_.codec;
    std::vector<std::string> features;
    for (const Feature& feature : codec.schema().features) features.push_back(feature.name);
    auto point = in_order(stated_.point, codec.column_names());
    auto origin = in_order(stated_.origin, codec.column_names());
    auto recommended = in_order(stated_.recommended, features);
    auto before = in_order(stated_.before, features);
    const auto missing = [&](std::string_view key, std::string_view what) {
      return add(Check::record, false,
                 fmt::format("'{}' does not name exactly the {} of the model", key, what));
    };
    if (!point) return missing("point", "columns");
    if (!origin) return missing("origin", "columns");
    if (!recommended) return missing(key_of("recommended"), "features");
    if (!before) return missing("before", "features");
    try {
      out_.noise = stated_noise(stated_, codec);
      require_drawn(out_.noise, codec);
    } catch (const Error& error) {
      return add(Check::record, false, error.what());
    }
    // A value that the recommended record lacks is one that the model was asked without.
    answer_.missing_features = codec.missing_features(*recommended);
    if (!answer_.missing_features.empty()) {
      try {
        PartialModel partial = partial_model(loaded_.models, codec, answer_.missing_features);
        model_ = std::move(partial.model);
        codec_ = std::move(partial.codec);
      } catch (const Error& error) {
        return add(Check::record, false, error.what());
      }
    }
    if (!encodes_to(*before, *origin, "the record 'before'", "origin") ||
        !encodes_to(*recommended, *point, "the recommended record", "certified point")) {
      return false;
    }
    answer_.row = stated_.row.value_or(0);
    answer_.status = Status::found;
    answer_.before = std::move(*before);
    answer_.after = std::move(*recommended);
    answer_.origin = std::move(*origin);
    answer_.point = std::move(*point);
    answer_.certificate = certificate_;
    if (stated_.models) answer_.model_change = stated_.models->change;
    answer_.target_met = stated_.target_met;
    return add(Check::record, true,
               "the recommended record encodes to exactly the certified point");
  }

  /// Sets what is missing in the point to the placeholders of the codec.
  bool encodes_to(const Record& record, Vector& point, std::string_view what,
                  std::string_view where) {
    try {
      // Values that are given mean the same under every policy.
      const Vector encoded = codec_.encode(record, stated_.source, MissingPolicy::impute);
      for (std::size_t j = 0; j < point.size(); ++j) {
        const bool missing = codec_.stays_missing(codec_.feature_of(j));
        if (missing != std::isnan(point[j])) {
          return add(Check::record, false,
                     fmt::format("{} does not encode to the {}: in column '{}' the {} is missing, "
                                 "and the other is not",
                                 what, where, codec_.column_names()[j],
                                 missing ? "record's value" : "certificate's number"));
        }
        if (missing) point[j] = encoded[j];
        if (encoded[j] == point[j]) continue;
        return add(Check::record, false,
                   fmt::format("{} does not encode to the {}: in column '{}' it is {}, and the "
                               "certificate has {}",
                               what, where, codec_.column_names()[j], encoded[j], point[j]));
      }
    } catch (const DataError& error) {
      return add(Check::record, false,
                 fmt::format("{} does not encode to the {}: {}", what, where, error.what()));
    }
    return true;
  }

  [[nodiscard]] CertifyOptions certify_options() const {
    return {.bound = certificate_.bound,
            .samples = certificate_.maximum,
            .confidence = certificate_.confidence,
            .purpose = certificate_.purpose,
            .exact = false,
            .sequential = certificate_.sequential,
            .first_look = certificate_.first_look,
            .target = stated_.target,
            .family = certificate_.family,
            .attempts = certificate_.attempts,
            .attempt = certificate_.attempt,
            .attempt_stride = certificate_.attempt_stride};
  }

  bool check_plan() {
    const auto refuse = [&](std::string text) { return add(Check::plan, false, std::move(text)); };
    if (certificate_.maximum > options_.max_samples) {
      return refuse(fmt::format("'maximum' is {}; more than {} samples are not generated again",
                                certificate_.maximum, options_.max_samples));
    }
    try {
      validate(certify_options());
    } catch (const InvalidArgument& error) {
      return refuse(error.what());
    }
    const std::uint64_t first = first_sample(certify_options());
    if (certificate_.first != first) {
      return refuse(fmt::format("'{}' is {}; attempt {} of {} samples begins at {}",
                                key_of("first_sample"), certificate_.first, certificate_.attempt,
                                certificate_.maximum, first));
    }
    std::vector<Look> looks{{certificate_.maximum, 1.0}};
    if (certificate_.sequential) {
      if (!stated_.target) return refuse("planned looks need a target, and there is none");
      looks = planned_looks(certificate_.maximum, certificate_.first_look);
    }
    const auto look = std::ranges::find(looks, certificate_.samples, &Look::samples);
    if (look == looks.end()) {
      return refuse(
          fmt::format("'samples' is {}; no look was planned there", certificate_.samples));
    }
    const double confidence =
        look_confidence(certificate_.confidence, certificate_.family, certificate_.attempts,
                        certificate_.attempt, look->share);
    if (!same(1 - confidence, 1 - certificate_.bound_confidence)) {
      return refuse(fmt::format(
          "'bound_confidence' is {}; for confidence {}, family {} and this "
          "look it is {}",
          certificate_.bound_confidence, certificate_.confidence, certificate_.family, confidence));
    }
    return add(
        Check::plan, true,
        fmt::format("look {} of {} at samples {} to {} of seed {}", look - looks.begin() + 1,
                    looks.size(), first, first + certificate_.samples - 1, certificate_.seed));
  }

  bool check_exact_plan(const Problem& problem) {
    if (!has_exact_rate(problem)) {
      return add(Check::plan, false,
                 "an exact rate needs a linear model and two-sided gaussian noise that does not "
                 "depend on the point");
    }
    if (certificate_.samples != 0 || certificate_.invalid != 0 || certificate_.confidence != 1 ||
        certificate_.bound_confidence != 1 || certificate_.family < 1) {
      return add(Check::plan, false,
                 "an exact certificate has 0 samples, 0 invalid, confidence 1 and a family of at "
                 "least 1");
    }
    return add(Check::plan, true, "the rate has a closed form; no samples are needed");
  }

  void check_bound(const Problem& problem) {
    double rate = 0;
    double upper = 0;
    if (exact()) {
      const ExactRate closed = exact_rate(problem, linear_margin(problem), answer_.point);
      rate = closed.rate;
      upper = closed.upper;
    } else {
      if (certificate_.invalid > certificate_.samples) {
        add(Check::bound, false,
            fmt::format("'invalid' is {}; it cannot be more than the {} samples",
                        certificate_.invalid, certificate_.samples));
        return;
      }
      rate = stated_rate(certify_options(), certificate_.samples, certificate_.invalid);
      upper = upper_bound(certificate_.bound, certificate_.invalid, certificate_.samples,
                          certificate_.bound_confidence);
    }
    const std::string_view from = exact() ? "closed form" : "counts";
    if (!same(upper, certificate_.upper)) {
      add(Check::bound, false,
          fmt::format("'upper' is {}; from the {} it is {}", certificate_.upper, from, upper));
    } else if (!same(rate, certificate_.rate)) {
      add(Check::bound, false,
          fmt::format("'rate' is {}; from the {} it is {}", certificate_.rate, from, rate));
    } else {
      add(Check::bound, true, fmt::format("{} follows from the {}", percent(upper), from));
    }
  }

  void check_target() {
    if (stated_.target.has_value() != stated_.target_met.has_value()) {
      add(Check::target, false, "'target' and 'target_met' must both be there, or neither");
      return;
    }
    if (!stated_.target) return;
    const bool valid = answer_.valid;
    const bool over_models = !stated_.models || stated_.models->change.bound <= *stated_.target;
    const bool below = certificate_.upper <= *stated_.target && over_models;
    if (*stated_.target_met != (valid && below)) {
      add(Check::target, false,
          fmt::format("'target_met' is {}; the bound is {}, the target {}, and the model {} the "
                      "point",
                      *stated_.target_met, percent(certificate_.upper), percent(*stated_.target),
                      valid ? "accepts" : "refuses"));
    } else if (!valid) {
      note(Check::target, "not met, as the certificate says: the model refuses the point");
    } else if (!over_models) {
      note(Check::target,
           fmt::format("not met, as the certificate says: the bound over retrained "
                       "models of {} is above the target of {}",
                       percent(stated_.models->change.bound), percent(*stated_.target)));
    } else if (!below) {
      note(Check::target, fmt::format("not met, as the certificate says: the bound of {} is above "
                                      "the target of {}",
                                      percent(certificate_.upper), percent(*stated_.target)));
    } else {
      add(Check::target, true,
          fmt::format("the bound is at most {}, and the model accepts the point",
                      percent(*stated_.target)));
    }
  }

  void check_samples(const Problem& problem) {
    const Advice advice{answer_.origin, answer_.point, stated_.person};
    const std::vector<Certificate> again =
        certify(problem, {&advice, 1}, certify_options(), options_.threads, stop_);
    if (again.empty()) return;
    const Certificate& made = again.front();
    if (made.samples != certificate_.samples || made.stop != certificate_.stop) {
      add(Check::samples, false,
          fmt::format("generated again, the sampling ends at {} samples ({}), and not at {} ({})",
                      made.samples, name_of(made.stop), certificate_.samples,
                      name_of(certificate_.stop)));
    } else if (made.invalid != certificate_.invalid) {
      add(Check::samples, false,
          fmt::format("generated again, {} of {} samples fail, and not {}", made.invalid,
                      made.samples, certificate_.invalid));
    } else {
      add(Check::samples, true,
          fmt::format("generated again, {} of {} samples fail, as stated", made.invalid,
                      made.samples));
    }
  }

  void check_fresh(const Problem& problem) {
    Problem other = problem;
    other.seed = options_.seed.value_or(certificate_.seed + 1);
    const Advice advice{answer_.origin, answer_.point, stated_.person};
    const std::vector<Tally> tallies = tally(other, {&advice, 1},
                                             {.purpose = Purpose::audit,
                                              .samples = options_.samples,
                                              .threads = options_.threads,
                                              .stop = stop_});
    if (tallies.empty()) return;
    const Tally& seen = tallies.front();
    const double least = clopper_pearson_lower(seen.invalid, seen.samples, kContradiction);
    const bool agrees = least <= certificate_.upper;
    add(Check::fresh, agrees,
        fmt::format("{} of {} other samples fail (seed {}), {}: {} the bound", seen.invalid,
                    seen.samples, other.seed, percent(seen.rate()),
                    agrees ? "that agrees with" : "that contradicts"));
  }

  const StatedCertificate& stated_;
  const Certificate& certificate_;
  const LoadedModel& loaded_;
  std::shared_ptr<const Model> model_;  ///< for the values that the record has
  Codec codec_;
  const VerifyOptions& options_;
  std::stop_token stop_;
  Explanation answer_;  ///< what the certificate speaks of
  Verification out_;
};

}  // namespace

std::string_view name_of(Check check) noexcept {
  constexpr std::array<std::string_view, 16> kNames{
      "model",  "schema", "record",       "plan",      "bound", "target", "samples", "fresh",
      "models", "joint",  "fresh-models", "statement", "row",   "data",   "again",   "manifest"};
  return kNames[static_cast<std::size_t>(check)];
}

bool Verification::holds() const noexcept {
  return !findings.empty() && std::ranges::all_of(findings, &Finding::holds);
}

Verification verify(const StatedCertificate& stated, const LoadedModel& loaded,
                    const VerifyOptions& options, const std::stop_token& stop) {
  if (options.samples < 1) throw InvalidArgument("samples is 0; it must be at least 1");
  if (options.seed == stated.certificate.seed && stated.certificate.purpose == Purpose::audit &&
      stated.certificate.bound != BoundKind::exact) {
    throw InvalidArgument(fmt::format(
        "seed is {}, the one of the certificate; fresh samples need another", *options.seed));
  }
  return Verifier(stated, loaded, options, stop).run();
}

}  // namespace croco
