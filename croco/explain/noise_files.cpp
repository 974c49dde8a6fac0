// SPDX-License-Identifier: Apache-2.0
// Files of residuals and covariances.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/files.hpp>
#include <croco/base/json_check.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/numbers.hpp>
#include <croco/data/cell.hpp>
#include <croco/data/json_object.hpp>
#include <croco/data/record_reader.hpp>
#include <croco/explain/feature_noise.hpp>

namespace croco {
namespace {

using Json = nlohmann::ordered_json;

/// A column of a file and what it is to the model.
struct NoiseColumn {
  std::size_t column = 0;  ///< encoded
  double unit = 1;         ///< units of the file per encoded unit
};

NoiseColumn noise_column(const Codec& codec, const std::string& name, const std::string& source,
                         std::vector<std::size_t>& taken) {
  constexpr std::string_view kEncoded = ":encoded";
  const bool encoded = name.ends_with(kEncoded);
  const std::string plain = encoded ? name.substr(0, name.size() - kEncoded.size()) : name;
  std::size_t feature = 0;
  try {
    feature = codec.schema().index_of(plain);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", source, error.what()));
  }
  const std::size_t column = codec.column_of(feature);
  if (!codec.space().columns[column].continuous) {
    throw DataError(
        fmt::format("{}: '{}' is a category; noise of this kind is for numbers", source, plain));
  }
  if (std::ranges::find(taken, column) != taken.end()) {
    throw DataError(fmt::format("{}: '{}' occurs twice", source, plain));
  }
  taken.push_back(column);
  return {column, encoded ? 1.0 / codec.span_of(feature) : codec.unit_of(feature)};
}

double number_of(const CsvTable& table, const CsvRow& row, std::size_t column) {
  const std::optional<double> value = cell_number(row.fields[column]);
  if (value) return *value;
  throw DataError(fmt::format("{}, line {}, column '{}': {}", table.source, row.line,
                              table.header[column], number_fault(row.fields[column])));
}

/// A covariance in own units, by name.
struct StatedCovariance {
  std::vector<std::string> features;
  Matrix matrix;
};

void require_features(const std::vector<std::string>& features, const std::string& source) {
  if (!features.empty()) return;
  throw DataError(fmt::format("{}: names no features; a covariance is of at least one", source));
}

StatedCovariance csv_covariance(const CsvTable& table) {
  const bool named = table.header.front() == "feature";
  StatedCovariance out;
  out.features.assign(table.header.begin() + (named ? 1 : 0), table.header.end());
  require_features(out.features, table.source);
  out.matrix = Matrix(0, out.features.size());
  if (table.rows.size() != out.features.size()) {
    throw DataError(fmt::format("{}: has {} rows for {} features; a covariance has one for each",
                                table.source, table.rows.size(), out.features.size()));
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const CsvRow& row = table.rows[i];
    check_field_count(table, row);
    if (named && row.fields.front() != out.features[i]) {
      throw DataError(
          fmt::format("{}, line {}: the row is of '{}'; it must be of '{}', in the "
                      "order of the header",
                      table.source, row.line, row.fields.front(), out.features[i]));
    }
    Vector values;
    for (std::size_t j = named ? 1 : 0; j < row.fields.size(); ++j) {
      values.push_back(number_of(table, row, j));
    }
    out.matrix.append(values);
  }
  return out;
}

StatedCovariance json_covariance(const std::string& text, const std::string& source) {
  check_json(text, source);
  const Json json = parse_json(text);
  const JsonObject reader(json, source, {"features", "covariance"});
  static_cast<void>(reader.get("features"));
  StatedCovariance out;
  out.features = reader.texts("features", "name");
  require_features(out.features, source);
  const std::size_t count = out.features.size();
  const Json& rows = reader.array("covariance");
  if (rows.size() != count) {
    reader.fail(fmt::format("'covariance' has {} rows; each of the {} features needs one",
                            rows.size(), count));
  }
  out.matrix = Matrix(0, count);
  for (std::size_t i = 0; i < count; ++i) {
    const Json& row = rows[i];
    if (!row.is_array()) {
      reader.fail(fmt::format("row {} of 'covariance' is {}; it must be an array of numbers", i + 1,
                              json_text(row)));
    }
    if (row.size() != count) {
      reader.fail(
          fmt::format("row {} of 'covariance' has {} numbers; each of the {} features "
                      "needs one",
                      i + 1, row.size(), count));
    }
    Vector values;
    for (std::size_t j = 0; j < count; ++j) {
      if (!row[j].is_number()) {
        reader.fail(fmt::format("row {}, column {} of 'covariance' is {}; it must be a number",
                                i + 1, j + 1, json_text(row[j])));
      }
      values.push_back(row[j].get<double>());
    }
    out.matrix.append(values);
  }
  return out;
}

}  // namespace

Noise residual_noise(const Codec& codec, const CsvTable& table) {
  require_rows(table);
  std::vector<NoiseColumn> columns;
  Noise noise{.shape = NoiseShape::empirical};
  for (const std::string& name : table.header) {
    columns.push_back(noise_column(codec, name, table.source, noise.residuals.columns));
  }
  if (table.rows.size() * columns.size() > kMaxResiduals) {
    throw DataError(
        fmt::format("{}: has {} rows of {} residuals; at most {} numbers can be held, "
                    "take a random part of the rows",
                    table.source, table.rows.size(), columns.size(), kMaxResiduals));
  }
  noise.residuals.rows = Matrix(0, columns.size());
  for (const CsvRow& row : table.rows) {
    check_field_count(table, row);
    Vector values;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      values.push_back(number_of(table, row, i) / columns[i].unit);
    }
    noise.residuals.rows.append(values);
  }
  return noise;
}

Noise read_covariance_noise(const Codec& codec, const std::filesystem::path& path) {
  const std::string source = path.string();
  StatedCovariance stated = path.extension() == ".json" ? json_covariance(read_file(path), source)
                                                        : csv_covariance(read_csv(path));
  std::vector<std::size_t> taken;
  Vector units;
  for (const std::string& name : stated.features) {
    units.push_back(noise_column(codec, name, source, taken).unit);
  }
  try {
    // In own units first: messages then speak of the file's numbers.
    static_cast<void>(Covariance(taken, stated.matrix));
    for (std::size_t i = 0; i < units.size(); ++i) {
      for (std::size_t j = 0; j < units.size(); ++j) stated.matrix[i][j] /= units[i] * units[j];
    }
    return {.shape = NoiseShape::correlated,
            .covariance = Covariance(taken, std::move(stated.matrix))};
  } catch (const InvalidArgument& error) {
    throw DataError(fmt::format("{}: {} (columns: {})", source, error.what(),
                                fmt::join(stated.features, ", ")));
  }
}

}  // namespace croco
