# SPDX-License-Identifier: Apache-2.0
"""From a user's model and data to a model that croco can ask."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._bundle import Extra, Source, read_source
from ._errors import DataError, InvalidArgument
from ._layout import Layout, Numbers
from ._models import ModelFile, UserModel, as_model_file, read_user_model, wanted_class
from ._native import Native, translated
from ._schema import Keywords, guessed_schema, read_schema, stated_types
from ._table import Table, read_table
from ._values import text_of


@dataclass
class Prepared:
    """A model made ready for people."""

    model: _core.Model
    layout: Layout
    #: the user's object, unless the model is a file
    user: UserModel | None
    #: 'native', 'black box', 'file' or 'bundle'
    path: str
    threshold: float
    #: 0 or 1
    wanted: int
    #: the wanted class as the user calls it
    want: Any
    native: Native | None = None
    notes: list[str] = field(default_factory=list)
    #: what a bundle holds; None for a black box
    source: Source | None = None
    #: the name of the file, or of the object that a bundle was made of
    origin: str = ""
    #: whether the bundle holds a translation, and not the object itself
    left_behind: bool = False

    @property
    def translated(self) -> bool:
        """Whether the model is a translation of the user's object."""
        return self.user is not None or self.left_behind

    @property
    def user_name(self) -> str:
        return self.user.name if self.user is not None else self.origin


def prepare(model: Any, background: Any, given: Mapping[str, Any], keywords: Keywords) -> Prepared:
    """Reads the data and the model, guesses what nobody stated, and loads the model."""
    schema = read_schema(given["schema"]) if given["schema"] is not None else None
    file = as_model_file(model)
    if background is None:
        return _from_file_alone(file, model, given, keywords, schema)
    table = read_table(background, "background")
    if given["label"] is not None and given["label"] in table.names:
        table = table.without(given["label"])
    if table.rows == 0:
        raise DataError("background has no rows; give rows such as the model was trained on")
    layout = Layout.of_table(table, stated_types(schema), "background")
    notes: list[str] = []
    if schema is None:
        schema, notes = guessed_schema(table, layout)
    else:
        _require_all(schema, layout)
    schema = keywords.apply(schema)
    if file is not None:
        return _from_file(file, layout, table, given, schema, notes)
    return _from_user(model, layout, table, given, schema, notes)


def _require_all(schema: Mapping[str, Any], layout: Layout) -> None:
    named = list(stated_types(schema))
    lacking = [name for name in layout.names if name not in named]
    if lacking:
        raise DataError(
            f"schema has no feature {lacking[0]!r}, which the background data and so the model "
            "have; add it (movement 'fixed' keeps it as it is)"
        )


def _reading(
    schema: Mapping[str, Any] | None, frame: _core.Frame | None, cost: str
) -> _core.Reading:
    out = _core.Reading()
    out.schema = None if schema is None else json.dumps(schema)
    out.training = frame
    out.cost = cost
    return out


def _background_frame(layout: Layout, table: Table) -> _core.Frame:
    frame, faults = layout.frame(table, "background")
    if faults:
        raise DataError(f"background: {min(faults.items())[1]}")
    return frame


def _set_label(schema: dict[str, Any], label: str | None, classes: list[Any]) -> None:
    """Names the classes, so that reports can."""
    if "label" in schema:
        return
    names = {feature["name"] for feature in schema["features"]}
    name = label or next(n for n in ("class", "answer", "the answer") if n not in names)
    schema["label"] = {
        "name": name,
        "favourable": text_of(classes[1]),
        "unfavourable": text_of(classes[0]),
    }


def _from_user(
    model: Any, layout: Layout, table: Table, given: Mapping[str, Any], schema: dict[str, Any],
    notes: list[str],
) -> Prepared:  # fmt: skip
    user = read_user_model(model, layout, table, given["threshold"])
    wanted = wanted_class(user.classes, given["want"])
    _set_label(schema, given["label"], user.classes)
    frame = _background_frame(layout, table)
    reading = _reading(schema, frame, given["cost"])
    stated = given["threshold"]
    native = translated(model, user, layout, table, reading, stated, int(given["random_state"]))
    if native.model is not None:
        loaded = native.model
        path = "native"
        threshold = native.threshold
    else:
        threshold = 0.5 if stated is None else float(stated)
        order = [list(stated_types(schema)).index(name) for name in layout.names]

        def score(values: Numbers) -> Numbers:
            return user.score(layout.rebuilt(np.ascontiguousarray(values[:, order])))

        loaded = _core.load_callable(user.name, score, _reading(schema, frame, given["cost"]))
        path = "black box"
    return Prepared(
        loaded, layout, user, path, threshold, wanted, user.classes[wanted], native,
        [*notes, *user.notes], native.source,
    )  # fmt: skip


