// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/prepared_dataset.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/numbers.hpp>
#include <croco/base/sha256.hpp>
#include <croco/data/catalog.hpp>
#include <croco/data/record_reader.hpp>
#include <croco/loading/fitted_model.hpp>
#include <croco/loading/people.hpp>
#include <croco/robustness/problem.hpp>

namespace croco {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

CsvTable read_data(const ExperimentDataset& dataset, const PrepareOptions& options) {
  const CatalogEntry* entry = find_entry(dataset.data);
  CsvTable table = entry == nullptr ? read_csv(dataset.data)
                                    : load_dataset(*entry, {.locations = {options.data_dir}});
  require_rows(table);
  return table;
}

/// A digest of what a table holds, whatever file it came from.
std::string digest_of(const CsvTable& table) {
  std::string text = csv_record(table.header);
  for (const CsvRow& row : table.rows) text += csv_record(row.fields);
  return sha256(text);
}

Json training_of(const TrainOptions& options, const CsvTable& table, const Schema& schema) {
  return {{"data_sha256", digest_of(table)},
          {"schema_sha256", sha256(schema_json(schema))},
          {"hidden", options.hidden},
          {"activation", name_of(options.activation)},
          {"epochs", options.epochs},
          {"batch", options.batch},
          {"learning_rate", options.learning_rate},
          {"weight_decay", options.weight_decay},
          {"test_share", options.test_share},
          {"validation_share", options.validation_share},
          {"patience", options.patience},
          {"class_weights", options.class_weights == ClassWeights::balanced ? "balanced" : "equal"},
          {"seed", options.seed}};
}

/// What is known of a model that was trained here: how, and how good it is.
struct Training {
  std::string model_sha256;
  double test_accuracy = 0.0;
  double test_auc = 0.0;
};

/// A model that results may rest on is not replaced by another one.
void require_same(const Json& known, const Json& wanted, const fs::path& model) {
  for (const auto& entry : wanted.items()) {
    const auto found = known.find(entry.key());
    if (found != known.end() && *found != entry.value()) {
      throw InvalidArgument(fmt::format(
          "{} was trained with {} = {}, and now it is {}; choose another --output, or remove that "
          "file",
          model.string(), entry.key(), json_text(*found), json_text(entry.value())));
    }
  }
}

/// The training of a model that is there already, if it is the same as the one asked for.
std::optional<Training> same_training(const fs::path& model, const fs::path& record,
                                      const Json& wanted) {
  std::error_code ignored;
  if (!fs::exists(model, ignored) || !fs::exists(record, ignored)) return std::nullopt;
  // Whatever else is in these files means that the model has to be trained again.
  const Json json = try_parse_json(read_file(record));
  const Json known = json.is_object() ? json.value("training", Json()) : Json();
  if (known.is_object()) require_same(known, wanted, model);
  if (known != wanted) return std::nullopt;
  const Json digest = json.value("model_sha256", Json());
  const Json accuracy = json.value("test_accuracy", Json());
  const Json auc = json.value("test_auc", Json());
  if (!digest.is_string() || !accuracy.is_number() || !auc.is_number()) return std::nullopt;
  if (digest != sha256(read_file(model))) return std::nullopt;
  return Training{digest, accuracy, auc};
}

std::optional<Training> train_model(const ExperimentDataset& dataset, const CsvTable& table,
                                    const fs::path& path, const PrepareOptions& options,
                                    const std::stop_token& stop) {
  const CatalogEntry* entry = find_entry(dataset.data);
  const Schema schema =
      dataset.schema.empty() ? catalog_schema(*entry) : read_schema(dataset.schema);
  const Json training = training_of(dataset.train, table, schema);
  const fs::path record = fs::path(path).replace_extension(".training.json");
  if (const auto known = same_training(path, record, training)) return known;
  const FittedModel fitted = fit_model(table, schema, MissingPolicy::drop, dataset.train,
                                       dataset.name, options.progress, stop);
  if (stop.stop_requested()) return std::nullopt;
  Training made{sha256(fitted.file), fitted.result.test.accuracy, fitted.result.test.auc};
  const Json json{{"model_sha256", made.model_sha256},
                  {"test_accuracy", made.test_accuracy},
                  {"test_auc", made.test_auc},
                  {"training", training}};
  write_file(path, fitted.file);
  write_file(record, json_text(json, 2) + '\n');
  return made;
}

/// The first rows that the model rejects, as a table: encoded columns, or the records themselves.
std::string rejected_rows(const CsvTable& table, const LoadedModel& loaded, Limits limits,
                          std::size_t count) {
  const Codec& codec = loaded.codec;
  const RecordReader reader(codec.schema(), table);
  std::vector<std::string> names = codec.column_names();
  if (limits == Limits::schema) {
    names.clear();
    for (const Feature& feature : codec.schema().features) names.push_back(feature.name);
  }
  std::string out = csv_record(names);
  std::size_t found = 0;
  for (const CsvRow& row : table.rows) {
    if (found == count) break;
    const Record record = reader.read(row);
    Vector point;
    try {
      point = codec.encode(record, reader.where(row));
    } catch (const MissingValue&) {
      continue;
    }
    if (Goal().reached(loaded.model->logit(point))) continue;
    ++found;
    if (limits == Limits::schema) {
      out += csv_record(record);
      continue;
    }
    std::vector<std::string> fields;
    fields.reserve(point.size());
    for (const double value : point) fields.push_back(format_number(value));
    out += csv_record(fields);
  }
  if (found == 0) {
    throw DataError(
        fmt::format("{}: the model rejects nobody, so there is nobody to explain", table.source));
  }
  return out;
}

/// Neither are people.
void write_people(const fs::path& path, const std::string& text) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    write_file(path, text);
  } else if (read_file(path) != text) {
    throw InvalidArgument(
        fmt::format("{} holds other people than this run asks for; choose another --output, or "
                    "remove that file",
                    path.string()));
  }
}

