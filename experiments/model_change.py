#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Certificates over noise and retrained models: what they cost, and whether further models agree.

Usage: experiments/model_change.py --data-dir DIR [--program build/release/apps/cli/croco]
           [--only german,german-20,gsc,adult,adult-xgboost] [--people 100] [--further 500]
           [--threads 2] [--work FOLDER]

Each data set is cut into rows A, on which the model in use and the retrained models (bootstrap) are
trained, and other rows B. People whom the model rejects get advice that is certified under noise
alone, and advice that is certified over retraining too. Both are then judged by further models of
the same recipe, which no search and no certificate saw, and by models trained on rows of B alone.
The program's own networks are trained by `croco retrain`, XGBoost by examples/retrain.py (pip
install xgboost pandas). Times are the processor's, on one thread, without training.

A certificate at 95 % may be wrong for one person in twenty. The last column counts whose failure
rate over the further models is above the target, with the probability of that number or more if each
certificate were wrong with 5 % (exact binomial tail; people share the certifying models, so they
are not independent), and the certificates that `croco verify --fresh-models` rejects: the further
models exclude their bound at 1 - 1e-6.
"""
import argparse
import csv
import json
import math
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile

from run_croco import run_croco

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))

# File, schema, share of A, target, noise, models (search and certifying).
DATA = {
    "german": ("german_credit.csv", "german", 0.75, 0.05, None, (333, 667)),
    "german-20": ("german_credit.csv", "german", 0.75, 0.2, None, (333, 667)),
    "gsc": ("give_me_some_credit.csv", "give-me-some-credit", 0.5, 0.1, 0.02, (133, 267)),
    "adult": ("adult.csv", "adult", 0.5, 0.1, 0.02, (133, 267)),
    "adult-xgboost": ("adult.csv", "adult", 0.5, 0.1, 0.02, (133, 267)),
}
# Rows in which rejected people are looked for, for each who is wanted: on Give Me Some Credit
# networks reject one in fifty.
ROWS_PER_PERSON = {"gsc": 100}
ERROR = 0.05  # of each statement about retrained models


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def write_csv(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


class Setting:
    """One data set: its files, its models, and croco's options for it."""

    def __init__(self, name, options, folder):
        file, schema, share, self.target, deviation, self.models = DATA[name]
        self.name, self.options, self.folder = name, options, folder
        self.boosted = name.endswith("xgboost")
        folder.mkdir(parents=True, exist_ok=True)
        source = ROOT / "data" / file if name.startswith("german") else options.data_dir / file
        with open(source, newline="") as lines:
            header, *rows = csv.reader(lines)
        random.Random(1).shuffle(rows)
        cut = int(share * len(rows))
        self.header, self.rows = header, rows
        write_csv(folder / "a.csv", header, rows[:cut])
        write_csv(folder / "b.csv", header, rows[cut:])
        text = json.loads((ROOT / "data" / "schemas" / f"{schema}.json").read_text())
        self.label = text["label"]
        for feature in text["features"]:
            if "flip" in feature.get("noise", {}):  # what the prototype left out too
                del feature["noise"]
            if deviation is not None:
                feature.pop("noise", None)
        (folder / "schema.json").write_text(json.dumps(text))
        self.noise = [] if deviation is None else ["--noise", f"gaussian:sd={deviation}",
                                                   "--noise-on", "continuous"]
        self.model = folder / "model.json"

    def croco(self, *words):
        """Runs the program; returns its processor seconds."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run_croco([self.options.program, *words], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def train(self):
        """The model in use, and populations by name: rows, number, seed."""
        wanted = {"models": ("a", sum(self.models), 0), "further": ("a", self.options.further, 1),
                  "disjoint": ("b", 100, 2)}
        if self.boosted:
            self.train_boosted(wanted)
            return
        if not self.model.exists():
            self.croco("train", "--data", self.folder / "a.csv", "--schema",
                       self.folder / "schema.json", "--test-share", 0, "--output", self.model)
        for name, (rows, count, seed) in wanted.items():
            self.croco("retrain", "--data", self.folder / f"{rows}.csv", "--like", self.model,
                       "--test-share", 0, "--count", count, "--seed", seed, "--threads",
                       self.options.threads, "--output", self.folder / name)

    def train_boosted(self, wanted):
        import retrain
        fit, ending = retrain.LIBRARIES["xgboost"]
        for name, (rows, count, seed) in wanted.items():
            frame, classes = retrain.read_frame(self.folder / f"{rows}.csv", self.label["name"],
                                                self.label["favourable"])
            if name == "models" and not self.model.exists():
                fit(frame, classes, 0, self.model)
            recipe = {"trained_by": "examples/retrain.py, xgboost", "rows": rows,
                      "resample": "bootstrap", "seed": seed}
            retrain.retrain(frame, classes, fit, ending, self.folder / name, recipe, count)

    def with_model(self, threads=None):
        other = ["--training", self.folder / "a.csv"] if self.boosted else []
        return ["--model", self.model, "--schema", self.folder / "schema.json", *other,
                "--threads", threads or self.options.threads]

    def choose_people(self):
        """The first rows, in random order, whom the model rejects."""
        some = ROWS_PER_PERSON.get(self.name, 8) * self.options.people
        write_csv(self.folder / "some.csv", self.header, self.rows[:some])
        method = ["--method", "certified", "--target", 0.5, "--reasons", "off"] if self.boosted else [
            "--method", "wachter"]
        self.croco("explain", *self.with_model(), "--data", self.folder / "some.csv", *method,
                   "--samples", 100, *self.noise, "--output", self.folder / "some_advice.csv")
        rejected = [int(row["row"]) for row in read_csv(self.folder / "some_advice.csv")
                    if row["status"] not in ("already", "error")]
        write_csv(self.folder / "people.csv", self.header,
                  [self.rows[row] for row in rejected[:self.options.people]])

    def explain(self, name, *words):
        path = self.folder / f"{name}.csv"
        seconds = self.croco("explain", *self.with_model(threads=1), "--data", self.folder / "people.csv",
                             *self.noise, "--target", self.target, "--reasons", "off", *words,
                             "--output", path)
        return seconds, {row["row"]: row for row in read_csv(path)}

    def judge(self, advice, models):
        """Failure rates over further models and noise, by row."""
        path = self.folder / f"{advice}_{models}.csv"
        self.croco("certify", *self.with_model(), "--data", self.folder / "people.csv", *self.noise,
                   "--counterfactuals", self.folder / f"{advice}.csv", "--models",
                   self.folder / models / "*", "--search-models", 0, "--target", self.target,
                   "--samples", 1000, "--output", path)
        return {row["row"]: float(row["models_rate"]) for row in read_csv(path) if row["models_rate"]}


    def rejected(self):
        """Certificates over retrained models that the further models contradict."""
        path = self.folder / "certificates.jsonl"
        search, _ = self.models
        self.croco("explain", *self.with_model(), "--data", self.folder / "people.csv", *self.noise,
                   "--target", self.target, "--reasons", "off", "--models",
                   self.folder / "models" / "*", "--search-models", search, "--output", path)
        done = subprocess.run(
            [str(word) for word in (
                self.options.program, "verify", path, *self.with_model(), "--models",
                self.folder / "models" / "*", "--fresh-models", self.folder / "further" / "*")],
            capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(done.stderr)
        return sum(line.startswith("FAIL") for line in done.stdout.splitlines())


def binomial_tail(count, trials, probability):
    """P(Bin(trials, probability) >= count)."""
    return sum(math.comb(trials, k) * probability**k * (1 - probability) ** (trials - k)
               for k in range(count, trials + 1))


def mean(values):
    values = list(values)
    return statistics.fmean(values) if values else float("nan")


def report(setting):
    setting.train()
    setting.choose_people()
    noise_seconds, alone = setting.explain("noise")
    search, certify = setting.models
    joint_seconds, joint = setting.explain("joint", "--models", setting.folder / "models" / "*",
                                           "--search-models", search)
    both = [row for row in joint if joint[row]["target_met"] == "1" and alone[row]["target_met"] == "1"]
    certified = [row for row in joint if joint[row]["target_met"] == "1"]
    further, disjoint = setting.judge("joint", "further"), setting.judge("joint", "disjoint")
    noise_further, noise_disjoint = setting.judge("noise", "further"), setting.judge("noise", "disjoint")
    cost = mean(float(joint[row]["cost"]) for row in both) / mean(float(alone[row]["cost"]) for row in both)
    noise_met = [row for row in alone if alone[row]["target_met"] == "1"]
    above = sum(further[row] > setting.target for row in certified)
    print(f"| {setting.name} | {setting.target} | {search} + {certify} | {len(noise_met)} | {len(certified)} "
          f"| {cost:.3f} | {joint_seconds / noise_seconds:.2f} "
          f"| {mean(noise_further[row] for row in noise_met):.3f} / "
          f"{mean(noise_disjoint[row] for row in noise_met):.3f} "
          f"| {mean(further[row] for row in certified):.3f} / {mean(disjoint[row] for row in certified):.3f} "
          f"| {above} of {len(certified)}, p = {binomial_tail(above, len(certified), ERROR):.2f}; "
          f"{setting.rejected()} rejected |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=pathlib.Path, required=True)
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--only", default=",".join(DATA))
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--further", type=int, default=500)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", type=pathlib.Path, help="keeps the models for another run")
    options = parser.parse_args()
    print("| data | target | models | certified, noise | certified, both | cost | time | noise only: further / "
          "disjoint | both: further / disjoint | wrong on further models |\n"
          "|---|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or pathlib.Path(temporary)
        for name in options.only.split(","):
            report(Setting(name, options, work / name))


if __name__ == "__main__":
    main()
