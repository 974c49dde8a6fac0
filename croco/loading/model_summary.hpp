// SPDX-License-Identifier: Apache-2.0
/// What is in a model file, and what croco will do with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <croco/loading/load_remote.hpp>
#include <croco/models/model.hpp>
#include <croco/models/trees/tree_ensemble.hpp>

namespace croco {

/// How samples are evaluated, from the fastest to the slowest.
enum class ModelPath : std::uint8_t {
  linear,     ///< rates have a closed form
  network,    ///< draws are projected through the first layer, in single precision
  projected,  ///< a graph behind an affine beginning that draws are projected through
  graph,      ///< a graph with a gradient
  answers,    ///< no gradient: the search asks for answers alone
};
[[nodiscard]] ModelPath path_of(const Model& model);

struct ModelSummary {
  std::string program;      ///< of LoadedModel
  std::string format;       ///< "ONNX", "XGBoost", "croco"
  std::string name;         ///< what the file calls itself; may be empty
  std::string fingerprint;  ///< SHA-256: see LoadedModel
  struct Input {
    std::string name;
    std::string type;       ///< "number", "category", "text"
    std::size_t width = 1;  ///< columns; 0 when the file leaves it open
  };
  std::vector<Input> inputs;
  struct Count {
    std::string name;
    std::size_t count = 0;
  };
  std::vector<Count> operators;      ///< by name; of graphs
  std::size_t parameters = 0;        ///< numbers that were learnt; 0 when unknown
  TreeEnsemble::Rounds rounds = {};  ///< of boosted trees
  std::string structure;             ///< "61 - 16 - 1, relu"; "20 trees of 310 nodes"
  std::string score;                 ///< how the output becomes a score
  std::string caution;               ///< see LoadedModel
  std::size_t width = 0;             ///< columns of the space that it was bound to
  bool gradient = false;
  ModelPath path = ModelPath::answers;
  /// Whether it was bound to columns made up from its inputs, for want of data.
  bool made_up = false;
};

/// Reads a model file of any format. Graphs of other tools are bound to `options.training` when it
/// is given, else to columns made up from their inputs. Throws like `load_model`.
struct SummarisedModel {
  ModelSummary summary;
  std::shared_ptr<const Model> model;
};
[[nodiscard]] SummarisedModel summarise_model(const std::filesystem::path& path,
                                              const LoadModelOptions& options);

/// The same for a remote model; `options.training` or encoded data must be given.
[[nodiscard]] SummarisedModel summarise_model(const RemoteOptions& remote,
                                              const LoadModelOptions& options);

/// Milliseconds that this many rows take, on one thread: the least of three times.
[[nodiscard]] double milliseconds_for(const Model& model, std::size_t rows);

}  // namespace croco
