// SPDX-License-Identifier: Apache-2.0
/// A reference model and the people that it rejects, for the programs that measure on them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/data/csv.hpp>
#include <croco/data/record_reader.hpp>
#include <croco/loading/loaded_model.hpp>
#include <croco/models/model.hpp>

namespace croco {

struct ReferencePeople {
  LoadedModel loaded;
  std::vector<Vector> rejected;

  /// `folder` holds models/NAME.json and factuals/NAME.csv, encoded.
  ReferencePeople(const std::filesystem::path& folder, const std::string& name)
      : loaded(load_model(folder / "models" / (name + ".json"), {.encoded = true})) {
    const CsvTable table = read_csv(folder / "factuals" / (name + ".csv"));
    const RecordReader reader(loaded.codec.schema(), table);
    for (const CsvRow& row : table.rows) {
      Vector point = loaded.codec.encode(reader.read(row), reader.where(row));
      if (loaded.model->logit(point) <= 0) rejected.push_back(std::move(point));
    }
  }
};

}  // namespace croco
