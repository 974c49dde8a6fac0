// SPDX-License-Identifier: Apache-2.0
#include <croco/experiment/evaluation_store.hpp>

#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>

namespace croco {

EvaluationStore::EvaluationStore(const std::filesystem::path& path, const ReportContext& context,
                                 std::size_t methods, std::optional<double> target,
                                 std::function<std::string()> table)
    : GrowingReport(context, {{path, false}}), table_(std::move(table)) {
  for (std::size_t i = 0; i < methods; ++i) summaries_.emplace_back(target);
}

GrowingReport::Piece EvaluationStore::piece_of(std::size_t method,
                                               std::span<const Explanation> answers) {
  Piece out(1);
  for (const Explanation& answer : answers) {
    out[0] += fmt::format("{} {}", method, facts_line(facts_of(answer)));
  }
  return out;
}

void EvaluationStore::add(const Piece& piece) {
  // Texts may end anywhere.
  half_line_ += piece[0];
  std::size_t begin = 0;
  for (std::size_t end = half_line_.find('\n'); end != std::string::npos;
       end = half_line_.find('\n', begin)) {
    take_line(half_line_.substr(begin, end - begin));
    begin = end + 1;
  }
  half_line_.erase(0, begin);
}

void EvaluationStore::take_line(const std::string& line) {
  std::size_t method = summaries_.size();
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), method);
  if (error != std::errc() || method >= summaries_.size()) {
    throw DataError(fmt::format("'{}' is not what is known of an answer", line.substr(0, 60)));
  }
  summaries_[method].add(parse_facts(line.substr(static_cast<std::size_t>(end - line.data()))));
}

void EvaluationStore::continue_with(std::size_t /*stream*/, ByteSource& bytes) {
  std::array<char, std::size_t{1} << 16U> block{};
  while (const std::size_t got = bytes.read(block)) add({std::string(block.data(), got)});
}

void EvaluationStore::finish(std::size_t /*stream*/, ByteSource& /*bytes*/, const Write& write) {
  write(table_());
}

void EvaluationStore::render_one(const Explanation& answer, Piece& piece) const {
  piece[0] += piece_of(0, {&answer, 1})[0];
}

}  // namespace croco
