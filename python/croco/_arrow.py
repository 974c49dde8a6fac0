# SPDX-License-Identifier: Apache-2.0
"""Tables of other libraries (polars, DuckDB, pyarrow) through Arrow's C stream interface."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._errors import DataError

#: formats of Arrow that hold dates and times begin with this
TEMPORAL = "t"
INTEGERS = "cCsSiIlL"
PANDAS_INTEGERS = {
    "c": "Int8", "C": "UInt8", "s": "Int16", "S": "UInt16", "i": "Int32", "I": "UInt32",
    "l": "Int64", "L": "UInt64",
}  # fmt: skip


def columns_of_stream(data: Any, what: str) -> tuple[list[str], list[Any]]:
    """Names and columns of anything that has `__arrow_c_stream__`, without Arrow's libraries."""
    names = []
    columns = []
    for name, form, dictionary, numbers, texts, codes in _core.read_arrow(
        data.__arrow_c_stream__()
    ):
        names.append(name)
        if form.startswith(TEMPORAL):
            raise DataError(
                f"{what}, column {name!r} has dates or times; no advice can move a date. Make a "
                "number of it, such as the days until today, in the data and in the model"
            )
        if form in ("u", "U", "vu"):
            columns.append(_texts(texts, codes, dictionary))
        elif len(form) == 1 and form in INTEGERS + "fgb" and not dictionary:
            columns.append(_numbers(form, numbers))
        else:
            raise DataError(
                f"{what}, column {name!r} is of Arrow's type {form!r}, which is neither a number, "
                "a text nor a boolean; convert it first"
            )
    return names, columns


def _texts(texts: list[str], codes: Any, dictionary: bool) -> Any:
    from ._table import pandas

    module = pandas()
    if dictionary and module is not None:
        return module.Categorical.from_codes(codes, categories=texts)
    return np.array([*texts, None], dtype=object)[codes]


def _numbers(form: str, numbers: Any) -> Any:
    from ._table import pandas

    missing = np.isnan(numbers)
    if form in "fg":
        return numbers.astype(np.float32) if form == "f" else numbers
    if form == "b":
        return np.where(missing, None, numbers > 0) if missing.any() else numbers > 0
    if not missing.any():
        return numbers.astype(PANDAS_INTEGERS[form].lower())
    module = pandas()
    return numbers if module is None else module.array(numbers, dtype=PANDAS_INTEGERS[form])
