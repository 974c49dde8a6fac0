// SPDX-License-Identifier: Apache-2.0
#include <croco/models/files/xgboost_file.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <croco/base/error.hpp>
#include <croco/base/json_check.hpp>
#include <croco/base/json_text.hpp>
#include <croco/base/numbers.hpp>
#include <croco/models/files/json_reader.hpp>
#include <croco/models/model_budget.hpp>
#include <croco/models/runtime_error.hpp>

namespace croco {
namespace {

using Json = nlohmann::json;
using Reader = JsonReader;

constexpr std::int64_t kMaxCategory = std::int64_t{1} << 24;

/// The largest number that XGBoost finds below a threshold: it rounds values to single precision
/// first, so that half the way to the next smaller one may count too.
double largest_below(float threshold) {
  const float below = std::nextafter(threshold, -std::numeric_limits<float>::infinity());
  if (!std::isfinite(below)) return -std::numeric_limits<double>::infinity();
  const double middle = (static_cast<double>(below) + static_cast<double>(threshold)) / 2;
  if (static_cast<float>(middle) < threshold) return middle;
  return std::nextafter(middle, -std::numeric_limits<double>::infinity());
}

/// The categories that a tree's splits send to the right.
class TreeSets {
 public:
  TreeSets(const Reader& reader, const Json& tree, std::size_t nodes) : reader_(reader) {
    if (reader.find(tree, "categories_nodes") == nullptr) return;
    nodes_ = reader.integers(tree, "categories_nodes", std::nullopt);
    begin_ = reader.integers(tree, "categories_segments", nodes_.size());
    size_ = reader.integers(tree, "categories_sizes", nodes_.size());
    categories_ = reader.integers(tree, "categories", std::nullopt);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i] < 0 || static_cast<std::size_t>(nodes_[i]) >= nodes ||
          (i > 0 && nodes_[i] <= nodes_[i - 1])) {
        reader.fail(fmt::format("'categories_nodes', entry {}: must be nodes, ascending", i));
      }
      const auto all = static_cast<std::int64_t>(categories_.size());
      if (begin_[i] < 0 || size_[i] < 0 || begin_[i] > all || size_[i] > all - begin_[i]) {
        reader.fail(fmt::format("node {}: has {} categories from place {} on; there are {}",
                                nodes_[i], size_[i], begin_[i], all));
      }
      // Sets that share their places would take far more time and memory than the file has.
      if (i > 0 && begin_[i] < begin_[i - 1] + size_[i - 1]) {
        reader.fail(
            fmt::format("node {}: its categories begin at place {}, within those of node {}",
                        nodes_[i], begin_[i], nodes_[i - 1]));
      }
    }
  }

  [[nodiscard]] CodeSet of(std::size_t node, ModelBudget& budget) const {
    const auto found = std::ranges::lower_bound(nodes_, static_cast<std::int64_t>(node));
    if (found == nodes_.end() || *found != static_cast<std::int64_t>(node)) {
      reader_.fail(fmt::format("node {}: splits categories, and none are listed", node));
    }
    const auto i = static_cast<std::size_t>(found - nodes_.begin());
    CodeSet out{.members = {}, .members_left = false};
    std::int64_t largest = 0;
    for (std::int64_t k = begin_[i]; k < begin_[i] + size_[i]; ++k) {
      largest = std::max(largest, categories_[static_cast<std::size_t>(k)]);
    }
    count_codes(budget,
                static_cast<std::size_t>(std::clamp<std::int64_t>(largest, 0, kMaxCategory)) + 1);
    for (std::int64_t k = begin_[i]; k < begin_[i] + size_[i]; ++k) {
      const std::int64_t code = categories_[static_cast<std::size_t>(k)];
      if (code < 0 || code >= kMaxCategory) {
        reader_.fail(fmt::format("node {}: has the category {}; they go from 0 to {}", node, code,
                                 kMaxCategory - 1));
      }
      if (static_cast<std::size_t>(code) >= out.members.size()) {
        out.members.resize(static_cast<std::size_t>(code) + 1);
      }
      out.members[static_cast<std::size_t>(code)] = true;
    }
    return out;
  }

 private:
  const Reader& reader_;
  std::vector<std::int64_t> nodes_;
  std::vector<std::int64_t> begin_;
  std::vector<std::int64_t> size_;
  std::vector<std::int64_t> categories_;
};

