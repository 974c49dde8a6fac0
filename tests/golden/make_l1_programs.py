# SPDX-License-Identifier: Apache-2.0
"""Writes l1_programs.json: random linear programs and what HiGHS says of them.

    /usr/bin/python3 tests/golden/make_l1_programs.py            rewrites the file
    /usr/bin/python3 tests/golden/make_l1_programs.py --check    compares it with a fresh computation

Needs scipy (Debian: python3-scipy; the file was made with 1.10.1). README.md describes the file.
"""

import argparse
import json
import math
import pathlib
import random
import sys

import numpy
from scipy.optimize import linprog

PATH = pathlib.Path(__file__).resolve().parent / "l1_programs.json"
SEED = 20240611


def number(rng, low, high, decimals):
    """A short number, so that the file stays small and both sides read the same double."""
    value = round(rng.uniform(low, high), decimals)
    return int(value) if value == int(value) else value


def coefficient(rng, whole):
    if rng.random() < 0.25:
        return 0
    return rng.randint(-2, 2) if whole else number(rng, -2, 2, 2)


def problem(rng, columns, rows):
    # Whole numbers make ties: degenerate corners, several optima, rows that just hold.
    whole = rng.random() < 0.35
    decimals = 0 if whole else 2
    costs = [number(rng, 1, 3, decimals) if whole else number(rng, 0.2, 3, 2)
             for _ in range(columns)]
    lower, upper = [], []
    for _ in range(columns):
        ends = sorted((number(rng, -2, 1, decimals), number(rng, -1, 2, decimals)))
        kind = rng.random()
        if kind < 0.15:
            ends = [0, abs(ends[1])]
        elif kind < 0.25:
            ends = [-abs(ends[0]), 0]
        elif kind < 0.35:
            ends[1] = ends[0]
        elif kind < 0.42:
            ends[1] = None
        elif kind < 0.47:
            ends[0] = None
        lower.append(ends[0])
        upper.append(ends[1])
    spread = math.sqrt(columns)
    matrix = []
    for i in range(rows):
        row = [coefficient(rng, whole) for _ in range(columns)]
        row.append(number(rng, -spread, 0.5 * spread, decimals))
        # The first row is usually the one that may be missed at a price.
        soft = rng.random() < (0.7 if i == 0 else 0.1)
        row.append(number(rng, 0.5, 40, decimals) if soft else None)
        matrix.append(row)
    return {"costs": costs, "lower": lower, "upper": upper, "rows": matrix}


def optimum(program):
    """The optimal value, or None when the rows contradict each other and the box."""
    n = len(program["costs"])
    rows = program["rows"]
    soft = [i for i, row in enumerate(rows) if row[n + 1] is not None]
    # x = p - q, p and q not negative; one excess for each soft row.
    prices = list(program["costs"]) * 2 + [rows[i][n + 1] for i in soft]
    matrix, bounds = [], []
    for i, row in enumerate(rows):
        excess = [-1 if k == i else 0 for k in soft]
        matrix.append(row[:n] + [-a for a in row[:n]] + excess)
        bounds.append(row[n])
    for j in range(n):
        unit = [1 if k == j else 0 for k in range(n)]
        for end, sign in ((program["upper"][j], 1), (program["lower"][j], -1)):
            if end is None:
                continue
            matrix.append([sign * u for u in unit] + [-sign * u for u in unit] + [0] * len(soft))
            bounds.append(sign * end)
    result = linprog(prices, A_ub=numpy.array(matrix) if matrix else None, b_ub=bounds or None,
                     bounds=[(0, None)] * len(prices), method="highs",
                     options={"primal_feasibility_tolerance": 1e-10,
                              "dual_feasibility_tolerance": 1e-10})
    if result.status == 0:
        return float(result.fun)
    if result.status == 2:
        return None
    sys.exit(f"HiGHS: {result.message} {program}")


def programs():
    rng = random.Random(SEED)
    out = []
    for k in range(2600):
        columns = rng.randint(12, 30) if k % 40 == 0 else rng.randint(1, 9)
        rows = rng.randint(0, 6) if k % 40 == 0 else rng.randint(0, 5)
        program = problem(rng, columns, rows)
        program["optimum"] = optimum(program)
        out.append(program)
    return out


def main():
    parser = argparse.ArgumentParser(description="Writes or checks l1_programs.json.")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    fresh = programs()
    if not check:
        lines = ",\n".join(" " + json.dumps(one, separators=(",", ":")) for one in fresh)
        PATH.write_text('{"programs": [\n' + lines + "\n]}\n", encoding="utf-8")
        infeasible = sum(one["optimum"] is None for one in fresh)
        print(f"{len(fresh)} programs, {infeasible} of them infeasible")
        return
    stored = json.loads(PATH.read_text(encoding="utf-8"))["programs"]
    for k, (old, new) in enumerate(zip(stored, fresh, strict=True)):
        a, b = old.pop("optimum"), new.pop("optimum")
        same = a == b if None in (a, b) else math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
        if old != new or not same:
            sys.exit(f"program {k} differs from a fresh computation")


if __name__ == "__main__":
    main()
