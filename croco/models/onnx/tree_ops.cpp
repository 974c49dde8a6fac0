// SPDX-License-Identifier: Apache-2.0
// Tree ensembles of ai.onnx.ml, as parts of a program that have no gradient.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <croco/base/error.hpp>
#include <croco/models/graph/tree_scores.hpp>
#include <croco/models/onnx/operators.hpp>
#include <croco/models/trees/tree_ensemble.hpp>

namespace croco::onnx {
namespace {

/// The lists of a node's attributes, one entry for each split or leaf.
struct NodeLists {
  std::vector<std::int64_t> trees;
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> features;
  std::vector<std::int64_t> yes;
  std::vector<std::int64_t> no;
  std::vector<std::string> modes;
  Vector values;
  std::vector<std::int64_t> missing_yes;  ///< where missing values go; empty: to the no

  explicit NodeLists(const OpContext& op)
      : trees(op.integers("nodes_treeids")),
        ids(op.integers("nodes_nodeids")),
        features(op.integers("nodes_featureids")),
        yes(op.integers("nodes_truenodeids")),
        no(op.integers("nodes_falsenodeids")),
        modes(op.texts("nodes_modes")),
        values(op.numbers("nodes_values")),
        missing_yes(op.integers("nodes_missing_value_tracks_true")) {
    if (values.empty()) values = op.numbers("nodes_values_as_tensor");
    const std::size_t count = ids.size();
    if (count == 0 || trees.size() != count || features.size() != count || yes.size() != count ||
        no.size() != count || modes.size() != count || values.size() != count ||
        (!missing_yes.empty() && missing_yes.size() != count)) {
      throw ModelError("its lists of nodes are empty, or not as long as each other");
    }
  }
};

/// A place in the lists by tree and node.
using Places = std::map<std::pair<std::int64_t, std::int64_t>, std::size_t>;

Places places_of(const NodeLists& lists) {
  Places out;
  for (std::size_t n = 0; n < lists.ids.size(); ++n) {
    if (!out.try_emplace({lists.trees[n], lists.ids[n]}, n).second) {
      throw ModelError(fmt::format("tree {} has two nodes {}", lists.trees[n], lists.ids[n]));
    }
  }
  return out;
}

/// What the leaves are worth for each class or target.
struct LeafWeights {
  std::map<std::int64_t, std::map<std::size_t, double>> by_target;  ///< of places in the lists
  bool positive = true;

