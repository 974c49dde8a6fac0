# SPDX-License-Identifier: Apache-2.0
"""Made-up people for the tests: numbers, categories and a truth value."""

import numpy as np
import pandas as pd
from _translate import Column

CITIES = ["Basel", "Chur", "Genf", "Zug"]
HOUSING = ["free", "own", "rent"]


def people(count=240, seed=0):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 75, count).astype(float),
            "income": np.round(random.lognormal(8, 0.5, count), 2),
            "city": random.choice(CITIES, count, p=[0.5, 0.3, 0.18, 0.02]),
            "housing": random.choice(HOUSING, count),
            "member": random.random(count) < 0.4,
        }
    )
    score = (
        frame.income / 3000
        + (frame.housing == "own")
        + frame.member
        - (frame.city == "Chur")
        + (frame.age > 40) * 0.5
        + random.normal(0, 0.6, count)
    )
    return frame, (score > score.median()).astype(int)


def asked(frame, count=150, seed=1):
    """Rows of the data, with noise, and on the middle between two values of the data and beside
    it.
    """
    random = np.random.default_rng(seed)
    rows = frame.iloc[random.integers(0, len(frame), 3 * count)].reset_index(drop=True)
    for name in ("age", "income"):
        known = np.unique(frame[name])
        middle = random.choice((known[1:] + known[:-1]) / 2, count)
        beside = np.nextafter(
            middle.astype(np.float32), np.float32(random.choice([-np.inf, np.inf]))
        )
        noisy = rows[name][count : 2 * count] + random.normal(0, np.ptp(known) / 20, count)
        rows[name] = np.concatenate(
            [rows[name][:count], noisy, np.where(random.random(count) < 0.5, middle, beside)]
        )
    return rows


def columns(frame):
    out = []
    for name in frame:
        if frame[name].dtype == bool:
            out.append(Column(name, "boolean", "bool"))
        elif frame[name].dtype.kind == "f":
            out.append(Column(name, "number", str(frame[name].dtype)))
        else:
            out.append(
                Column(name, "category", "object", {"city": CITIES, "housing": HOUSING}[name])
            )
    return out
