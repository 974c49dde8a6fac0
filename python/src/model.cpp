// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <croco/base/error.hpp>
#include <croco/loading/bundle.hpp>
#include <croco/loading/encoded_examples.hpp>
#include <croco/loading/load_remote.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/models/files/model_format.hpp>
#include <croco/remote/remote_model.hpp>
#include <croco/robustness/goal.hpp>

#include "array.hpp"
#include "call.hpp"
#include "model.hpp"

namespace nb = nanobind;

namespace croco::python {
namespace {

/// What Python says about a model beside its bytes.
struct Reading {
  std::optional<std::string> schema;
  std::optional<DataFrame> training;
  std::string cost = "l1";
  std::string rounds;
  std::vector<std::string> category_orders;
  std::string score;
  std::string decision;
};

LoadModelOptions options_of(const Reading& reading) {
  LoadModelOptions out;
  out.cost = parse_cost_kind(reading.cost);
  if (!reading.rounds.empty()) out.rounds = parse_rounds(reading.rounds);
  out.category_orders = parse_category_orders(reading.category_orders);
  out.score = {parse_score_kind(reading.score), parse_decided_by(reading.decision)};
  if (reading.schema) out.schema = parse_schema(*reading.schema, "schema");
  if (reading.training && out.schema) {
    out.training = [schema = *out.schema, &reading] {
      return TrainingData{schema, *reading.training};
    };
  }
  return out;
}

/// Where the model brings no rows of its training data, such as files of croco's own: those that
/// Python gave, encoded when they are needed.
void refer_to_training(LoadedModel& loaded, const Reading& reading) {
  if (loaded.examples || !reading.training) return;
  using Table = std::variant<CsvTable, DataFrame>;
  loaded.reference = [codec = loaded.codec,
                      rows = std::make_shared<const Table>(*reading.training)] {
    return std::make_shared<const Matrix>(encoded_examples(codec, *rows));
  };
}

std::shared_ptr<LoadedModel> load_file(const std::filesystem::path& path, const Reading& reading) {
  std::shared_ptr<LoadedModel> out;
  Call::run([&](const std::stop_token&) {
    out = std::make_shared<LoadedModel>(load_model(path, options_of(reading)));
    refer_to_training(*out, reading);
  });
  return out;
}

std::shared_ptr<LoadedModel> load_bytes(const nb::bytes& bytes, const std::string& source,
                                        const Reading& reading) {
  std::shared_ptr<LoadedModel> out;
  const std::string_view view(bytes.c_str(), bytes.size());
  Call::run([&](const std::stop_token&) {
    out = std::make_shared<LoadedModel>(load_model_bytes(view, source, options_of(reading)));
    refer_to_training(*out, reading);
  });
  return out;
}

/// A reference that may be given up by any thread.
std::shared_ptr<nb::object> shared(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* held) {
            if (Py_IsInitialized() == 0) return;
            const nb::gil_scoped_acquire gil;
            delete held;
          }};
}

std::shared_ptr<LoadedModel> load_callable(const std::string& name, nb::object function,
                                           const Reading& reading, std::size_t batch) {
  std::shared_ptr<LoadedModel> out;
  RemoteOptions remote{
      .kind = RemoteOptions::Kind::function,
      .address = name,
      .function = [held = shared(std::move(function))](Rows values, MutableView answers) {
        Call::ask(*held, values, answers);
      }};
  remote.batch = batch;
  Call::run([&](const std::stop_token&) {
    out = std::make_shared<LoadedModel>(load_remote_model(remote, options_of(reading)));
  });
  return out;
}

/// The logits of a frame's rows; NaN where a row cannot be read or answered. Rows that lack the
/// same values are asked together.
/// Retrained models, read as the model in use was.
std::shared_ptr<ModelPopulation> load_models(const std::vector<std::string>& paths,
                                             const LoadedModel& like, const Reading& reading,
                                             std::optional<std::size_t> search_models,
                                             unsigned threads) {
  std::shared_ptr<ModelPopulation> out;
  Call::run([&](const std::stop_token&) {
    out = std::make_shared<ModelPopulation>(
        load_population({paths.begin(), paths.end()}, like, options_of(reading),
                        {.search_models = search_models, .threads = threads}));
  });
  return out;
}

Vector logits(const LoadedModel& loaded, const DataFrame& frame) {
  validate(frame);
  Vector out(frame.rows(), std::numeric_limits<double>::quiet_NaN());
  struct Group {
    Codec codec;
    Matrix points;
    std::vector<std::size_t> rows;
  };
  std::map<std::vector<std::size_t>, Group> groups;
  for (std::size_t row = 0; row < out.size(); ++row) {
    const Record record = record_of(frame, loaded.codec.schema(), row);
    std::vector<std::size_t> missing = loaded.codec.missing_features(record);
    try {
      auto found = groups.find(missing);
      if (found == groups.end()) {
        Codec codec = missing.empty() ? loaded.codec : loaded.codec.with_missing(missing);
        found = groups.emplace(std::move(missing), Group{std::move(codec), {}, {}}).first;
        found->second.points.width = loaded.codec.width();
      }
      Group& group = found->second;
      group.points.append(group.codec.encode(record, {}, MissingPolicy::keep));
      group.rows.push_back(row);
    } catch (const DataError&) {
      continue;
    }
  }
  for (const auto& [missing, group] : groups) {
    if (group.rows.empty() || (!missing.empty() && !loaded.models)) continue;
    try {
      const auto model = missing.empty() ? loaded.model : loaded.models(group.codec);
      Vector answers(group.rows.size());
      model->logits(group.points.rows(), answers);
      for (std::size_t k = 0; k < answers.size(); ++k) out[group.rows[k]] = answers[k];
    } catch (const ModelError&) {
      continue;  // it takes no missing value there
    }
  }
  return out;
}