void read_tree(const Reader& reader, const Json& tree, float weight, ModelBudget& budget,
               TreeEnsemble& ensemble) {
  const Json& parameters = reader.member(tree, "tree_param");
  const std::size_t nodes = reader.count(parameters, "num_nodes", kMaxTreeNodes);
  if (reader.find(parameters, "size_leaf_vector") != nullptr &&
      reader.count(parameters, "size_leaf_vector", kMaxTreeNodes) > 1) {
    reader.fail("leaves hold several values; only models with one output are read");
  }
  if (reader.list(tree, "left_children").size() == nodes) count_nodes(budget, nodes);
  const auto left = reader.integers(tree, "left_children", nodes);
  const auto right = reader.integers(tree, "right_children", nodes);
  const auto columns = reader.integers(tree, "split_indices", nodes);
  const auto numbers = reader.numbers(tree, "split_conditions", nodes);
  const auto default_left = reader.integers(tree, "default_left", nodes);
  std::vector<std::int64_t> types(nodes);
  if (reader.find(tree, "split_type") != nullptr) {
    types = reader.integers(tree, "split_type", nodes);
  }
  const TreeSets sets(reader, tree, nodes);
  std::vector<ListedNode> listed(nodes);
  for (std::size_t k = 0; k < nodes; ++k) {
    ListedNode& out = listed[k];
    out.left = left[k];
    out.right = right[k];
    const auto number = static_cast<float>(numbers[k]);
    if (left[k] == -1 && right[k] == -1) {
      out.node.number = static_cast<double>(weight * number);
      continue;
    }
    out.node.column = columns[k] < 0 || columns[k] > std::int64_t{kMaxTreeColumns}
                          ? std::uint32_t{kMaxTreeColumns}
                          : static_cast<std::uint32_t>(columns[k]);
    out.node.missing_left = default_left[k] != 0;
    if (types[k] == 1) {
      out.node.rule = SplitRule::in_set;
      out.node.set = append_set(ensemble, sets.of(k, budget), reader.source());
    } else if (types[k] == 0) {
      out.node.number = std::isnan(number) ? numbers[k] : largest_below(number);
    } else {
      reader.fail(fmt::format("node {}: its split is of type {}; 0 and 1 are known", k, types[k]));
    }
  }
  append_tree(ensemble, listed, reader.source());
}

/// The levels of categorical columns, which newer versions write down: texts one after another with
/// their ends, or numbers.
std::vector<std::vector<std::string>> read_levels(const Reader& reader, const Json& model,
                                                  std::size_t width) {
  const Json* all = reader.find(model, "cats");
  if (all == nullptr || reader.find(*all, "enc") == nullptr) return {};
  const Json& columns = reader.list(*all, "enc");
  if (columns.empty()) return {};
  if (columns.size() != width) {
    reader.fail(fmt::format("'cats' has {} columns; the model has {}", columns.size(), width));
  }
  std::vector<std::vector<std::string>> out(width);
  for (std::size_t j = 0; j < width; ++j) {
    const Reader here = reader.at(fmt::format("categories of column {}", j));
    if (here.find(columns[j], "offsets") == nullptr) {
      for (const double value : here.numbers(columns[j], "values", std::nullopt)) {
        out[j].push_back(format_number(value));
      }
      continue;
    }
    const auto ends = here.integers(columns[j], "offsets", std::nullopt);
    const auto bytes = here.integers(columns[j], "values", std::nullopt);
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      if (ends[i] < 0 || ends[i] > ends[i + 1] ||
          ends[i + 1] > static_cast<std::int64_t>(bytes.size())) {
        here.fail(fmt::format("category {} is not within its {} bytes", i, bytes.size()));
      }
      std::string level;
      for (std::int64_t k = ends[i]; k < ends[i + 1]; ++k) {
        level.push_back(static_cast<char>(bytes[static_cast<std::size_t>(k)]));
      }
      out[j].push_back(std::move(level));
    }
  }
  return out;
}

/// What the base score adds to the sum.
float base_margin(const Reader& reader, const std::string& objective, double score) {
  const auto base = static_cast<float>(score);
  if (objective == "binary:logitraw") return base;
  if (objective != "binary:logistic" && objective != "reg:logistic") {
    reader.fail(
        fmt::format("the objective is '{}'; binary:logistic, binary:logitraw and reg:logistic are "
                    "read",
                    objective.substr(0, 60)));
  }
  if (!(base > 0) || !(base < 1)) {
    reader.fail(fmt::format("'base_score' is {}; for {} it must be between 0 and 1",
                            format_number(score), objective));
  }
  return -std::log(1.0F / base - 1.0F);
}

/// Where the trees of each round end, from the first round on.
std::vector<std::size_t> round_ends(const Reader& reader, const Json& model, std::size_t trees) {
  std::size_t together = 1;
  if (const Json* boosting = reader.find(model, "gbtree_model_param");
      boosting != nullptr && reader.find(*boosting, "num_parallel_tree") != nullptr) {
    together = std::max<std::size_t>(1, reader.count(*boosting, "num_parallel_tree", kMaxTrees));
  }
  std::vector<std::size_t> out;
  if (reader.find(model, "iteration_indptr") == nullptr) {
    for (std::size_t end = together; end < trees + together; end += together) out.push_back(end);
  } else {
    const auto ends = reader.integers(model, "iteration_indptr", std::nullopt);
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      if (ends[i] < 0 || ends[i + 1] <= ends[i]) reader.fail("'iteration_indptr' must ascend");
      out.push_back(static_cast<std::size_t>(ends[i + 1]));
    }
  }
  if ((out.empty() ? 0 : out.back()) != trees) {
    reader.fail(fmt::format("the rounds end with tree {}; there are {}",
                            out.empty() ? 0 : out.back(), trees));
  }
  return out;
}

