# SPDX-License-Identifier: Apache-2.0
"""Translations of users' models, which are trusted only as far as they decide alike."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._bundle import Source
from ._errors import CrocoError
from ._layout import Column, Layout, Numbers
from ._models import UserModel
from ._table import Table
from ._values import text_of

#: rows of the background data, and as many perturbed ones, that a translation is compared on
COMPARED = 5000


@dataclass(frozen=True)
class Native:
    """A translation, or why there is none."""

    model: _core.Model | None
    compared: int = 0
    differing: int = 0
    reason: str = ""
    notes: tuple[str, ...] = ()
    source: Source | None = None
    #: the probability above which the model itself decides for class 1
    threshold: float = 0.5


def translated(
    model: Any, user: UserModel, layout: Layout, table: Table, reading: _core.Reading,
    threshold: float | None, seed: int,
) -> Native:  # fmt: skip
    """Translates a model, loads it and compares its decisions with the user's own object."""
    try:
        package = importlib.import_module("croco._translate")
    except ImportError:
        return Native(None, reason="this installation translates no models")
    try:
        made = package.translate(model, [_described(package, one) for one in layout.columns])
    except package.NotTranslatable as error:
        return Native(None, reason=str(error))
    if [text_of(one) for one in made.classes] != [text_of(one) for one in user.classes]:
        return Native(None, reason=f"the translation has the classes {made.classes}")
    reason = _choose(reading, made.choices, layout, threshold)
    if reason:
        return Native(None, reason=reason)
    try:
        native = _core.load_bytes(made.data, user.name, reading)
    except CrocoError as error:
        return Native(None, reason=f"the translation cannot be read: {error}")
    cut = _threshold(native, made.choices, threshold)
    compared, differing = _compare(native, user, layout, table, cut, seed)
    if differing:
        reason = f"the translation decides otherwise in {differing} of {compared} rows"
        return Native(None, compared, differing, reason)
    source = Source(made.data, reading)
    return Native(native, compared, 0, "", tuple(made.notes), source, cut)


def _threshold(native: _core.Model, choices: dict[str, Any], stated: float | None) -> float:
    """The one that the user states, or else the model's own."""
    if stated is not None:
        return stated
    own = choices.get("threshold", native.own_threshold)
    return 0.5 if own is None else float(own)


def _described(package: Any, column: Column) -> Any:
    """The column as the translator takes it."""
    if column.kind == "number":
        dtype = "float32" if str(column.dtype) in ("float32", "Float32") else "float64"
        return package.Column(column.name, "number", dtype=dtype)
    return package.Column(
        column.name, column.kind, values=tuple(column.values), levels=tuple(column.texts)
    )


def _choose(
    reading: _core.Reading, choices: dict[str, Any], layout: Layout, threshold: float | None
) -> str:
    """How the translation is to be read, in the words of the command line; or why it cannot be."""
    reading.rounds = str(choices["rounds"]) if choices.get("rounds") is not None else ""
    reading.score = choices.get("score") or ""
    reading.decision = choices.get("decision") or ""
    if reading.decision == "label" and threshold is not None:
        reading.decision = "probability"  # labels know no threshold
    orders = []
    for name, values in (choices.get("category_order") or {}).items():
        # The codes of a category are the places of its levels, which are those of the schema.
        if [text_of(value) for value in values] != layout[name].texts:
            return f"the model has the categories of {name!r} in another order than the data"
        orders.append(f"{name}=schema")
    reading.category_orders = orders
    return ""


def _compare(
    native: _core.Model, user: UserModel, layout: Layout, table: Table, threshold: float, seed: int
) -> tuple[int, int]:
    """On background rows and on perturbed ones: how many, and how many decisions differ."""
    values = layout.matrix(table)
    if len(values) > COMPARED:
        values = values[np.linspace(0, len(values) - 1, COMPARED).astype(int)]
    rows = np.concatenate([values, perturbed(values, layout, seed)])
    own = user.decide(layout.rebuilt(rows))
    _, decided = native.decisions(matrix_frame(layout, rows), threshold)
    # Rows that only one of the two can answer count as differing.
    return len(rows), int(np.sum(decided != own.astype(np.int8)))


def perturbed(values: Numbers, layout: Layout, seed: int) -> Numbers:
    """The rows with noise of different sizes on the numbers, and other levels here and there."""
    random = np.random.default_rng(seed)
    out = values.copy()
    sizes = 10.0 ** random.uniform(-4, -0.5, size=len(out))
    for j, column in enumerate(layout.columns):
        present = values[:, j][~np.isnan(values[:, j])]
        if len(present) == 0:
            continue
        if column.kind == "number":
            spread = float(present.max() - present.min()) or 1.0
            out[:, j] += sizes * spread * random.standard_normal(len(out))
        else:
            moved = random.random(len(out)) < 0.2
            out[moved, j] = random.choice(present, size=int(moved.sum()))
    return np.asarray(out, dtype=np.float64)


def matrix_frame(layout: Layout, values: Numbers) -> _core.Frame:
    """Rows of numbers and places among the levels, as croco's frame."""
    frame = _core.Frame("rows")
    for j, column in enumerate(layout.columns):
        if column.kind == "number":
            frame.add_numbers(column.name, np.ascontiguousarray(values[:, j]))
        else:
            codes = np.where(np.isnan(values[:, j]), -1, values[:, j]).astype(np.int32)
            frame.add_levels(column.name, column.texts, np.ascontiguousarray(codes))
    return frame
