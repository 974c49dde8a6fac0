// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/experiment.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <croco/base/bounds.hpp>
#include <croco/base/error.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/catalog.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {
namespace {

bool names_a_file(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.front() != '.' && name.size() <= 100 &&
         std::ranges::all_of(name, allowed);
}

/// Names are parts of paths, and on some file systems case does not matter.
template <typename Part>
void check_names(std::string_view what, const std::vector<Part>& parts) {
  if (parts.empty()) throw DataError(fmt::format("there are no {}s", what));
  std::vector<std::string> seen;
  for (const Part& part : parts) {
    if (!names_a_file(part.name)) {
      throw DataError(
          fmt::format("the name of {} '{}' must be letters, digits, '-', '_' and '.', and not "
                      "begin with '.': it names files",
                      what, part.name));
    }
    std::string lower = part.name;
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (std::ranges::find(seen, lower) != seen.end()) {
      throw DataError(fmt::format("the name of {} '{}' is there twice", what, part.name));
    }
    seen.push_back(std::move(lower));
  }
}

void check_dataset(const ExperimentDataset& dataset) {
  const auto fail = [&](std::string_view rule) {
    throw DataError(fmt::format("dataset '{}': {}", dataset.name, rule));
  };
  if (dataset.data.empty() && dataset.model.empty()) {
    fail("it needs 'data' to train a model on, or a 'model'");
  }
  if (dataset.data.empty() && dataset.people.empty()) {
    fail("it needs 'people', or 'data' whose rejected rows are the people");
  }
  if (dataset.model.empty() && dataset.schema.empty() && find_entry(dataset.data) == nullptr) {
    fail("to train on a file of your own it needs a 'schema'; `croco inspect` writes a first one");
  }
  try {
    validate(dataset.train);
  } catch (const InvalidArgument& error) {
    fail(fmt::format("train: {}", error.what()));
  }
}

void check_method(const ExperimentMethod& method, const Experiment& experiment) {
  const auto fail = [&](std::string_view rule) {
    throw DataError(fmt::format("method '{}': {}", method.name, rule));
  };
  if (method.is_advice() == method.counterfactuals.empty()) {
    fail("it needs either 'method', for a method of croco, or 'counterfactuals', files of advice");
  }
  if (method.is_advice()) return;
  try {
    require_own_settings(method.method, method.settings);
    for (const double target : experiment.targets) {
      Method made = make_method(method.method, method.settings, target, experiment.confidence);
      if (auto* certified = std::get_if<Certified>(&made)) {
        certified->certificate = CertificatePlan{.confidence = experiment.confidence,
                                                 .samples = experiment.certificate_samples};
      }
      validate(made, Goal());
    }
  } catch (const InvalidArgument& error) {
    fail(error.what());
  }
}

/// This many of a list, evenly spread, the first and the last among them.
template <typename T>
std::vector<T> thinned(const std::vector<T>& all, std::size_t wanted) {
  if (all.size() <= wanted) return all;
  std::vector<T> out;
  for (std::size_t i = 0; i < wanted; ++i) {
    out.push_back(all[i * (all.size() - 1) / (wanted - 1)]);
  }
  return out;
}

}  // namespace

void validate(const Experiment& experiment) {
  check_names("dataset", experiment.datasets);
  check_names("noise", experiment.noises);
  check_names("method", experiment.methods);
  if (experiment.targets.empty()) throw DataError("there are no targets");
  for (std::size_t i = 0; i < experiment.targets.size(); ++i) {
    const double target = experiment.targets[i];
    if (!(target > 0 && target < 1)) {
      throw DataError(fmt::format("target {} must be between 0 and 1", target));
    }
    if (i > 0 && !(experiment.targets[i - 1] < target)) {
      throw DataError(fmt::format("target {} follows {}; targets must rise", target,
                                  experiment.targets[i - 1]));
    }
  }
  const auto positive = [](std::string_view what, std::size_t value, std::size_t most) {
    if (value < 1 || value > most) {
      throw DataError(fmt::format("'{}' is {}; it must be between 1 and {}", what, value, most));
    }
  };
  positive("people", experiment.people, 10'000'000);
  positive("rate_samples", experiment.rate_samples, 100'000'000);
  positive("certificate: samples", experiment.certificate_samples, 100'000'000);
  if (!(experiment.confidence > 0 && experiment.confidence < 1)) {
    throw DataError(fmt::format("'certificate: confidence' is {}; it must be between 0 and 1",
                                experiment.confidence));
  }
  for (const ExperimentDataset& dataset : experiment.datasets) check_dataset(dataset);
  for (const ExperimentMethod& method : experiment.methods) check_method(method, experiment);
}

Experiment quick(Experiment experiment) {
  constexpr std::size_t kPeople = 100;
  experiment.people = std::min(experiment.people, kPeople);
  experiment.prove_people = std::min<std::size_t>(experiment.prove_people, 10);
  experiment.targets = thinned(experiment.targets, 4);
  experiment.noises = thinned(experiment.noises, 2);
  return experiment;
}

std::string target_text(std::optional<double> target) {
  return target ? format_number(*target) : "any";
}

}  // namespace croco
