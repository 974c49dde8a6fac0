# SPDX-License-Identifier: Apache-2.0
"""The console script `croco`: the program itself, which this package carries."""

from __future__ import annotations

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "_bin" / "croco"


def main() -> None:
    """Becomes the program, so that signals, streams and exit codes are its own."""
    os.execv(PROGRAM, ["croco", *sys.argv[1:]])
