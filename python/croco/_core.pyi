# SPDX-License-Identifier: Apache-2.0
import os
from collections.abc import Callable, Mapping
from typing import Any, Union

import numpy as np
import numpy.typing as npt

__version__: str

class Frame:
    def __init__(self, source: str) -> None: ...
    def add_numbers(self, name: str, values: npt.NDArray[np.float64]) -> None: ...
    def add_levels(self, name: str, levels: list[str], codes: npt.NDArray[np.int32]) -> None: ...
    def __len__(self) -> int: ...

class Reading:
    schema: str | None
    training: Frame | None
    cost: str
    rounds: str
    category_orders: list[str]
    score: str
    decision: str
    def __init__(self) -> None: ...

class Model:
    @property
    def name(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def program(self) -> str: ...
    @property
    def label_decides(self) -> bool: ...
    @property
    def own_threshold(self) -> float | None: ...
    @property
    def schema(self) -> str: ...
    @property
    def takes_missing(self) -> bool: ...
    @property
    def has_gradient(self) -> bool: ...
    @property
    def goal(self) -> tuple[float, int] | None: ...
    @property
    def asked_rows(self) -> int: ...
    def decisions(
        self, frame: Frame, threshold: float
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int8]]: ...

class Request:
    method: str
    target: float
    confidence: float
    threshold: float
    wanted: int
    noise: str | None
    family: int
    max_samples: int
    missing: str
    max_changes: int | None
    alternatives: int
    time_limit: float | None
    reasons: bool
    reason_codes: int
    plausibility: bool
    search_rows: int | None
    query_budget: int | None
    shared_queries: int | None
    seed: int
    threads: int
    models: Population | None
    model_confidence: float
    def __init__(self) -> None: ...

class Population:
    @property
    def search(self) -> int: ...
    @property
    def certify(self) -> int: ...

def load_population(
    paths: list[str],
    like: Model,
    reading: Reading,
    search_models: int | None,
    threads: int,
) -> Population: ...

class Explainer:
    @property
    def shared_queries(self) -> int: ...
    @property
    def noise_phrase(self) -> str: ...
    @property
    def noise_source(self) -> str: ...

class AuditRequest:
    groups: list[tuple[str, list[float]]]
    references: dict[str, str]
    score_strata: int
    gap_confidence: float
    resamples: int
    premium: bool
    swap: bool
    def __init__(self) -> None: ...

class AuditTexts:
    @property
    def csv(self) -> str: ...
    @property
    def json(self) -> str: ...
    @property
    def html(self) -> str: ...
    @property
    def people(self) -> str: ...

class Answers:
    def __len__(self) -> int: ...
    def statuses(self) -> list[str]: ...
    def alternatives(self, row: int) -> int: ...
    def answer(self, row: int, alternative: int) -> dict[str, Any]: ...
    def replaced_cells(self) -> list[tuple[int, int, int, str]]: ...
    def json_lines(self) -> str: ...
    def json_line(self, row: int, alternative: int) -> str: ...
    def text(self, row: int) -> str: ...
    def html(self) -> str: ...
    def write(self, path: Union[str, os.PathLike[str]], options: list[tuple[str, str]]) -> None: ...
    def noise_phrase(self) -> str: ...
    @property
    def reason_codes(self) -> int: ...
    @property
    def plausibility(self) -> bool: ...
    @property
    def noise_assumed(self) -> bool: ...

def read_arrow(
    stream: object,
) -> list[tuple[str, str, bool, npt.NDArray[np.float64], list[str], npt.NDArray[np.int32]]]: ...
def infer_schema(frame: Frame) -> tuple[str, list[str]]: ...
def number_text(value: float) -> str: ...
def write_file(path: Union[str, os.PathLike[str]], bytes: bytes) -> None: ...
def load_file(path: Union[str, os.PathLike[str]], reading: Reading) -> Model: ...
def load_bytes(bytes: bytes, source: str, reading: Reading) -> Model: ...
def make_bundle(
    model: Model,
    bytes: bytes,
    reading: Reading,
    threshold: float,
    wanted: int,
    extra: str,
    examples: bool,
) -> bytes: ...
def read_bundle(bytes: bytes, source: str) -> tuple[bytes, Reading, str] | None: ...
def load_callable(
    name: str,
    function: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]],
    reading: Reading,
    batch: int = ...,
) -> Model: ...
def make_explainer(model: Model, request: Request) -> Explainer: ...
def explain(
    explainer: Explainer,
    frame: Frame,
    problems: Mapping[int, str],
    progress: Callable[[int], None] | None,
    rows: list[int],
) -> Answers: ...
def audit(
    model: Model,
    request: Request,
    asked: AuditRequest,
    frame: Frame,
    problems: Mapping[int, str],
    beside: Mapping[str, list[str]],
    progress: Callable[[int], None] | None,
) -> AuditTexts: ...
def assess(
    model: Model,
    before: Frame,
    after: Frame,
    problems: Mapping[int, str],
    tool: str,
    request: Request,
) -> Answers: ...
def verify_report(
    report: bytes,
    source: str,
    manifest: str | None,
    model: Model,
    seed: int | None,
    samples: int,
    threads: int,
) -> list[tuple[int | None, int | None, list[tuple[str, bool, str, bool]]]]: ...
