// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/load_remote.hpp>

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/loading/foreign_model.hpp>
#include <croco/remote/remote_model.hpp>

namespace croco {

LoadedModel load_remote_model(const RemoteOptions& remote, const LoadModelOptions& options) {
  const std::string source = remote.name();
  if (options.encoded && !options.schema) {
    throw ModelError(fmt::format(
        "{}: encoded data are matched by column name, and only a schema says these names", source));
  }
  require_no_tree_options(options, source);
  require_no_score_choice(options, source);
  std::shared_ptr<const RemoteModel> model;
  ForeignModel foreign;
  foreign.program = "a remote model";
  foreign.on_records = [&](const Codec& codec, const ScoreChoice& /*choice*/,
                           const std::shared_ptr<const Matrix>& /*examples*/) {
    model = std::make_shared<const RemoteModel>(remote, codec);
    return ForeignModel::Made{model};
  };
  LoadedModel loaded = load_foreign(foreign, options, source, {});
  loaded.fingerprint = model->fingerprint();
  loaded.program.clear();
  loaded.remote = model;
  loaded.models = [model](const Codec& codec) { return without_values(model, codec.missing()); };
  return loaded;
}

LoadedModel load_function(std::string name, ScoreFunction function,
                          const LoadModelOptions& options) {
  return load_remote_model({.kind = RemoteOptions::Kind::function,
                            .address = std::move(name),
                            .function = std::move(function)},
                           options);
}

}  // namespace croco
