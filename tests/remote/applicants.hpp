// SPDX-License-Identifier: Apache-2.0
/// A schema of three features, and one model on it three times: in this process, as a program, and
/// as what a server computes.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>
#include <croco/data/schema.hpp>
#include <croco/models/model.hpp>
#include <croco/remote/record_values.hpp>
#include <croco/remote/remote_options.hpp>

namespace croco::applicants {

inline Codec codec() {
  return {parse_schema(R"({"croco_schema": 1, "features": [
            {"name": "income", "type": "numeric", "minimum": 0, "maximum": 200, "step": 1},
            {"name": "home", "type": "categorical", "levels": ["own", "rent, or \"none\""]},
            {"name": "debt", "type": "numeric", "minimum": 3, "maximum": 60}]})",
                       "applicants"),
          {{.minimum = 7, .maximum = 107}, {}, {.minimum = 3, .maximum = 43}},
          NumberEncoding::exact};
}

inline double probability(double income, bool owns, double debt) {
  const double score = 0.05 * income - 0.1 * debt + (owns ? 0.75 : 0.0) - 1.0;
  return 1 / (1 + std::exp(-score));
}

/// The same in Python; the operations are the same, so that the bits are.
inline std::string script(const std::string& tail = "print(p)") {
  return R"(python3 -c '
import csv, math, random, sys
seen = 0
for row in csv.DictReader(sys.stdin):
    seen += 1
    score = 0.05 * float(row["income"]) - 0.1 * float(row["debt"])
    score = score + (0.75 if row["home"] == "own" else 0.0) - 1.0
    p = 1 / (1 + math.exp(-score))
    )" + tail +
         "\n'";
}

inline std::string binary_script() {
  return R"(python3 -c '
import array, json, math, struct, sys
columns = [column["name"] for column in json.loads(sys.stdin.buffer.readline())["columns"]]
assert columns == ["income", "home", "debt"], columns
while head := sys.stdin.buffer.read(4):
    rows = struct.unpack("<I", head)[0]
    values = array.array("d", sys.stdin.buffer.read(24 * rows))
    out = array.array("d")
    for k in range(rows):
        income, home, debt = values[3 * k:3 * k + 3]
        score = 0.05 * income - 0.1 * debt + (0.75 if home == 0 else 0.0) - 1.0
        out.append(1 / (1 + math.exp(-score)))
    sys.stdout.buffer.write(head + out.tobytes())
    sys.stdout.buffer.flush()
')";
}

inline RemoteOptions command(const std::string& text) { return {.address = text}; }

class LocalModel final : public Model {
 public:
  explicit LocalModel(const Codec& codec) : width_(codec.width()), columns_(codec) {}
  [[nodiscard]] std::size_t width() const noexcept override { return width_; }
  void logits(Rows rows, MutableView out) const override {
    const Matrix values = columns_.values(rows);
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k] = logit_of(probability(values[k][0], values[k][1] == 0, values[k][2]));
    }
  }

 private:
  std::size_t width_;
  RecordColumns columns_;
};

/// Points inside and outside the training data's range; every third rents.
inline Matrix points(std::size_t count) {
  Matrix out(count, codec().width());
  for (std::size_t k = 0; k < count; ++k) {
    const auto step = static_cast<double>(k);
    out[k][0] = -0.3 + 0.0137 * step;
    out[k][1] = 1.1 - 0.0091 * step;
    out[k][k % 3 == 0 ? 3 : 2] = 1;
  }
  return out;
}

}  // namespace croco::applicants
