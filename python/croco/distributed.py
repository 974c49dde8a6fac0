# SPDX-License-Identifier: Apache-2.0
"""Advice for tables that are spread over workers: Dask, Spark, or anything that maps DataFrames.

The core is `PartExplainer`, a picklable function from a DataFrame to a DataFrame. Samples are drawn
by the id of a row, so that the advice for a row depends neither on the part that it is in, nor on
the worker, nor on how often a lost part is computed again.
"""

from __future__ import annotations

import functools
import hashlib
import json
import pickle
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import DataError, InvalidArgument
from ._table import pandas
from ._values import is_missing, listed, suggestion, text_of

if TYPE_CHECKING:
    from ._answer import Answer
    from ._explainer import Explainer
    from ._result import Result

#: columns of every result beside the id, and their kinds
COLUMNS = {
    "alternative": "integer", "status": "text", "reason": "text", "upper": "number",
    "target_met": "boolean", "cost": "number", "score_before": "number", "score": "number",
    "confirmed": "boolean", "changes": "text", "json": "text",
}  # fmt: skip
#: before the names of features, for the recommended record
ADVISED = "advised_"
DTYPES = {"integer": "int64", "text": "object", "number": "float64", "boolean": "boolean"}
#: ids that are no row numbers become numbers that JSON readers keep exactly
HASH_BITS = 53


def row_number(value: Any) -> int:
    """The number that samples are drawn by: of whole numbers they themselves, else a hash.

    >>> row_number(12), row_number("12"), row_number(12.0)
    (12, 12, 12)
    >>> row_number("C-0012") == row_number("C-0013")
    False
    """
    text = text_of(value)
    if text.isascii() and text.isdecimal() and int(text) < 2**63:
        return int(text)
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - HASH_BITS)


@functools.lru_cache(maxsize=4)
def _unpickled(explainer: bytes) -> Explainer:
    """Made once in each process, however many parts it gets."""
    out: Explainer = pickle.loads(explainer)
    return out


def _pickled(explainer: Explainer) -> bytes:
    """Functions of a notebook are pickled with their code, when cloudpickle is there."""
    try:
        import cloudpickle as module
    except ImportError:
        try:
            from pyspark import cloudpickle as module
        except ImportError:
            module = pickle
    try:
        out: bytes = module.dumps(explainer)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidArgument(
            f"the explainer cannot be sent to workers: {error}. Functions of a notebook need "
            "cloudpickle (pip install cloudpickle), or a module that the workers import"
        ) from error
    return out


class PartExplainer:
    """A function that gives every row of a DataFrame its advice; can be pickled.

    ``id`` is the column that tells rows apart, None for the index. Other columns that the model
    does not take are ignored. The result has a row for each row and alternative: the id, what
    `Result.table` says, the changes as a JSON object, the recommended record in columns
    ``advised_...`` (empty where there is no advice) and, unless ``certificates`` is False, the line
    of JSON with the certificate, as ``croco verify`` reads it.
    """

    def __init__(self, explainer: Explainer, *, id: str | None, certificates: bool = True):
        if explainer._arguments["family"] == "all":
            raise InvalidArgument(
                "family is 'all', but a worker knows its own part alone; give the number of "
                "people in all parts: explainer.replace(family=20000)"
            )
        if pandas() is None:
            raise InvalidArgument("croco.distributed needs pandas: pip install pandas")
        layout = explainer._prepared.layout
        self.id = id
        self._certificates = certificates
        self.features = list(layout.names)
        #: the columns of the result beside the id, with their kinds
        self.columns = {
            **{name: kind for name, kind in COLUMNS.items() if certificates or name != "json"},
            **{ADVISED + column.name: _kind(column.kind) for column in layout.columns},
        }
        if id in self.columns:
            raise InvalidArgument(f"id is {id!r}, which is a column of the result; rename yours")
        self._explainer = _pickled(explainer.replace(n_jobs=1))

    def require(self, names: Iterable[Any], what: str) -> None:
        """Refuses a table that lacks a column, before any worker starts."""
        there = [str(name) for name in names]
        for name in [*self.features, *([self.id] if self.id is not None else [])]:
            if name not in there:
                raise DataError(
                    f"{what} lacks the column {name!r}{suggestion(name, there)} "
                    f"(it has: {listed(there)})"
                )

    def empty(self, ids: Any) -> Any:
        """The result for no rows, with the dtypes of all others; `ids` has the dtype of the id."""
        return self._frame(ids[:0], {name: [] for name in self.columns})

    def __call__(self, part: Any) -> Any:
        self.require(part.columns, "the table")
        ids = part.index if self.id is None else part[self.id]
        rows = self._rows(ids)
        explainer = _unpickled(self._explainer)
        found: list[Any] = [None] * len(part)
        for places, X in _asked(explainer, part):
            result = explainer._answered(X, [rows[place] for place in places], False)
            for i, place in enumerate(places):
                found[place] = [self._line(result, i, k + 1) for k in range(result._counts[i])]
        repeated = [place for place, lines in enumerate(found) for _ in lines]
        lines = [line for one in found for line in one]
        columns = {name: [line[name] for line in lines] for name in self.columns}
        return self._frame(ids.take(repeated), columns)

    def _rows(self, ids: Any) -> list[int]:
        values = ids.astype(object)
        for place, value in enumerate(values):
            if is_missing(value):
                raise DataError(
                    f"the id {self.id!r} is missing in row {place} of a part; every row needs one"
                )
        return [row_number(value) for value in values]

    def _line(self, result: Result, row: int, alternative: int) -> dict[str, Any]:
        answer = result.answer(row, alternative)
        out: dict[str, Any] = {
            "alternative": alternative, "status": answer.status, "reason": answer.reason,
            "upper": answer.certificate.upper if answer.certificate else None,
            "target_met": answer.target_met, "cost": answer.cost,
            "score_before": answer.score_before, "score": answer.score,
            "confirmed": answer.confirmed, "changes": _changes(answer),
        }  # fmt: skip
        if self._certificates:
            out["json"] = result._answers.json_line(row, alternative).rstrip("\n")
        for name in self.features:
            value = None if answer.after is None else answer.after[name]
            text = self.columns[ADVISED + name] == "text" and value is not None
            out[ADVISED + name] = text_of(value) if text else value
        return out

    def _frame(self, ids: Any, columns: dict[str, list[Any]]) -> Any:
        module = pandas()
        out = module.DataFrame({
            name: module.Series(_nulls(columns[name], kind), dtype=DTYPES[kind])
            for name, kind in self.columns.items()
        })  # fmt: skip
        if self.id is None:
            out.index = ids
        else:
            out.insert(0, self.id, ids.array)
        return out


