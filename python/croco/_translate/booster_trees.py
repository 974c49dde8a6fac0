# SPDX-License-Identifier: Apache-2.0
"""Boosters of XGBoost and LightGBM behind a pipeline, as trees on the prepared columns."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .boosters import lightgbm_booster, lightgbm_rounds, xgboost_booster, xgboost_rounds
from .contract import NotTranslatable
from .graph import Graph
from .registry import Score, classifier
from .table import Table
from .trees import Tree, add_trees


@classifier("XGBClassifier", "XGBRFClassifier")
def xgb_classifier(graph: Graph, model: Any, table: Table) -> Score:
    """1 / (1 + exp(-s)), s = the log-odds of base_score + leaves. Columns are rounded to single
    precision and go left below a threshold, so at most the number before it; leaves are single
    numbers, added up here in double precision.
    """
    booster = xgboost_booster(model)
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    gradient = learner["gradient_booster"]
    if learner["objective"]["name"] != "binary:logistic" or gradient["name"] != "gbtree":
        raise NotTranslatable(
            f"XGBoost's {gradient['name']} with {learner['objective']['name']} has no translation "
            f"behind a pipeline; croco translates gbtree with binary:logistic"
        )
    starts = gradient["model"].get("iteration_indptr")
    each = int(gradient["model"]["gbtree_model_param"].get("num_parallel_tree", 1) or 1)
    count = starts[xgboost_rounds(model)] if starts else xgboost_rounds(model) * each
    trees = [_xgboost_tree(tree) for tree in gradient["model"]["trees"][:count]]
    share = float(str(learner["learner_model_param"]["base_score"]).strip("[]"))
    base = float(np.float32(-np.log(np.float32(1) / np.float32(share) - np.float32(1))))
    score = add_trees(graph, table, trees, base=base)
    return Score(probability=graph.function("Sigmoid", score))


def _xgboost_tree(tree: Any) -> Tree:
    left = np.array(tree["left_children"], np.int64)
    splits = left >= 0
    if np.any(np.array(tree.get("split_type", [0] * left.size))[splits] != 0):
        raise NotTranslatable(
            "XGBoost splits on categories behind a pipeline, which has no translation"
        )
    conditions = np.array(tree["split_conditions"], np.float32)
    below = np.nextafter(conditions, np.float32(-np.inf)).astype(np.float64)
    return Tree(
        left,
        np.array(tree["right_children"], np.int64),
        np.array(tree["split_indices"], np.int64),
        np.where(splits, below, 0.0),
        conditions.astype(np.float64),
        np.array(tree["default_left"], bool),
    )


@classifier("LGBMClassifier")
def lgbm_classifier(graph: Graph, model: Any, table: Table) -> Score:
    """1 / (1 + exp(-sigmoid s)) with s = leaves; columns are compared in double precision."""
    booster = lightgbm_booster(model)
    document = booster.dump_model(num_iteration=lightgbm_rounds(model) or -1)
    words = str(document.get("objective", "")).split()
    if words[:1] != ["binary"] or document.get("average_output"):
        raise NotTranslatable(
            "LightGBM behind a pipeline has a translation for the objective binary, boosted"
        )
    slope = next((float(word.split(":")[1]) for word in words if word.startswith("sigmoid:")), 1.0)
    trees = [_lightgbm_tree(tree["tree_structure"]) for tree in document["tree_info"]]
    score = add_trees(graph, table, trees, single=False)
    return Score(probability=graph.function("Sigmoid", graph.multiply(score, slope)))


def _lightgbm_tree(root: Any) -> Tree:
    nodes = [root]
    left, right, feature, threshold, leaf, missing = [], [], [], [], [], []
    for node in nodes:  # grows on the way
        split = "split_feature" in node
        left.append(len(nodes) if split else -1)
        right.append(len(nodes) + 1 if split else -1)
        if split:
            if node["decision_type"] != "<=" or node["missing_type"] == "Zero":
                raise NotTranslatable(
                    "LightGBM splits on categories, or takes zeros for missing values, behind a "
                    "pipeline, which has no translation"
                )
            nodes += [node["left_child"], node["right_child"]]
        feature.append(int(node.get("split_feature", 0)))
        threshold.append(float(node.get("threshold", 0.0)))
        leaf.append(float(node.get("leaf_value", 0.0)))
        # Where training met no missing value, NaN is 0.
        known = node.get("missing_type") == "NaN"
        missing.append(bool(node.get("default_left")) if known else threshold[-1] >= 0)
    return Tree(
        np.array(left),
        np.array(right),
        np.array(feature),
        np.array(threshold),
        np.array(leaf),
        np.array(missing),
    )
