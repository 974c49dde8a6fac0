# SPDX-License-Identifier: Apache-2.0
"""HistGradientBoostingClassifier, with its categories and missing values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .contract import NotTranslatable
from .encoders import encoder
from .graph import Graph
from .registry import Score, classifier, sigmoid
from .table import Lookup, Table, side_by_side
from .trees import Tree, add_trees

_LARGEST = float(np.finfo(np.float64).max)


@classifier("HistGradientBoostingClassifier")
def hist_gradient_boosting(graph: Graph, model: Any, table: Table) -> Score:
    """1 / (1 + exp(-s)) with s = baseline + leaves, added up in the order of the trees."""
    table = _preprocessed(graph, model, table)
    known = _KnownCategories(model)
    trees = [_tree(predictors[0], known, table) for predictors in model._predictors]
    base = float(np.ravel(model._baseline_prediction)[0])
    return sigmoid(graph, add_trees(graph, table, trees, base=base, single=False))


def _preprocessed(graph: Graph, model: Any, table: Table) -> Table:
    """Newer versions encode categories themselves and put them in front of the numbers."""
    preprocessor = getattr(model, "_preprocessor", None)
    if preprocessor is None:
        return table
    parts = []
    for name, step, chosen in preprocessor.transformers_:
        places = [int(place) for place in np.flatnonzero(np.asarray(chosen, bool))]
        if places:
            part = table.select(places)
            for place in range(len(part)) if name == "encoder" else ():
                _require_category(part, place)
            parts.append(encoder(graph, step, part) if name == "encoder" else part)
    return side_by_side(parts)


def _in_bits(bits: Any, code: int) -> bool:
    return 0 <= code < 256 and bool((int(bits[code // 32]) >> (code % 32)) & 1)


class _KnownCategories:
    """Codes of categories that training met; any other one is a missing value."""

    def __init__(self, model: Any) -> None:
        categorical = model.is_categorical_
        self._bits: Any | None = None
        if categorical is not None and np.any(categorical):
            self._bits, self._rows = model._bin_mapper.make_known_categories_bitsets()

    def has(self, feature: int, code: int) -> bool:
        return self._bits is not None and _in_bits(self._bits[self._rows[feature]], code)


def _tree(predictor: Any, known: _KnownCategories, table: Table) -> Tree:
    nodes = predictor.nodes
    leaf = nodes["is_leaf"].astype(bool)
    missing_left = nodes["missing_go_to_left"].astype(bool)
    features = np.where(leaf, 0, nodes["feature_idx"].astype(np.int64))
    sets: dict[int, Callable[[float], bool]] = {}
    for node in np.flatnonzero(nodes["is_categorical"].astype(bool) & ~leaf):
        feature = int(features[node])
        _require_category(table, feature)
        bits = predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]]
        sets[int(node)] = _goes_left(bits, known, feature, bool(missing_left[node]))
    left, right = (np.where(leaf, -1, nodes[side].astype(np.int64)) for side in ("left", "right"))
    return Tree(
        left,
        right,
        features,
        np.clip(nodes["num_threshold"], -_LARGEST, _LARGEST).astype(np.float64),
        nodes["value"].astype(np.float64),
        missing_left,
        sets,
    )


def _goes_left(
    bits: Any, known: _KnownCategories, feature: int, missing_left: bool
) -> Callable[[float], bool]:
    def left(number: float) -> bool:
        code = int(number)
        if number < 0 or not (_in_bits(bits, code) or known.has(feature, code)):
            return missing_left
        return _in_bits(bits, code)

    return left


def _require_category(table: Table, feature: int) -> None:
    if not isinstance(table.parts[feature], Lookup):
        name = table.names[feature] if table.names is not None else f"number {feature + 1}"
        raise NotTranslatable(
            f"HistGradientBoostingClassifier takes the column {name!r} as a category, and the data "
            f"have it as numbers; give it the type category"
        )
