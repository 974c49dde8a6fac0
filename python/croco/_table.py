# SPDX-License-Identifier: Apache-2.0
"""What users call data, as named columns of NumPy arrays."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._arrow import columns_of_stream
from ._errors import DataError
from ._values import listed


@dataclass
class Table:
    """Columns by name. `original` is the pandas object that they came from, if it was one."""

    names: list[str]
    #: what the user calls the columns, which may be no texts
    labels: list[Any]
    #: pandas Series, Categorical or arrays, all of one length
    columns: list[Any]
    rows: int
    #: 'frame' or 'array'
    form: str
    original: Any = field(default=None, repr=False)
    index: Any = field(default=None, repr=False)

    def column(self, name: str) -> Any:
        return self.columns[self.names.index(name)]

    def without(self, name: str) -> Table:
        """The same table without a column."""
        place = self.names.index(name)

        def rest(values: list[Any]) -> list[Any]:
            return values[:place] + values[place + 1 :]

        original = self.original
        if original is not None:
            original = original.drop(columns=[self.labels[place]])
        return Table(
            rest(self.names), rest(self.labels), rest(self.columns), self.rows, self.form,
            original, self.index,
        )  # fmt: skip


def pandas() -> Any:
    """The module, when pandas is installed; else None."""
    try:
        import pandas as module
    except ImportError:
        return None
    return module


def is_pandas(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas"


def read_table(data: Any, what: str, names: list[str] | None = None) -> Table:
    """Reads a DataFrame, a Series (one person), an array, a dict, or a stream of Arrow.

    `what` is how messages call it; `names` are those of the columns of an array.
    """
    _refuse(data, what)
    if is_pandas(data):
        return _from_pandas(data, what)
    if hasattr(data, "__arrow_c_stream__"):
        stream_names, columns = columns_of_stream(data, what)
        return _from_columns(stream_names, columns, what)
    if isinstance(data, Mapping):
        return _from_mapping(data, what)
    return _from_array(data, what, names)


def _refuse(data: Any, what: str) -> None:
    if data is None:
        raise DataError(f"{what} is None; give a DataFrame or an array")
    if isinstance(data, str):
        raise DataError(
            f"{what} is the text {data[:60]!r}; give the data themselves, for example "
            "pandas.read_csv(path)"
        )
    scipy_sparse = sys.modules.get("scipy.sparse")
    if scipy_sparse is not None and scipy_sparse.issparse(data):
        raise DataError(
            f"{what} is a sparse matrix; give the columns before they were encoded, or "
            f"{what}.toarray()"
        )


def _from_pandas(data: Any, what: str) -> Table:
    module = pandas()
    if isinstance(data, module.Series):
        # One person: the index names the columns. A transposed frame would lose their types.
        frame = module.DataFrame({name: [value] for name, value in data.items()})
        frame.index = [data.name if data.name is not None else 0]
        data = frame
    if not isinstance(data, module.DataFrame):
        raise DataError(f"{what} is a pandas {type(data).__name__}; give a DataFrame")
    if getattr(data.columns, "nlevels", 1) > 1:
        raise DataError(
            f"{what} has columns of several levels; join them first, for example "
            "X.columns = ['_'.join(c) for c in X.columns]"
        )
    names = [str(label) for label in data.columns]
    _require_distinct(names, what)
    columns = [data.iloc[:, j] for j in range(len(names))]
    for name, column in zip(names, columns, strict=True):
        if "Sparse" in str(column.dtype):
            raise DataError(
                f"{what}, column {name!r} is sparse; make it dense first: "
                f"X[{name!r}].sparse.to_dense()"
            )
    return Table(names, list(data.columns), columns, len(data), "frame", data, data.index)


def _from_mapping(data: Mapping[Any, Any], what: str) -> Table:
    """One person as a dict of values, or a table as a dict of columns."""
    names = [str(name) for name in data]
    scalars = [value is None or isinstance(value, str) or np.ndim(value) == 0
               for value in data.values()]  # fmt: skip
    if any(scalars) and not all(scalars):
        raise DataError(f"{what} mixes single values and columns; give one kind of them")
    lists = [[v] for v in data.values()] if all(scalars) else [list(v) for v in data.values()]
    if len({len(one) for one in lists}) > 1:
        raise DataError(f"{what} has columns of different lengths")
    return _from_columns(names, [np.array(one, dtype=object) for one in lists], what)


def _from_columns(names: list[str], columns: list[Any], what: str) -> Table:
    _require_distinct(names, what)
    rows = len(columns[0]) if columns else 0
    module = pandas()
    if module is not None:
        frame = module.DataFrame(dict(zip(names, columns, strict=True))).infer_objects()
        columns = [frame[name] for name in names]
        return Table(names, list(names), columns, rows, "frame", frame, frame.index)
    return Table(names, list(names), columns, rows, "frame", None, range(rows))


def _from_array(data: Any, what: str, names: list[str] | None) -> Table:
    try:
        array = np.asarray(data)
    except ValueError as error:
        raise DataError(f"{what} is no table: {error}; give a DataFrame or an array") from error
    if array.ndim == 1 and array.dtype.names is None and names and len(array) == len(names):
        array = array.reshape(1, -1)
    if array.ndim != 2:
        raise DataError(
            f"{what} has {array.ndim} dimensions; give a table of rows and columns "
            "(one person: x.reshape(1, -1))"
        )
    width = array.shape[1]
    if names is not None and len(names) != width:
        raise DataError(
            f"{what} has {width} columns; the background data have {len(names)}: {listed(names)}"
        )
    names = names or [f"x{j}" for j in range(width)]
    rows = array.shape[0]
    return Table(
        names, list(names), [array[:, j] for j in range(width)], rows, "array", array, range(rows)
    )


def _require_distinct(names: list[str], what: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"{what} has several columns of the name {listed(twice)}; rename them")


def advice_table(counterfactuals: Any) -> Any:
    """DiCE's result has a table of counterfactuals for each person."""
    examples = getattr(counterfactuals, "cf_examples_list", None)
    if examples is None:
        return counterfactuals
    module = pandas()
    frames = []
    for example in examples:
        frame = example.final_cfs_df
        if frame is None or len(frame) == 0:
            raise DataError(
                "DiCE found no counterfactual for one of the people; leave that person out of X "
                "and out of the result"
            )
        target = getattr(getattr(example, "data_interface", None), "outcome_name", None)
        frames.append(frame.drop(columns=[target] if target in frame.columns else []).iloc[:1])
    return module.concat(frames, ignore_index=True)
