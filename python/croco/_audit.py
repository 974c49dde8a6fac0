# SPDX-License-Identifier: Apache-2.0
"""Audits: which groups have recourse, at what price, and what blocks the others."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from . import _core
from ._errors import DataError, InvalidArgument
from ._table import pandas

#: a column, several, or columns with cut points for numbers (None for categories)
Groups = Union[str, Iterable[str], Mapping[str, Union[Sequence[float], None]]]
_FILES = {"audit.csv": "csv", "audit.json": "json", "audit.html": "html", "people.csv": "people"}
_NUMBERS = (
    "people", "reference_people", "value", "group_value", "reference_value", "lower", "upper",
    "joint_lower", "joint_upper",
)  # fmt: skip


class Audit:
    """The findings of ``Explainer.audit``; in a notebook it shows its page."""

    def __init__(self, texts: _core.AuditTexts):
        self._texts = texts

    def rows(self) -> list[dict[str, Any]]:
        """One number each, as in audit.csv; NaN is none, and infinity no recourse."""
        out = []
        for row in csv.DictReader(io.StringIO(self._texts.csv)):
            numbers = {name: float(row[name]) if row[name] else math.nan for name in _NUMBERS}
            out.append({**row, **numbers, "small": row["small"] == "1"})
        return out

    def table(self) -> Any:
        """The same as a DataFrame."""
        return _frame(self.rows())

    def gaps(self) -> Any:
        """The gaps that are stated jointly, as a DataFrame; ``shown`` says whether the joint
        interval excludes zero."""
        rows = [row for row in self.rows() if not math.isnan(row["joint_lower"])]
        for row in rows:
            row["shown"] = row["joint_lower"] > 0 or row["joint_upper"] < 0
        return _frame(rows)

    def people(self) -> Any:
        """What became of each person, as a DataFrame: the lines of people.csv."""
        module = _pandas()
        return module.read_csv(io.StringIO(self._texts.people))

    def html(self) -> str:
        """The page of ``croco audit``: no scripts, no outside resources."""
        return self._texts.html

    def json(self) -> str:
        return self._texts.json

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Writes audit.html, audit.csv, audit.json and people.csv into a folder."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        for name, text in _FILES.items():
            _core.write_file(place / name, getattr(self._texts, text).encode())

    def _repr_html_(self) -> str:
        from html import escape

        page = escape(self._texts.html, quote=True)
        return (
            f'<iframe srcdoc="{page}" sandbox title="audit" '
            'style="width:100%;height:40rem;border:0"></iframe>'
        )


def group_list(groups: Groups) -> list[tuple[str, list[float]]]:
    """Columns and their cut points."""
    if isinstance(groups, str):
        return [(groups, [])]
    if isinstance(groups, Mapping):
        return [
            (str(name), [] if cuts is None else [float(cut) for cut in cuts])
            for name, cuts in groups.items()
        ]
    return [(str(name), []) for name in groups]


def beside_columns(columns: Mapping[str, Any] | None, rows: int) -> dict[str, list[str]]:
    """Texts of the columns that the model does not read."""
    out = {}
    for name, values in (columns or {}).items():
        texts = ["" if _is_missing(value) else str(value) for value in values]
        if len(texts) != rows:
            raise DataError(f"columns: {name!r} has {len(texts)} values, and X has {rows} rows")
        out[str(name)] = texts
    return out


def require_columns(
    groups: list[tuple[str, list[float]]], features: Iterable[str], beside: Mapping[str, Any]
) -> None:
    known = [*features, *beside]
    for name, _ in groups:
        if name not in known:
            raise InvalidArgument(
                f"groups: {name!r} is no feature of the model; give other columns as "
                f"columns={{{name!r}: ...}} (features: {', '.join(map(repr, features))})"
            )


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _pandas() -> Any:
    module = pandas()
    if module is None:
        raise InvalidArgument("a DataFrame needs pandas: pip install pandas")
    return module


def _frame(rows: list[dict[str, Any]]) -> Any:
    return _pandas().DataFrame(rows)
