// SPDX-License-Identifier: Apache-2.0
/// A remote model: in another process, or behind a server. It is a black box.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <croco/base/types.hpp>
#include <croco/data/codec.hpp>
#include <croco/models/model.hpp>
#include <croco/remote/record_values.hpp>
#include <croco/remote/remote_options.hpp>
#include <croco/remote/row_service.hpp>

namespace croco {

/// Services that are made when they are needed, up to a number, and kept.
class ServicePool {
 public:
  ServicePool(std::function<std::unique_ptr<RowService>()> make, std::size_t most)
      : make_(std::move(make)), most_(most) {}

  /// Asks one that is free, waiting for it if need be. One that throws is given up.
  void ask(Rows values, MutableView answers);

 private:
  [[nodiscard]] std::unique_ptr<RowService> take();

  std::function<std::unique_ptr<RowService>()> make_;
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<RowService>> free_;
  std::size_t made_ = 0;
};

/// Which rows go together in a batch follows from the rows alone, so that no answer depends on
/// threads or workers. Every batch ends with a row whose answer is known from the beginning: a
/// model that changes, is non-deterministic, or misaligns its rows is noticed and refused. NaN is
/// an answer without a class: such a row is no yes.
class RemoteModel final : public Model {
 public:
  /// Asks for some made-up rows twice, in other company and order. Throws InvalidArgument for the
  /// options, IoError when there is no answer, ModelError when the answers are no function of a row
  /// or no probabilities, Stopped when the options' stop was requested.
  RemoteModel(const RemoteOptions& options, const Codec& codec);

  [[nodiscard]] std::size_t width() const noexcept override { return width_; }
  /// Throws like the constructor.
  void logits(Rows rows, MutableView out) const override { logits(rows, {}, out); }
  /// The same for records that lack these features, whatever the rows hold there. `stop` ends it
  /// between batches, by Stopped; the options' stop ends the wait for a batch too.
  void logits(Rows rows, std::span<const std::size_t> missing, MutableView out,
              const std::stop_token& stop = {}) const;
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind(Rows draws) const override;
  [[nodiscard]] std::unique_ptr<DrawEvaluator> bind_flips(Rows draws,
                                                          DrawnFlips flips) const override;

  [[nodiscard]] bool queries_are_expensive() const noexcept override { return true; }

  [[nodiscard]] const RemoteOptions& options() const noexcept { return options_; }
  /// What the model was asked so far, but for what its construction asked.
  struct Use {
    std::size_t rows = 0;        ///< those that keep watch included
    std::size_t unanswered = 0;  ///< of them, rows whose answer was NaN
  };
  [[nodiscard]] Use use() const noexcept { return {asked_.load(), unanswered_.load()}; }
  /// The rows that it is asked for when a caller asks for `rows`: with those that keep watch.
  [[nodiscard]] std::size_t rows_asked_for(std::size_t rows) const noexcept;
  /// How many rows one worker answers in a second: in batches that grow to full size, or to `most`
  /// rows, unless they take seconds and larger ones are no faster. Asks for them, and throws as
  /// `logits`.
  [[nodiscard]] double rows_per_second(
      std::size_t most = std::numeric_limits<std::size_t>::max()) const;

  /// SHA-256 of the columns and of the answers to the made-up rows, to five decimals: the model
  /// itself, however it is reached.
  [[nodiscard]] const std::string& fingerprint() const noexcept { return fingerprint_; }

 private:
  /// Probabilities or NaN, checked, in batches of at most this many rows.
  void ask(Rows values, MutableView answers, std::size_t batch) const;
  [[nodiscard]] std::size_t batches_of(std::size_t rows) const noexcept;
  void answer_batch(Rows points, std::span<const std::size_t> missing, MutableView out) const;
  void probe(const Codec& codec);

  RemoteOptions options_;
  std::size_t width_;
  RecordColumns columns_;
  mutable ServicePool pool_;
  Matrix probes_;   ///< values of the made-up rows
  Vector answers_;  ///< to them
  std::string fingerprint_;
  double probe_seconds_ = 0;  ///< that the made-up rows took when they were asked again
  mutable std::atomic<std::size_t> batches_ = 0;
  mutable std::atomic<std::size_t> asked_ = 0;
  mutable std::atomic<std::size_t> unanswered_ = 0;
};

/// The same model for people who lack these features, by their places in the schema: it is sent
/// empty fields of CSV, nulls of JSON, or NaN in the binary protocol.
[[nodiscard]] std::shared_ptr<const Model> without_values(std::shared_ptr<const RemoteModel> model,
                                                          std::vector<std::size_t> missing);

}  // namespace croco
