#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""croco and alibi on the same networks, the same people, the same freedom and the same noise.

Usage: experiments/alibi_comparison.py --data-dir DIR [--program build/release/apps/cli/croco]
           [--data adult,gsc] [--people 20] [--target 0.1] [--variance 0.01] [--keep DIR]

Needs Python 3.11 and: pip install alibi click typer 'tensorflow-cpu<2.16' pandas. `croco train` fits a network of 50
units; random rejected rows are explained. For everybody: numbers move within the range of the data, categories stay.
alibi sees the network as a function of the numbers, scaled to their ranges. Both of its methods that search a point
nearby run with their defaults but for what the task fixes: Counterfactual (Wachter, Mittelstadt, Russell 2017) aims
at a probability of .55 within .04, and CounterfactualProto (Van Looveren, Klaise 2019) looks for the other class
with k-d trees on 1,000 training rows. peers.py says how answers are measured.
"""
import argparse
import functools
import json
import logging
import os
import subprocess
import time
import warnings

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import peers
import tree_models

import numpy as np
import pandas as pd
import tensorflow as tf

tf.compat.v1.disable_v2_behavior()
logging.disable(logging.WARNING)

import alibi
from alibi.explainers import Counterfactual, CounterfactualProto

METHODS = ("Counterfactual", "CounterfactualProto")
TRAINING_ROWS = 1000


class Network:
    """croco's model file as a function, written with numpy alone."""

    def __init__(self, path, frame):
        self.file = json.loads(path.read_text(encoding="utf-8"))
        self.frame = frame
        encoding = self.file["encoding"]
        self.features = list(zip(encoding["schema"]["features"], encoding["scales"]))

    def encoded(self, rows):
        columns = {}
        for feature, scale in self.features:
            name = feature["name"]
            if feature["type"] == "categorical":
                texts = rows[name].astype(str).to_numpy()
                columns |= {f"{name}_{level}": (texts == level).astype(float)
                            for level in feature["levels"]}
            else:
                low, high = scale["minimum"], scale["maximum"]
                columns[name] = (rows[name].astype(float).to_numpy() - low) / (high - low)
        return np.column_stack([columns[name] for name in self.file["feature_names"]])

    def probability(self, points):
        first, last = self.file["layers"]
        hidden = np.maximum(points @ np.array(first["weight"]).T + np.array(first["bias"]), 0)
        return 1 / (1 + np.exp(-(hidden @ np.array(last["weight"]).T + np.array(last["bias"]))[:, 0]))

    def of(self, rows):
        return self.probability(self.encoded(rows))

    def places_of(self, names):
        """Where these numbers stand among the encoded columns."""
        return [self.file["feature_names"].index(name) for name in names]


class NetworkCase(peers.Case):
    WHOLE_STEPS = False  # alibi knows none

    def train(self, classes):
        path = self.folder / "network.json"
        # The data may have missing values; neither tool is about them.
        rows = self.training.dropna()
        rows.to_csv(self.folder / "training.csv", index=False)
        subprocess.run([self.options.program, "train", "--data", self.folder / "training.csv",
                        "--schema", self.folder / "schema.json", "--output", path, "--seed", "1", "--quiet"],
                       check=True, stdout=subprocess.DEVNULL)
        self.scores = Network(path, self.frame)
        scores = np.full(len(self.training), 1.0)
        kept = self.training.notna().all(axis=1).to_numpy()
        scores[kept] = self.scores.of(rows)
        return ["--model", path], scores


def answers(case, method):
    """Recommended records by person, and seconds for each person."""
    network, names = case.scores, case.numbers
    places = network.places_of(names)
    low, width = case.low[names].to_numpy(float), (case.high - case.low)[names].to_numpy(float)
    shape = (1, len(names))
    random = np.random.default_rng(3)
    sample = case.training.dropna().sample(TRAINING_ROWS, random_state=3)
    examples = (sample[names].to_numpy(float) - low) / width
    points = network.encoded(case.people)
    advised, before = {}, time.process_time()
    for person, point in enumerate(points):
        def predict(numbers, point=point):
            whole = np.repeat(point[None], len(numbers), axis=0)
            whole[:, places] = numbers
            score = network.probability(whole)
            return np.column_stack([1 - score, score])

        start = point[places][None]
        tf.keras.backend.clear_session()
        np.random.seed(random.integers(2**31))
        tf.compat.v1.set_random_seed(7)
        if method == "Counterfactual":
            explainer = Counterfactual(predict, shape=shape, target_proba=0.55, tol=0.04,
                                       target_class=1, feature_range=(0.0, 1.0))
        else:
            explainer = CounterfactualProto(predict, shape=shape, use_kdtree=True, theta=10.0,
                                            feature_range=(np.zeros(shape), np.ones(shape)))
            explainer.fit(examples)
        found = explainer.explain(start).cf
        if found is None:
            continue
        numbers = np.clip(np.asarray(found["X"]).ravel(), 0, 1)
        record = case.people.loc[person, list(case.frame.columns)].copy()
        record[names] = low + width * numbers
        advised[person] = record
    return advised, (time.process_time() - before) / len(case.people)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    peers.add_options(parser)
    parser.set_defaults(people=20)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    print(f"alibi {alibi.__version__}, tensorflow {tf.__version__}, pandas {pd.__version__}, "
          f"numpy {np.__version__}")
    peers.print_table(options, lambda case: [
        (f"alibi {method}", functools.partial(answers, case, method)) for method in METHODS],
        NetworkCase)


if __name__ == "__main__":
    main()
