# SPDX-License-Identifier: Apache-2.0
"""Sums of decision trees as one node of the file.

scikit-learn's trees round the columns to single precision and compare them with thresholds in
double precision: x <= t is then x <= the largest single number that is not above t. Trees of
HistGradientBoosting compare in double precision, which the node of ONNX does not: they are given x
- t, whose sign is exact, and compare it with 0. So are scikit-learn's other trees where they are a
part of something else, since whatever follows a rounding to single precision is single precision to
runtimes; t is then the largest number that is rounded to at most the threshold. What a split does
to a category is known for every level, so that it becomes a column of its own: 0 left, 1 right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import onnx_writer as writer
from .graph import ML, Graph, Numbers, Value
from .table import Lookup, Table

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Tree:
    """A tree in arrays by node, children behind their parents; leaves have no left child (-1).

    `sets` has, for splits on categories, what decides whether a value goes left.
    """

    left: Integers
    right: Integers
    feature: Integers
    threshold: Numbers
    leaf: Numbers
    missing_left: Flags
    sets: dict[int, Callable[[float], bool]] = field(default_factory=dict)

    @property
    def splits(self) -> Flags:
        return self.left >= 0


def single_below(thresholds: npt.ArrayLike) -> Numbers:
    """The largest numbers of single precision that are not above the given ones."""
    exact = np.asarray(thresholds, np.float64)
    largest = float(np.finfo(np.float32).max)
    rounded = np.clip(exact, -largest, largest).astype(np.float32)
    below = np.nextafter(rounded, np.float32(-np.inf))
    return np.where(rounded.astype(np.float64) > exact, below, rounded).astype(np.float64)


def largest_rounded_to(limits: Numbers) -> Numbers:
    """The largest numbers that are at most `limits`, of single precision, once they are rounded to
    it.
    """
    with np.errstate(over="ignore"):
        above = np.nextafter(limits.astype(np.float32), np.float32(np.inf)).astype(np.float64)
    middle = np.where(np.isfinite(above), (limits + above) / 2, limits)
    return np.where(middle.astype(np.float32) <= limits, middle, np.nextafter(middle, -np.inf))


def tree_of(tree: Any, leaf: Numbers, features: Integers | None = None) -> Tree:
    """A fitted `Tree` of scikit-learn with what its nodes are worth as leaves. `features` are the
    columns that it was given, when these are not all.
    """
    asked = np.maximum(np.asarray(tree.feature, np.int64), 0)
    missing = getattr(tree, "missing_go_to_left", None)
    return Tree(
        np.asarray(tree.children_left, np.int64),
        np.asarray(tree.children_right, np.int64),
        asked if features is None else np.asarray(features, np.int64)[asked],
        np.asarray(tree.threshold, np.float64),
        np.asarray(leaf, np.float64),
        np.zeros(asked.size, bool) if missing is None else np.asarray(missing, bool),
    )


def add_trees(
    graph: Graph,
    table: Table,
    trees: Sequence[Tree],
    *,
    base: float = 0.0,
    average: bool = False,
    single: bool = True,
) -> Value:
    """base + the sum of leaves, in the order of the trees, or their mean without a base, since
    runtimes differ about that. `single` says that columns are rounded to single precision before
    they are compared.
    """
    if average and base != 0:
        raise ValueError("a mean of trees has no base")
    columns = _Columns(table, single, single and graph.trees_are_all)
    places = [columns.splits(tree) for tree in trees]
    value = columns.value(graph)
    tree_ids = np.concatenate([np.full(tree.left.size, k) for k, tree in enumerate(trees)])
    node_ids = np.concatenate([np.arange(tree.left.size) for tree in trees])
    splits = np.concatenate([tree.splits for tree in trees])
    leaves = ~splits
    attributes: dict[str, writer.Attribute] = {
        "nodes_treeids": tree_ids.tolist(),
        "nodes_nodeids": node_ids.tolist(),
        "nodes_featureids": np.concatenate([column for column, _ in places]).tolist(),
        "nodes_values_as_tensor": np.concatenate([limit for _, limit in places]),
        "nodes_modes": np.where(splits, "BRANCH_LEQ", "LEAF").tolist(),
        "nodes_truenodeids": np.maximum(np.concatenate([tree.left for tree in trees]), 0).tolist(),
        "nodes_falsenodeids": np.maximum(
            np.concatenate([tree.right for tree in trees]), 0
        ).tolist(),
        "target_treeids": tree_ids[leaves].tolist(),
        "target_nodeids": node_ids[leaves].tolist(),
        "target_ids": [0] * int(leaves.sum()),
        "target_weights_as_tensor": np.concatenate([tree.leaf for tree in trees])[leaves],
        "base_values_as_tensor": np.array([base]),
        "aggregate_function": "AVERAGE" if average else "SUM",
        "n_targets": 1,
    }
    missing = np.concatenate([tree.missing_left & tree.splits for tree in trees])
    if missing.any():
        attributes["nodes_missing_value_tracks_true"] = missing.astype(np.int64).tolist()
    return graph.cast(
        graph.node("TreeEnsembleRegressor", [value], 1, ML, attributes=attributes), writer.DOUBLE
    )


class _Columns:
    """The columns that the trees are given, collected from their splits."""

    def __init__(self, table: Table, single: bool, cast: bool) -> None:
        self._table = table
        self._single = single
        self._cast = cast
        self._numbers: dict[int, int] = {}  # a feature's column, cast
        self._differences: dict[tuple[int, float], int] = {}  # of a feature and a threshold
        self._sides: dict[
            tuple[int, tuple[bool, ...]], int
        ] = {}  # of a category and the levels that go right
        self._count = 0

    def splits(self, tree: Tree) -> tuple[Integers, Numbers]:
        """For each node, its column and what that is compared with; 0 for leaves."""
        places, limits = np.zeros(tree.left.size, np.int64), np.zeros(tree.left.size)
        exact = single_below(tree.threshold) if self._single else tree.threshold
        if self._single and not self._cast:
            exact = largest_rounded_to(exact)
        for node in np.flatnonzero(tree.splits):
            feature = int(tree.feature[node])
            part = self._table.parts[feature]
            if isinstance(part, Lookup):
                places[node], limits[node] = self._side(
                    part, feature, self._rights(part, tree, int(node))
                )
            elif self._cast:
                places[node], limits[node] = self._place(self._numbers, feature), exact[node]
            else:
                places[node] = self._place(self._differences, (feature, float(exact[node])))
        return places, limits

    def _rights(self, part: Lookup, tree: Tree, node: int) -> tuple[bool, ...]:
        """Which levels go right."""
        numbers = part.numbers()
        if node in tree.sets:
            left = np.array(
                [not np.isnan(number) and tree.sets[node](number) for number in numbers]
            )
            unknown = np.isnan(numbers)
        else:
            seen = numbers.astype(np.float32).astype(np.float64) if self._single else numbers
            left, unknown = seen <= tree.threshold[node], np.isnan(seen)
        left = np.where(unknown, tree.missing_left[node], left)
        return tuple(not bool(one) for one in left)

    def _side(self, part: Lookup, feature: int, rights: tuple[bool, ...]) -> tuple[int, float]:
        category = next(
            place
            for place, one in enumerate(self._table.parts)
            if isinstance(one, Lookup) and one.column is part.column
        )
        if any(rights) and not all(rights):
            return self._place(self._sides, (category, rights)), 0.5
        # All levels go the same way: any column will do.
        first = (True,) + (False,) * (len(rights) - 1)
        return self._place(self._sides, (category, first)), -1.0 if rights[0] else 2.0

    def _place(self, places: dict[Any, int], key: Any) -> int:
        if key not in places:
            places[key] = self._count
            self._count += 1
        return places[key]

    def value(self, graph: Graph) -> Value:
        """All collected columns side by side, in the order of their places."""
        if self._count == 0:  # Trees of one leaf: nothing is asked.
            return self._table.select([0]).value(graph)
        made: list[Value] = []
        order: list[int] = []
        if self._numbers:
            made.append(graph.as_single(self._table.select(list(self._numbers)).value(graph)))
            order.extend(self._numbers.values())
        for feature in sorted({feature for feature, _ in self._differences}):
            limits = [limit for asked, limit in self._differences if asked == feature]
            made.append(
                graph.subtract(self._table.select([feature]).value(graph), np.array(limits))
            )
            order.extend(self._differences[feature, limit] for limit in limits)
        for category in sorted({category for category, _ in self._sides}):
            part = self._table.parts[category]
            assert isinstance(part, Lookup)
            sides = [rights for asked, rights in self._sides if asked == category]
            made.append(graph.table(graph.place_input(part.column), np.array(sides, np.float64).T))
            order.extend(self._sides[category, rights] for rights in sides)
        return graph.take(graph.concat(made), np.argsort(order).tolist())
