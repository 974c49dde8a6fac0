# SPDX-License-Identifier: Apache-2.0
"""The schema: guessed from the background data, corrected by keywords, or given."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

import numpy as np

from . import _core
from ._errors import DataError, InvalidArgument, IoError
from ._layout import Column, Layout
from ._noise import Noise, noise_entry
from ._table import Table
from ._values import listed, suggestion
from ._words import in_python

SchemaLike = Union[str, "os.PathLike[str]", Mapping[str, Any]]

#: rows that guesses are made from
MOST_ROWS = 100_000
MOVEMENTS = ("both", "up", "down", "fixed")


def read_schema(schema: SchemaLike) -> dict[str, Any]:
    """A schema file, or the same as a dict."""
    if isinstance(schema, Mapping):
        out = copy.deepcopy(dict(schema))
        out.setdefault("croco_schema", 1)
        return out
    path = Path(schema)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise IoError(f"schema {str(path)!r}: {error.strerror}") from error
    try:
        out = json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(f"schema {str(path)!r}: {error}") from error
    if not isinstance(out, dict):
        raise DataError(f"schema {str(path)!r}: it must be a JSON object")
    return dict(out)


def stated_types(schema: Mapping[str, Any] | None) -> dict[str, str]:
    """The types of the features of a given schema."""
    if schema is None:
        return {}
    features = schema.get("features", [])
    if not isinstance(features, Sequence) or not all(isinstance(f, Mapping) for f in features):
        raise DataError(
            "schema: 'features' must be a list of objects; see docs/reference/schema.md"
        )
    return {str(f.get("name")): str(f.get("type")) for f in features}


def guessed_schema(table: Table, layout: Layout) -> tuple[dict[str, Any], list[str]]:
    """A schema with every column of the data, and what was guessed, in sentences."""
    sample = _sampled(table, layout)
    frame, faults = layout.frame(sample, "background")
    if faults:
        raise DataError(f"background: {min(faults.items())[1]}")
    text, notes = _core.infer_schema(frame)
    inferred = {feature["name"]: feature for feature in json.loads(text)["features"]}
    left_out = [note for note in notes if "was left out" in note]
    kept_notes = [in_python(note) for note in notes if note not in left_out]
    features = []
    for column in layout.columns:
        guess = inferred.get(column.name)
        if guess is None:
            kept_notes.append(
                f"Column '{column.name}' looks like an identifier or a date, so it is fixed; leave "
                "it out of the model if it is one."
            )
        if column.kind != "number":
            guess = _category(column, guess)
        elif guess is None:
            guess = {"name": column.name, "type": "numeric", "movement": "fixed"}
        features.append(guess)
    return {"croco_schema": 1, "features": features}, kept_notes


def _sampled(table: Table, layout: Layout) -> Table:
    """At most MOST_ROWS rows from all over the data, with the extremes of every number."""
    if table.rows <= MOST_ROWS:
        return table
    rows = set(np.linspace(0, table.rows - 1, MOST_ROWS).astype(int).tolist())
    for column, values in zip(layout.columns, table.columns, strict=True):
        if column.kind == "number":
            numbers, _ = column.numbers(values)
            if not np.isnan(numbers).all():
                rows |= {int(np.nanargmin(numbers)), int(np.nanargmax(numbers))}
    places = sorted(rows)

    def part(values: Any) -> Any:
        return values.iloc[places] if hasattr(values, "iloc") else values[places]

    return Table(
        table.names, table.labels, [part(v) for v in table.columns], len(places), table.form
    )


def _category(column: Column, guess: Mapping[str, Any] | None) -> dict[str, Any]:
    """Categories may change unless they tell rows apart, or their name says that nobody can."""
    out: dict[str, Any] = {"name": column.name, "type": "categorical", "movement": "both"}
    if guess is None:
        out["movement"] = "fixed"
    elif guess["type"] == "numeric":  # codes, such as of a branch, which their name may fix
        out["movement"] = guess["movement"]
    if guess is not None and guess.get("changeable_by") == "nobody":
        out["movement"] = "fixed"
        out["changeable_by"] = "nobody"
    out["levels"] = list(column.texts)
    return out


class Keywords:
    """What the keywords of an Explainer say about features."""

    def __init__(
        self,
        immutable: Iterable[str],
        ranges: Mapping[str, Any] | None,
        directions: Mapping[str, str] | None,
        relations: Iterable[Mapping[str, Any]],
        noise: Any,
    ):
        if isinstance(immutable, str):
            raise InvalidArgument(
                f"immutable is the text {immutable!r}; it must be a list: immutable=[{immutable!r}]"
            )
        self.immutable = list(immutable)
        self.ranges = dict(ranges or {})
        self.directions = dict(directions or {})
        self.relations = [dict(relation) for relation in relations]
        self.noise = Noise(noise) if isinstance(noise, Mapping) else None

    def apply(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema with what the keywords say."""
        features: dict[str, dict[str, Any]] = {f["name"]: f for f in schema["features"]}
        names = list(features)

        def find(name: str, argument: str) -> dict[str, Any]:
            if name in features:
                return features[name]
            raise InvalidArgument(
                f"{argument} names {name!r}, which is no feature{suggestion(str(name), names)} "
                f"(features: {listed(names)})"
            )

        for name, direction in self.directions.items():
            _set_direction(find(name, "directions"), name, direction)
        for name in self.immutable:
            if self.directions.get(name, "fixed") != "fixed":
                raise InvalidArgument(
                    f"{name!r} is immutable, but directions says {self.directions[name]!r}"
                )
            find(name, "immutable")["movement"] = "fixed"
        for name, ends in self.ranges.items():
            _set_range(find(name, "ranges"), name, ends)
        if self.noise is not None:
            for feature in features.values():
                feature.pop("noise", None)
            for name, value in self.noise.items():
                find(name, "noise")["noise"] = noise_entry(value)
        if self.relations:
            schema["relations"] = [*schema.get("relations", []), *self.relations]
        return schema


def _set_direction(feature: dict[str, Any], name: str, direction: str) -> None:
    if direction not in MOVEMENTS:
        raise InvalidArgument(
            f"the direction of {name!r} is {direction!r}; it must be one of "
            f"{listed(list(MOVEMENTS))}"
        )
    feature["movement"] = direction
    if direction != "fixed":
        feature.pop("changeable_by", None)


def _set_range(feature: dict[str, Any], name: str, ends: Any) -> None:
    if feature["type"] != "numeric":
        raise InvalidArgument(f"ranges names {name!r}, which is a category; ranges are for numbers")
    try:
        low, high = ends
    except (TypeError, ValueError):
        raise InvalidArgument(
            f"the range of {name!r} is {ends!r}; it must be a pair such as (0, 5000), with None "
            "for an open end"
        ) from None
    for key, end in (("minimum", low), ("maximum", high)):
        feature.pop(key, None)
        if end is not None:
            feature[key] = float(end)
