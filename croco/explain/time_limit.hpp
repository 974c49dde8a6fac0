// SPDX-License-Identifier: Apache-2.0
/// What is reported of people when the time limit was reached meanwhile.
#pragma once

#include <span>

#include <croco/explain/explain_options.hpp>
#include <croco/explain/explanation.hpp>
#include <croco/methods/method.hpp>

namespace croco {

/// Throws InvalidArgument for a limit that is not above 0, or a method that knows none.
void validate_time_limit(const ExplainOptions& options);

/// Takes what a search had when it was stopped, if anything: it is recommended and certified like
/// any other point, and may well be good enough. Otherwise the answer gets `time` as its obstacle.
void end_search(Counterfactual& found, Explanation& answer);

/// Notes that reasons may be missing: obstacles are cut short, and `time` where there is none yet.
void end_reasons(std::span<Explanation> answers);

}  // namespace croco
