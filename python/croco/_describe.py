# SPDX-License-Identifier: Apache-2.0
"""What an Explainer knows about itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from ._prepare import Prepared


class Description:
    """How the model is asked, how far it was verified, and what was guessed. Print it."""

    def __init__(
        self, prepared: Prepared, explainer: _core.Explainer, schema: dict[str, Any],
        given: Mapping[str, Any],
    ):  # fmt: skip
        native = prepared.native
        #: 'native' for a translation, 'black box' for the object itself, 'file' or 'bundle' for one
        self.path = prepared.path
        self.model = prepared.user_name
        #: rows on which a translation and the user's object were compared, and decided otherwise
        self.compared = native.compared if native else 0
        self.differing = native.differing if native else 0
        #: why a model is asked as a black box
        self.reason = native.reason if native else ""
        self.classes = list(prepared.user.classes) if prepared.user else []
        self.want = prepared.want
        self.threshold = prepared.threshold
        self.noise = explainer.noise_phrase
        self.noise_source = explainer.noise_source
        self.features = schema["features"]
        self.notes = [*prepared.notes, *(native.notes if native else ())]
        self.target_rate = given["target_rate"]
        self.confidence = given["confidence"]
        self.reason_codes = int(given["reason_codes"])
        self.plausibility = bool(given["plausibility"])
        self._asked = prepared.user.asked if prepared.user else ""

    def __str__(self) -> str:
        lines = [f"model: {self.model}, {self._path_text()}"]
        lines.append(f"wanted: {self.want!r}, at a threshold of {self.threshold:g}")
        source = {
            "given": "as given", "schema": "as the schema states it",
            "assumed": "ASSUMED; state yours: noise=croco.noise(income=200)",
        }[self.noise_source]  # fmt: skip
        lines.append(f"noise: {self.noise} ({source})")
        lines.append(
            f"target: at most {self.target_rate:.4g} of noisy versions fail, with a confidence of "
            f"{self.confidence:.6g}"
        )
        if self.reason_codes > 0:
            lines.append(f"reason codes: up to {self.reason_codes} for each refused person")
        if self.plausibility:
            lines.append("plausibility: of recommended records, among accepted background rows")
        for feature in self.features:
            lines.append("  " + _feature_text(feature))
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _path_text(self) -> str:
        if self.path == "file":
            return "read from a file"
        if self.path == "bundle":
            return "read from a bundle"
        if self.path == "native":
            return (
                f"translated; its decisions agree with those of the object on all of "
                f"{self.compared:,} rows"
            )
        text = f"asked as a black box ({self._asked})"
        return f"{text}: {self.reason}" if self.reason else text


def _feature_text(feature: Mapping[str, Any]) -> str:
    name = feature["name"]
    movement = {
        "both": "may change", "up": "may rise", "down": "may fall", "fixed": "fixed"
    }[feature.get("movement", "both")]  # fmt: skip
    if feature.get("changeable_by") == "nobody":
        movement = "fixed (nobody can change it)"
    if feature["type"] == "categorical":
        return f"{name}: category of {len(feature['levels'])} levels, {movement}"
    parts = [f"{name}: number"]
    low, high = feature.get("minimum"), feature.get("maximum")
    if low is not None or high is not None:
        parts.append(f"from {_end(low)} to {_end(high)}")
    if feature.get("step"):
        parts.append(f"in steps of {feature['step']:g}")
    return " ".join(parts) + f", {movement}"


def _end(value: float | None) -> str:
    return "any" if value is None else f"{value:g}"
