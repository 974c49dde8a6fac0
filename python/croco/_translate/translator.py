# SPDX-License-Identifier: Apache-2.0
"""Finds the way for a model: its library's own file, or a graph of what it computes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import (  # noqa: F401  they register their classes
    booster_trees,
    calibration,
    compose,
    encoders,
    ensembles,
    forests,
    hist_boosting,
    linear,
    scalers,
)
from .boosters import catboost, lightgbm, xgboost
from .contract import Column, NotTranslatable, Translation
from .graph import Graph
from .registry import class_name, classify
from .table import Table
from .torch_modules import is_torch_module, torch_module


def translate(model: Any, columns: Sequence[Column]) -> Translation:
    """A file for a fitted classifier of two classes. Throws NotTranslatable with the reason."""
    library = type(model).__module__.split(".")[0]
    try:
        return _translated(model, library, list(columns))
    except NotTranslatable:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # Fitted objects are read by their attributes, which other versions may have otherwise.
        version = getattr(sys.modules.get(library), "__version__", "of an unknown version")
        raise NotTranslatable(
            f"the {class_name(model)} of {library} {version} is not built as expected "
            f"({type(error).__name__}: {error})"
        ) from error


def _translated(model: Any, library: str, columns: list[Column]) -> Translation:
    files = {"xgboost": xgboost, "lightgbm": lightgbm, "catboost": catboost}
    if library in files:
        return files[library](model, columns)
    if is_torch_module(model):
        return torch_module(model, columns)
    return _graph(model, columns)


def classes_of(model: Any) -> list[Any]:
    """The two classes. Throws NotTranslatable when there are others, or none yet."""
    try:
        classes = list(model.classes_)
    except AttributeError:
        raise NotTranslatable(
            f"the {class_name(model)} has no classes_: fit it first, and take a classifier "
            f"instead of a regressor"
        ) from None
    if len(classes) != 2:
        raise NotTranslatable(
            f"the {class_name(model)} has {len(classes)} classes; croco explains two"
        )
    return [one.item() if isinstance(one, np.generic) else one for one in classes]


def _graph(model: Any, columns: list[Column]) -> Translation:
    classes = classes_of(model)
    graph = Graph([column.name for column in columns])
    score = classify(graph, model, Table.of(graph, _as_fitted(model, columns)))
    output = score.probability or score.decision
    if output is None:
        raise NotTranslatable(
            f"{class_name(model)} has neither probabilities nor a decision function"
        )
    choices = {"score": "logit" if score.probability is None else "probability"}
    label = None
    if score.label_by_decision and score.decision is not None:
        zero = graph.multiply(score.decision, 0.0)
        both = graph.concat([zero, score.decision])
        label = graph.node("ArgMax", [both], 1, attributes={"axis": 1, "keepdims": 1})
        choices["decision"] = "label"
    return Translation("onnx", graph.serialize(output, label), classes, choices, graph.notes)


def _as_fitted(model: Any, columns: list[Column]) -> list[Column]:
    """The columns in the model's own order, when it knows their names."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        width = getattr(model, "n_features_in_", len(columns))
        if width != len(columns):
            raise NotTranslatable(
                f"the {class_name(model)} was fitted on {width} columns without names, and the "
                f"data have {len(columns)}"
            )
        return columns
    by_name = {column.name: column for column in columns}
    missing = [str(name) for name in names if str(name) not in by_name]
    if missing:
        raise NotTranslatable(
            f"the {class_name(model)} was fitted on columns that the data do not have: "
            f"{', '.join(missing)}"
        )
    return [by_name[str(name)] for name in names]
