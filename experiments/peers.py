# SPDX-License-Identifier: Apache-2.0
"""What the comparisons with other tools share: a model (XGBoost unless the tool needs another), rejected
people, croco's own answers, and how answers of any tool are measured.

The distance is croco's cost: the sum of changes as shares of the ranges. Validity is the model's own answer to
the recommended record. Rates are measured by `croco certify` on 100,000 samples that no search saw; for a few
people of each method the model itself is asked on samples of numpy, and the largest difference is printed in
standard errors. One thread; the time is the processor's.
"""
import csv
import pathlib
import tempfile

import tree_models  # sets the threads before the libraries are loaded

import numpy as np
import pandas as pd

MODEL = "xgboost 200 x 6"
SAMPLES = 100_000


class Scores:
    """The model as DiCE asks for it: a frame of anything in, two probabilities out."""

    def __init__(self, path, frame):
        import xgboost as xgb
        self.matrix = xgb.DMatrix
        self.booster = xgb.Booster(model_file=str(path))
        self.booster.set_param({"nthread": 1})
        self.frame = frame

    def of(self, rows):
        typed = pd.DataFrame({
            name: pd.Categorical(rows[name], categories=self.frame[name].cat.categories)
            if tree_models.is_category(self.frame[name]) else rows[name].astype(float).to_numpy()
            for name in self.frame.columns})
        return self.booster.predict(self.matrix(typed, enable_categorical=True, nthread=1))

    def predict_proba(self, rows):
        score = self.of(rows)
        return np.column_stack([1 - score, score])

    def predict(self, rows):
        return (self.of(rows) > 0.5).astype(int)


class Case:
    """A data set with its model, its people, and how answers about them are measured."""

    WHOLE_STEPS = True  # whole numbers move in steps of 1

    def __init__(self, options, dataset, folder):
        self.options = options
        self.label = tree_models.DATA[dataset][1]
        self.source, rows, self.frame, classes = tree_models.read_data(options.data_dir, dataset)
        self.folder = folder
        schema = tree_models.schema_of(self.frame, self.label, whole_steps=self.WHOLE_STEPS)
        tree_models.write_json(folder / "schema.json", schema)
        self.training = rows
        model, scores = self.train(classes)
        self.people = rows.iloc[tree_models.rejected_rows(scores, options.people)].reset_index(drop=True)
        self.people.to_csv(folder / "people.csv", index=False)
        self.numbers = [name for name in self.frame.columns
                        if not tree_models.is_category(self.frame[name])]
        self.low, self.high = self.frame[self.numbers].min(), self.frame[self.numbers].max()
        self.given = [*model, "--data", folder / "people.csv", "--noise-on", "continuous",
                      "--target", options.target]
        self.noise = ["--noise", f"gaussian:variance={options.variance}"]

    def train(self, classes):
        """croco's options for the model, and its scores of all rows; sets `scores`."""
        suffix, train = tree_models.MODELS[MODEL]
        scores = train(self.frame, classes, self.folder / suffix)
        self.scores = Scores(self.folder / suffix, self.frame)
        return ["--model", self.folder / suffix, "--schema", self.folder / "schema.json",
                "--training", self.source], scores

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

    def rates(self, name, advised):
        """How often noise undoes each of them."""
        path = self.folder / f"{name}_recommended.csv"
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
        """From what the model says of noisy copies, in standard errors, the largest."""
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


def add_options(parser):
    parser.add_argument("--data-dir", type=pathlib.Path, required=True)
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--data", default="adult,gsc")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--target", type=float, default=0.1)
    parser.add_argument("--variance", type=float, default=0.01)
    parser.add_argument("--limit", type=float, default=10, help="seconds that the tool has for a person")
    parser.add_argument("--checked", type=int, default=5)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the files, kept")


def print_table(options, tools, make_case=Case):
    """A line per data set and method. `tools(case)` gives names, and functions that return recommended
    records by person and the seconds for each person."""
    print("\n| data | method | answered | valid | mean L1 | median L1 | features | mean rate | "
          "median rate | above target | nearer than croco | of them within | "
          "nearer than croco without noise | s a person | check |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for dataset in options.data.split(","):
        with tempfile.TemporaryDirectory() as name:
            folder = options.keep / dataset if options.keep else pathlib.Path(name)
            folder.mkdir(parents=True, exist_ok=True)
            case = make_case(options, dataset, folder)
            of_croco = []  # lengths, with and without noise
            for method, answer in (
                    ("croco", lambda: case.croco("croco", *case.noise)),
                    ("croco, noise of .001", lambda: case.croco("exact", "--noise", "gaussian:sd=0.001")),
                    *tools(case)):
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