/// The best round, from 0, where training stopped early.
std::optional<std::size_t> best_round(const Reader& reader, const Json& learner) {
  const Json* attributes = reader.find(learner, "attributes");
  if (attributes == nullptr || reader.find(*attributes, "best_iteration") == nullptr) return {};
  return reader.count(*attributes, "best_iteration", kMaxTrees);
}

/// Categories whose levels the file does not hold. XGBoost before 3.1 wrote none, and slicing a
/// booster loses them. Without names the columns were a matrix, whose codes are its numbers.
std::vector<bool> unexplained_codes(const Reader& reader, const Json& learner,
                                    const TreeEnsemble& ensemble) {
  std::vector<bool> out(ensemble.width);
  if (ensemble.names.empty()) return out;
  const std::vector<std::string> types = reader.texts(learner, "feature_types");
  for (std::size_t j = 0; j < std::min(types.size(), out.size()); ++j) out[j] = types[j] == "c";
  for (const TreeNode& node : ensemble.nodes) {
    if (node.rule == SplitRule::in_set) out[node.column] = true;
  }
  for (std::size_t j = 0; j < ensemble.levels.size(); ++j) {
    if (!ensemble.levels[j].empty()) out[j] = false;
  }
  return out;
}

TreeEnsemble read_booster_file(const Json& document, const std::string& source,
                               const RoundChoice& choice, ModelBudget& budget) {
  const Reader reader(source);
  const Json& learner = reader.member(document, "learner");
  const Json& parameters = reader.member(learner, "learner_model_param");
  const Json& objective = reader.member(learner, "objective");
  TreeEnsemble out;
  out.single_precision = true;
  out.probability_error = kSingleProbabilityError;
  out.width = reader.count(parameters, "num_feature", kMaxTreeColumns);
  if (out.width == 0) reader.fail("'num_feature' is 0; a model needs columns");
  for (const char* key : {"num_class", "num_target"}) {
    if (reader.find(parameters, key) != nullptr && reader.count(parameters, key, kMaxTrees) > 1) {
      reader.fail(fmt::format("'{}' is {}; only binary classifiers are read", key,
                              reader.text(parameters, key)));
    }
  }
  out.base = static_cast<double>(base_margin(reader, reader.text(objective, "name"),
                                             reader.parameter(parameters, "base_score")));
  out.names = reader.texts(learner, "feature_names");
  if (!out.names.empty() && out.names.size() != out.width) {
    reader.fail(fmt::format("'feature_names' has {} names; the model has {} columns",
                            out.names.size(), out.width));
  }
  const Json& booster = reader.member(learner, "gradient_booster");
  const std::string name = reader.text(booster, "name");
  if (name != "gbtree" && name != "dart") {
    reader.fail(fmt::format("the booster is '{}'; gbtree and dart are read", name.substr(0, 60)));
  }
  const bool dart = name == "dart";
  const Json& model = reader.member(dart ? reader.member(booster, "gbtree") : booster, "model");
  const Json& trees = reader.list(model, "trees");
  if (trees.size() > kMaxTrees) {
    reader.fail(fmt::format("there are {} trees; at most {} are read", trees.size(), kMaxTrees));
  }
  budget.keep(out.width, kColumnBytes, "the columns of its rows");
  std::vector<double> weights(trees.size(), 1.0);
  if (dart) weights = reader.numbers(booster, "weight_drop", trees.size());
  const std::vector<std::size_t> ends = round_ends(reader, model, trees.size());
  const std::size_t used = chosen_rounds(choice, ends.size(), best_round(reader, learner), source);
  out.rounds = {.used = used, .saved = ends.size()};
  out.levels = read_levels(reader, model, out.width);
  for (std::size_t t = 0; t < (used == 0 ? 0 : ends[used - 1]); ++t) {
    read_tree(reader.at(fmt::format("tree {}", t)), trees[t], static_cast<float>(weights[t]),
              budget, out);
  }
  out.unexplained_codes = unexplained_codes(reader, learner, out);
  return out;
}

}  // namespace

TreeEnsemble parse_xgboost(std::string_view json, const std::string& source,
                           const RoundChoice& choice) {
  try {
    ModelBudget budget(json.size(), source);
    budget.keep(check_json(json, source));
    return read_booster_file(parse_json<Json>(json), source, choice, budget);
  } catch (const DataError& error) {
    throw ModelError(error.what());
  }
}

TreeEnsemble parse_xgboost_ubjson(std::string_view bytes, const std::string& source,
                                  const RoundChoice& choice) {
  try {
    ModelBudget budget(bytes.size(), source);
    budget.keep(check_ubjson(bytes, source));
    return read_booster_file(Json::from_ubjson(bytes), source, choice, budget);
  } catch (const DataError& error) {
    throw ModelError(error.what());
  }
}

}  // namespace croco