def _kind(column: str) -> str:
    return {"number": "number", "boolean": "boolean"}.get(column, "text")


def _nulls(values: list[Any], kind: str) -> list[Any]:
    return [np.nan if v is None else float(v) for v in values] if kind == "number" else values


def _changes(answer: Answer) -> str:
    """The changed features with their new values, as a JSON object."""
    after = {
        change.feature: change.after.item() if hasattr(change.after, "item") else change.after
        for change in answer.changes
    }
    return json.dumps(after, ensure_ascii=False, default=text_of)


def _asked(explainer: Explainer, part: Any) -> Iterator[tuple[list[int], Any]]:
    """The columns of the model, in the types that it knows: Spark has no categories.

    Rows with a level that the model does not know cannot take its type; they come on their own, as
    they are, and get their message.
    """
    layout = explainer._prepared.layout
    X = part[[next(c for c in part.columns if str(c) == name) for name in layout.names]]
    if layout.form == "array":
        yield list(range(len(X))), X.to_numpy()
        return
    X = X.set_axis([column.label for column in layout.columns], axis=1)
    types = {
        column.label: column.dtype for column, dtype in zip(layout.columns, X.dtypes, strict=True)
        if type(column.dtype).__name__ == "CategoricalDtype" and dtype != column.dtype
    }  # fmt: skip
    strange = np.zeros(len(X), dtype=bool)
    for label, dtype in types.items():
        strange |= ~(X[label].isin(dtype.categories) | X[label].isna()).to_numpy(dtype=bool)
    for mask, some in ((~strange, X[~strange].astype(types)), (strange, X[strange])):
        if len(some):
            yield np.flatnonzero(mask).tolist(), some


def explain_dask(
    ddf: Any, explainer: Explainer, *, id: str | None = None, certificates: bool = True
) -> Any:
    """Advice for every row of a Dask DataFrame, as a Dask DataFrame (see `PartExplainer`).

    ``id`` is the column that tells rows apart. Without one it is the index, which must be the same
    however the table is partitioned; that of ``read_parquet`` and ``read_csv`` starts again in
    every file.
    """
    part = PartExplainer(explainer, id=id, certificates=certificates)
    part.require(ddf.columns, "ddf")
    ids = ddf._meta.index if id is None else ddf._meta[id]
    return ddf.map_partitions(part, meta=part.empty(ids), enforce_metadata=False)


class _Batches:
    """The parts of a partition, as `mapInPandas` hands them over."""

    def __init__(self, part: PartExplainer):
        self._part = part

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        return (self._part(batch) for batch in batches)


def explain_spark(sdf: Any, explainer: Explainer, *, id: str, certificates: bool = True) -> Any:
    """Advice for every row of a Spark DataFrame, as a Spark DataFrame (see `PartExplainer`).

    ``id`` is the column that tells rows apart. The workers need croco and what the model needs:
    ``PYSPARK_PYTHON`` names their interpreter.
    """
    from pyspark.sql import types

    part = PartExplainer(explainer, id=id, certificates=certificates)
    part.require(sdf.columns, "sdf")
    kinds = {
        "integer": types.LongType, "text": types.StringType, "number": types.DoubleType,
        "boolean": types.BooleanType,
    }  # fmt: skip
    fields = [types.StructField(name, kinds[kind]()) for name, kind in part.columns.items()]
    schema = types.StructType([types.StructField(id, sdf.schema[id].dataType), *fields])
    return sdf.mapInPandas(_Batches(part), schema)
