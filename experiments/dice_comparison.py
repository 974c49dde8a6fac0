#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""croco and DiCE on the same models, the same people, the same freedom and the same noise.

Usage: experiments/dice_comparison.py --data-dir DIR [--program build/release/apps/cli/croco]
           [--data adult,gsc] [--people 50] [--target 0.1] [--variance 0.01] [--asked 4] [--keep DIR]

Needs: pip install dice-ml xgboost pandas. XGBoost trains 200 trees of depth 6 on the raw columns; random
rejected rows are explained. For everybody: numbers move within the range of the data, whole ones in steps
of 1, categories stay. DiCE is asked for --asked counterfactuals of each person, with its own defaults, and
the one with the least distance counts; its time is that of all of them, at most --limit a person. croco is run for the noise and the
target, and once more for noise of a thousandth of a range, which is the nearest it has to no noise.

peers.py says how answers are measured.
"""
import argparse
import contextlib
import functools
import io
import logging
import signal
import time
import warnings

import peers
import tree_models

import dice_ml
import numpy as np
import pandas as pd
import xgboost as xgb
from raiutils.exceptions import UserConfigValidationException

METHODS = ("random", "genetic")


@contextlib.contextmanager
def silence():
    """DiCE prints, progress bars included."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


@contextlib.contextmanager
def limit(seconds):
    """Of processor time: some searches start from random points until enough are accepted."""
    def stop(_signal, _frame):
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def dice(case, method):
    """Recommended records by person, and seconds for each person."""
    data = dice_ml.Data(dataframe=case.training, continuous_features=case.numbers,
                        outcome_name=case.label)
    explainer = dice_ml.Dice(data, dice_ml.Model(model=case.scores, backend="sklearn"),
                             method=method)
    ranges = {name: [case.low[name].item(), case.high[name].item()] for name in case.numbers}
    seed = {"random_seed": 7} if method == "random" else {}
    np.random.seed(7)
    advised, before = {}, time.process_time()
    for person in case.people.index:
        query = case.people.loc[[person], list(case.frame.columns)]
        try:
            with silence(), limit(case.options.limit):
                found = explainer.generate_counterfactuals(
                    query, total_CFs=case.options.asked, desired_class=1,
                    features_to_vary=case.numbers, permitted_range=ranges, **seed)
        except (UserConfigValidationException, TimeoutError):
            continue  # nothing found, or not in time
        answers = found.cf_examples_list[0].final_cfs_df
        if answers is None or len(answers) == 0:
            continue
        best = min(range(len(answers)),
                   key=lambda i: case.changes(person, answers.iloc[i]).sum())
        advised[person] = answers.iloc[best][list(case.frame.columns)]
    return advised, (time.process_time() - before) / len(case.people)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    peers.add_options(parser)
    parser.add_argument("--asked", type=int, default=4, help="counterfactuals that DiCE makes")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    print(f"dice-ml {tree_models.version('dice-ml')}, xgboost {xgb.__version__}, "
          f"pandas {pd.__version__}, numpy {np.__version__}")
    peers.print_table(options, lambda case: [
        (f"DiCE {name}", functools.partial(dice, case, name)) for name in METHODS])


if __name__ == "__main__":
    main()
