# SPDX-License-Identifier: Apache-2.0
"""The columns that flow through a pipeline, as functions of the columns of the data.

A function of one category is a list of what each level becomes. Steps that work on single columns
are therefore computed here, by the library's own code or in its own arithmetic, and only the last
list is written into the file. Numbers are values of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Union

import numpy as np

from .contract import Column, NotTranslatable
from .graph import Graph, Numbers, Value


@dataclass(frozen=True)
class Lookup:
    """What each level of a category has become: a number, a text, anything."""

    column: Column
    values: tuple[Any, ...]

    def numbers(self) -> Numbers:
        try:
            return np.array([float(value) for value in self.values])
        except (TypeError, ValueError):
            text = next(value for value in self.values if not _is_number(value))
            raise NotTranslatable(
                f"the column {self.column.name!r} reaches a step that computes with numbers while "
                f"it still has texts such as {str(text)!r}; encode it first, for instance by a "
                f"OneHotEncoder"
            ) from None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


@dataclass(frozen=True)
class Number:
    """One column of a value. Of `single` ones the library holds single precision."""

    value: Value
    index: int = 0
    single: bool = False


Part = Union[Lookup, Number]


@dataclass(frozen=True)
class Table:
    """`names` are those that a data frame would have here, when they are known."""

    parts: tuple[Part, ...]
    names: tuple[str, ...] | None = None
    sparse: bool = False

    @staticmethod
    def of(graph: Graph, columns: Sequence[Column]) -> Table:
        parts: list[Part] = []
        for column in columns:
            if column.has_levels:
                parts.append(Lookup(column, tuple(column.level_values())))
            else:
                parts.append(Number(graph.number_input(column), 0, column.dtype == "float32"))
        return Table(tuple(parts), tuple(column.name for column in columns))

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def single(self) -> bool:
        """Whether the library holds all of it in single precision."""
        return bool(self.parts) and all(
            isinstance(part, Number) and part.single for part in self.parts
        )

    def select(self, places: Sequence[int]) -> Table:
        names = None if self.names is None else tuple(self.names[place] for place in places)
        return replace(self, parts=tuple(self.parts[place] for place in places), names=names)

    def renamed(self, names: Sequence[str] | None) -> Table:
        fits = names is not None and len(names) == len(self.parts)
        return replace(
            self, names=tuple(str(name) for name in names) if fits and names is not None else None
        )

    def value(self, graph: Graph) -> Value:
        """All columns side by side, as numbers."""
        if not self.parts:
            raise NotTranslatable("a step of the pipeline is given no columns")
        blocks: list[Value] = []
        for run in _runs(self.parts):
            first = run[0]
            if isinstance(first, Lookup):
                rows = np.column_stack([part.numbers() for part in run if isinstance(part, Lookup)])
                _require_known(rows, first.column)
                blocks.append(graph.table(graph.place_input(first.column), rows))
            else:
                blocks.append(
                    graph.take(
                        first.value, [part.index for part in run if isinstance(part, Number)]
                    )
                )
        return graph.concat(blocks)

    def numbers_only(self) -> tuple[list[int], Table]:
        """The columns that are numbers, and their places."""
        places = [place for place, part in enumerate(self.parts) if isinstance(part, Number)]
        return places, self.select(places)

    def mapped(
        self,
        graph: Graph,
        on_value: Callable[[Value, list[int]], Value],
        on_lookup: Callable[[Numbers, int], Numbers],
    ) -> Table:
        """The same columns, each as a function of itself. Both functions get the places."""
        places, numbers = self.numbers_only()
        parts = list(self.parts)
        if places:
            made = on_value(numbers.value(graph), places)
            single = self.single
            made = graph.as_single(made) if single else made
            for index, place in enumerate(places):
                parts[place] = Number(made, index, single)
        for place, part in enumerate(parts):
            if isinstance(part, Lookup):
                parts[place] = Lookup(part.column, tuple(on_lookup(part.numbers(), place)))
        return replace(self, parts=tuple(parts))


def _require_known(rows: Numbers, column: Column) -> None:
    if not np.isfinite(rows).all():
        level = column.level_texts()[int(np.argmin(np.isfinite(rows).all(axis=1)))]
        raise NotTranslatable(
            f"the level {level!r} of {column.name!r} becomes a missing value on its way to "
            f"the model"
        )


def _runs(parts: Sequence[Part]) -> list[list[Part]]:
    """Neighbours that come from the same value, or from the same category."""
    out: list[list[Part]] = []
    for part in parts:
        last = out[-1][-1] if out else None
        same = (
            isinstance(part, Number) and isinstance(last, Number) and part.value == last.value
        ) or (isinstance(part, Lookup) and isinstance(last, Lookup) and part.column is last.column)
        if same:
            out[-1].append(part)
        else:
            out.append([part])
    return out


def side_by_side(tables: Sequence[Table]) -> Table:
    parts = tuple(part for table in tables for part in table.parts)
    names: tuple[str, ...] | None = None
    if all(table.names is not None for table in tables):
        names = tuple(name for table in tables for name in table.names or ())
    return Table(parts, names, any(table.sparse for table in tables))
