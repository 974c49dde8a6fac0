#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges certificates by the library that the model comes from.

Trains models of XGBoost, LightGBM, CatBoost and scikit-learn (exported to ONNX) on made-up people whose numbers
sit on thresholds: whole numbers below and above 0, many zeros, times in seconds since 1970. Then asks
croco for certified advice, and the library itself about every person who is "already accepted", every
recommended record and 20,000 noisy versions of each.

With --missing keep (or impute, to compare), people are German Credit's instead, a fifth of whose values
are blanks; the models take missing values, and the library is asked about the records with their blanks.

Usage: own_library.py --croco build/release/apps/cli/croco [--people 60] [--models NAME,...] [--missing keep]
Needs numpy, pandas, scikit-learn, skl2onnx, onnxruntime, xgboost, lightgbm and catboost.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import warnings

import catboost
import lightgbm
import numpy as np
import onnxruntime
import pandas as pd
import xgboost
from skl2onnx import to_onnx
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (GradientBoostingClassifier, RandomForestClassifier, StackingClassifier,
                              VotingClassifier)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from run_croco import run_croco

SD = 0.03
NOISY = 20_000
BLANKS = 0.2
CATBOOST = {"verbose": 0, "allow_writing_files": False, "random_seed": 1, "thread_count": 1}
GERMAN = pathlib.Path(__file__).resolve().parent.parent / "data" / "german_credit.csv"


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
        # One input for each column, as to_onnx(model, frame[:1]) makes them.
        "logistic_frame": (make_pipeline(StandardScaler(), LogisticRegression()), "double"),
        "scaled_forest_frame": (make_pipeline(StandardScaler(), RandomForestClassifier(20, **forest)), "double"),
        "scaled_forest_whole": (make_pipeline(StandardScaler(), RandomForestClassifier(20, **forest)), "whole"),
    }


def frame_inputs(table, columns, rows):
    """Rows as one array of a column each, whole numbers where the table has them and the export takes them."""
    frame = pd.DataFrame(rows, columns=table.columns)
    if columns == "whole":
        frame = frame.astype({"points": np.int64, "since": np.int64})
    return frame


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
    if name == "catboost":
        model = catboost.CatBoostClassifier(iterations=40, depth=4, **CATBOOST).fit(table, labels)
        path = folder / "model.json"
        model.save_model(str(path), format="json")
        return path, {"CatBoost": lambda rows: model.predict_proba(rows)[:, 1]}
    model, columns = sklearn_models()[name]
    path = folder / "model.onnx"
    if isinstance(columns, str):
        model.fit(table, labels)
        graph = to_onnx(model, frame_inputs(table, columns, table.values[:1]), options={id(model): {"zipmap": False}})
        path.write_bytes(graph.SerializeToString())
        session = onnxruntime.InferenceSession(graph.SerializeToString())

        def answers(rows):
            frame = frame_inputs(table, columns, rows)
            return session.run(None, {name: frame[name].to_numpy()[:, None] for name in frame})[1][:, 1]

        return path, {"onnxruntime": answers, "scikit-learn": lambda rows: model.predict_proba(
            pd.DataFrame(rows, columns=table.columns))[:, 1]}
    model.fit(table.values, labels)
    graph = to_onnx(model, table.values[:1].astype(columns), options={id(model): {"zipmap": False}})
    path.write_bytes(graph.SerializeToString())
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    column = session.get_inputs()[0].name
    return path, {
        "onnxruntime": lambda rows: session.run(None, {column: rows.astype(columns)})[1][:, 1],
        "scikit-learn": lambda rows: model.predict_proba(rows)[:, 1],
    }


def german(seed=0):
    """German Credit with blanks; numbers as numbers, texts as pandas' categories."""
    # XGBoost takes no names with '<'.
    table = pd.read_csv(GERMAN).replace({"<=": "..", "<": "below ", ">=": "from "}, regex=True)
    labels = (table.pop(table.columns[-1]) == "good").astype(int)
    blank = np.random.default_rng(seed).random(table.shape) < BLANKS
    for j, column in enumerate(table.columns):
        table[column] = (table[column].astype(float) if pd.api.types.is_numeric_dtype(table[column])
                         else table[column].astype("category"))
        table.loc[blank[:, j], column] = np.nan
    return table, labels


def one_hot(table):
    return pd.get_dummies(table).astype(float)


def numbers(table):
    return table.select_dtypes("number")


