# SPDX-License-Identifier: Apache-2.0
"""Arguments that no model could make sense of are refused before anything is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._errors import InvalidArgument

METHODS = ("certified", "croco", "probe", "wachter")


@dataclass(frozen=True)
class Effort:
    """What bounds the work of a run."""

    time_limit: float | None = None
    reasons: bool = True
    search_rows: int | None = None

    def check(self) -> None:
        if self.time_limit is not None and not self.time_limit > 0:
            raise InvalidArgument(f"time_limit is {self.time_limit}; it must be above 0 seconds")
        if not isinstance(self.reasons, (bool, np.bool_)):
            raise InvalidArgument(f"reasons is {self.reasons!r}; it must be True or False")
        rows = self.search_rows
        if rows is None:
            return
        if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or rows < 1:
            raise InvalidArgument(f"search_rows is {rows!r}; it must be a whole number from 1")


def check_arguments(given: Mapping[str, Any]) -> None:
    """Refuses arguments that no model could make sense of."""
    for name in ("target_rate", "confidence", "model_confidence"):
        value = given[name]
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
            raise InvalidArgument(f"{name} is {value!r}; it must be a number between 0 and 1")
        if not 0 < value < 1:
            hint = f"; did you mean {value / 100:g}?" if 1 <= value < 100 else ""
            raise InvalidArgument(f"{name} is {value}; it must be between 0 and 1{hint}")
    threshold = given["threshold"]
    if threshold is not None and not 0 < threshold < 1:
        raise InvalidArgument(f"threshold is {threshold}; it must be between 0 and 1")
    if given["method"] not in METHODS:
        raise InvalidArgument(f"method is {given['method']!r}; it must be one of {METHODS}")
    jobs = given["n_jobs"]
    if isinstance(jobs, bool) or not isinstance(jobs, (int, np.integer)) or jobs < -1 or jobs == 0:
        raise InvalidArgument(f"n_jobs is {jobs!r}; it must be -1 for all cores, or at least 1")
    family = given["family"]
    if family != "all" and (not isinstance(family, (int, np.integer)) or family < 1):
        raise InvalidArgument(f"family is {family!r}; it must be a whole number from 1, or 'all'")
    for name, least in (("query_budget", 1), ("shared_queries", 1000)):
        rows = given[name]
        if rows is None:
            continue
        if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or rows < least:
            raise InvalidArgument(f"{name} is {rows!r}; it must be a whole number from {least}")
    codes = given["reason_codes"]
    if isinstance(codes, bool) or not isinstance(codes, (int, np.integer)) or codes < 0:
        raise InvalidArgument(f"reason_codes is {codes!r}; it must be a whole number from 0")
    if not isinstance(given["plausibility"], (bool, np.bool_)):
        raise InvalidArgument(
            f"plausibility is {given['plausibility']!r}; it must be True or False"
        )
    if given["shared_queries"] is not None and given["query_budget"] is None:
        raise InvalidArgument("shared_queries is for query_budget, which is not given")
    seed = given["random_state"]
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**64:
        raise InvalidArgument(
            f"random_state is {seed!r}; it must be a whole number, so that every result can be "
            "made again"
        )
    for name in ("alternatives", "max_changes", "search_models"):
        value = given[name]
        if value is None and name != "alternatives":
            continue
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise InvalidArgument(f"{name} is {value!r}; it must be a whole number from 1")
    noise = given["noise"]
    if noise is not None and not isinstance(noise, (str, Mapping)):
        raise InvalidArgument(
            f"noise is {noise!r}; say it by feature, croco.noise(amount=250), or as on the command "
            "line, 'gaussian:sd=0.05'"
        )


def run_options(request: _core.Request) -> list[tuple[str, str]]:
    """The same run on the command line, for the manifest of a report."""
    options = [("target", repr(request.target)), ("confidence", repr(request.confidence))]
    if request.method != "certified":
        options.insert(0, ("method", request.method))
    if request.noise is not None:
        options.append(("noise", request.noise))
    for name, value, usual in (
        ("threshold", request.threshold, 0.5), ("want", request.wanted, 1),
        ("family", request.family, 1), ("missing", request.missing, "error"),
        ("max-changes", request.max_changes, None), ("alternatives", request.alternatives, 1),
        ("time-limit", request.time_limit, None), ("search-rows", request.search_rows, None),
        ("query-budget", request.query_budget, None),
        ("shared-queries", request.shared_queries, None),
        ("reasons", "on" if request.reasons else "off", "on"),
        ("reason-codes", request.reason_codes, 0),
        ("plausibility", "true" if request.plausibility else "false", "false"),
        ("seed", request.seed, 0),
    ):  # fmt: skip
        if value != usual:
            options.append((name, str(value)))
    if request.models is not None:
        options += [("search-models", str(request.models.search)),
                    ("model-confidence", repr(request.model_confidence))]  # fmt: skip
    return options


def row_numbers(rows: Sequence[int], count: int) -> list[int]:
    numbers = [int(row) for row in rows]
    if len(numbers) != count:
        raise InvalidArgument(f"rows has {len(numbers)} numbers, and X has {count} rows")
    wrong = [number for number in numbers if not 0 <= number < 2**63]
    if wrong:
        raise InvalidArgument(f"rows has {wrong[0]}; a row number is from 0 to 2**63 - 1")
    return numbers