def _file_choices(reading: _core.Reading, file: ModelFile) -> None:
    reading.rounds = "" if file.rounds is None else str(file.rounds)
    reading.category_orders = file.orders()
    reading.score = file.score or ""
    reading.decision = file.decision or ""


def _load(file: ModelFile, reading: _core.Reading) -> _core.Model:
    _file_choices(reading, file)
    if isinstance(file.source, bytes):
        return _core.load_bytes(file.source, "the model", reading)
    return _core.load_file(file.source, reading)


def _name(file: ModelFile) -> str:
    """Without the folder, which is nobody's business in a bundle."""
    return "the model" if isinstance(file.source, bytes) else Path(file.source).name


def _file_source(file: ModelFile, loaded: _core.Model) -> tuple[Source, Extra | None]:
    """The bytes of a file that was read before, and what a bundle says beside."""
    data = file.source if isinstance(file.source, bytes) else Path(file.source).read_bytes()
    source, extra = read_source(data, loaded.source)
    if source.data is data:
        _file_choices(source.reading, file)
    return source, extra


def _goal(loaded: _core.Model, given: Mapping[str, Any]) -> tuple[float, int, Any]:
    """The threshold, the wanted class and its name, for a model that is a file."""
    label = json.loads(loaded.schema).get("label")
    classes = [label["unfavourable"], label["favourable"]] if label else [0, 1]
    want = given["want"]
    if want is None:
        wanted = loaded.goal[1] if loaded.goal else 1  # the favourable one
    elif label and text_of(want) not in classes and want in (0, 1):
        wanted = int(want)
    else:
        wanted = wanted_class(classes, want)
    threshold = given["threshold"]
    if threshold is None and loaded.goal:
        threshold = loaded.goal[0]
    elif threshold is None:
        threshold = loaded.own_threshold if loaded.own_threshold is not None else 0.5
    return float(threshold), wanted, classes[wanted]


def _from_file(
    file: ModelFile, layout: Layout, table: Table, given: Mapping[str, Any],
    schema: dict[str, Any], notes: list[str],
) -> Prepared:  # fmt: skip
    if given["label"] is not None and "label" not in schema:
        _set_label(schema, given["label"], [0, 1])
    reading = _reading(schema, _background_frame(layout, table), given["cost"])
    loaded = _load(file, reading)
    threshold, wanted, want = _goal(loaded, given)
    source, _ = _file_source(file, loaded)
    return Prepared(
        loaded, layout, None, "file", threshold, wanted, want, None, notes, source, _name(file)
    )


def _from_file_alone(
    file: ModelFile | None, model: Any, given: Mapping[str, Any], keywords: Keywords,
    schema: dict[str, Any] | None,
) -> Prepared:  # fmt: skip
    """Bundles and croco's own files say what their columns mean."""
    if file is None:
        raise InvalidArgument(
            "background is missing; give rows such as the model was trained on, without the "
            f"label: Explainer({type(model).__name__.lower()}, X_train)"
        )
    loaded = _load(file, _reading(schema, None, given["cost"]))
    own = json.loads(loaded.schema) if schema is None else schema
    wished = keywords.apply(json.loads(json.dumps(own)))
    if wished != own:
        loaded = _load(file, _reading(wished, None, given["cost"]))
    threshold, wanted, want = _goal(loaded, given)
    source, extra = _file_source(file, loaded)
    layout = extra.layout if extra is not None else Layout.of_schema(wished)
    out = Prepared(loaded, layout, None, "file", threshold, wanted, want, source=source)
    out.origin = _name(file)
    if extra is not None:
        out.path, out.origin, out.left_behind = "bundle", extra.name, extra.translated
    return out


def read_population(
    prepared: Prepared, model: Any, given: Mapping[str, Any]
) -> _core.Population | None:
    """The retrained models that advice has to survive, read as the model in use was."""
    if given["models"] is None:
        if given["search_models"] is not None:
            raise InvalidArgument("search_models is for models, which is not given")
        return None
    reading = _reading(json.loads(prepared.model.schema), None, given["cost"])
    file = as_model_file(model)
    if file is not None:
        _file_choices(reading, file)
    jobs = int(given["n_jobs"])
    return _core.load_population(
        _model_paths(given["models"]), prepared.model, reading, given["search_models"],
        0 if jobs == -1 else jobs,
    )  # fmt: skip


def _model_paths(models: Any) -> list[str]:
    """The files that a pattern, a folder or a list of paths names."""
    given = [models] if isinstance(models, (str, Path)) else list(models)
    out: list[str] = []
    for one in given:
        pattern = str(Path(one) / "*") if Path(one).is_dir() else str(one)
        found = sorted(name for name in glob(pattern) if not Path(name).is_dir())
        if not found:
            raise InvalidArgument(f"models is {one!r}; it must name files, and none is there")
        out += found
    return out
