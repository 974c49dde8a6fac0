# SPDX-License-Identifier: Apache-2.0
"""Bundles: an explainer as one file, which the command line takes as --model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._errors import ModelError
from ._layout import Column, Layout
from ._table import pandas

if TYPE_CHECKING:
    from ._prepare import Prepared

#: arguments of an Explainer that a bundle keeps; the others are in its schema and its goal
KEPT = (
    "target_rate", "confidence", "method", "alternatives", "max_changes", "cost", "family",
    "missing", "random_state",
)  # fmt: skip
# What a bundle does not keep, and a copy of an explainer in another process needs.
BESIDE_BUNDLES = (
    "n_jobs", "query_budget", "shared_queries", "reason_codes", "plausibility", "models",
    "search_models", "model_confidence",
)  # fmt: skip


@dataclass(frozen=True)
class Source:
    """The bytes of a model file, and how they are read."""

    data: bytes
    reading: _core.Reading


@dataclass(frozen=True)
class Extra:
    """What Python adds to a bundle: the types of the user's columns and classes."""

    layout: Layout
    name: str
    #: whether the model is a translation of an object that the bundle does not hold
    translated: bool
    arguments: dict[str, Any]


def bundle_bytes(prepared: Prepared, arguments: Mapping[str, Any], examples: bool) -> bytes:
    """The explainer as a file; refuses models that no file holds."""
    source = prepared.source
    if source is None:
        reason = prepared.native.reason if prepared.native else ""
        raise ModelError(
            f"{prepared.user_name} is asked as a black box, and no file can hold it"
            + (f" ({reason})" if reason else "")
            + "; only translated models and model files can be saved"
        )
    kept = {name: arguments[name] for name in KEPT}
    if isinstance(arguments["noise"], str):
        kept["noise"] = arguments["noise"]
    extra = {
        "name": prepared.user_name,
        "translated": prepared.translated,
        "form": prepared.layout.form,
        "columns": [_column_entry(column) for column in prepared.layout.columns],
        "arguments": kept,
    }
    out = _core.make_bundle(
        prepared.model, source.data, source.reading, prepared.threshold, prepared.wanted,
        json.dumps(extra), examples,
    )  # fmt: skip
    loaded = _core.load_bytes(out, prepared.user_name, _core.Reading())
    if loaded.fingerprint != prepared.model.fingerprint:
        raise ModelError(f"{prepared.user_name} cannot be saved: its bundle is another model")
    return out


def _column_entry(column: Column) -> dict[str, Any]:
    dtype = column.dtype
    entry: dict[str, Any] = {"name": column.name, "kind": column.kind, "dtype": str(dtype)}
    if column.kind != "number":
        entry["values"] = [_plain(value) for value in column.values]
    if str(dtype) == "category":
        entry["ordered"] = bool(dtype.ordered)
    return entry


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def read_source(data: bytes, name: str) -> tuple[Source, Extra | None]:
    """The model inside of a bundle, or the file itself, and what Python added."""
    found = _core.read_bundle(data, name)
    if found is None:
        return Source(data, _core.Reading()), None
    model, reading, text = found
    return Source(model, reading), _extra(text)


def _extra(text: str) -> Extra | None:
    """None where another program made the bundle, or a newer one whose words are not known."""
    try:
        said = json.loads(text)
        columns = [
            Column(c["name"], c["kind"], list(c.get("values", [])), _dtype(c))
            for c in said["columns"]
        ]
        arguments = {name: said["arguments"][name] for name in KEPT}
        if "noise" in said["arguments"]:
            arguments["noise"] = said["arguments"]["noise"]
        layout = Layout(columns, said["form"])
        return Extra(layout, said["name"], bool(said["translated"]), arguments)
    except (ValueError, KeyError, TypeError):
        return None


def _dtype(entry: Mapping[str, Any]) -> Any:
    module = pandas()
    name = entry["dtype"]
    if name == "category" and module is not None:
        return module.CategoricalDtype(entry["values"], ordered=entry.get("ordered", False))
    if module is not None:
        try:
            return module.api.types.pandas_dtype(name)
        except TypeError:
            return np.dtype(object)
    try:
        return np.dtype(name)
    except TypeError:
        return np.dtype(float if entry["kind"] == "number" else object)
