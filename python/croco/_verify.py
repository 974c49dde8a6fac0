# SPDX-License-Identifier: Apache-2.0
"""Verification of certificates and reports that somebody handed over."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from . import _core
from ._errors import IoError
from ._words import in_python

if TYPE_CHECKING:
    from ._explainer import Explainer


@dataclass(frozen=True)
class Finding:
    """One check of a certificate, of a row, or of the report as a whole (`row` is None)."""

    row: int | None
    alternative: int | None
    check: str
    holds: bool
    text: str


class Verification(list[Finding]):
    """All findings; true when every one of them holds."""

    @property
    def holds(self) -> bool:
        return all(finding.holds for finding in self)

    @property
    def failures(self) -> list[Finding]:
        return [finding for finding in self if not finding.holds]

    def __bool__(self) -> bool:
        return self.holds


def verify(
    report: Union[str, os.PathLike[str]],
    explainer: Explainer,
    *,
    seed: int | None = None,
    samples: int = 100_000,
) -> Verification:
    """Checks a certificate or a .jsonl report against a model, as ``croco verify`` does.

    The certificate's samples are made again, fresh ones with your own ``seed`` are drawn, and
    everything that a row says is recomputed. The manifest beside the report is checked when it is
    there.
    """
    path = Path(report)
    try:
        text = path.read_bytes()
    except OSError as error:
        raise IoError(f"{str(path)!r}: {error.strerror}") from error
    manifest = Path(str(path) + ".manifest.json")
    beside = manifest.read_text(encoding="utf-8") if manifest.exists() else None
    found: list[Any] = _core.verify_report(
        text, str(path), beside, explainer._prepared.model, seed, samples, 0
    )
    return Verification(
        Finding(row, alternative, check, holds, in_python(said))
        for row, alternative, findings in found
        for check, holds, said, _ in findings
    )
