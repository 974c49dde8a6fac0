# SPDX-License-Identifier: Apache-2.0
"""The answer for one person, in the user's own types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Certificate:
    """A bound on how often noise undoes the recommended record, with its confidence."""

    upper: float
    rate: float
    confidence: float
    samples: int
    failures: int
    exact: bool
    family: int
    seed: int
    bound: str
    statement: str


@dataclass(frozen=True)
class ModelChange:
    """What is certified about retrained models: the joint rate, the share and the list."""

    #: over retrained models and noise together, at most this share of cases fails
    upper: float
    rate: float
    #: at most this share of the models fails in more than `limit` of cases
    share_upper: float
    limit: float
    #: none of the certifying models fails in more than this share of cases
    worst_upper: float
    confidence: float
    certifying: int
    statements: list[str]


@dataclass(frozen=True)
class Change:
    """One feature that is to change."""

    feature: str
    before: Any
    after: Any
    price: float
    #: in words: "ask for 2,100 DM instead of 4,308 DM"
    phrase: str
    #: name and values as people read them, with units
    label: str
    shown_before: str
    shown_after: str


@dataclass(frozen=True)
class ReasonCode:
    """A code of the schema, and the score that accepted people's values of its feature gain."""

    code: str
    feature: str
    gain: float


@dataclass(frozen=True)
class Plausibility:
    """How unusual the recommended record is among accepted people: a description, no test."""

    #: to the 5 nearest of every other accepted person, on average, in training ranges
    distance: float
    #: of the accepted people who are left, those at least as far from theirs
    share: float
    #: the nearest one's place among the background rows that are compared with, from 0: of at most
    #: 8,192 rows without missing values the row itself
    nearest: int


@dataclass(frozen=True)
class Answer:
    """The answer for one person; `alternative` counts from 1."""

    index: Any
    row: int
    alternative: int
    status: str
    reason: str
    why: tuple[str, ...]
    before: dict[str, Any]
    after: dict[str, Any] | None
    changes: tuple[Change, ...]
    score_before: float | None
    score: float | None
    cost: float | None
    certificate: Certificate | None
    #: with ``models`` alone
    model_change: ModelChange | None
    target_met: bool | None
    confirmed: bool | None
    broken_rules: tuple[str, ...]
    action: str
    #: with ``reason_codes`` alone, the largest gain first
    reason_codes: tuple[ReasonCode, ...]
    #: with ``plausibility`` alone
    plausibility: Plausibility | None
    _text: Callable[[], str] = field(repr=False, compare=False)

    @property
    def text(self) -> str:
        """The whole answer in words, as ``croco explain`` prints it."""
        return self._text()

    def __str__(self) -> str:
        return self.text
