// SPDX-License-Identifier: Apache-2.0
#include <croco/models/files/lightgbm_file.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_check.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/numbers.hpp>
#include <croco/models/model_budget.hpp>
#include <croco/models/runtime_error.hpp>

namespace croco {
namespace {

/// Bits of a split's decision type.
constexpr std::int64_t kCategorical = 1;
constexpr std::int64_t kDefaultLeft = 2;
enum class Missing : std::uint8_t { none = 0, zero = 1, nan = 2 };

std::vector<std::string_view> words(std::string_view text, char between = ' ') {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(between), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// `key=value` lines of one part of the file.
class Part {
 public:
  explicit Part(std::string where) : where_(std::move(where)) {}

  [[nodiscard]] const std::string& where() const noexcept { return where_; }
  [[noreturn]] void fail(const std::string& what) const {
    throw ModelError(fmt::format("{}: {}", where_, what));
  }
  void add(std::string_view line) {
    const std::size_t equals = line.find('=');
    const std::string key(line.substr(0, equals));
    if (!values_
             .try_emplace(key, equals == std::string_view::npos ? line.substr(0, 0)
                                                                : line.substr(equals + 1))
             .second) {
      fail(fmt::format("'{}' occurs twice", key.substr(0, 40)));
    }
  }
  [[nodiscard]] bool has(const char* key) const { return values_.contains(key); }
  [[nodiscard]] std::string_view text(const char* key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) fail(fmt::format("'{}' is missing", key));
    return found->second;
  }
  [[nodiscard]] std::vector<double> numbers(const char* key, std::size_t count) const {
    std::vector<double> out;
    for (const std::string_view word : words(text(key))) {
      const std::optional<double> number = parse_number(word);
      if (!number) {
        fail(fmt::format("'{}', entry {}: '{}' is no number", key, out.size(), word.substr(0, 40)));
      }
      out.push_back(*number);
    }
    if (out.size() != count) {
      fail(fmt::format("'{}' has {} entries; {} are needed", key, out.size(), count));
    }
    return out;
  }
  [[nodiscard]] std::vector<std::int64_t> integers(const char* key, std::size_t count) const {
    std::vector<std::int64_t> out;
    for (const double number : numbers(key, count)) {
      if (!(std::abs(number) <= 0x1p53) || number != std::floor(number)) {
        fail(fmt::format("'{}', entry {}: {} is no whole number", key, out.size(),
                         format_number(number)));
      }
      out.push_back(static_cast<std::int64_t>(number));
    }
    return out;
  }
  [[nodiscard]] std::size_t count(const char* key, std::size_t most) const {
    const std::int64_t number = integers(key, 1)[0];
    if (number < 0 || static_cast<std::uint64_t>(number) > most) {
      fail(fmt::format("'{}' is {}; it must be a whole number up to {}", key, number, most));
    }
    return static_cast<std::size_t>(number);
  }

 private:
  std::string where_;
  std::map<std::string, std::string_view, std::less<>> values_;
};

/// The file cut into its parts; views into the text.
struct Document {
  Part header;
  std::vector<Part> trees;
  std::string_view categorical_columns;  ///< "2,5", of the parameters
  std::string_view pandas_levels;        ///< JSON
};

Document cut(std::string_view text, const std::string& source, ModelBudget& budget) {
  constexpr std::size_t kLineBytes = 128;  // a key and a node of a map
  constexpr std::size_t kTreeBytes = 256;
  Document out{Part(source), {}, {}, {}};
  bool in_trees = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (line == "end of trees") {
      in_trees = false;
    } else if (in_trees && line.starts_with("Tree=")) {
      if (out.trees.size() == kMaxTrees) {
        out.header.fail(fmt::format("has more than {} trees", kMaxTrees));
      }
      budget.keep(1, kTreeBytes + source.size(), "its list of trees");
      out.trees.emplace_back(fmt::format("{}, tree {}", source, out.trees.size()));
    } else if (in_trees) {
      budget.keep(1, kLineBytes, "its list of lines");
      (out.trees.empty() ? out.header : out.trees.back()).add(line);
    } else if (constexpr std::string_view kKey = "[categorical_feature: "; line.starts_with(kKey)) {
      out.categorical_columns = line.substr(kKey.size(), line.size() - kKey.size() - 1);
    } else if (constexpr std::string_view kLevels = "pandas_categorical:";
               line.starts_with(kLevels)) {
      out.pandas_levels = line.substr(kLevels.size());
    }
  }
  if (in_trees) out.header.fail("'end of trees' is missing: the file is not complete");
  return out;
}

/// The sets of a tree's categorical splits, as words of 32 bits.
CodeSet set_of(const Part& tree, std::size_t node, double number,
               const std::vector<std::int64_t>& bounds, const std::vector<std::int64_t>& bits,
               ModelBudget& budget) {
  if (!(number >= 0) || !(number + 1 < static_cast<double>(bounds.size())) ||
      number != std::floor(number)) {
    tree.fail(fmt::format("node {}: has the set of categories {}; there are {}", node,
                          format_number(number), bounds.empty() ? 0 : bounds.size() - 1));
  }
  const auto index = static_cast<std::size_t>(number);
  const std::int64_t from = bounds[index];
  const std::int64_t to = bounds[index + 1];
  if (from < 0 || from > to || to > static_cast<std::int64_t>(bits.size())) {
    tree.fail(fmt::format("node {}: its categories are words {} to {} of {}", node, from, to,
                          bits.size()));
  }
  count_codes(budget, 32 * static_cast<std::size_t>(to - from));
  CodeSet out;
  for (std::int64_t w = from; w < to; ++w) {
    const std::int64_t word = bits[static_cast<std::size_t>(w)];
    if (word < 0 || word > 0xFFFFFFFF) {
      tree.fail(fmt::format("'cat_threshold', entry {}: {} is no word of 32 bits", w, word));
    }
    for (unsigned b = 0; b < 32; ++b) out.members.push_back((word >> b & 1) != 0);
  }
  return out;
}

TreeNode split_of(double threshold, std::int64_t decision) {
  TreeNode node;
  node.number = threshold;
  const bool default_left = (decision & kDefaultLeft) != 0;
  switch (static_cast<Missing>(decision >> 2 & 3)) {
    case Missing::none:  // a missing value is a 0
      node.missing_left = 0 <= threshold;
      break;
    case Missing::zero:  // and a 0 is a missing value
      node.missing_left = default_left;
      node.rule = default_left ? SplitRule::at_most_zero_left : SplitRule::at_most_zero_right;
      break;
    case Missing::nan:
      node.missing_left = default_left;
      break;
  }
  return node;
}

void read_tree(const Part& tree, ModelBudget& budget, TreeEnsemble& ensemble) {
  if (tree.has("is_linear") && tree.count("is_linear", 1) == 1) {
    tree.fail("its leaves are linear models (linear_tree); only constant leaves are read");
  }
  const std::size_t leaves = tree.count("num_leaves", kMaxTreeNodes);
  if (leaves == 0) tree.fail("'num_leaves' is 0; a tree has at least 1");
  const std::size_t splits = leaves - 1;
  // Every value takes two signs of the text, so that the count is no larger than the file's.
  if (leaves <= tree.text("leaf_value").size()) count_nodes(budget, splits + leaves);
  const auto values = tree.numbers("leaf_value", leaves);
  std::vector<ListedNode> listed(splits + leaves);
  for (std::size_t l = 0; l < leaves; ++l) listed[splits + l].node.number = values[l];
  if (splits == 0) return append_tree(ensemble, listed, tree.where());

  const auto columns = tree.integers("split_feature", splits);
  const auto thresholds = tree.numbers("threshold", splits);
  const auto decisions = tree.integers("decision_type", splits);
  const auto left = tree.integers("left_child", splits);
  const auto right = tree.integers("right_child", splits);
  const std::size_t sets = tree.has("num_cat") ? tree.count("num_cat", splits) : 0;
  std::vector<std::int64_t> bounds;
  std::vector<std::int64_t> bits;
  if (sets > 0) {
    bounds = tree.integers("cat_boundaries", sets + 1);
    bits = tree.integers("cat_threshold", words(tree.text("cat_threshold")).size());
  }
  // Leaves are numbered on their own, in the file as -1, -2, ...
  const auto child = [&](std::int64_t number) {
    if (number >= 0) return number < static_cast<std::int64_t>(splits) ? number : -2;
    const std::int64_t leaf = -(number + 1);
    return leaf < static_cast<std::int64_t>(leaves) ? static_cast<std::int64_t>(splits) + leaf : -2;
  };
  for (std::size_t k = 0; k < splits; ++k) {
    if (decisions[k] < 0 || decisions[k] > 15 || (decisions[k] >> 2) == 3) {
      tree.fail(
          fmt::format("node {}: its decision type is {}; 0 to 11 are known", k, decisions[k]));
    }
    ListedNode& out = listed[k];
    if ((decisions[k] & kCategorical) != 0) {
      out.node.rule = SplitRule::in_set;
      out.node.set =
          append_set(ensemble, set_of(tree, k, thresholds[k], bounds, bits, budget), tree.where());
    } else {
      out.node = split_of(thresholds[k], decisions[k]);
    }
    out.node.column = columns[k] < 0 || columns[k] > std::int64_t{kMaxTreeColumns}
                          ? std::uint32_t{kMaxTreeColumns}
                          : static_cast<std::uint32_t>(columns[k]);
    out.left = child(left[k]);
    out.right = child(right[k]);
  }
  append_tree(ensemble, listed, tree.where());
}

/// `binary sigmoid:1`, `cross_entropy`: how the sum becomes a logit.
double sigmoid_factor(const Part& header) {
  const auto parts = words(header.text("objective"));
  const std::string_view name = parts.empty() ? std::string_view() : parts[0];
  if (name == "cross_entropy" || name == "xentropy") return 1;
  if (name != "binary") {
    header.fail(fmt::format("the objective is '{}'; binary and cross_entropy are read",
                            name.substr(0, 60)));
  }
  double factor = 1;
  for (const std::string_view part : parts) {
    constexpr std::string_view kSigmoid = "sigmoid:";
    if (!part.starts_with(kSigmoid)) continue;
    factor = parse_number(part.substr(kSigmoid.size())).value_or(0);
  }
  if (!(factor > 0) || !std::isfinite(factor)) {
    header.fail(fmt::format("the objective is '{}'; its sigmoid must be above 0",
                            header.text("objective").substr(0, 60)));
  }
  return factor;
}

std::vector<std::size_t> categorical_columns(const Document& document, std::size_t width) {
  std::vector<std::size_t> out;
  for (const std::string_view word : words(document.categorical_columns, ',')) {
    const std::optional<double> number = parse_number(word);
    if (!number || !(*number >= 0) || !(*number < static_cast<double>(width))) continue;
    out.push_back(static_cast<std::size_t>(*number));
  }
  if (!out.empty() || !document.header.has("feature_infos")) return out;
  const auto infos = words(document.header.text("feature_infos"));
  for (std::size_t j = 0; j < infos.size() && j < width; ++j) {
    if (!infos[j].starts_with('[') && infos[j] != "none") out.push_back(j);
  }
  return out;
}

/// The largest code that a categorical column had in training, by the words of `feature_infos`; -1
/// when the file does not say.
double largest_code(const std::vector<std::string_view>& infos, std::size_t column) {
  double out = -1;
  if (column >= infos.size() || infos[column].starts_with('[')) return out;
  for (const std::string_view word : words(infos[column], ':')) {
    out = std::max(out, parse_number(word).value_or(-1));
  }
  return out;
}

/// The levels that pandas gave codes to, by column.
std::vector<std::vector<std::string>> read_levels(const Document& document, std::size_t width,
                                                  ModelBudget& budget) {
  using Json = nlohmann::json;
  const std::string_view text = trimmed(document.pandas_levels);
  if (text.empty() || text == "null" || text == "[]") return {};
  const std::string place = document.header.where() + ", pandas_categorical";
  budget.keep(check_json(text, place));
  const Json lists = parse_json<Json>(text);
  const std::vector<std::size_t> columns = categorical_columns(document, width);
  if (!lists.is_array() || lists.size() != columns.size()) {
    document.header.fail(
        fmt::format("'pandas_categorical' has {} lists of levels for {} categorical columns, so "
                    "that it is not clear whose they are; give all of these columns, and no "
                    "others, the pandas type category (unordered)",
                    lists.size(), columns.size()));
  }
  std::vector<std::string_view> infos;
  if (document.header.has("feature_infos")) infos = words(document.header.text("feature_infos"));
  std::vector<std::vector<std::string>> out(width);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!lists[i].is_array()) document.header.fail("'pandas_categorical' must hold lists");
    for (const Json& level : lists[i]) {
      out[columns[i]].push_back(level.is_string()   ? level.get<std::string>()
                                : level.is_number() ? format_number(level.get<double>())
                                                    : json_text(level));
    }
    if (const double code = largest_code(infos, columns[i]);
        code >= static_cast<double>(out[columns[i]].size())) {
      document.header.fail(fmt::format(
          "column {} has the code {}, and 'pandas_categorical' {} levels for it, so that these are "
          "another column's; give every categorical column, and no others, the pandas type "
          "category (unordered)",
          columns[i], format_number(code), out[columns[i]].size()));
    }
  }
  return out;
}

}  // namespace

