# SPDX-License-Identifier: Apache-2.0
"""Transformers and classifiers that are made of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .contract import NotTranslatable
from .graph import Graph
from .registry import Score, class_name, classifier, classify, classify_part, transform, transformer
from .table import Table, side_by_side


def _behind_steps(graph: Graph, steps: Sequence[tuple[str, Any]], table: Table) -> Table:
    for name, step in steps:
        if hasattr(step, "fit_resample"):
            continue  # Samplers work in training only.
        try:
            table = transform(graph, step, table)
        except NotTranslatable as error:
            raise NotTranslatable(f"step {name!r}: {error}") from None
    return table


@transformer("Pipeline")
def pipeline(graph: Graph, step: Any, table: Table) -> Table:
    return _behind_steps(graph, step.steps, table)


@classifier("Pipeline")
def classifier_behind_pipeline(graph: Graph, model: Any, table: Table) -> Score:
    table = _behind_steps(graph, model.steps[:-1], table)
    name, last = model.steps[-1]
    try:
        return classify(graph, last, table)
    except NotTranslatable as error:
        raise NotTranslatable(f"step {name!r}: {error}") from None


@classifier("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")
def search(graph: Graph, model: Any, table: Table) -> Score:
    """The estimator that the search refitted on all data."""
    if not hasattr(model, "best_estimator_"):
        raise NotTranslatable(
            f"the {class_name(model)} has no best_estimator_; fit it with refit=True"
        )
    return classify(graph, model.best_estimator_, table)


@classifier("TunedThresholdClassifierCV", "FixedThresholdClassifier")
def threshold(graph: Graph, model: Any, table: Table) -> Score:
    """The second class is predicted where the inner classifier's score is at least a threshold."""
    inner = getattr(model, "estimator_", None) or model.estimator
    positive = getattr(model, "pos_label", None)
    if positive is not None and positive != model.classes_[1]:
        raise NotTranslatable(
            f"the {class_name(model)} has the threshold of its first class; take "
            f"{model.classes_[1]!r} as pos_label"
        )
    score = classify_part(graph, inner, table)
    by_probability = model.response_method == "predict_proba" or (
        model.response_method == "auto" and hasattr(inner, "predict_proba")
    )
    value = score.probability if by_probability else score.decision
    cut = getattr(model, "best_threshold_", None)
    if cut is None:
        cut = model.threshold if model.threshold != "auto" else 0.5 if by_probability else 0.0
    if value is None:
        raise NotTranslatable(f"what the {class_name(model)} compares has no translation")
    decision = graph.subtract(value, float(cut))
    return Score(decision, score.probability, label_by_decision=True)


@transformer("FunctionTransformer")
def function_transformer(graph: Graph, step: Any, table: Table) -> Table:
    """Only the identity has a formula: any other function is Python code."""
    if step.func is None:
        return table
    name = getattr(step.func, "__name__", repr(step.func))
    raise NotTranslatable(
        f"a FunctionTransformer calls the Python function {name!r}, which croco cannot look into"
    )


@transformer("FeatureUnion")
def feature_union(graph: Graph, step: Any, table: Table) -> Table:
    """Several transformers on the same columns, side by side, each times its weight."""
    if step.transformer_weights:
        raise NotTranslatable("a FeatureUnion with transformer_weights has no translation")
    parts = [
        _behind_steps(graph, [(name, one)], table)
        for name, one in step.transformer_list
        if one != "drop"
    ]
    return side_by_side(parts)


@transformer("ColumnTransformer")
def column_transformer(graph: Graph, step: Any, table: Table) -> Table:
    """Each transformer on its columns as they were resolved in `fit`, side by side; the rest as
    `remainder` says.
    """
    made: list[Table] = []
    for name, one, columns in step.transformers_:
        places = _places(step, columns, table)
        if not places or (isinstance(one, str) and one == "drop"):
            continue
        # What comes out is dense or sparse as a whole, whatever it was made from.
        made.append(_behind_steps(graph, [(name, one)], table.select(places)))
    out = side_by_side(made)
    try:
        names = [str(name) for name in step.get_feature_names_out()]
    except (AttributeError, ValueError):
        names = None
    return Table(out.parts, None, bool(getattr(step, "sparse_output_", False))).renamed(names)


def _places(step: Any, columns: Any, table: Table) -> list[int]:
    """The places of columns that are given by name, place, slice or mask, one or several."""
    if isinstance(columns, (str, int, np.integer)):
        columns = [columns]
    names = [str(name) for name in getattr(step, "feature_names_in_", table.names or ())]
    if isinstance(columns, slice):
        if isinstance(columns.start, str) or isinstance(columns.stop, str):
            start = 0 if columns.start is None else names.index(columns.start)
            stop = len(table) if columns.stop is None else names.index(columns.stop) + 1
            return list(range(start, stop, columns.step or 1))
        return list(range(len(table)))[columns]
    listed = list(columns)
    if listed and all(isinstance(one, (bool, np.bool_)) for one in listed):
        return [place for place, chosen in enumerate(listed) if chosen]
    out = []
    for one in listed:
        if isinstance(one, (int, np.integer)):
            out.append(int(one) % len(table))
        elif str(one) in names:
            out.append(names.index(str(one)))
        else:
            raise NotTranslatable(
                f"a ColumnTransformer takes the column {one!r}, which is not among {names}"
            )
    return out