  LeafWeights(const OpContext& op, const std::string& prefix, const Places& places) {
    const auto trees = op.integers(prefix + "_treeids");
    const auto ids = op.integers(prefix + "_nodeids");
    const auto targets = op.integers(prefix + "_ids");
    Vector weights = op.numbers(prefix + "_weights");
    if (weights.empty()) weights = op.numbers(prefix + "_weights_as_tensor");
    if (trees.size() != ids.size() || targets.size() != ids.size() ||
        weights.size() != ids.size() || ids.empty()) {
      throw ModelError("its lists of leaves are empty, or not as long as each other");
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto place = places.find({trees[i], ids[i]});
      if (place == places.end()) {
        throw ModelError(fmt::format("tree {} has no node {}", trees[i], ids[i]));
      }
      by_target[targets[i]][place->second] += weights[i];
      positive = positive && weights[i] >= 0;
    }
  }
};

/// The largest number that is at most `limit` once it is rounded to single precision, as values are
/// before they are compared.
double largest_at_most(float limit) {
  if (!std::isfinite(limit)) return static_cast<double>(limit);
  const float above = std::nextafter(limit, std::numeric_limits<float>::infinity());
  if (!std::isfinite(above)) return static_cast<double>(limit);
  const double middle = (static_cast<double>(limit) + static_cast<double>(above)) / 2;
  return static_cast<float>(middle) <= limit
             ? middle
             : std::nextafter(middle, -std::numeric_limits<double>::infinity());
}

/// A split as its mode has it: what is compared, and which child is the left one.
ListedNode split_of(const NodeLists& lists, std::size_t n, std::int64_t yes, std::int64_t no) {
  const std::string& mode = lists.modes[n];
  ListedNode out;
  const bool strict = mode == "BRANCH_LT" || mode == "BRANCH_GTE";
  const bool swapped = mode == "BRANCH_GT" || mode == "BRANCH_GTE";
  if (!strict && !swapped && mode != "BRANCH_LEQ") {
    throw ModelError(fmt::format(
        "a node has the mode '{}'; croco knows BRANCH_LEQ, BRANCH_LT, BRANCH_GTE and BRANCH_GT",
        mode));
  }
  const auto limit = static_cast<float>(lists.values[n]);
  out.node.number = largest_at_most(
      strict ? std::nextafter(limit, -std::numeric_limits<float>::infinity()) : limit);
  out.node.column = static_cast<std::uint32_t>(lists.features[n]);
  out.left = swapped ? no : yes;
  out.right = swapped ? yes : no;
  // No comparison holds for NaN, so that it takes the branch of the no unless the node says more.
  const bool missing_yes = !lists.missing_yes.empty() && lists.missing_yes[n] != 0;
  out.node.missing_left = missing_yes != swapped;
  return out;
}

TreeEnsemble ensemble_of(const NodeLists& lists, const Places& places,
                         const std::map<std::size_t, double>& leaves, std::size_t width) {
  TreeEnsemble out{.width = width};
  std::vector<std::int64_t> order;
  std::map<std::int64_t, std::vector<std::size_t>> trees;
  for (std::size_t n = 0; n < lists.ids.size(); ++n) {
    std::vector<std::size_t>& members = trees[lists.trees[n]];
    if (members.empty()) order.push_back(lists.trees[n]);
    members.push_back(n);
  }
  for (const std::int64_t tree : order) {
    const std::vector<std::size_t>& members = trees[tree];
    std::map<std::size_t, std::int64_t> number;  // of a place, within the tree
    for (const std::size_t n : members) number[n] = static_cast<std::int64_t>(number.size());
    const auto child = [&](std::int64_t id) {
      const auto place = places.find({tree, id});
      return place == places.end() ? std::int64_t{-2} : number[place->second];
    };
    std::vector<ListedNode> listed;
    for (const std::size_t n : members) {
      if (lists.features[n] < 0 || lists.features[n] >= static_cast<std::int64_t>(width)) {
        throw ModelError(fmt::format("a split asks for column {} of {}", lists.features[n], width));
      }
      if (lists.modes[n] != "LEAF") {
        listed.push_back(split_of(lists, n, child(lists.yes[n]), child(lists.no[n])));
        continue;
      }
      const auto weight = leaves.find(n);
      listed.push_back({.node = {.number = weight == leaves.end() ? 0.0 : weight->second}});
    }
    append_tree(out, listed, fmt::format("tree {}", tree));
  }
  return out;
}

/// Runtimes add leaves in single precision, in an order of their own; scikit-learn's own forests
/// average in double precision what the file holds in single precision.
double sum_error(const TreeEnsemble& ensemble) {
  const double largest = largest_sum(ensemble, std::abs(ensemble.base));
  const auto roundings = static_cast<double>(ensemble.roots.size() + 4);
  return roundings * 0x1p-24 * largest;
}

/// The trees as they are for rows that lack some of the columns.
TreeEnsemble without_missing(const Builder& build, const std::vector<Plane>& planes,
                             TreeEnsemble ensemble) {
  std::vector<std::optional<double>> values;
  for (const Plane plane : planes) {
    values.push_back(build.is_missing(plane) ? build.constant_value(plane) : std::nullopt);
  }
  const bool any = std::ranges::any_of(values, [](const auto& value) { return value.has_value(); });
  return any ? settled(ensemble, values) : std::move(ensemble);
}

/// One plane for each target that the leaves have, and for those with a base value.
std::vector<Plane> sums(OpContext& op, const std::string& prefix, std::size_t targets,
                        bool& positive, bool& single) {
  const Value& value = op.in(0);
  require_numbers(value);
  if (!value.batched || value.shape.size() != 1 || value.planes.empty()) {
    throw ModelError(fmt::format("it is given {} instead of rows of columns", shape_text(value)));
  }
  // Lists, places and leaves by number; then every class has trees of its own.
  constexpr std::size_t kListBytes = 256;
  constexpr std::size_t kTreeBytes = 224;
  const std::size_t nodes = op.integers("nodes_nodeids").size();
  op.build.budget().keep(nodes, kListBytes, "its trees");
  op.build.budget().keep(product_or_most(nodes, targets), kTreeBytes, "its trees");
  const NodeLists lists(op);
  const Places places = places_of(lists);
  const LeafWeights leaves(op, prefix, places);
  Vector base = op.numbers("base_values");
  if (base.empty()) base = op.numbers("base_values_as_tensor");
  positive = leaves.positive;
  single = targets == 2 && leaves.by_target.size() == 1 && base.size() < 2;
  std::vector<Plane> out;
  for (const auto& [target, weights] : leaves.by_target) {
    if (target < 0 || static_cast<std::size_t>(target) >= targets) {
      throw ModelError(
          fmt::format("a leaf is worth something for target {} of {}", target, targets));
    }
  }
  for (std::size_t t = 0; t < (single ? 1 : targets); ++t) {
    const auto found =
        single ? leaves.by_target.begin() : leaves.by_target.find(static_cast<std::int64_t>(t));
    TreeEnsemble ensemble = ensemble_of(
        lists, places,
        found == leaves.by_target.end() ? std::map<std::size_t, double>() : found->second,
        value.planes.size());
    if (!base.empty()) ensemble.base = base[std::min(t, base.size() - 1)];
    if (op.text("aggregate_function", "SUM") == "AVERAGE") {
      ensemble.divide = static_cast<double>(ensemble.roots.size());
    } else if (op.text("aggregate_function", "SUM") != "SUM") {
      throw ModelError(fmt::format("its aggregate_function is '{}'; croco knows SUM and AVERAGE",
                                   op.text("aggregate_function", "")));
    }
    ensemble.sum_error = sum_error(ensemble);
    const auto scores = op.build.opaque(std::make_shared<const TreeScores>(without_missing(
                                            op.build, value.planes, std::move(ensemble))),
                                        value.planes);
    out.push_back(scores.front());
  }
  return out;
}

void tree_classifier(OpContext& op) {
  const std::size_t classes = std::max({op.integers("classlabels_int64s").size(),
                                        op.texts("classlabels_strings").size(), std::size_t{1}});
  bool positive = false;
  bool single = false;
  std::vector<Plane> scores = sums(op, "class", classes, positive, single);
  if (single && positive) {
    scores = {op.build.scale({scores[0]}, {-1.0}, {1.0}).front(), scores[0]};
  } else if (single) {
    scores = both_classes(op, scores[0]);
  } else {
    scores = transformed(op, std::move(scores));
  }
  scores_out(op, std::move(scores));
}

void tree_regressor(OpContext& op) {
  bool positive = false;
  bool single = false;
  const auto targets =
      static_cast<std::size_t>(std::clamp<std::int64_t>(op.integer("n_targets", 1), 1, 1'000'000));
  if (targets != 1) throw ModelError(fmt::format("it has {} targets; croco reads 1", targets));
  std::vector<Plane> scores = sums(op, "target", targets, positive, single);
  op.out(Builder::batched(transformed(op, std::move(scores)), {1}));
}

constexpr Operator kTreeOperators[] = {
    {kTableDomain, "TreeEnsembleClassifier", tree_classifier},
    {kTableDomain, "TreeEnsembleRegressor", tree_regressor},
};

}  // namespace

std::span<const Operator> tree_operators() { return kTreeOperators; }

}  // namespace croco::onnx
