# SPDX-License-Identifier: Apache-2.0
"""Classifiers that put the answers of several others together."""

from __future__ import annotations

from typing import Any

import numpy as np

from .contract import NotTranslatable
from .forests import is_tree, shares, voting_trees
from .graph import Graph, Value
from .registry import Score, class_name, classifier, classify, classify_part
from .table import Number, Table, side_by_side
from .trees import add_trees, tree_of


def probability_of(graph: Graph, model: Any, table: Table) -> Value:
    score = classify_part(graph, model, table)
    if score.probability is None:
        raise NotTranslatable(f"{class_name(model)} has no probabilities to be averaged")
    return score.probability


def vote_of(graph: Graph, model: Any, table: Table) -> Value:
    """1 where the classifier predicts the second class, else 0. Leaves of a tree may be equally
    split, and the first class wins: they hold the vote themselves.
    """
    if is_tree(model):
        graph.trees_are_all = False
        first, second = shares(model).T
        return add_trees(graph, table, [tree_of(model.tree_, np.where(second > first, 1.0, 0.0))])
    score = classify_part(graph, model, table)
    if score.decision is not None:
        return graph.truth("Greater", score.decision, 0.0)
    assert score.probability is not None
    return graph.truth("Greater", score.probability, 0.5)


def _total(graph: Graph, values: list[Value]) -> Value:
    out = values[0]
    for value in values[1:]:
        out = graph.add(out, value)
    return out


@classifier("BaggingClassifier")
def bagging(graph: Graph, model: Any, table: Table) -> Score:
    """The mean of the estimators' probabilities, each on its own columns; of their votes when they
    have none.
    """
    features = [np.asarray(places, np.int64) for places in model.estimators_features_]
    if all(is_tree(one) for one in model.estimators_):
        return Score(
            probability=add_trees(
                graph, table, voting_trees(model.estimators_, features), average=True
            )
        )
    ask = probability_of if hasattr(model.estimators_[0], "predict_proba") else vote_of
    answers = [
        ask(graph, one, table.select([int(place) for place in places]))
        for one, places in zip(model.estimators_, features, strict=False)
    ]
    return Score(probability=graph.divide(_total(graph, answers), float(len(answers))))


@classifier("VotingClassifier")
def voting(graph: Graph, model: Any, table: Table) -> Score:
    """Soft: the mean of probabilities by weight. Hard: votes for the second class less those for
    the first one, which wins when they are equal.
    """
    weights = model._weights_not_none
    weights = (
        np.ones(len(model.estimators_)) if weights is None else np.asarray(weights, np.float64)
    )
    ask = probability_of if model.voting == "soft" else vote_of
    answers = [
        graph.multiply(ask(graph, one, table), float(weight))
        for one, weight in zip(model.estimators_, weights, strict=False)
    ]
    total = _total(graph, answers)
    if model.voting == "soft":
        return Score(probability=graph.divide(total, float(weights.sum())))
    least = 1e-9 * float(weights.sum())
    return Score(decision=graph.subtract(graph.multiply(total, 2.0), float(weights.sum()) + least))


@classifier("StackingClassifier")
def stacking(graph: Graph, model: Any, table: Table) -> Score:
    """The last estimator on the answers of the others, and on the columns themselves when they are
    passed through.
    """
    answers: list[Table] = []
    for one, method in zip(model.estimators_, model.stack_method_, strict=False):
        if method == "predict":
            raise NotTranslatable(
                f"StackingClassifier stacks the classes that {class_name(one)} predicts; "
                f"let it stack probabilities or decision functions"
            )
        score = classify_part(graph, one, table)
        value = score.probability if method == "predict_proba" else score.decision
        if value is None:
            raise NotTranslatable(f"{class_name(one)}.{method} has no translation")
        answers.append(Table((Number(value),)))
    if model.passthrough:
        answers.append(table)
    return classify(graph, model.final_estimator_, side_by_side(answers))


@classifier("FrozenEstimator")
def frozen(graph: Graph, model: Any, table: Table) -> Score:
    return classify(graph, model.estimator, table)
