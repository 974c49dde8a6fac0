# SPDX-License-Identifier: Apache-2.0
"""Classifiers that add up the leaves of decision trees."""

from __future__ import annotations

import copy
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from .contract import NotTranslatable
from .graph import Graph, Numbers
from .registry import Score, class_name, classifier, sigmoid
from .table import Table
from .trees import Integers, Tree, add_trees, tree_of

_TREES = ("DecisionTreeClassifier", "ExtraTreeClassifier")


def _version() -> tuple[int, ...]:
    """Of scikit-learn, major and minor."""
    text = str(getattr(sys.modules.get("sklearn"), "__version__", "1.3"))
    return tuple(int(part) for part in text.split(".")[:2])


def is_tree(model: Any) -> bool:
    return class_name(model) in _TREES


def shares(model: Any) -> Numbers:
    """By node, the probabilities of both classes as `predict_proba` has them: before scikit-learn
    1.3 the nodes hold weights, which it divides by their sum.
    """
    values = np.asarray(model.tree_.value[:, 0, :], np.float64)
    if _version() < (1, 3):
        total = values.sum(axis=1)
        values = values / np.where(total == 0.0, 1.0, total)[:, None]
    return values


def voting_trees(models: Sequence[Any], features: Sequence[Integers] | None = None) -> list[Tree]:
    """Trees whose leaves are the probability of the second class."""
    made = []
    for k, model in enumerate(models):
        _require_two_classes(model)
        made.append(
            tree_of(model.tree_, shares(model)[:, 1], None if features is None else features[k])
        )
    return made


def _require_two_classes(model: Any) -> None:
    if model.tree_.n_outputs != 1 or model.tree_.value.shape[2] != 2:
        raise NotTranslatable(
            f"a {class_name(model)} has {model.tree_.n_outputs} outputs of "
            f"{model.tree_.value.shape[2]} classes; croco explains one of two"
        )


@classifier(*_TREES)
def decision_tree(graph: Graph, model: Any, table: Table) -> Score:
    """The share of the second class in the leaf."""
    return Score(probability=add_trees(graph, table, voting_trees([model])))


@classifier("RandomForestClassifier", "ExtraTreesClassifier")
def forest(graph: Graph, model: Any, table: Table) -> Score:
    """The mean of the trees' probabilities, added up in double precision in the order of the
    trees.
    """
    return Score(probability=add_trees(graph, table, voting_trees(model.estimators_), average=True))


@classifier("GradientBoostingClassifier")
def gradient_boosting(graph: Graph, model: Any, table: Table) -> Score:
    """1 / (1 + exp(-s)) with s = start + rate * leaves; twice s for the exponential loss."""
    trees = [
        tree_of(stage[0].tree_, model.learning_rate * stage[0].tree_.value[:, 0, 0])
        for stage in model.estimators_
    ]
    score = add_trees(graph, table, trees, base=_start(model))
    if model.loss == "exponential":
        return Score(score, graph.function("Sigmoid", graph.multiply(score, 2.0)))
    return sigmoid(graph, score)


def _start(model: Any) -> float:
    """The first guess: the log-odds of the classes, as the library itself computes them."""
    if model.init is not None and model.init != "zero":
        raise NotTranslatable(
            f"GradientBoostingClassifier starts from an estimator of its own "
            f"({class_name(model.init)}); leave init out"
        )
    row = np.zeros((1, model.n_features_in_), np.float32)
    return float(np.ravel(model._raw_predict_init(row))[0])


def _largest_vote(model: Any) -> float:
    """What AdaBoost's decision function counts a vote of weight 1 as, asked of the library: 1 or
    2.
    """
    rows = np.random.default_rng(0).normal(size=(64, model.n_features_in_)) * 100
    weights = np.asarray(model.estimator_weights_, np.float64)[: len(model.estimators_)]
    votes = (
        sum(
            np.where(one.predict(rows) == model.classes_[1], weight, -weight)
            for one, weight in zip(model.estimators_, weights, strict=False)
        )
        / weights.sum()
    )
    plain = getattr(model, "feature_names_in_", None) is None
    said = model.decision_function(rows) if plain else _without_names(model).decision_function(rows)
    return 2.0 if np.abs(said - 2 * votes).sum() < np.abs(said - votes).sum() else 1.0


def _without_names(model: Any) -> Any:
    """A copy that takes arrays without a warning."""
    plain = copy.copy(model)
    del plain.feature_names_in_
    return plain


@classifier("AdaBoostClassifier")
def ada_boost(graph: Graph, model: Any, table: Table) -> Score:
    """The softmax of half the decision function and its negative: 1 / (1 + exp(-s)).

    SAMME: s is the mean, by the estimators' weights, of 1 or -1 for what each tree predicts, and
    twice that in newer versions. SAMME.R: the mean of log p1 - log p0 of each tree, with p not
    below the smallest step of 1.
    """
    estimators = model.estimators_
    if not all(is_tree(one) for one in estimators):
        raise NotTranslatable(
            f"AdaBoostClassifier has a translation for trees, and here it boosts "
            f"{class_name(estimators[0])}"
        )
    weights = np.asarray(model.estimator_weights_, np.float64)[: len(estimators)]
    vote = _largest_vote(model)
    trees = []
    for one, weight in zip(estimators, weights, strict=False):
        _require_two_classes(one)
        first, second = shares(one).T
        if getattr(model, "algorithm", "SAMME") == "SAMME.R":
            step = np.finfo(np.float64).eps
            leaf = np.log(np.maximum(second, step)) - np.log(np.maximum(first, step))
        else:
            leaf = np.where(second > first, weight, -weight) * vote
        trees.append(tree_of(one.tree_, leaf))
    return sigmoid(graph, graph.divide(add_trees(graph, table, trees), float(weights.sum())))
