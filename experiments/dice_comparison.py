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

The distance is croco's cost: the sum of changes as shares of the ranges. Validity is XGBoost's own answer to
the recommended record. Rates are measured by `croco certify` on 100,000 samples that no search saw; for --checked
people of each method XGBoost itself is asked on samples of numpy, and the largest difference printed in
standard errors. One thread; the time is the processor's.
"""
import argparse
import contextlib
import csv
import functools
import io
import logging
import pathlib
import signal
import tempfile
import time
import warnings

import tree_models  # sets the threads before the libraries are loaded

import dice_ml
import numpy as np
import pandas as pd
import xgboost as xgb
from raiutils.exceptions import UserConfigValidationException

MODEL = "xgboost 200 x 6"
METHODS = ("random", "genetic")
SAMPLES = 100_000


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


class Scores:
    """The model as DiCE asks for it: a frame of anything in, two probabilities out."""

    def __init__(self, path, frame):
        self.booster = xgb.Booster(model_file=str(path))
        self.booster.set_param({"nthread": 1})
        self.frame = frame

    def of(self, rows):
        typed = pd.DataFrame({
            name: pd.Categorical(rows[name], categories=self.frame[name].cat.categories)
            if tree_models.is_category(self.frame[name]) else rows[name].astype(float).to_numpy()
            for name in self.frame.columns})
        return self.booster.predict(xgb.DMatrix(typed, enable_categorical=True, nthread=1))

    def predict_proba(self, rows):
        score = self.of(rows)
        return np.column_stack([1 - score, score])

    def predict(self, rows):
        return (self.of(rows) > 0.5).astype(int)


class Case:
    """A data set with its model, its people, and how answers about them are measured."""

    def __init__(self, options, dataset, folder):
        self.options = options
        self.label = tree_models.DATA[dataset][1]
        self.source, rows, self.frame, classes = tree_models.read_data(options.data_dir, dataset)
        suffix, train = tree_models.MODELS[MODEL]
        scores = train(self.frame, classes, folder / suffix)
        self.scores = Scores(folder / suffix, self.frame)
        self.training = rows
        self.people = rows.iloc[tree_models.rejected_rows(scores, options.people)].reset_index(drop=True)
        self.people.to_csv(folder / "people.csv", index=False)
        self.numbers = [name for name in self.frame.columns
                        if not tree_models.is_category(self.frame[name])]
        self.low, self.high = self.frame[self.numbers].min(), self.frame[self.numbers].max()
        self.folder = folder
        schema = tree_models.schema_of(self.frame, self.label, whole_steps=True)
        tree_models.write_json(folder / "schema.json", schema)
        self.given = ["--model", folder / suffix, "--schema", folder / "schema.json",
                      "--training", self.source, "--data", folder / "people.csv",
                      "--noise-on", "continuous", "--target", options.target]
        self.noise = ["--noise", f"gaussian:variance={options.variance}"]

    def changes(self, person, advised):
        """Of each number, as a share of its range."""
        before = self.people.loc[person, self.numbers].astype(float)
        return (advised[self.numbers].astype(float) - before).abs() / (self.high - self.low)

    def croco(self, name, *noise):
        """Recommended records by person, and seconds for each person."""
        run = tree_models.Croco(self.options.program, *self.given, *noise)
        fixed = ["--samples", "102400", "--reasons", "off"]
        first, _ = run("explain", self.folder / "first.csv", *fixed, "--rows", "0:1")
        total, rows = run("explain", self.folder / f"{name}.csv", *fixed)
        advised = {}
        for row in rows:
            if row["target_met"] != "1":
                continue
            record = pd.Series({feature: row[feature] for feature in self.frame.columns})
            advised[int(row["row"])] = record
            ours, theirs = self.changes(int(row["row"]), record).sum(), float(row["distance_l1"])
            if abs(ours - theirs) > 1e-6:
                raise SystemExit(f"row {row['row']}: croco's distance is {theirs}, not {ours}")
        return advised, (total - first) / max(1, len(rows) - 1)

    def dice(self, method):
        """The same of DiCE."""
        data = dice_ml.Data(dataframe=self.training, continuous_features=self.numbers,
                            outcome_name=self.label)
        explainer = dice_ml.Dice(data, dice_ml.Model(model=self.scores, backend="sklearn"),
                                 method=method)
        ranges = {name: [self.low[name].item(), self.high[name].item()] for name in self.numbers}
        seed = {"random_seed": 7} if method == "random" else {}
        np.random.seed(7)
        advised, before = {}, time.process_time()
        for person in self.people.index:
            query = self.people.loc[[person], list(self.frame.columns)]
            try:
                with silence(), limit(self.options.limit):
                    found = explainer.generate_counterfactuals(
                        query, total_CFs=self.options.asked, desired_class=1,
                        features_to_vary=self.numbers, permitted_range=ranges, **seed)
            except (UserConfigValidationException, TimeoutError):
                continue  # nothing found, or not in time
            answers = found.cf_examples_list[0].final_cfs_df
            if answers is None or len(answers) == 0:
                continue
            best = min(range(len(answers)),
                       key=lambda i: self.changes(person, answers.iloc[i]).sum())
            advised[person] = answers.iloc[best][list(self.frame.columns)]
        return advised, (time.process_time() - before) / len(self.people)

    def rates(self, name, advised):
        """How often noise undoes each of them."""
        path = self.folder / f"{name}_told.csv"
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["row", *self.frame.columns])
            for person, record in advised.items():
                writer.writerow([person, *(record[feature] for feature in self.frame.columns)])
        run = tree_models.Croco(self.options.program, *self.given, *self.noise)
        _, rows = run("certify", self.folder / f"{name}_rates.csv", "--counterfactuals", path,
                      "--samples", SAMPLES, "--seed", "90210")
        return {int(row["row"]): float(row["rate"]) for row in rows if row["rate"]}

    def difference(self, advised, rates, samples=20_000):
        """From what XGBoost says of noisy copies, in standard errors, the largest."""
        random, worst = np.random.default_rng(5), 0.0
        reach = (self.high - self.low) * np.sqrt(self.options.variance)
        for person in list(advised)[:self.options.checked]:
            copies = pd.DataFrame([advised[person]] * samples).reset_index(drop=True)
            for name in self.numbers:
                copies[name] = copies[name].astype(float) + random.normal(0, reach[name], samples)
            rate = np.mean(self.scores.of(copies) <= 0.5)
            error = np.sqrt(max(rate * (1 - rate), 1 / samples) * (1 / samples + 1 / SAMPLES))
            worst = max(worst, abs(rate - rates[person]) / error)
        return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=pathlib.Path, required=True)
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--data", default="adult,gsc")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--target", type=float, default=0.1)
    parser.add_argument("--variance", type=float, default=0.01)
    parser.add_argument("--asked", type=int, default=4, help="counterfactuals that DiCE makes")
    parser.add_argument("--limit", type=float, default=10, help="seconds that DiCE has for a person")
    parser.add_argument("--checked", type=int, default=5)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the files, kept")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    print(f"dice-ml {tree_models.version('dice-ml')}, xgboost {xgb.__version__}, "
          f"pandas {pd.__version__}, numpy {np.__version__}")
    print("\n| data | method | answered | valid | mean L1 | median L1 | features | mean rate | "
          "median rate | above target | nearer than croco | of them within | "
          "nearer than croco without noise | s a person | check |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for dataset in options.data.split(","):
        with tempfile.TemporaryDirectory() as name:
            folder = options.keep / dataset if options.keep else pathlib.Path(name)
            folder.mkdir(parents=True, exist_ok=True)
            case = Case(options, dataset, folder)
            of_croco = []  # lengths, with and without noise
            for method, answer in (
                    ("croco", lambda: case.croco("croco", *case.noise)),
                    ("croco, noise of .001", lambda: case.croco("exact", "--noise", "gaussian:sd=0.001")),
                    *((f"DiCE {name}", functools.partial(case.dice, name)) for name in METHODS)):
                advised, seconds = answer()
                rates = case.rates(method.replace(" ", "_"), advised)
                valid = case.scores.of(pd.DataFrame(list(advised.values()))) > 0.5
                changes = {p: case.changes(p, record) for p, record in advised.items()}
                lengths = {p: change.sum() for p, change in changes.items()}
                if len(of_croco) < 2:
                    of_croco.append(lengths)
                nearer = [[p for p in lengths if p in own and lengths[p] < own[p] - 1e-9]
                          for own in of_croco]
                within = sum(rates[p] <= options.target for p in nearer[0])
                print(f"| {dataset} | {method} | {len(advised)} of {len(case.people)} | {valid.sum()} | "
                      f"{np.mean(list(lengths.values())):.4f} | {np.median(list(lengths.values())):.4f} | "
                      f"{np.mean([(c > 1e-12).sum() for c in changes.values()]):.2f} | "
                      f"{np.mean(list(rates.values())):.4f} | {np.median(list(rates.values())):.4f} | "
                      f"{sum(rate > options.target for rate in rates.values())} | "
                      f"{len(nearer[0])} | {within} | {len(nearer[1]) if nearer[1:] else ''} | "
                      f"{seconds:.4f} | "
                      f"{case.difference(advised, rates):.1f} se |", flush=True)


if __name__ == "__main__":
    main()
