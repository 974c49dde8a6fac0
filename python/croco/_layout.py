# SPDX-License-Identifier: Apache-2.0
"""The columns that a model takes: how users' values become croco's, and back again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import DataError
from ._table import Table, pandas
from ._values import is_boolean, is_date, is_missing, is_number, listed, suggestion, text_of

Numbers = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

#: more levels than any model encodes
MOST_LEVELS = 10_000


@dataclass
class Column:
    """A column of the background data."""

    name: str
    #: 'number', 'category' or 'boolean'
    kind: str
    #: of categories and booleans: the values in the user's own types, in the order of the levels
    values: list[Any] = field(default_factory=list)
    #: the dtype that the user's column has
    dtype: Any = None
    #: what the user calls it
    label: Any = None

    def __post_init__(self) -> None:
        if self.label is None:
            self.label = self.name
        self.texts = [text_of(value) for value in self.values]
        if len(set(self.texts)) < len(self.texts):
            twice = sorted({t for t in self.texts if self.texts.count(t) > 1})
            raise DataError(
                f"column {self.name!r} has different values that are written alike: "
                f"{listed(twice)}; make them texts, for example X[{self.name!r}].astype(str)"
            )
        self._places = {value: place for place, value in enumerate(self.values)}
        self._text_places = {text: place for place, text in enumerate(self.texts)}

    @property
    def is_integer(self) -> bool:
        """Whether users have whole numbers here, also with missing ones."""
        return getattr(self.dtype, "kind", "") in "iu" and self.kind == "number"

    def codes(self, values: Any) -> tuple[list[str], Codes]:
        """The levels' texts, with unknown ones at the end, and the code of each value."""
        texts = list(self.texts)
        places: dict[Any, int] = dict(self._places)
        out = np.empty(len(values), dtype=np.int32)
        for row, value in enumerate(_objects(values)):
            if is_missing(value):
                out[row] = -1
                continue
            try:
                place = places.get(value)
            except TypeError:
                place = None
            if place is None:
                text = text_of(value)
                place = self._text_places.get(text)
                if place is None:
                    place = texts.index(text) if text in texts[len(self.texts) :] else len(texts)
                    if place == len(texts):
                        texts.append(text)
            out[row] = place
        return texts, out

    def numbers(self, values: Any) -> tuple[Numbers, dict[int, str]]:
        """Numbers, with NaN for missing ones, and which rows have none and why."""
        kind = getattr(getattr(values, "dtype", None), "kind", "O")
        if kind in "fiub" and not hasattr(values, "array"):
            return np.ascontiguousarray(values, dtype=np.float64), {}
        if kind in "fiub" and hasattr(values, "to_numpy"):  # pandas, also its nullable types
            out = values.to_numpy(dtype=np.float64, na_value=np.nan)
            return np.ascontiguousarray(out), {}
        out = np.full(len(values), np.nan)
        faults: dict[int, str] = {}
        for row, value in enumerate(_objects(values)):
            if is_missing(value):
                continue
            if is_number(value) or is_boolean(value):
                out[row] = float(value)
                continue
            try:
                out[row] = float(value)
            except (TypeError, ValueError):
                faults[row] = f"column {self.name!r}: {value!r} is not a number"
        return out, faults

    def rebuilt(self, values: Numbers) -> Any:
        """Values as croco has them (numbers, or places among the levels) in the user's types."""
        if self.kind == "number":
            keep = getattr(self.dtype, "kind", "") == "f" and self.dtype.itemsize < 8
            return values.astype(self.dtype) if keep else values
        codes = np.where(np.isnan(values), -1, values).astype(np.int64)
        if _is_categorical(self.dtype):
            return pandas().Categorical.from_codes(codes, dtype=self.dtype)
        if self.kind == "boolean" and not (codes < 0).any():
            return np.array(self.values, dtype=bool)[codes]
        out = np.array([*self.values, None], dtype=object)[codes]
        if getattr(self.dtype, "kind", "O") == "O":
            return out
        if getattr(self.dtype, "kind", "O") in "iu" and not (codes < 0).any():
            return out.astype(self.dtype)
        return out

    def value_of(self, text: str) -> Any:
        """The recommended value in the user's type."""
        if text == "":
            return None
        if self.kind == "number":
            number = float(text)
            return int(number) if self.is_integer and number.is_integer() else number
        return self.values[self._text_places[text]]