/// The model's probabilities of class 1, and which class it decides for: -1 where it has no answer.
nb::object decisions(const LoadedModel& loaded, const DataFrame& frame, double threshold) {
  std::vector<double> scores;
  std::vector<std::int8_t> classes;
  Call::run([&](const std::stop_token&) {
    const Goal goal(threshold);
    for (const double logit : logits(loaded, frame)) {
      scores.push_back(sigmoid(logit));
      const int decided = goal.reached(logit) ? 1 : 0;
      classes.push_back(static_cast<std::int8_t>(std::isnan(logit) ? -1 : decided));
    }
  });
  return nb::make_tuple(array_of(scores), array_of(classes));
}

/// A model and its bytes in one file, without the training data.
nb::bytes make_bundle(const LoadedModel& loaded, const nb::bytes& model, const Reading& reading,
                      double threshold, int wanted, const std::string& extra, bool examples) {
  Bundle bundle{.model = {model.c_str(), model.size()},
                .rounds = reading.rounds,
                .category_orders = reading.category_orders,
                .score = reading.score,
                .decision = reading.decision,
                .encoding = loaded.codec.json(),
                .goal = Goal(threshold, wanted),
                .extra = extra};
  if (examples) bundle.examples = loaded.examples;
  const std::string json = bundle_json(bundle);
  return nb::bytes(json.data(), json.size());
}

/// What a bundle holds beside what `load_bytes` reads; nothing when it is none.
nb::object read_bundle(const nb::bytes& bytes, const std::string& source) {
  const std::string_view json(bytes.c_str(), bytes.size());
  if (format_of(json) != ModelFormat::bundle) return nb::none();
  const Bundle bundle = parse_bundle(json, source);
  Reading reading;
  reading.rounds = bundle.rounds;
  reading.category_orders = bundle.category_orders;
  reading.score = bundle.score;
  reading.decision = bundle.decision;
  return nb::make_tuple(nb::bytes(bundle.model.data(), bundle.model.size()), reading, bundle.extra);
}

nb::object goal_of(const LoadedModel& loaded) {
  if (!loaded.goal) return nb::none();
  return nb::make_tuple(loaded.goal->threshold(), loaded.goal->wanted());
}

std::size_t asked_rows(const LoadedModel& loaded) {
  return loaded.remote ? loaded.remote->use().rows : 0;
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Reading>(module, "Reading")
      .def(nb::init<>())
      .def_rw("schema", &Reading::schema, nb::arg().none())
      .def_rw("training", &Reading::training, nb::arg().none())
      .def_rw("cost", &Reading::cost)
      .def_rw("rounds", &Reading::rounds)
      .def_rw("category_orders", &Reading::category_orders)
      .def_rw("score", &Reading::score)
      .def_rw("decision", &Reading::decision);
  nb::class_<ModelPopulation>(module, "Population")
      .def_prop_ro("search", [](const ModelPopulation& self) { return self.search.size(); })
      .def_prop_ro("certify", [](const ModelPopulation& self) { return self.certify.size(); });
  module.def("load_population", &load_models, nb::arg("paths"), nb::arg("like"), nb::arg("reading"),
             nb::arg("search_models").none(), nb::arg("threads"));
  nb::class_<LoadedModel>(module, "Model")
      .def_ro("name", &LoadedModel::name)
      .def_ro("source", &LoadedModel::source)
      .def_ro("fingerprint", &LoadedModel::fingerprint)
      .def_ro("program", &LoadedModel::program)
      .def_ro("label_decides", &LoadedModel::label_decides)
      .def_ro("own_threshold", &LoadedModel::own_threshold)
      .def_prop_ro("schema",
                   [](const LoadedModel& self) { return schema_json(self.codec.schema()); })
      .def_prop_ro("takes_missing", [](const LoadedModel& self) { return bool(self.models); })
      .def_prop_ro("has_gradient",
                   [](const LoadedModel& self) { return self.model->gradient() != nullptr; })
      .def_prop_ro("goal", &goal_of)
      .def_prop_ro("asked_rows", &asked_rows)
      .def("decisions", &decisions, nb::arg("frame"), nb::arg("threshold"));
  module.def("load_file", &load_file, nb::arg("path"), nb::arg("reading"));
  module.def("load_bytes", &load_bytes, nb::arg("bytes"), nb::arg("source"), nb::arg("reading"));
  module.def("make_bundle", &make_bundle, nb::arg("model"), nb::arg("bytes"), nb::arg("reading"),
             nb::arg("threshold"), nb::arg("wanted"), nb::arg("extra"), nb::arg("examples"));
  module.def("read_bundle", &read_bundle, nb::arg("bytes"), nb::arg("source"));
  module.def("load_callable", &load_callable, nb::arg("name"), nb::arg("function"),
             nb::arg("reading"), nb::arg("batch") = RemoteOptions{}.batch);
}

}  // namespace croco::python
