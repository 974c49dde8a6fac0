# SPDX-License-Identifier: Apache-2.0
"""Encoders of categories. What a level becomes is asked of the fitted encoder itself, level by
level, so that dropped, infrequent and unknown categories are treated as it treats them.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .contract import NotTranslatable
from .graph import Graph, Numbers, Value
from .registry import class_name, transformer
from .table import Lookup, Number, Part, Table


@transformer("OneHotEncoder", "OrdinalEncoder", "TargetEncoder")
def encoder(graph: Graph, step: Any, table: Table) -> Table:
    """The rows that the encoder makes of each value of each column, side by side."""
    probe = _Probe(step)
    parts: list[Part] = []
    for place, part in enumerate(table.parts):
        if isinstance(part, Lookup):
            rows = [_known(graph, probe, place, value, part) for value in part.values]
            parts.extend(
                Lookup(part.column, tuple(float(row[k]) for row in rows))
                for k in range(probe.widths[place])
            )
        else:
            value = _of_numbers(graph, probe, place, table.select([place]).value(graph))
            parts.extend(Number(value, index) for index in range(value.width))
    names = _names_out(step, table)
    return Table(tuple(parts), None, _is_sparse(step)).renamed(names)


def _is_sparse(step: Any) -> bool:
    if class_name(step) != "OneHotEncoder":
        return False
    sparse = getattr(step, "sparse_output", None)
    return bool(step.sparse if sparse is None else sparse)


def _names_out(step: Any, table: Table) -> list[str] | None:
    try:
        return [str(name) for name in step.get_feature_names_out(table.names)]
    except (AttributeError, ValueError):
        return None


class _Probe:
    """Asks an encoder about one value of one column, the others having some category that it
    knows.
    """

    def __init__(self, step: Any) -> None:
        self.step = step
        self.usual = [
            next((value for value in categories if not _is_nan(value)), categories[0])
            for categories in step.categories_
        ]
        self.widths = [_width(step, place) for place in range(len(self.usual))]
        self.starts = np.concatenate([[0], np.cumsum(self.widths)]).astype(int)

    def row(self, place: int, value: Any) -> Numbers | None:
        """Nothing when the encoder refuses the value."""
        given = np.array([self.usual], dtype=object)
        given[0, place] = value
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                made = self.step.transform(given)
            except ValueError:
                return None
        row = np.asarray(made.toarray() if hasattr(made, "toarray") else made, np.float64)[0]
        if row.size != self.starts[-1]:
            raise NotTranslatable(
                f"{class_name(self.step)} makes {row.size} columns where its categories say "
                f"{self.starts[-1]}"
            )
        return np.array(row[self.starts[place] : self.starts[place + 1]], np.float64)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and bool(np.isnan(value))


def _width(step: Any, place: int) -> int:
    """Columns that a feature becomes."""
    if class_name(step) != "OneHotEncoder":
        return 1
    width = len(step.categories_[place])
    infrequent = getattr(step, "_infrequent_enabled", False) and step.infrequent_categories_[place]
    if infrequent is not None and infrequent is not False and len(infrequent):
        width += 1 - len(infrequent)
    dropped = step.drop_idx_ is not None and step.drop_idx_[place] is not None
    return width - int(dropped)


def _known(graph: Graph, probe: _Probe, place: int, value: Any, part: Lookup) -> Numbers:
    row = probe.row(place, value)
    if row is not None:
        return row
    graph.note(
        f"{class_name(probe.step)} refuses the value {str(value)!r} of {part.column.name!r}, "
        f"which it did not see in training; here it has no category"
    )
    return np.zeros(probe.widths[place])


def _of_numbers(graph: Graph, probe: _Probe, place: int, column: Value) -> Value:
    """A column of numbers is compared with every category: default + [x = c] (row of c -
    default).
    """
    categories = [float(value) for value in probe.step.categories_[place] if not _is_nan(value)]
    unknown = probe.row(place, max(categories) + 1.5)
    if unknown is None:
        graph.note(
            f"{class_name(probe.step)} refuses numbers that it did not see in training; "
            f"here they have no category"
        )
        unknown = np.zeros(probe.widths[place])
    rows = [probe.row(place, value) for value in categories]
    if any(row is None for row in rows) or not np.isfinite(unknown).all():
        raise NotTranslatable(
            f"{class_name(probe.step)} makes missing values of numbers that it does not know"
        )
    table = np.array([row for row in rows if row is not None]) - unknown
    return graph.affine(graph.truth("Equal", column, np.array(categories)), table, unknown)


@transformer("KBinsDiscretizer")
def bins(graph: Graph, step: Any, table: Table) -> Table:
    """The number of inner edges that are at most x, or one column for each bin."""
    parts: list[Part] = []
    for place, part in enumerate(table.parts):
        edges = np.asarray(step.bin_edges_[place][1:-1], np.float64)
        one_hot = step.encode != "ordinal"
        if isinstance(part, Lookup):
            found = np.searchsorted(edges, part.numbers(), side="right")
            rows = np.eye(edges.size + 1)[found] if one_hot else found[:, None].astype(float)
            parts.extend(Lookup(part.column, tuple(column)) for column in rows.T)
            continue
        column = table.select([place]).value(graph)
        if edges.size == 0:
            parts.append(Number(graph.add(graph.multiply(column, 0.0), float(one_hot))))
            continue
        above = graph.truth("GreaterOrEqual", column, edges)
        if one_hot:  # in a bin: above its lower edge and not above its upper one
            weights = np.eye(edges.size, edges.size + 1, 1) - np.eye(edges.size, edges.size + 1)
            value = graph.affine(above, weights, np.eye(1, edges.size + 1))
        else:
            value = graph.sum(above)
        parts.extend(Number(value, index) for index in range(value.width))
    return Table(tuple(parts), None, step.encode == "onehot")
