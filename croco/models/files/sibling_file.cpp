// SPDX-License-Identifier: Apache-2.0
// Several hundred files of one recipe are read before the first person is explained. The JSON
// library takes most of a run for that: it cuts every number out of the text and hands it to
// strtod, and the checks before it do so a second time. Here texts are compared byte by byte, and
// numbers go through std::from_chars, which rounds correctly too.
#include <croco/models/files/sibling_file.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/models/files/model_file.hpp>

namespace croco {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool begins_number(char c) noexcept { return c == '-' || is_digit(c); }

/// Where the name's text begins in a file as `model_json` writes it.
const std::string& opening() {
  static const std::string text = fmt::format(R"({{"croco_model":{},"name":")", kModelVersion);
  return text;
}

/// The end of a name without escapes, from its beginning.
std::optional<std::size_t> end_of_name(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '"') return i;
    if (text[i] < ' ' || text[i] > '~' || text[i] == '\\') return std::nullopt;
  }
  return std::nullopt;
}

/// The number that begins at `place`, which is moved behind it.
std::optional<double> number_at(std::string_view text, std::size_t& place) {
  const char* begin = text.data() + place;
  const char* end = text.data() + text.size();
  const char* first_digit = *begin == '-' ? begin + 1 : begin;
  if (first_digit == end || !is_digit(*first_digit)) return std::nullopt;
  double value = 0;
  const auto [behind, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || !is_digit(behind[-1])) return std::nullopt;
  place += static_cast<std::size_t>(behind - begin);
  return value;
}

/// Skips characters that may belong to a number.
void skip_number(std::string_view text, std::size_t& place) {
  constexpr std::string_view kParts = "+-.eE0123456789";
  place = std::min(text.find_first_not_of(kParts, place), text.size());
}

/// The numbers of `text` from `place` on, where it equals `like` from `at` on in everything else;
/// none when it does not. Numbers may differ up to the end of the list that `like` is in.
std::optional<Vector> numbers_like(std::string_view like, std::size_t at, std::string_view text,
                                   std::size_t place, std::size_t expected) {
  Vector out;
  out.reserve(expected);
  for (int depth = 1; depth > 0;) {
    if (at >= like.size() || place >= text.size()) return std::nullopt;
    if (begins_number(like[at])) {
      const std::optional<double> number = number_at(text, place);
      if (!number) return std::nullopt;
      out.push_back(*number);
      skip_number(like, at);
      continue;
    }
    if (like[at] != text[place]) return std::nullopt;
    depth += like[at] == '[' ? 1 : like[at] == ']' ? -1 : 0;
    ++at;
    ++place;
  }
  if (like.substr(at) != text.substr(place) || out.size() != expected) return std::nullopt;
  return out;
}

}  // namespace

SiblingFiles::SiblingFiles(std::string text, std::shared_ptr<const Mlp> network)
    : text_(std::move(text)) {
  constexpr std::string_view kLayers = "\"layers\":[";
  if (!text_.starts_with(opening())) return;
  const std::optional<std::size_t> name_end = end_of_name(text_, opening().size());
  const std::size_t layers = text_.find(kLayers);
  if (!name_end || layers == std::string::npos || layers < *name_end) return;
  name_end_ = *name_end;
  layers_ = layers + kLayers.size();
  network_ = std::move(network);
  // The numbers in their order have to be the network's own, layer by layer, weights first.
  const std::shared_ptr<const Mlp> again = read(text_);
  const bool same = again && std::ranges::equal(again->layers(), network_->layers(),
                                                [](const DenseLayer& a, const DenseLayer& b) {
                                                  return a.weight == b.weight && a.bias == b.bias;
                                                });
  if (!same) network_ = nullptr;
}

std::shared_ptr<const Mlp> SiblingFiles::read(std::string_view text) const {
  if (!network_ || !text.starts_with(opening())) return nullptr;
  const std::optional<std::size_t> name_end = end_of_name(text, opening().size());
  const std::string_view between = std::string_view(text_).substr(name_end_, layers_ - name_end_);
  if (!name_end || !text.substr(*name_end).starts_with(between)) return nullptr;
  const std::optional<Vector> numbers =
      numbers_like(text_, layers_, text, *name_end + between.size(), network_->parameter_count());
  if (!numbers) return nullptr;
  std::vector<DenseLayer> layers = network_->layers();
  auto next = numbers->begin();
  for (DenseLayer& layer : layers) {
    for (Vector* part : {&layer.weight, &layer.bias}) {
      std::copy_n(next, part->size(), part->begin());
      next += static_cast<std::ptrdiff_t>(part->size());
    }
  }
  try {
    return std::make_shared<const Mlp>(std::move(layers), network_->hidden_activation());
  } catch (const ModelError&) {
    return nullptr;  // whoever reads it in full says what is wrong
  }
}

}  // namespace croco
