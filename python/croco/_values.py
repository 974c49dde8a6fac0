# SPDX-License-Identifier: Apache-2.0
"""Single values: which are missing, and the texts that croco knows levels by."""

from __future__ import annotations

import datetime
import numbers
from typing import Any

import numpy as np

from . import _core


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return type(value).__name__ in ("NAType", "NaTType")


def is_boolean(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def is_number(value: Any) -> bool:
    if is_boolean(value):
        return False
    if isinstance(value, (numbers.Real, np.integer, np.floating)):
        return True
    return type(value).__name__ == "Decimal"


def is_date(value: Any) -> bool:
    return isinstance(
        value, (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
    ) or (type(value).__name__ in ("Timestamp", "Timedelta", "Period"))


def text_of(value: Any) -> str:
    """The level's text, as pandas writes it to a CSV file, but 3 for 3.0."""
    if isinstance(value, str):
        return value
    if is_boolean(value):
        return "True" if value else "False"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if is_number(value):
        return _core.number_text(float(value))
    return str(value)


def suggestion(name: str, known: list[str]) -> str:
    """`; did you mean 'income'?`, when one of the names is near."""
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def listed(names: list[str], most: int = 12) -> str:
    """`'a', 'b' and 3 more`"""
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