def fitted_with_blanks(name, table, labels, folder):
    """The model's file, its columns as a function of the table, and its judge."""
    library, _, columns = name.partition("_")
    prepare = {"": lambda frame: frame, "one_hot": one_hot, "numbers": numbers}[columns]
    frame = prepare(table)
    if library == "xgboost":
        booster = xgboost.train({"objective": "binary:logistic", "max_depth": 4, "seed": 1},
                                xgboost.DMatrix(frame, labels, enable_categorical=True), 40)
        path = folder / "model.json"
        booster.save_model(path)
        return path, lambda rows: booster.predict(xgboost.DMatrix(prepare(rows), enable_categorical=True))
    if library == "lightgbm":
        booster = lightgbm.train({"objective": "binary", "verbose": -1, "min_data_in_leaf": 5, "num_leaves": 15},
                                 lightgbm.Dataset(frame, labels), 40)
        path = folder / "model.txt"
        booster.save_model(path)
        return path, lambda rows: booster.predict(prepare(rows))
    if library == "catboost":  # it takes no missing category: one-hot columns, or numbers
        model = catboost.CatBoostClassifier(iterations=60, depth=5, **CATBOOST).fit(frame, labels)
        path = folder / "model.json"
        model.save_model(str(path), format="json")
        return path, lambda rows: model.predict_proba(prepare(rows))[:, 1]
    model = make_pipeline(SimpleImputer(), RandomForestClassifier(30, random_state=0, max_depth=6))
    model.fit(frame.values, labels)
    graph = to_onnx(model, frame.values[:1].astype(np.float32), options={id(model): {"zipmap": False}})
    path = folder / "model.onnx"
    path.write_bytes(graph.SerializeToString())
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    return path, lambda rows: session.run(
        None, {session.get_inputs()[0].name: prepare(rows).values.astype(np.float32)})[1][:, 1]


BLANK_MODELS = ["xgboost", "lightgbm", "xgboost_one_hot", "lightgbm_one_hot", "xgboost_numbers", "lightgbm_numbers",
                "catboost_one_hot", "catboost_numbers", "forest_numbers"]


def judge_blanks(arguments, name, threshold, table, labels, folder):
    path, probability = fitted_with_blanks(name, table, labels, folder)
    own = numbers(table) if name.endswith("numbers") else table
    own.assign(good=labels).to_csv(folder / "people.csv", index=False)
    (folder / "people.schema.json").unlink(missing_ok=True)
    subprocess.run([arguments.croco, "inspect", folder / "people.csv", "--label", "good", "--output",
                    folder / "people.schema.json"], check=True, capture_output=True)
    command = [arguments.croco, "explain", "--model", path, "--schema", folder / "people.schema.json",
               "--training", folder / "people.csv", "--data", folder / "people.csv",
               "--rows", f"0:{arguments.people}", "--target", "0.1", "--noise", f"gaussian:sd={SD}",
               "--noise-on", "changed", "--threshold", str(threshold), "--reasons", "off",
               "--missing", arguments.missing, "--output", folder / "advice.jsonl"]
    run_croco(command, capture_output=True)
    held = subprocess.run([str(word) for word in [
        arguments.croco, "verify", folder / "advice.jsonl", "--model", path, "--schema", folder / "people.schema.json",
        "--data", folder / "people.csv", "--samples", "2000"]], capture_output=True, text=True, check=False)
    random = np.random.default_rng(1)
    counts = {"already": 0, "found": 0}
    lacking = refused = 0
    worst = 0.0
    for line in (folder / "advice.jsonl").read_text().splitlines():
        answer = json.loads(line)
        if answer["status"] not in counts:
            continue
        counts[answer["status"]] += 1
        row = own.iloc[[answer["row"]]].copy()
        lacking += int(row.isna().any(axis=None))
        changed = []
        for change in answer.get("changes", []):
            column = change["feature"]
            number = pd.api.types.is_numeric_dtype(row[column])
            row[column] = float(change["to"]) if number else pd.Categorical([change["to"]], own[column].cat.categories)
            if number:
                changed.append(column)
        refused += int(not probability(row)[0] > threshold)
        if answer["status"] == "found":
            noisy = row.loc[row.index.repeat(NOISY)].reset_index(drop=True)
            for column in changed:
                spread = SD * (own[column].max() - own[column].min())
                noisy[column] += random.normal(size=NOISY) * spread
            worst = max(worst, float((probability(noisy) <= threshold).mean()))
    print(f"| {name} | {threshold} | {counts['already']} | {counts['found']} | {lacking} | {refused} | {worst:.4f} | "
          f"{'all hold' if held.returncode == 0 else 'SOME DO NOT HOLD'} |", flush=True)


def judge_with_blanks(arguments, folder):
    print("| model | threshold | already accepted | certified | of both, with blanks | refused by the library | "
          "highest rate seen | verify |")
    print("|---|---|---|---|---|---|---|---|")
    table, labels = german()
    for name in arguments.models.split(",") if arguments.models else BLANK_MODELS:
        for threshold in (0.5, 0.7):
            judge_blanks(arguments, name, threshold, table, labels, folder)


def judge(arguments, name, threshold, table, labels, folder):
    path, judges = fitted(name, table, labels, folder)
    command = [arguments.croco, "explain", "--model", path, "--schema", folder / "people.schema.json",
               "--training", folder / "people.csv", "--data", folder / "people.csv",
               "--rows", f"0:{arguments.people}", "--target", "0.1", "--noise", f"gaussian:sd={SD}",
               "--noise-on", "changed", "--threshold", str(threshold), "--reasons", "off",
               "--output", folder / "advice.jsonl"]
    if name == "svc":
        command += ["--decision", "probability"]
    run_croco(command, capture_output=True)
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
    parser.add_argument("--missing", choices=["impute", "keep"])
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    if arguments.missing:
        with tempfile.TemporaryDirectory() as name:
            judge_with_blanks(arguments, pathlib.Path(name))
        return
    table, labels = people()
    names = arguments.models.split(",") if arguments.models else ["xgboost", "lightgbm", "catboost", *sklearn_models()]
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
