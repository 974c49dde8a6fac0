# SPDX-License-Identifier: Apache-2.0
"""Which function translates which class. Classes are found by name, so that no library has to be
imported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .contract import NotTranslatable
from .graph import Graph, Value
from .table import Table


@dataclass(frozen=True)
class Score:
    """What a classifier of two classes says about the second one. Either may be missing in its
    library.

    `decision` is `decision_function`, `probability` is `predict_proba[:, 1]`. `label_by_decision`
    says that `predict` goes by the first where both are there and may disagree.
    """

    decision: Value | None = None
    probability: Value | None = None
    label_by_decision: bool = False


Transform = Callable[[Graph, Any, Table], Table]
Classify = Callable[[Graph, Any, Table], Score]

_transformers: dict[str, Transform] = {}
_classifiers: dict[str, Classify] = {}
_LIBRARIES = {"sklearn", "imblearn", "xgboost", "lightgbm"}


def transformer(*names: str) -> Callable[[Transform], Transform]:
    """Registers a function for transformers of these classes."""

    def register(function: Transform) -> Transform:
        for name in names:
            _transformers[name] = function
        return function

    return register


def classifier(*names: str) -> Callable[[Classify], Classify]:
    """Registers a function for classifiers of these classes."""

    def register(function: Classify) -> Classify:
        for name in names:
            _classifiers[name] = function
        return function

    return register


def class_name(model: Any) -> str:
    return type(model).__name__


def is_from_known_library(model: Any) -> bool:
    return type(model).__module__.split(".")[0] in _LIBRARIES


def _own_class(model: Any) -> str:
    return (
        f"{class_name(model)} is a class of your own ({type(model).__module__}), which croco "
        f"cannot look into; it is asked as a black box"
    )


def transform(graph: Graph, step: Any, table: Table) -> Table:
    """The table behind a fitted transformer. Throws NotTranslatable."""
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return table
    if not is_from_known_library(step):
        raise NotTranslatable(_own_class(step))
    if class_name(step) not in _transformers:
        raise NotTranslatable(
            f"{class_name(step)} has no translation; croco translates "
            f"{', '.join(sorted(_transformers))}"
        )
    _require_width(step, table)
    return _transformers[class_name(step)](graph, step, table)


def classify(graph: Graph, model: Any, table: Table) -> Score:
    """What a fitted classifier says about the rows of a table. Throws NotTranslatable."""
    if not is_from_known_library(model):
        raise NotTranslatable(_own_class(model))
    if class_name(model) not in _classifiers:
        regressor = class_name(model).endswith("Regressor") or class_name(model) in (
            "LinearRegression",
            "SVR",
        )
        raise NotTranslatable(
            f"{class_name(model)} predicts numbers; croco explains classifiers of two classes"
            if regressor
            else f"{class_name(model)} has no translation; croco translates "
            f"{', '.join(sorted(_classifiers))}"
        )
    _require_width(model, table)
    if len(getattr(model, "classes_", (0, 1))) != 2:
        raise NotTranslatable(
            f"a {class_name(model)} has {len(model.classes_)} classes; croco explains two"
        )
    return _classifiers[class_name(model)](graph, model, table)


def classify_part(graph: Graph, model: Any, table: Table) -> Score:
    """The same for a classifier whose answer others compute with."""
    graph.trees_are_all = False
    return classify(graph, model, table)


def _require_width(step: Any, table: Table) -> None:
    width = getattr(step, "n_features_in_", None)
    if width is not None and width != len(table):
        raise NotTranslatable(
            f"{class_name(step)} was fitted on {width} columns and is given {len(table)}"
        )


def sigmoid(graph: Graph, logit: Value) -> Score:
    """A classifier whose probability is the logistic function of its decision function."""
    return Score(decision=logit, probability=graph.function("Sigmoid", logit))