def _objects(values: Any) -> Any:
    """The values one by one, in Python's types."""
    if hasattr(values, "astype"):
        return np.asarray(values.astype(object), dtype=object)
    return values


def _is_categorical(dtype: Any) -> bool:
    return type(dtype).__name__ == "CategoricalDtype"


def _column_of(name: str, values: Any, label: Any, as_category: bool, what: str) -> Column:
    dtype: Any = getattr(values, "dtype", None)
    kind = getattr(dtype, "kind", "O")
    if _is_categorical(dtype):
        levels = [value.item() if hasattr(value, "item") else value for value in dtype.categories]
        if any(is_date(level) for level in levels):
            raise DataError(_date_text(name, what))
        return Column(name, "category", levels, dtype, label)
    if kind in "mM":
        raise DataError(_date_text(name, what))
    if kind == "c":
        raise DataError(f"{what}, column {name!r} has complex numbers; give their parts as columns")
    if kind == "b":
        return Column(name, "boolean", [False, True], dtype, label)
    if kind in "fiu" and not as_category:
        return Column(name, "number", [], dtype, label)
    present = [value for value in _objects(values) if not is_missing(value)]
    if not present:
        raise DataError(
            f"{what}, column {name!r} has no value at all; leave it out, of the model too"
        )
    if any(is_date(value) for value in present):
        raise DataError(_date_text(name, what))
    if not as_category and all(is_boolean(value) for value in present):
        return Column(name, "boolean", [False, True], dtype, label)
    if not as_category and all(is_number(value) for value in present):
        return Column(name, "number", [], np.dtype(float), label)
    if not as_category and not all(isinstance(value, str) for value in present):
        odd = next(value for value in present if not isinstance(value, str))
        raise DataError(
            f"{what}, column {name!r} mixes texts with other values, such as {odd!r}; make it one "
            f"of them, for example X[{name!r}] = X[{name!r}].astype(str)"
        )
    levels = _sorted({value.item() if hasattr(value, "item") else value for value in present})
    if len(levels) > MOST_LEVELS:
        raise DataError(
            f"{what}, column {name!r} has {len(levels)} different texts; a category has at most "
            f"{MOST_LEVELS}. Is it an identifier? Leave it out, of the model too"
        )
    return Column(name, "category", levels, dtype, label)


