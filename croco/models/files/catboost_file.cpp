// SPDX-License-Identifier: Apache-2.0
#include <croco/models/files/catboost_file.hpp>

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
#include <croco/models/files/catboost_features.hpp>
#include <croco/models/files/json_reader.hpp>
#include <croco/models/model_budget.hpp>
#include <croco/models/runtime_error.hpp>

namespace croco {
namespace {

using catboost::Features;
using Json = nlohmann::json;
using Reader = JsonReader;

/// CatBoost grows none that are deeper; their leaves are as many as 2 to the number of splits.
constexpr std::size_t kMaxSymmetricDepth = 16;

double leaf_value(const Reader& reader, const Json& value) {
  if (value.is_array()) {
    reader.fail("leaves hold several values; only models with one output are read");
  }
  if (!value.is_number()) reader.fail("a leaf's value must be a number");
  return value.get<double>();
}

/// Every level of a symmetric tree asks one question; the answers are the bits of the leaf's place,
/// the first one the lowest. So the last question is the root's.
void read_symmetric(const Reader& reader, const Json& tree, Features& features, ModelBudget& budget,
                    TreeEnsemble& ensemble) {
  const Json& values = reader.list(tree, "leaf_values");
  const Json& written = reader.member(tree, "splits");
  static const Json none = Json::array();
  const Json& splits = written.is_null() ? none : reader.list(tree, "splits");
  const std::size_t depth = splits.size();
  if (depth > kMaxSymmetricDepth) {
    reader.fail(
        fmt::format("has {} splits; symmetric trees have at most {}", depth, kMaxSymmetricDepth));
  }
  const std::size_t leaves = std::size_t{1} << depth;
  if (values.size() > leaves && values.size() % leaves == 0) {
    reader.fail("leaves hold several values; only models with one output are read");
  }
  if (values.size() != leaves) {
    reader.fail(fmt::format("'leaf_values' has {} entries; {} splits need {}", values.size(), depth,
                            leaves));
  }
  count_nodes(budget, 2 * leaves - 1);
  std::vector<ListedNode> listed(2 * leaves - 1);
  for (std::size_t level = 0; level < depth; ++level) {
    const std::size_t number = depth - 1 - level;
    const TreeNode node = features.split(reader.at(fmt::format("split {}", number)), splits[number],
                                         budget, ensemble);
    const std::size_t first = (std::size_t{1} << level) - 1;
    for (std::size_t k = first; k < 2 * first + 1; ++k) {
      listed[k] = {node, static_cast<std::int64_t>(2 * k + 1),
                   static_cast<std::int64_t>(2 * k + 2)};
    }
  }
  for (std::size_t l = 0; l < leaves; ++l) {
    listed[leaves - 1 + l].node.number = leaf_value(reader, values[l]);
  }
  append_tree(ensemble, listed, reader.source());
}

/// Returns the number of the node. Documents are not nested deeper than `check_json` allows.
std::int64_t list_node(const Reader& reader, const Json& tree, Features& features,
                       ModelBudget& budget, TreeEnsemble& ensemble,
                       std::vector<ListedNode>& listed) {
  const auto number = static_cast<std::int64_t>(listed.size());
  count_nodes(budget, 1);
  listed.emplace_back();
  if (const Json* value = reader.find(tree, "value")) {
    listed.back().node.number = leaf_value(reader.at(fmt::format("node {}", number)), *value);
    return number;
  }
  const Reader here = reader.at(fmt::format("node {}", number));
  const TreeNode node = features.split(here, here.member(tree, "split"), budget, ensemble);
  const std::int64_t left =
      list_node(reader, here.member(tree, "left"), features, budget, ensemble, listed);
  const std::int64_t right =
      list_node(reader, here.member(tree, "right"), features, budget, ensemble, listed);
  listed[static_cast<std::size_t>(number)] = {node, left, right};
  return number;
}

/// A document that the file holds as a text.
Json inner_document(const Reader& reader, const Json& info, const char* key, ModelBudget& budget) {
  const std::string text = reader.text(info, key);
  budget.keep(check_json(text, fmt::format("{}, '{}'", reader.source(), key)));
  return parse_json<Json>(text);
}

void require_binary_loss(const Reader& reader, const Json& info, ModelBudget& budget) {
  std::string loss;
  if (const Json* parameters = reader.find(info, "params")) {
    loss = reader.text(reader.member(*parameters, "loss_function"), "type");
  } else if (reader.find(info, "loss_function") != nullptr) {  // as sum_models writes it
    loss = reader.text(inner_document(reader, info, "loss_function", budget), "type");
  } else {
    reader.fail("'params' is missing, which says the loss function");
  }
  if (loss == "Logloss" || loss == "CrossEntropy") return;
  reader.fail(fmt::format(
      "the loss function is '{}'{}; binary classifiers are read, of Logloss and CrossEntropy",
      loss.substr(0, 60), loss.starts_with("MultiClass") ? ", for several classes" : ""));
}

std::vector<std::string> class_names(const Reader& reader, const Json& info) {
  const Json* classes = reader.find(info, "class_params");
  if (classes == nullptr || reader.find(*classes, "class_names") == nullptr) return {};
  std::vector<std::string> out;
  for (const Json& name : reader.list(*classes, "class_names")) {
    if (name.is_string()) {
      out.push_back(name.get<std::string>());
    } else if (name.is_boolean()) {
      out.emplace_back(name.get<bool>() ? "True" : "False");
    } else if (name.is_number()) {
      out.push_back(format_number(name.get<double>()));
    } else {
      reader.fail("'class_names' must hold texts or numbers");
    }
  }
  if (!out.empty() && out.size() != 2) {
    reader.fail(
        fmt::format("'class_names' has {} names; only classifiers with two classes are "
                    "read",
                    out.size()));
  }
  if (reader.find(*classes, "class_to_label") != nullptr &&
      reader.integers(*classes, "class_to_label", std::nullopt) !=
          std::vector<std::int64_t>{0, 1}) {
    reader.fail("'class_to_label' must be 0, 1");
  }
  return out;
}

/// Where `predict` decides, if `set_probability_threshold` moved it.
std::optional<double> own_threshold(const Reader& reader, const Json& info) {
  constexpr const char* kKey = "binclass_probability_threshold";
  if (reader.find(info, kKey) == nullptr) return std::nullopt;
  const double out = reader.parameter(info, kKey);
  if (!(out > 0) || !(out < 1)) {
    reader.fail(fmt::format("'{}' is {}; it must be between 0 and 1", kKey, format_number(out)));
  }
  return out;
}

/// The best round, from 0. Asked only by those who want it: CatBoost uses all trees of a file.
std::optional<std::size_t> best_round(const Reader& reader, const Json& info, ModelBudget& budget) {
  if (reader.find(info, "training") == nullptr) return std::nullopt;
  const Json training = inner_document(reader, info, "training", budget);
  const Json* metrics = reader.find(training, "metrics");
  if (metrics == nullptr || reader.find(*metrics, "best_iteration") == nullptr) return std::nullopt;
  return static_cast<std::size_t>(
      catboost::whole(reader, *metrics, "best_iteration", 0, kMaxTrees));
}

/// How far sums may be from the library's: reading its own files CatBoost rounds leaves otherwise,
/// and with another scale than 1 the bias is added in other units.
double sum_error(const TreeEnsemble& ensemble) { return 0x1p-50 * largest_sum(ensemble, 0); }

/// `logit = scale * leaves + bias`, the bias added last: a tree of one leaf behind the others.
void read_scale(const Reader& reader, const Json& document, TreeEnsemble& ensemble) {
  const Json& both = reader.list(document, "scale_and_bias");
  if (both.size() != 2) {
    reader.fail(fmt::format("'scale_and_bias' has {} entries; 2 are needed", both.size()));
  }
  const Json& biases = both[1];
  if (biases.is_array() && biases.size() > 1) {
    reader.fail(
        fmt::format("'scale_and_bias' has {} biases, one for each class; only binary "
                    "classifiers are read",
                    biases.size()));
  }
  const Json& bias = biases.is_array() && biases.size() == 1 ? biases[0] : biases;
  if (!both[0].is_number() || !bias.is_number()) {
    reader.fail("'scale_and_bias' must be a number and a list of one number");
  }
  const double scale = both[0].get<double>();
  const double added = bias.get<double>();
  if (!(scale > 0) || !std::isfinite(scale)) {
    reader.fail(fmt::format("the scale is {}; it must be above 0", format_number(scale)));
  }
  ensemble.multiply = scale;
  if (added != 0) {
    std::vector<ListedNode> leaf(1);
    leaf[0].node.number = added / scale;
    append_tree(ensemble, leaf, reader.source() + ", the bias");
  }
}

TreeEnsemble read_document(const Json& document, const std::string& source,
                           const RoundChoice& choice, ModelBudget& budget) {
  const Reader reader(source);
  const Json& info = reader.member(document, "model_info");
  const Reader about = reader.at("model_info");
  require_binary_loss(about, info, budget);
  TreeEnsemble out;
  out.probability_error = kDoubleProbabilityError;
  out.classes = class_names(about, info);
  out.threshold = own_threshold(about, info);
  Features features(reader.at("features_info"), reader.member(document, "features_info"), budget,
                    out);
  const bool symmetric = reader.find(document, "oblivious_trees") != nullptr;
  const Json& trees = reader.list(document, symmetric ? "oblivious_trees" : "trees");
  if (trees.size() > kMaxTrees) {
    reader.fail(fmt::format("there are {} trees; at most {} are read", trees.size(), kMaxTrees));
  }
  std::optional<std::size_t> best;
  if (choice.kind == RoundChoice::Kind::best) best = best_round(about, info, budget);
  out.rounds = {.used = chosen_rounds(choice, trees.size(), best, source), .saved = trees.size()};
  for (std::size_t t = 0; t < out.rounds.used; ++t) {
    const Reader here = reader.at(fmt::format("tree {}", t));
    if (symmetric) {
      read_symmetric(here, trees[t], features, budget, out);
    } else {
      std::vector<ListedNode> listed;
      list_node(here, trees[t], features, budget, out, listed);
      append_tree(out, listed, here.source());
    }
  }
  read_scale(reader, document, out);
  out.sum_error = sum_error(out);
  return out;
}

}  // namespace

TreeEnsemble parse_catboost(std::string_view json, const std::string& source,
                            const RoundChoice& choice) {
  try {
    ModelBudget budget(json.size(), source);
    budget.keep(check_json(json, source));
    return read_document(parse_json<Json>(json), source, choice, budget);
  } catch (const DataError& error) {
    throw ModelError(error.what());
  }
}

}  // namespace croco
