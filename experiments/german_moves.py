#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Advice with categories on German Credit: who is certified, at what cost, how fast.

Usage: experiments/german_moves.py [--program build/release/apps/cli/croco] [--hidden 50] [--seed 1]
           [--trees xgboost|lightgbm] [--max-changes K] [--alternatives N] [--numbers-only]

Trains a network on the embedded data (--trees: 100 trees of depth 4 or 15 leaves on the raw columns, with
the library itself; pip install xgboost lightgbm pandas) and explains everybody it rejects, under the noise of the schema and
under a standard deviation of 5 % of each range with 2 % flips of the movable categories, for the targets
.05 and .1; then measures the recommended points on 400,000 other samples. One thread; the time is the
processor's, of the whole run, over the rejected people. --numbers-only leaves every category where it
is.
"""
import argparse
import csv
import json
import pathlib
import resource
import subprocess
import tempfile

from run_croco import run_croco

MOVABLE = ("checking_status", "savings_status", "employment", "other_parties", "other_payment_plans",
           "own_telephone", "purpose", "housing", "property_magnitude")
NOISES = {
    "schema": ["--noise", "schema"],
    "5 % and flips": ["--noise", "gaussian:sd=0.05", "--noise-on", "continuous",
                      *(word for name in MOVABLE for word in ("--flip", f"{name}=0.02"))],
}
TARGETS = ("0.05", "0.1")
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
SCHEMA = DATA / "schemas" / "german.json"
ROWS = DATA / "german_credit.csv"


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def fixed_categories():
    """German Credit's schema without any moves."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for feature in schema["features"]:
        if feature["type"] == "categorical":
            feature["movement"] = "fixed"
            feature.pop("moves", None)
    return json.dumps(schema)


def grown(library, path):
    """Trees on the raw columns, categories as categories, saved as the library saves them."""
    import pandas as pd
    rows = pd.read_csv(ROWS)
    wanted = (rows.pop("class") == "good").astype(int)
    for name in rows.columns:
        if not pd.api.types.is_numeric_dtype(rows[name]):
            rows[name] = rows[name].astype("category")
    if library == "xgboost":
        import xgboost as xgb
        data = xgb.DMatrix(rows, wanted, enable_categorical=True, nthread=1)
        xgb.train({"objective": "binary:logistic", "seed": 0, "nthread": 1, "max_depth": 4,
                   "eta": 0.1}, data, 100).save_model(path)
    else:
        import lightgbm as lgb
        lgb.train({"objective": "binary", "verbose": -1, "seed": 0, "num_threads": 1,
                   "num_leaves": 15, "learning_rate": 0.1}, lgb.Dataset(rows, wanted),
                  100).save_model(path)


def prepared(options, folder, numbers_only):
    """A way to run croco quietly, and the words for a model trained on German Credit."""
    def croco(*words):
        run_croco([options.program, *words],
                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    schema = SCHEMA
    if numbers_only:
        schema = folder / "fixed.json"
        schema.write_text(fixed_categories(), encoding="utf-8")
    if getattr(options, "trees", None):
        model = folder / {"xgboost": "m.ubj", "lightgbm": "m.txt"}[options.trees]
        grown(options.trees, model)
        return croco, ["--model", str(model), "--schema", str(schema), "--training", str(ROWS),
                       "--data", str(ROWS)]
    model = str(folder / "model.json")
    croco("train", "--data", "german", "--hidden", options.hidden, "--seed", options.seed,
          "--output", model)
    given = ["--model", model, "--data", "german"]
    if numbers_only:
        given += ["--schema", str(schema)]
    return croco, given


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--hidden", default="50", help="units of each hidden layer, such as 64,32")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--trees", choices=("xgboost", "lightgbm"))
    parser.add_argument("--max-changes", type=int)
    parser.add_argument("--alternatives", type=int)
    parser.add_argument("--numbers-only", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        croco, given = prepared(options, folder, options.numbers_only)
        limits = []
        if options.max_changes:
            limits += ["--max-changes", str(options.max_changes)]
        if options.alternatives:
            limits += ["--alternatives", str(options.alternatives)]
        print("noise", "target", "rejected", "certified", "above", "mean_cost", "of_it_categories",
              "mean_changes", "ms_per_person", sep="\t")
        for label, noise in NOISES.items():
            for target in TARGETS:
                advice, table = folder / "advice.jsonl", folder / "advice.csv"
                before = processor_seconds()
                croco("explain", *given, "--target", target, *noise, *limits,
                      "--threads", "1", "--reasons", "off", "--output", str(advice),
                      "--output", str(table))
                seconds = processor_seconds() - before
                checked = folder / "checked.csv"
                croco("certify", *given, "--target", target, *noise,
                      "--counterfactuals", str(table), "--samples", "400000",
                      "--seed", "987654321", "--output", str(checked))
                with open(advice, encoding="utf-8") as file:
                    answers = [json.loads(line) for line in file]
                asked = [one for one in answers if one["status"] != "already"]
                found = [one for one in asked if one["status"] == "found"]
                certified = {str(one["row"]) for one in found}
                with open(checked, newline="", encoding="utf-8") as file:
                    above = sum(row["row"] in certified and float(row["rate"]) > float(target)
                                for row in csv.DictReader(file))
                count = max(1, len(found))
                print(label, target, len(asked), len(found), above,
                      f"{sum(one['distance']['cost'] for one in found) / count:.4f}",
                      f"{sum(one['distance'].get('level_price', 0) for one in found) / count:.4f}",
                      f"{sum(one['features_changed'] for one in found) / count:.2f}",
                      f"{1000 * seconds / max(1, len(asked)):.2f}", sep="\t", flush=True)


if __name__ == "__main__":
    main()
