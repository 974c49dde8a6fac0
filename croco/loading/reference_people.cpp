// SPDX-License-Identifier: Apache-2.0
#include <croco/loading/reference_people.hpp>

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {

ReferencePeople accepted_reference(const LoadedModel& loaded, const Goal& goal, std::size_t least,
                                   std::size_t most, std::string_view option) {
  const std::shared_ptr<const Matrix> rows = loaded.examples    ? loaded.examples
                                             : loaded.reference ? loaded.reference()
                                                                : nullptr;
  if (!rows) {
    throw InvalidArgument(fmt::format(
        "{} compares people with accepted ones; --training must name the data that the model was "
        "trained on",
        option));
  }
  Vector logits(rows->count());
  loaded.model->logits(rows->rows(), logits);
  std::vector<std::size_t> accepted;
  for (std::size_t i = 0; i < rows->count(); ++i) {
    if (goal.reached(logits[i])) accepted.push_back(i);
  }
  if (accepted.size() < least) {
    throw InvalidArgument(fmt::format(
        "{} compares people with accepted ones; the model accepts {} of {} people in the training "
        "data, and at least {} are needed",
        option, accepted.size(), rows->count(), least));
  }
  ReferencePeople out{Matrix(0, rows->width), {}};
  const std::size_t taken = std::min(most, accepted.size());
  for (std::size_t k = 0; k < taken; ++k) {
    out.places.push_back(accepted[k * accepted.size() / taken]);
    out.points.append((*rows)[out.places.back()]);
  }
  return out;
}

}  // namespace croco
