# SPDX-License-Identifier: Apache-2.0
"""Answers: as tables, as files, one by one, and as something to look at."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _core
from ._answer import Answer, Certificate, Change, ModelChange, Plausibility, ReasonCode
from ._errors import InvalidArgument
from ._html import result_html
from ._table import Table, pandas
from ._words import in_python

if TYPE_CHECKING:
    from ._prepare import Prepared

Path = Union[str, "os.PathLike[str]"]
ADVICE = ("found", "unmet", "undecided")


class Result:
    """The answers to the rows of X, in their order: `len`, iteration, `result[i]`."""

    def __init__(
        self, answers: _core.Answers, table: Table, prepared: Prepared,
        options: list[tuple[str, str]], judged: Table | None = None,
    ):  # fmt: skip
        self._answers = answers
        self._table = table
        self._prepared = prepared
        self._options = options
        self._judged = judged
        self._names = [f["name"] for f in json.loads(prepared.model.schema)["features"]]

    def __len__(self) -> int:
        return len(self._answers)

    def __iter__(self) -> Iterator[Answer]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, row: int) -> Answer:
        """The best answer for a row, by its place in X."""
        return self.answer(row)

    def answer(self, row: int, alternative: int = 1) -> Answer:
        """One of the alternatives for a row, by its place in X; the cheapest is 1."""
        count = len(self)
        if not -count <= row < count:
            raise IndexError(f"row {row}; there are {count}")
        return self._made(row % count, alternative)

    def _made(self, row: int, alternative: int) -> Answer:
        raw = self._answers.answer(row, alternative)
        certificate = raw.get("certificate")
        return Answer(
            index=self._index(row), row=row, alternative=alternative, status=raw["status"],
            reason=in_python(raw["reason"]), why=tuple(raw["why"]),
            before=self._record(raw["before"]),
            after=self._record(raw["after"]) if "after" in raw else None,
            changes=tuple(
                Change(self._names[c["feature"]], self._value(c["feature"], c["from"]),
                       self._value(c["feature"], c["to"]), c["price"], c["phrase"], c["label"],
                       c["shown_from"], c["shown_to"])
                for c in raw["changes"]
            ),
            score_before=raw["score_before"] if raw["status"] != "error" else None,
            score=raw.get("score"), cost=raw.get("cost"),
            certificate=Certificate(**certificate) if certificate is not None else None,
            model_change=ModelChange(**raw["models"]) if "models" in raw else None,
            target_met=raw.get("target_met"), confirmed=self._confirmed.get((row, alternative)),
            broken_rules=tuple(raw.get("broken_rules", ())), action=raw.get("action", ""),
            reason_codes=tuple(ReasonCode(**one) for one in raw["reason_codes"]),
            plausibility=Plausibility(**raw["plausibility"]) if "plausibility" in raw else None,
            _text=lambda: in_python(self._answers.text(row)),
        )  # fmt: skip

    def _index(self, row: int) -> Any:
        index = self._table.index
        return index[row] if index is not None else row

    def _value(self, feature: int, text: str) -> Any:
        """A value in the user's type; a text that is none stays one."""
        column = self._prepared.layout[self._names[feature]]
        try:
            return column.value_of(text)
        except (KeyError, ValueError):
            return text

    def _record(self, texts: list[str]) -> dict[str, Any]:
        return {name: self._value(f, texts[f]) for f, name in enumerate(self._names)}

    # By row of X

    @cached_property
    def status(self) -> list[str]:
        """``found``, ``unmet``, ``undecided``, ``infeasible``, ``already`` or ``error``, by row."""
        return self._answers.statuses()

    @cached_property
    def confirmed(self) -> list[bool | None]:
        """By row: whether the user's own model gives the wanted answer at the recommended record.

        None where there is no advice, and everywhere after ``Explainer.load`` of a translated
        model: the bundle does not hold the user's object, so that it was not asked.
        """
        return [self._confirmed.get((row, 1)) for row in range(len(self))]

    @cached_property
    def certificates(self) -> list[Certificate | None]:
        """The certificate of the best advice, by row; None where there is none."""
        return [answer.certificate for answer in self]

    @cached_property
    def _counts(self) -> list[int]:
        """How many alternatives a row has."""
        return [self._answers.alternatives(row) for row in range(len(self))]

    @cached_property
    def _cells(self) -> dict[tuple[int, int], list[tuple[int, str]]]:
        """What recommended records have instead of the given values."""
        out: dict[tuple[int, int], list[tuple[int, str]]] = {}
        for row, alternative, feature, text in self._answers.replaced_cells():
            out.setdefault((row, alternative), []).append((feature, text))
        return out

    @cached_property
    def _confirmed(self) -> dict[tuple[int, int], bool]:
        """The user's object is asked about every recommended record."""
        keys = [
            (row, alternative)
            for row, status in enumerate(self.status) if status in ADVICE
            for alternative in range(1, self._counts[row] + 1)
        ]  # fmt: skip
        if not keys or self._prepared.left_behind:
            return {}
        user = self._prepared.user
        if user is None:  # the file is the model
            return {key: bool(self._answers.answer(*key)["valid"]) for key in keys}
        rows = self._rows(keys)
        decided = user.decide(rows) == bool(self._prepared.wanted)
        return {key: bool(one) for key, one in zip(keys, decided, strict=True)}

    def _rows(self, keys: list[tuple[int, int]]) -> Any:
        """Recommended records in X's own form, columns, dtypes and index."""
        table = self._judged if self._judged is not None else self._table
        places = [row for row, _ in keys]
        cells = {} if self._judged is not None else self._cells
        original = table.original
        if table.form == "frame" and original is not None:
            out = original.iloc[places].copy()
            for j, column in enumerate(self._prepared.layout.columns):
                feature = self._names.index(column.name)
                new = {
                    i: column.value_of(text)
                    for i, key in enumerate(keys) for f, text in cells.get(key, ()) if f == feature
                }  # fmt: skip
                if new:
                    _put(out, j, new)
            return out
        return self._array(places, keys, cells)

    def _array(self, places: list[int], keys: list[tuple[int, int]], cells: Any) -> Any:
        table = self._judged if self._judged is not None else self._table
        layout = self._prepared.layout
        values = layout.matrix(table)[places]
        for i, key in enumerate(keys):
            for feature, text in cells.get(key, ()):
                column = layout[self._names[feature]]
                j = layout.names.index(column.name)
                values[i, j] = float(text) if column.kind == "number" else column.texts.index(text)
        return layout.rebuilt(values)

    # Tables

    def to_frame(self, alternative: int = 1) -> Any:
        """The recommended records, of rows with advice only, as the model takes them.

        A DataFrame with X's own index, columns and dtypes (an array when X was one), so that
        ``model.predict(result.to_frame())`` simply works.
        """
        keys = [
            (row, alternative)
            for row, status in enumerate(self.status)
            if status in ADVICE and self._counts[row] >= alternative
        ]
        return self._rows(keys)

    def table(self) -> Any:
        """A DataFrame with a row for each row of X: status, bound, cost, reason and the like."""
        answers = [self[i] for i in range(len(self))]
        columns: dict[str, list[Any]] = {
            "status": [a.status for a in answers],
            "upper": [a.certificate.upper if a.certificate else np.nan for a in answers],
            "target_met": [a.target_met for a in answers],
            "cost": [a.cost if a.cost is not None else np.nan for a in answers],
            "changes": [len(a.changes) for a in answers],
            "score_before": [np.nan if a.score_before is None else a.score_before for a in answers],
            "score": [np.nan if a.score is None else a.score for a in answers],
            "confirmed": [a.confirmed for a in answers],
            "alternatives": [self._counts[a.row] if a.after else 0 for a in answers],
            "reason": [a.reason for a in answers],
        }
        if any(a.model_change for a in answers):
            for name in ("upper", "rate", "share_upper", "worst_upper"):
                columns["models_" + name] = [
                    getattr(a.model_change, name) if a.model_change else np.nan for a in answers
                ]
        if self._judged is not None:
            columns["broken_rules"] = ["; ".join(a.broken_rules) for a in answers]
        if self._answers.reason_codes > 0:
            columns["reason_codes"] = ["; ".join(c.code for c in a.reason_codes) for a in answers]
        out = _frame(columns, list(self._table.index))
        if self._answers.plausibility:
            known = [a.plausibility for a in answers]
            out["plausibility"] = [np.nan if one is None else one.share for one in known]
            nearest = [None if one is None else one.nearest for one in known]
            out["nearest_accepted"] = pandas().array(nearest, dtype="Int64")
        return out

    def changes(self) -> Any:
        """A DataFrame with a row for each change: index, alternative, feature, before, after."""
        rows = [
            (answer.index, answer.alternative, change)
            for row in range(len(self)) for k in range(1, self._counts[row] + 1)
            for answer in [self.answer(row, k)] for change in answer.changes
        ]  # fmt: skip
        return _frame({
            "index": [index for index, _, _ in rows],
            "alternative": [k for _, k, _ in rows],
            "feature": [c.feature for _, _, c in rows],
            "before": [c.before for _, _, c in rows],
            "after": [c.after for _, _, c in rows],
            "price": [c.price for _, _, c in rows],
        }, None)  # fmt: skip

    def metrics(self) -> dict[str, Any]:
        """Counts by status, and means over the rows with advice."""
        counts = Counter(self.status)
        advised = [answer for answer in self if answer.after is not None]
        needy = len(self) - counts["already"] - counts["error"]
        uppers = [a.certificate.upper for a in advised if a.certificate is not None]
        return {
            "rows": len(self),
            **{name: counts[name] for name in
               ("found", "unmet", "undecided", "infeasible", "already", "error")},
            "coverage": counts["found"] / needy if needy else float("nan"),
            "mean_cost": _mean([a.cost for a in advised]),
            "mean_upper": _mean(uppers),
            "mean_changes": _mean([len(a.changes) for a in advised]),
            "confirmed": sum(1 for a in advised if a.confirmed),
        }  # fmt: skip

    # Files

    def to_json(self, path: Path | None = None) -> str | None:
        """JSON Lines with certificates, as ``croco explain`` writes and ``croco verify`` reads.

        With a path (ending in .jsonl) the manifest is written beside it; without one the text is
        returned.
        """
        if path is None:
            return self._answers.json_lines()
        self._write(path, ".jsonl")
        return None

    def to_html(self, path: Path | None = None) -> str | None:
        """A page to read or print; without a path its text is returned."""
        if path is None:
            return self._answers.html()
        self._write(path, ".html")
        return None

    def to_csv(self, path: Path) -> None:
        """The same table as ``croco explain --output advice.csv`` writes."""
        self._write(path, ".csv")

    def _write(self, path: Path, ending: str) -> None:
        if not str(path).endswith(ending):
            raise InvalidArgument(f"path is {str(path)!r}; it must end in {ending}")
        self._answers.write(path, self._options)

    def __repr__(self) -> str:
        counts = Counter(self.status)
        parts = ", ".join(f"{n} {name}" for name, n in counts.most_common())
        return f"<croco.Result of {len(self)} rows: {parts}>"

    def __str__(self) -> str:
        return "\n".join(in_python(self._answers.text(row)) for row in range(len(self)))

    def _repr_html_(self) -> str:
        return result_html(self)


def _mean(values: list[Any]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _frame(columns: dict[str, list[Any]], index: Any) -> Any:
    module = pandas()
    if module is None:
        raise InvalidArgument("tables need pandas (pip install pandas); iterate over the result")
    return module.DataFrame(columns, index=index)


def _put(frame: Any, place: int, values: dict[int, Any]) -> None:
    """Sets cells of a column, whose dtype stays as long as it can hold them."""
    column = frame.iloc[:, place]
    new = column.astype(object).to_numpy(copy=True)
    for i, value in values.items():
        new[i] = value
    dtype = column.dtype
    if getattr(dtype, "kind", "O") in "iu":
        whole = all(float(value).is_integer() for value in values.values())
        dtype = dtype if whole else np.dtype(float)
    frame.isetitem(place, pandas().Series(new, index=frame.index).astype(dtype))
