// SPDX-License-Identifier: Apache-2.0
#include <croco/remote/metered_model.hpp>

#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/remote/remote_draws.hpp>

namespace croco {
namespace {

/// Rows that are asked for together when a certificate's samples are counted.
constexpr std::size_t kMeteredBatch = 8192;

}  // namespace

MeteredModel::MeteredModel(const Model& model, const RemoteModel* remote, std::size_t limit,
                           std::stop_token stop)
    : model_(model), remote_(remote), limit_(limit), stop_(std::move(stop)) {}

void MeteredModel::logits(Rows rows, MutableView out) const {
  if (rows.count() == 0) return;
  const std::size_t asked = price(rows.count());
  std::size_t used = used_.load();
  do {
    if (asked > limit_ - used) {
      throw Error(fmt::format(
          "{} rows were about to be asked of the model; {} of {} in the query budget are left",
          asked, limit_ - used, limit_));
    }
  } while (!used_.compare_exchange_weak(used, used + asked));
  if (remote_ == nullptr) {
    model_.logits(rows, out);
  } else {
    remote_->logits(rows, {}, out, stop_);
  }
}

std::unique_ptr<DrawEvaluator> MeteredModel::bind(Rows draws) const {
  return bind_flips(draws, {});
}

std::unique_ptr<DrawEvaluator> MeteredModel::bind_flips(Rows draws, DrawnFlips flips) const {
  return bind_in_batches(*this, kMeteredBatch, draws, std::move(flips));
}

}  // namespace croco
