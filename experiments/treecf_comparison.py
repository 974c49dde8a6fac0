#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""croco and treecf on the same models, the same people, the same freedom and the same noise.

Usage: experiments/treecf_comparison.py --data-dir DIR [--program build/release/apps/cli/croco]
           [--data gsc] [--people 50] [--target 0.1] [--variance 0.01] [--keep DIR]

Needs: pip install treecf xgboost pandas. Data without categories: treecf 0.3.2 refuses the levels of those that
XGBoost 3.2.0 writes. XGBoost trains 200 trees of depth 6 on the raw columns; random rejected rows are explained. For
everybody: numbers move within the range of the data, whole ones in steps of 1. treecf minimises the same distance as
croco (its normalizers are the ranges), by its genetic search and by its exact one, each with --limit seconds a person;
both look for a probability above one half. Its plans then go through `croco certify`. croco is run for the noise and
the target, and once more for noise of a thousandth of a range. peers.py says how answers are measured.
"""
import argparse
import functools
import time
import warnings

import peers
import tree_models

import numpy as np
import pandas as pd
import treecf
import xgboost as xgb

BACKENDS = ("genetic", "exact")
# What the model accepts is above one half; single precision decides within this distance of it.
CLEAR = 1e-6


def codes(case, rows):
    """Rows as treecf takes them: numbers, and the codes of categories."""
    return np.column_stack([
        pd.Categorical(rows[name], categories=case.frame[name].cat.categories).codes.astype(float)
        if tree_models.is_category(case.frame[name]) else rows[name].astype(float).to_numpy()
        for name in case.frame.columns])


def plans(case, backend):
    """Recommended records by person, and seconds for each person."""
    names = list(case.frame.columns)
    scale = {name: float(case.high[name] - case.low[name]) if name in case.numbers else 1.0 for name in names}
    whole = [name for name in case.numbers if (case.frame[name] % 1 == 0).all()]
    explainer = treecf.Explainer(
        case.scores.booster, normalizers=scale,
        constraints=[*(treecf.Range(name, float(case.low[name]), float(case.high[name]))
                       for name in case.numbers),
                     *(treecf.Freeze(name) for name in names if name not in case.numbers)],
        value_policy={name: "integer" for name in whole})
    target = treecf.Target.probability(range=(0.5 + CLEAR, 1.0))
    advised, before = {}, time.process_time()
    for person, row in enumerate(codes(case, case.people)):
        found = explainer.explain(row, target, backend=backend, seed=7,
                                  time_budget_s=case.options.limit)
        if isinstance(found, treecf.Infeasible):
            continue
        record = case.people.loc[person, names].copy()
        for name, (_, after) in found.changes.items():
            record[name] = after
        advised[person] = record
    return advised, (time.process_time() - before) / len(case.people)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    peers.add_options(parser)
    parser.set_defaults(data="gsc")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    print(f"treecf {treecf.__version__}, xgboost {xgb.__version__}, pandas {pd.__version__}, "
          f"numpy {np.__version__}")
    peers.print_table(options, lambda case: [
        (f"treecf {backend}", functools.partial(plans, case, backend)) for backend in BACKENDS])


if __name__ == "__main__":
    main()
