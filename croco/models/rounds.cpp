// SPDX-License-Identifier: Apache-2.0
#include <croco/models/rounds.hpp>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {

std::size_t chosen_rounds(const RoundChoice& choice, std::size_t rounds,
                          std::optional<std::size_t> best, const std::string& source) {
  switch (choice.kind) {
    case RoundChoice::Kind::unstated:
      if (best && *best + 1 < rounds) {
        throw ModelError(fmt::format(
            "{}: the model has {} rounds and says that round {}, counted from 0, was the best. "
            "XGBoost's scikit-learn interface uses the {} up to it, Booster.predict and "
            "inplace_predict use all: say which with --rounds best or --rounds all",
            source, rounds, *best, *best + 1));
      }
      return rounds;
    case RoundChoice::Kind::all:
      return rounds;
    case RoundChoice::Kind::best:
      if (!best) {
        throw InvalidArgument(fmt::format(
            "rounds is 'best', and {} does not say which of its {} rounds was the best; it must be "
            "all or a number",
            source, rounds));
      }
      if (*best >= rounds) {
        throw InvalidArgument(
            fmt::format("rounds is 'best', and {} says that this is round {}, counted from 0; it "
                        "has {} rounds",
                        source, *best, rounds));
      }
      return *best + 1;
    case RoundChoice::Kind::first:
      if (choice.count > rounds) {
        throw InvalidArgument(fmt::format("rounds is {}; {} has {}", choice.count, source, rounds));
      }
      return choice.count;
  }
  return rounds;
}

}  // namespace croco