TreeEnsemble parse_lightgbm(std::string_view text, const std::string& source,
                            const RoundChoice& choice) {
  ModelBudget budget(text.size(), source);
  const Document document = cut(text, source, budget);
  const Part& header = document.header;
  for (const char* key : {"num_class", "num_tree_per_iteration"}) {
    if (header.count(key, kMaxTrees) != 1) {
      header.fail(fmt::format("'{}' is {}; only binary classifiers are read", key,
                              header.text(key).substr(0, 40)));
    }
  }
  TreeEnsemble out;
  out.width = header.count("max_feature_idx", kMaxTreeColumns - 1) + 1;
  budget.keep(out.width, kColumnBytes, "the columns of its rows");
  for (const std::string_view name : words(header.text("feature_names"))) {
    out.names.emplace_back(name);
  }
  if (out.names.size() != out.width) {
    header.fail(fmt::format("'feature_names' has {} names; the model has {} columns",
                            out.names.size(), out.width));
  }
  // Names that LightGBM makes up say nothing.
  bool made_up = true;
  for (std::size_t j = 0; j < out.width; ++j) {
    made_up = made_up && out.names[j] == fmt::format("Column_{}", j);
  }
  if (made_up) out.names.clear();
  out.multiply = sigmoid_factor(header);
  out.probability_error = kDoubleProbabilityError;
  const std::size_t saved = document.trees.size();
  out.rounds = {.used = chosen_rounds(choice, saved, std::nullopt, source), .saved = saved};
  if (header.has("average_output") && out.rounds.used > 0) {
    out.divide = static_cast<double>(out.rounds.used);
  }
  try {
    out.levels = read_levels(document, out.width, budget);
  } catch (const DataError& error) {
    throw ModelError(error.what());
  }
  for (std::size_t t = 0; t < out.rounds.used; ++t) read_tree(document.trees[t], budget, out);
  return out;
}

}  // namespace croco
