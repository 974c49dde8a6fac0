# SPDX-License-Identifier: Apache-2.0
"""Writes the golden JSON files of this folder; README.md describes each of them.

    /usr/bin/python3 tests/golden/make_golden.py            rewrites the files
    /usr/bin/python3 tests/golden/make_golden.py --check    compares them with a fresh computation
"""

import argparse
import json
import math
import pathlib
import sys

# The golden folder holds sources and data only: leave no compiled files in it.
sys.dont_write_bytecode = True

from model_cases import models, probe_rate, soft_rate
from search_cases import croco_path, probe_path, wachter_path
from statistics_cases import auc, bounds, normal

FOLDER = pathlib.Path(__file__).resolve().parent
# Central differences and paths carry absolute noise; the statistics are right to the last digits,
# also where they are tiny.
SAMPLED = (models, probe_rate, soft_rate, wachter_path, croco_path, probe_path)
EXACT = (bounds, normal, auc)


def dump(value, depth=0):
    """JSON with one line for every list of numbers, so that differences stay readable."""
    pad = " " * (depth + 1)
    if isinstance(value, dict):
        items = [f"{pad}{json.dumps(k)}: {dump(v, depth + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + " " * depth + "}"
    if isinstance(value, list) and any(isinstance(v, (list, dict)) for v in value):
        items = [pad + dump(v, depth + 1) for v in value]
        return "[\n" + ",\n".join(items) + "\n" + " " * depth + "]"
    return json.dumps(value, allow_nan=False)


def same(old, new, absolute):
    """Equal up to the last digits, which may follow the machine's mathematical library."""
    if isinstance(new, dict):
        if not isinstance(old, dict) or list(old) != list(new):
            return False
        return all(same(old[k], new[k], absolute) for k in new)
    if isinstance(new, list):
        if not isinstance(old, list) or len(old) != len(new):
            return False
        return all(same(a, b, absolute) for a, b in zip(old, new))
    if isinstance(new, float):
        return math.isclose(old, new, rel_tol=1e-9, abs_tol=absolute)
    return old == new


def main():
    parser = argparse.ArgumentParser(description="Writes or checks the golden files.")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    failures = []
    for make in SAMPLED + EXACT:
        path = FOLDER / f"{make.__name__}.json"
        value = make()
        if not check:
            path.write_text(dump(value) + "\n", encoding="utf-8")
            continue
        absolute = 2e-9 if make in SAMPLED else 0.0
        if not same(json.loads(path.read_text(encoding="utf-8")), value, absolute):
            failures.append(path.name)
    if failures:
        sys.exit(f"differ from a fresh computation: {', '.join(failures)}")


if __name__ == "__main__":
    main()
