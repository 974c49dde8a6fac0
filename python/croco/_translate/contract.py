# SPDX-License-Identifier: Apache-2.0
"""What a translator is given and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Format = Literal["onnx", "xgboost", "lightgbm", "catboost"]


class NotTranslatable(Exception):
    """The model has no translation. Its text says why, in words of the model's own library."""

    @property
    def reason(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Column:
    """A column of the data that the model is asked about.

    `values` are the values of a category as the model sees them (for a boolean, False and True),
    and `levels` the texts by which the schema calls them: `str(value)` unless it is said. `dtype`
    is the name of the data's type: columns of `float32` are rounded to single precision before the
    model sees them.
    """

    name: str
    kind: Literal["number", "category", "boolean"] = "number"
    dtype: str = "float64"
    values: Sequence[Any] | None = None
    levels: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if self.kind == "category" and not self.values:
            raise ValueError(f"the category {self.name!r} has no values")
        if (
            self.values is not None
            and self.levels is not None
            and len(self.values) != len(self.levels)
        ):
            raise ValueError(
                f"{self.name!r} has {len(self.values)} values and {len(self.levels)} levels"
            )

    @property
    def has_levels(self) -> bool:
        return self.kind != "number"

    def level_values(self) -> list[Any]:
        """The values of the levels, as the model sees them."""
        if self.values is None:
            return [False, True]
        return [value.item() if isinstance(value, np.generic) else value for value in self.values]

    def level_texts(self) -> list[str]:
        if self.levels is not None:
            return list(self.levels)
        return [str(value) for value in self.level_values()]


@dataclass(frozen=True)
class Translation:
    """The bytes of a model file, and how it is to be read.

    `choices` has the names of C++'s `ReadingChoices`: `rounds` (a number of boosting rounds),
    `category_order` (by column, its values in the order of their codes), `score` (`probability` or
    `logit`), `decision` (`label` where the file has the label that the model predicts, beside
    probabilities that may disagree with it: those of support vector machines; with a threshold of
    one's own, `probability` is to be said instead). `classes` are the model's own, the second one
    being class 1.
    """

    format: Format
    data: bytes
    classes: list[Any]
    choices: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
