#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges certificates by the library that the model comes from.

Trains models of XGBoost, LightGBM and scikit-learn (exported to ONNX) on made-up people whose numbers
sit on thresholds: whole numbers below and above 0, many zeros, times in seconds since 1970. Then asks
croco for certified advice, and the library itself about every person who is "already accepted", every
recommended record and 20,000 noisy versions of each.

Usage: own_library.py --croco build/release/apps/cli/croco [--people 60] [--models NAME,...]
Needs numpy, pandas, scikit-learn, skl2onnx, onnxruntime, xgboost and lightgbm.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import warnings

import lightgbm
import numpy as np
import onnxruntime
import pandas as pd
import xgboost
from skl2onnx import to_onnx
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (GradientBoostingClassifier, RandomForestClassifier, StackingClassifier,
                              VotingClassifier)
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

SD = 0.03
NOISY = 20_000


def people(rows=1500, seed=0):
    random = np.random.default_rng(seed)
    table = pd.DataFrame({
        "points": random.integers(-25, 34, rows),
        "balance": np.where(random.random(rows) < 0.3, 0, np.round(random.normal(0, 3, rows), 2)),
        "since": 1.7e9 + random.integers(0, 40000, rows) * 50,
        "share": random.random(rows),
    }).astype(float)
    votes = ((table.points > 5).astype(int) + (table.balance > 0) + (table.share > 0.5)
             + (table.since > 1.701e9))
    return table, (votes >= 2).astype(int)


def sklearn_models():
    """Name -> (classifier, type of the columns)."""
    few = [("l", LogisticRegression()), ("t", DecisionTreeClassifier(max_depth=3))]
    forest = {"random_state": 0, "max_depth": 6}
    return {
        "logistic_double": (make_pipeline(StandardScaler(), LogisticRegression()), np.float64),
        "logistic": (make_pipeline(StandardScaler(), LogisticRegression()), np.float32),
        "forest": (RandomForestClassifier(30, **forest), np.float32),
        "scaled_forest": (make_pipeline(StandardScaler(), RandomForestClassifier(20, **forest)), np.float32),
        "scaled_forest_double": (make_pipeline(StandardScaler(), RandomForestClassifier(20, **forest)),
                                 np.float64),
        "binarizer": (make_pipeline(Binarizer(threshold=0.7), LogisticRegression()), np.float32),
        "boosting": (GradientBoostingClassifier(n_estimators=30), np.float32),
        "mlp": (make_pipeline(StandardScaler(), MLPClassifier((16,), max_iter=300, random_state=0)),
                np.float32),
        "calibrated": (make_pipeline(StandardScaler(), CalibratedClassifierCV(LogisticRegression(), cv=3)),
                       np.float32),
        "stacked": (make_pipeline(StandardScaler(), StackingClassifier(few, cv=3)), np.float32),
        "voting": (make_pipeline(StandardScaler(),
                                 VotingClassifier(few, voting="soft", flatten_transform=False)), np.float32),
        "svc": (make_pipeline(StandardScaler(), SVC(probability=True)), np.float32),
    }


def fitted(name, table, labels, folder):
    """The model's file, and its judges: name -> probability of class 1 for rows."""
    if name == "xgboost":
        booster = xgboost.train({"objective": "binary:logistic", "max_depth": 4, "seed": 1},
                                xgboost.DMatrix(table, labels), 30)
        path = folder / "model.json"
        booster.save_model(path)
        return path, {"XGBoost": lambda rows: booster.predict(
            xgboost.DMatrix(pd.DataFrame(rows, columns=table.columns)))}
    if name == "lightgbm":
        booster = lightgbm.train({"objective": "binary", "verbose": -1, "min_data_in_leaf": 5},
                                 lightgbm.Dataset(table, labels), 30)
        path = folder / "model.txt"
        booster.save_model(path)
        return path, {"LightGBM": lambda rows: booster.predict(rows)}
    model, columns = sklearn_models()[name]
    model.fit(table.values, labels)
    graph = to_onnx(model, table.values[:1].astype(columns), options={id(model): {"zipmap": False}})
    path = folder / "model.onnx"
    path.write_bytes(graph.SerializeToString())
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    column = session.get_inputs()[0].name
    return path, {
        "onnxruntime": lambda rows: session.run(None, {column: rows.astype(columns)})[1][:, 1],
        "scikit-learn": lambda rows: model.predict_proba(rows)[:, 1],
    }


def judge(arguments, name, threshold, table, labels, folder):
    path, judges = fitted(name, table, labels, folder)
    command = [arguments.croco, "explain", "--model", path, "--schema", folder / "people.schema.json",
               "--training", folder / "people.csv", "--data", folder / "people.csv",
               "--rows", f"0:{arguments.people}", "--target", "0.1", "--noise", f"gaussian:sd={SD}",
               "--noise-on", "changed", "--threshold", str(threshold), "--reasons", "off",
               "--output", folder / "advice.jsonl"]
    if name == "svc":
        command += ["--decision", "probability"]
    subprocess.run([str(word) for word in command], check=True, capture_output=True)
    random = np.random.default_rng(1)
    spread = SD * (table.values.max(0) - table.values.min(0))
    counts = {"already": 0, "found": 0}
    refused = dict.fromkeys(judges, 0)
    worst = 0.0
    for line in (folder / "advice.jsonl").read_text().splitlines():
        answer = json.loads(line)
        status = answer["status"]
        if status not in counts:
            continue
        counts[status] += 1
        before = np.array([float(answer["before"][column]) for column in table.columns])
        row = before
        if status == "found":
            row = np.array([float(answer["after"][column]) for column in table.columns])
        for judge_name, probability in judges.items():
            refused[judge_name] += int(not probability(row[None])[0] > threshold)
        if status == "found":
            changed = row != before
            noisy = np.repeat(row[None], NOISY, 0)
            noisy[:, changed] += random.normal(size=(NOISY, changed.sum())) * spread[changed]
            worst = max(worst, float((next(iter(judges.values()))(noisy) <= threshold).mean()))
    verdict = ", ".join(f"{count} refused by {judge_name}" for judge_name, count in refused.items())
    print(f"| {name} | {threshold} | {counts['already']} | {counts['found']} | {verdict} | {worst:.4f} |",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--croco", required=True)
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--models", default="")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    table, labels = people()
    names = arguments.models.split(",") if arguments.models else ["xgboost", "lightgbm", *sklearn_models()]
    print("| model | threshold | already accepted | certified | the library's word | highest rate seen |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        table.assign(good=labels).to_csv(folder / "people.csv", index=False)
        subprocess.run([arguments.croco, "inspect", folder / "people.csv", "--label", "good",
                        "--output", folder / "people.schema.json"], check=True, capture_output=True)
        for model in names:
            for threshold in (0.3, 0.5, 0.7):
                judge(arguments, model, threshold, table, labels, folder)


if __name__ == "__main__":
    main()
