# SPDX-License-Identifier: Apache-2.0
"""Models of other libraries on real data, and the way croco is asked about them: what the experiments
with such models share. Needs pandas, and the library of the model that is trained.
"""
import csv
import importlib.metadata
import json
import os
import pathlib
import resource
import subprocess

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import pandas as pd

from run_croco import NOBODY_HELPED

DATA = {"adult": ("adult.csv", "income"),
        "gsc": ("give_me_some_credit.csv", "SeriousDlqin2yrs")}


def xgboost(rounds, **parameters):
    """A way to train: takes a frame, labels and a path, saves the model, returns its scores."""
    def train(frame, label, path):
        import xgboost as xgb
        data = xgb.DMatrix(frame, label, enable_categorical=True, nthread=1)
        booster = xgb.train({"objective": "binary:logistic", "seed": 0, "nthread": 1, **parameters},
                            data, rounds)
        booster.save_model(path)
        return booster.predict(data)
    return train


def lightgbm(rounds, **parameters):
    def train(frame, label, path):
        import lightgbm as lgb
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


def is_category(column):
    return isinstance(column.dtype, pd.CategoricalDtype)


def read_data(folder, dataset):
    """The path of a data set, its rows, its features with texts as categories, its labels."""
    file, label = DATA[dataset]
    rows = pd.read_csv(folder / file)
    frame = rows.drop(columns=label)
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            frame[name] = frame[name].astype("category")
    return folder / file, rows, frame, rows[label]


def rejected_rows(scores, people, seed=1):
    """Places of random rows that the model turns down."""
    return np.random.default_rng(seed).permutation(np.flatnonzero(scores <= 0.5))[:people]


def schema_of(frame, label, whole_steps=False):
    """Numbers move within the range of the data, whole ones in steps of 1 on request; categories stay."""
    features = []
    for name in frame.columns:
        if is_category(frame[name]):
            features.append({"name": name, "type": "categorical", "movement": "fixed",
                             "levels": list(frame[name].cat.categories)})
        else:
            features.append({"name": name, "type": "numeric", "movement": "both",
                             "minimum": float(frame[name].min()),
                             "maximum": float(frame[name].max())})
            if whole_steps and pd.api.types.is_integer_dtype(frame[name]):
                features[-1]["step"] = 1
    return {"croco_schema": 1, "features": features,
            "label": {"name": label, "favourable": "1", "unfavourable": "0"}}


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Croco:
    """The program with the words that all its commands share. One thread."""

    def __init__(self, program, *words):
        self.program = str(program)
        self.words = [str(word) for word in words] + ["--threads", "1"]

    def __call__(self, command, output, *words):
        """The seconds of processor time, and the rows of the report."""
        before = processor_seconds()
        ran = subprocess.run([self.program, command, *self.words, *map(str, words),
                              "--output", str(output)], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True, check=False)
        if ran.returncode not in (0, NOBODY_HELPED):
            raise SystemExit(f"croco {command} ended with {ran.returncode}: {ran.stderr.strip()}")
        with open(output, newline="", encoding="utf-8") as opened:
            return processor_seconds() - before, list(csv.DictReader(opened))


def version(package):
    return importlib.metadata.version(package)


def write_json(path, value):
    pathlib.Path(path).write_text(json.dumps(value), encoding="utf-8")
