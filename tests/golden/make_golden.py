# SPDX-License-Identifier: Apache-2.0
"""Writes the golden JSON files of this folder; README.md describes each of them.

    /usr/bin/python3 tests/golden/make_golden.py            rewrites the files
    /usr/bin/python3 tests/golden/make_golden.py --check    compares them with a fresh computation
"""

import argparse
import json
import pathlib
import sys

# The golden folder holds sources and data only: leave no compiled files in it.
sys.dont_write_bytecode = True

from golden_text import dump, same
from model_cases import models, probe_rate, soft_rate
from search_cases import croco_path, probe_path, wachter_path
from statistics_cases import auc, bounds, normal

FOLDER = pathlib.Path(__file__).resolve().parent
# Central differences and paths carry absolute noise; the statistics are right to the last digits,
# also where they are tiny.
SAMPLED = (models, probe_rate, soft_rate, wachter_path, croco_path, probe_path)
EXACT = (bounds, normal, auc)


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
