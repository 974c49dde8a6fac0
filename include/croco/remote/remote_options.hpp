// SPDX-License-Identifier: Apache-2.0
/// Where a remote model is, and how it is talked to.
///
///     croco::RemoteOptions remote{.kind = croco::RemoteOptions::Kind::url,
///                                 .address = "http://127.0.0.1:5000/invocations"};
///     remote.workers = 4;
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <croco/base/export.hpp>
#include <croco/base/types.hpp>

namespace croco {

/// How rows are written. The formats are in docs/howto/remote-models.md.
enum class RemoteProtocol : std::uint8_t {
  automatic,  ///< csv for a command, dataframe for a URL
  csv,        ///< command: lines of CSV, a blank line after each batch
  binary,     ///< command: counts and doubles
  dataframe,  ///< URL: {"dataframe_split": {"columns": ..., "data": ...}}, as for MLflow
  instances,  ///< URL: {"instances": [{...}, ...]}, as for KServe's first protocol
};
/// `auto`, `csv`, ...
[[nodiscard]] CROCO_EXPORT std::string_view name_of(RemoteProtocol protocol) noexcept;
/// Throws InvalidArgument naming the text and the protocols there are.
[[nodiscard]] CROCO_EXPORT RemoteProtocol parse_remote_protocol(std::string_view text);

/// A model that is a function of this program. Row k of `values` has the features of a record in
/// the schema's order: numbers in their own units, of a category the place of its level among the
/// schema's, NaN for what is missing. It sets `probabilities[k]` to the probability of class 1, NaN
/// for no answer. Called by one thread at a time, unless `workers` says more.
using ScoreFunction = std::function<void(Rows values, MutableView probabilities)>;

struct CROCO_EXPORT RemoteOptions {
  enum class Kind : std::uint8_t { command, url, function };
  Kind kind = Kind::command;
  std::string address = {};  ///< the command line, the URL, or what the function is called
  ScoreFunction function = {};
  RemoteProtocol protocol = RemoteProtocol::automatic;
  double seconds = 60.0;     ///< that a batch may take, the start of a program included
  std::size_t workers = 1;   ///< processes, or connections, at most
  std::size_t batch = 8192;  ///< rows at most
  /// URL: sent with every request, "Name: value". They are secret, and stand in no message or file.
  std::vector<std::string> headers = {};
  std::stop_token stop = {};  ///< ends the wait for an answer, by `Stopped`

  /// "command 'python predict.py'": how messages and reports call it, without what is secret in it.
  [[nodiscard]] std::string name() const;
};

/// Throws InvalidArgument naming the field, the value and the rule; among them a protocol of the
/// other kind, and an address that is none. `automatic` becomes the kind's own.
[[nodiscard]] CROCO_EXPORT RemoteOptions validated(RemoteOptions options);

}  // namespace croco