def _sorted(values: set[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=text_of)


def _date_text(name: str, what: str) -> str:
    return (
        f"{what}, column {name!r} has dates; no advice can move a date. Make a number of it, such "
        "as the days until today, in the data and in the model"
    )


class Layout:
    """The columns in the order in which the model takes them."""

    def __init__(self, columns: list[Column], form: str):
        self.columns = columns
        self.form = form
        self.names = [column.name for column in columns]
        self._by_name = {column.name: column for column in columns}

    @classmethod
    def of_table(cls, table: Table, types: Mapping[str, str], what: str) -> Layout:
        """From background data; `types` are those that a schema states."""
        columns = [
            _column_of(name, values, label, types.get(name) == "categorical", what)
            for name, values, label in zip(table.names, table.columns, table.labels, strict=True)
        ]
        for column in columns:
            if types.get(column.name) == "numeric" and column.kind != "number":
                raise DataError(
                    f"the schema calls {column.name!r} numeric, but {what} has texts or booleans "
                    "there; make it categorical in the schema, or numbers in the data"
                )
        return cls(columns, table.form)

    @classmethod
    def of_schema(cls, schema: Mapping[str, Any]) -> Layout:
        """From the schema of a model that needs no background data."""
        columns = []
        for feature in schema["features"]:
            if feature["type"] == "numeric":
                columns.append(Column(feature["name"], "number", [], np.dtype(float)))
            else:
                columns.append(Column(feature["name"], "category", list(feature["levels"])))
        return cls(columns, "frame")

    def __getitem__(self, name: str) -> Column:
        return self._by_name[name]

    def place_of(self, name: str, argument: str) -> int:
        """Where a column is that an argument names."""
        from ._errors import InvalidArgument

        if name in self._by_name:
            return self.names.index(name)
        raise InvalidArgument(
            f"{argument} names {name!r}, which is no column of the background data"
            f"{suggestion(str(name), self.names)} (columns: {listed(self.names)})"
        )

    def matched(self, table: Table, what: str, label: str | None) -> Table:
        """The table with these columns in this order; refuses what is missing or unknown."""
        missing = [name for name in self.names if name not in table.names]
        unknown = [name for name in table.names if name not in self._by_name]
        if missing:
            near = suggestion(missing[0], unknown)
            raise DataError(
                f"{what} lacks {_columns(missing)}{near} (it has: {listed(table.names)})"
            )
        if label is not None and label in unknown:
            raise DataError(
                f"{what} still has the label {label!r}; leave it out: "
                f"{what}.drop(columns={label!r})"
            )
        if unknown:
            raise DataError(
                f"{what} has {_columns(unknown)} that the background data do not have; leave "
                f"them out: {what}[background.columns]"
            )
        if table.names == self.names:
            return table
        places = [table.names.index(name) for name in self.names]
        original = table.original
        if original is not None and table.form == "frame":
            original = original.iloc[:, places]
        return Table(
            list(self.names), [table.labels[p] for p in places],
            [table.columns[p] for p in places], table.rows, table.form, original, table.index,
        )  # fmt: skip

    def frame(
        self, table: Table, source: str, rows: Sequence[int] = ()
    ) -> tuple[_core.Frame, dict[int, str]]:
        """The data as croco has them, and what is wrong with rows that cannot be read.

        `rows` are the numbers that messages call the rows by, if not 0, 1, 2 and so on.
        """
        out = _core.Frame(source)
        faults: dict[int, str] = {}
        for column, values in zip(self.columns, table.columns, strict=True):
            if column.kind == "number":
                numbers, wrong = column.numbers(values)
                out.add_numbers(column.name, numbers)
                for row, text in wrong.items():
                    faults.setdefault(row, f"row {rows[row] if rows else row}, {text}")
            else:
                texts, codes = column.codes(values)
                out.add_levels(column.name, texts, codes)
        return out, faults

    def matrix(self, table: Table) -> Numbers:
        """Rows of numbers and places among the levels, as functions are asked."""
        out = np.empty((table.rows, len(self.columns)))
        for j, (column, values) in enumerate(zip(self.columns, table.columns, strict=True)):
            if column.kind == "number":
                out[:, j] = column.numbers(values)[0]
            else:
                codes = column.codes(values)[1]
                known = (codes >= 0) & (codes < len(column.values))
                out[:, j] = np.where(known, codes, np.nan)
        return out

    def rebuilt(self, values: Numbers) -> Any:
        """Such rows in the user's own form: a DataFrame with the dtypes, or an array."""
        module = pandas()
        if self.form == "frame" and module is not None:
            if all(c.kind == "number" and _is_double(c.dtype) for c in self.columns):
                return module.DataFrame(values, columns=[c.label for c in self.columns])
            built = {j: column.rebuilt(values[:, j]) for j, column in enumerate(self.columns)}
            frame = module.DataFrame(built, copy=False)
            frame.columns = [column.label for column in self.columns]
            return frame
        if all(column.kind == "number" for column in self.columns):
            dtype = self.columns[0].dtype
            narrow = getattr(dtype, "kind", "") == "f" and dtype.itemsize < 8
            return values.astype(dtype) if narrow else values
        out = np.empty(values.shape, dtype=object)
        for j, column in enumerate(self.columns):
            out[:, j] = column.rebuilt(values[:, j])
        return out


def _columns(names: list[str]) -> str:
    return f"the column {names[0]!r}" if len(names) == 1 else f"the columns {listed(names)}"


def _is_double(dtype: Any) -> bool:
    kind = getattr(dtype, "kind", "")
    return kind in "iu" or (kind == "f" and dtype.itemsize == 8)
