#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tree ensembles on real data: who is certified, at what length, how fast.

Usage: experiments/trees.py --data-dir DIR [--program build/release/apps/cli/croco] [--people 200]
           [--target 0.1] [--variance 0.01] [--models NAME,NAME]

Trains with the libraries themselves (pip install xgboost lightgbm pandas), saves what they save, and
explains random rejected rows with the raw columns: numbers move within the range of the data, categories
stay; Gaussian noise on the numbers; certificates of 102,400 draws. The told records are then measured
on 200,000 other draws with `croco certify`. One thread. The time is the processor's, of people after the
first: reading files and making draws is the first one's.
"""
import argparse
import csv
import json
import os
import pathlib
import resource
import subprocess
import tempfile

os.environ["OMP_NUM_THREADS"] = "1"

import lightgbm as lgb
import numpy as np
import pandas as pd
import xgboost as xgb

DATA = {"adult": ("adult.csv", "income"),
        "gsc": ("give_me_some_credit.csv", "SeriousDlqin2yrs")}


def xgboost(rounds, **parameters):
    def train(frame, label, path):
        data = xgb.DMatrix(frame, label, enable_categorical=True, nthread=1)
        booster = xgb.train({"objective": "binary:logistic", "seed": 0, "nthread": 1, **parameters},
                            data, rounds)
        booster.save_model(path)
        return booster.predict(data)
    return train


def lightgbm(rounds, **parameters):
    def train(frame, label, path):
        booster = lgb.train({"objective": "binary", "verbose": -1, "seed": 0, "num_threads": 1,
                             **parameters}, lgb.Dataset(frame, label), rounds)
        booster.save_model(path)
        return booster.predict(frame)
    return train


FOREST = {"num_parallel_tree": 100, "eta": 1, "subsample": 0.632, "colsample_bynode": 0.35,
          "max_depth": 14, "reg_lambda": 0}
MODELS = {
    "xgboost 50 x 4": ("m.json", xgboost(50, max_depth=4, eta=0.3)),
    "xgboost 200 x 6": ("m.ubj", xgboost(200, max_depth=6, eta=0.1)),
    "lightgbm 200 x 31": ("m.txt", lightgbm(200, num_leaves=31, learning_rate=0.1)),
    "forest of 100": ("m.ubj", xgboost(1, **FOREST)),
}


def schema_of(frame, label):
    """Numbers move within the range of the data, categories stay."""
    features = []
    for name in frame.columns:
        if isinstance(frame[name].dtype, pd.CategoricalDtype):
            features.append({"name": name, "type": "categorical", "movement": "fixed",
                             "levels": list(frame[name].cat.categories)})
        else:
            features.append({"name": name, "type": "numeric", "movement": "both",
                             "minimum": float(frame[name].min()),
                             "maximum": float(frame[name].max())})
    return {"croco_schema": 1, "features": features,
            "label": {"name": label, "favourable": "1", "unfavourable": "0"}}


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=pathlib.Path, required=True)
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--target", type=float, default=0.1)
    parser.add_argument("--variance", type=float, default=0.01)
    parser.add_argument("--models", default=",".join(MODELS), help="some of: " + ", ".join(MODELS))
    parser.add_argument("--data", default="adult,gsc")
    options = parser.parse_args()
    print("| data | model | people | certified | above on others | mean rate | mean L1 | changed | "
          "ms a person |\n|---|---|---|---|---|---|---|---|---|")
    for dataset in options.data.split(","):
        file, label = DATA[dataset]
        source = options.data_dir / file
        rows = pd.read_csv(source)
        classes = rows[label]
        frame = rows.drop(columns=label)
        for name in frame.columns:
            if not pd.api.types.is_numeric_dtype(frame[name]):
                frame[name] = frame[name].astype("category")
        for model in options.models.split(","):
            if model == "forest of 100" and dataset != "adult":
                continue
            suffix, train = MODELS[model]
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                answers = train(frame, classes, folder / suffix)
                rejected = np.random.default_rng(1).permutation(np.flatnonzero(answers <= 0.5))
                rows.iloc[rejected[:options.people]].to_csv(folder / "people.csv", index=False)
                (folder / "schema.json").write_text(json.dumps(schema_of(frame, label)))
                shared = ["--model", folder / suffix, "--schema", folder / "schema.json",
                          "--training", source, "--data", folder / "people.csv",
                          "--noise", f"gaussian:variance={options.variance}",
                          "--noise-on", "continuous", "--target", str(options.target),
                          "--threads", "1"]

                def croco(command, output, *words):
                    before = processor_seconds()
                    subprocess.run([options.program, command, *shared, *words, "--output", output],
                                   check=True, stderr=subprocess.DEVNULL)
                    with open(output, newline="", encoding="utf-8") as opened:
                        return processor_seconds() - before, list(csv.DictReader(opened))

                fixed = ["--samples", "102400", "--reasons", "off"]
                first, _ = croco("explain", folder / "first.csv", *fixed, "--rows", "0:1")
                total, told = croco("explain", folder / "advice.csv", *fixed)
                _, others = croco("certify", folder / "others.csv", "--counterfactuals",
                                  folder / "advice.csv", "--samples", "200000", "--seed", "90210")
                told = [row for row in told if row["target_met"] == "1"]
                rates = {row["row"]: float(row["rate"]) for row in others if row["rate"]}
                above = sum(rates[row["row"]] > options.target for row in told)
                mean = lambda values: f"{np.mean(list(values)):.4f}"
                print(f"| {dataset} | {model} | {options.people} | {len(told)} | {above} | "
                      f"{mean(rates[row['row']] for row in told)} | "
                      f"{mean(float(row['distance_l1']) for row in told)} | "
                      f"{mean(int(row['features_changed']) for row in told)[:4]} | "
                      f"{1000 * (total - first) / (options.people - 1):.1f} |", flush=True)


if __name__ == "__main__":
    main()
