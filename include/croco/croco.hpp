// SPDX-License-Identifier: Apache-2.0
/// Everything that croco offers to a C++ program.
///
///     #include <croco/croco.hpp>
///
///     int main() {
///       const croco::LoadedModel model = croco::load_model("model.json");
///       const croco::Explainer explainer(model, {.method = croco::Certified{.target = 0.1}});
///       const auto people = croco::read_people("people.csv", model.codec.schema());
///       croco::write_report("advice.csv", explainer, explainer.explain(people));
///     }
///
/// The examples folder has one program for each use: explain.cpp, own_model.cpp, own_function.cpp,
/// certify_advice.cpp, verify_certificate.cpp and schema_in_code.cpp.
#pragma once

#include <croco/base/error.hpp>
#include <croco/base/version.hpp>
#include <croco/data/csv.hpp>
#include <croco/data/data_frame.hpp>
#include <croco/data/schema.hpp>
#include <croco/explain/assess.hpp>
#include <croco/explain/explainer.hpp>
#include <croco/explain/feature_noise.hpp>
#include <croco/loading/load_remote.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/report/report.hpp>
#include <croco/service/service.hpp>
#include <croco/verify/verify.hpp>
