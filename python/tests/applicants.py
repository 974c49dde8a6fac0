# SPDX-License-Identifier: Apache-2.0
"""The loan decisions that the tests explain."""

import os
import pathlib

import numpy as np

SOURCE = pathlib.Path(
    os.environ.get("CROCO_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2])
)

NOISE = {"income": 100, "debt": 0.5}


def score(frame):
    """The probability of a loan; quick, and a function of every column."""
    z = (
        np.asarray(frame["income"], dtype=float) / 1000
        - np.asarray(frame["debt"], dtype=float) / 8
        + 0.6 * (np.asarray(frame["housing"]) == "own")
        + 0.4 * (np.asarray(frame["job"].astype(object)) == "nurse")
        + 0.3 * np.asarray(frame["telephone"], dtype=float)
        - 3
    )
    return 1 / (1 + np.exp(-2 * z))