std::vector<std::string> failures_of(const std::vector<Person>& people, const Codec& codec) {
  std::vector<std::string> out;
  for (const Person& person : people) {
    if (!person.problem.empty()) {
      out.push_back(person.problem);
      continue;
    }
    try {
      static_cast<void>(codec.encode(person.record, person.where));
    } catch (const DataError& error) {
      out.emplace_back(error.what());
    }
  }
  return out;
}

}  // namespace

std::optional<PreparedDataset> prepare(const ExperimentDataset& dataset,
                                       const PrepareOptions& options, const std::stop_token& stop) {
  std::optional<CsvTable> data;
  if (dataset.model.empty() || dataset.people.empty()) data = read_data(dataset, options);

  fs::path model_path = dataset.model;
  std::optional<Training> training;
  if (model_path.empty()) {
    fs::create_directories(options.folder / "models");
    model_path = options.folder / "models" / (dataset.name + ".json");
    training = train_model(dataset, *data, model_path, options, stop);
    if (!training) return std::nullopt;
  }
  LoadModelOptions load;
  // The schema of data that are trained on is part of the model; for another model it says more.
  if (!dataset.model.empty() && !dataset.schema.empty()) load.schema = read_schema(dataset.schema);
  load.encoded = dataset.limits == Limits::none && !dataset.people.empty();
  LoadedModel loaded = load_model(model_path, load);

  std::string people;
  std::string source = dataset.people.string();
  if (dataset.people.empty()) {
    fs::create_directories(options.folder / "people");
    const fs::path path = options.folder / "people" / (dataset.name + ".csv");
    people = rejected_rows(*data, loaded, dataset.limits, options.people);
    write_people(path, people);
    source = path.string();
    if (dataset.limits == Limits::none) loaded = load_model(model_path, {.encoded = true});
  } else {
    people = read_file(dataset.people);
  }
  CsvTable table = parse_csv(people, source);
  require_rows(table);
  if (table.rows.size() > options.people) table.rows.resize(options.people);
  std::vector<Person> read = read_people(table, loaded.codec.schema(), 0, table.rows.size());
  std::vector<std::string> failures = failures_of(read, loaded.codec);
  return PreparedDataset{
      .loaded = std::move(loaded),
      .table = std::move(table),
      .people = std::move(read),
      .people_fingerprint = sha256(people),
      .failures = std::move(failures),
      .trained = training.has_value(),
      .test_accuracy = training ? std::optional(training->test_accuracy) : std::nullopt,
      .test_auc = training ? std::optional(training->test_auc) : std::nullopt};
}

}  // namespace croco
