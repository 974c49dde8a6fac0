// SPDX-License-Identifier: Apache-2.0
/// From an ONNX file to a program on planes: its inputs are found among the columns of people, its
/// operators become steps, and its output becomes a logit.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <croco/models/graph/plane_program.hpp>
#include <croco/models/onnx/builder.hpp>
#include <croco/models/onnx/file.hpp>

namespace croco::onnx {

/// A feature of people, and where it is in an encoded point.
struct SourceColumn {
  std::string name = {};
  std::size_t column = 0;  ///< the first one
  double minimum = 0.0;    ///< of a number: `minimum + unit * point[column]`
  double unit = 1.0;
  std::vector<std::string> levels = {};  ///< of a category: one column each
  bool missing = false;                  ///< the value is missing in every row

  [[nodiscard]] bool categorical() const noexcept { return !levels.empty(); }
};

/// All of them, in the order of the schema.
struct SourceColumns {
  std::size_t width = 0;  ///< of encoded points
  std::vector<SourceColumn> columns = {};
  std::string favourable = {};  ///< the label that is class 1; may be empty
  ScoreChoice choice = {};      ///< what the user says about the output
  /// Encoded rows of the training data, where there are any.
  std::shared_ptr<const Matrix> examples = {};
};

/// The examples, and made-up rows from near to far, to look at what a graph answers.
[[nodiscard]] Matrix sample_rows(const SourceColumns& source);
/// Rows such as the model is asked about: the examples, or the nearest made-up ones.
[[nodiscard]] Matrix usual_rows(const SourceColumns& source);

/// The inputs that are no initializers: what the model is asked with.
[[nodiscard]] std::vector<ValueInfo> model_inputs(const File& file);
/// The numbers or texts that an input takes for each row; kOpenDimension when the file leaves it
/// open. Throws ModelError for shapes that no table has, and for more than `kMaxModelColumns`.
[[nodiscard]] std::int64_t input_width(const ValueInfo& input);
/// All of them together; open widths count as nothing. Throws as `input_width` does.
[[nodiscard]] std::size_t total_width(const File& file);

/// The values of all inputs. Inputs of one column are found by name; wider ones take all features,
/// or all of their type, or the encoded columns, in order. Throws ModelError naming every input
/// that is not there, or the widths that do not fit.
[[nodiscard]] std::map<std::string, Value> bind_inputs(Builder& build, const File& file,
                                                       const SourceColumns& source);

/// Which output is the score, and what class each of its two columns is.
struct ScoreOutput {
  std::string value = {};                 ///< name of the tensor
  std::vector<std::string> classes = {};  ///< their labels; empty when the file does not say
  std::string label = {};                 ///< name of the output with the label, if there is one
};
/// Throws ModelError when several outputs could be meant.
[[nodiscard]] ScoreOutput score_output(const File& file);

/// The nodes that a value needs, in their order.
[[nodiscard]] std::vector<const Node*> needed_nodes(const File& file, const std::string& value);
/// The node that makes a value; `nullptr` when none does.
[[nodiscard]] const Node* producer_of(const File& file, const std::string& value);
/// The labels of a classifier or a ZipMap, in the order of its scores.
[[nodiscard]] std::vector<std::string> class_labels(const Node& node);
/// The two labels that a tensor holds; empty when it holds another number of entries.
[[nodiscard]] std::vector<std::string> pair_of_labels(const Tensor& tensor);

/// A plane with the logit of class 1, and how it was found.
struct ScoreReading {
  Plane logit = 0;
  std::string words = {};
  std::string which = {};    ///< " of class 'yes'", or nothing
  bool second_class = true;  ///< whether it is the logit of the second class
  /// What the output's numbers are, where no sigmoid or softmax at the end says so.
  ScoreKind kind = ScoreKind::proven;
};
/// A softmax or sigmoid at the end is taken off. Other numbers are probabilities when their range
/// is proved to be 0 .. 1, and are turned into logits, within 1e-12 of 0 and 1; they are logits
/// when one of `samples` is outside of 0 .. 1. Throws ModelError for what is neither, for an output
/// that has neither one nor two numbers for each row, or classes of which none is the favourable
/// one.
[[nodiscard]] ScoreReading read_score(Builder& build, const Value& value, const ScoreOutput& output,
                                      const std::string& favourable, Rows samples);

struct CompiledGraph {
  PlaneProgram program = {};
  RuntimeTypes types = {};
  std::string score = {};              ///< how the output is read
  ScoreKind kind = ScoreKind::proven;  ///< see ScoreReading
  ModelBudget budget = ModelBudget();  ///< what is left of the file's
};

/// Throws ModelError; operators that croco does not have are named all at once.
[[nodiscard]] CompiledGraph compile(const File& file, const SourceColumns& source);

}  // namespace croco::onnx
