#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small tree ensembles made by the libraries themselves, and what these answer.

Writes trees/<name>.{json,ubj,txt} and trees.json beside this script. Needs xgboost and lightgbm:
    python3 -m venv venv && venv/bin/pip install xgboost lightgbm pandas
    venv/bin/python tests/golden/make_tree_models.py
The rows hold missing values, thresholds themselves and the numbers next to them; "margins" are the
libraries' own sums, to the last bit. trees.json names the versions that made it.
"""
import json
import pathlib

import lightgbm as lgb
import numpy as np
import pandas as pd
import xgboost as xgb

HERE = pathlib.Path(__file__).resolve().parent
LEVELS = ["car", "furniture", "other", "radio", "repairs", "study trip"]


def people(rng, count, missing):
    """Five numbers of different kinds and one category."""
    frame = pd.DataFrame({
        "amount": np.round(rng.lognormal(8, 1, count), 2),
        "months": rng.integers(4, 72, count).astype(float),
        "share": rng.random(count),
        "balance": np.where(rng.random(count) < 0.3, 0.0, rng.normal(0, 500, count)),
        "own home": rng.integers(0, 2, count).astype(float),
        "purpose": pd.Categorical(rng.choice(LEVELS, count), categories=LEVELS),
    })
    for column in frame.columns:
        if column != "own home" and missing > 0:
            frame.loc[rng.random(count) < missing, column] = np.nan
    score = (np.log(frame["amount"].fillna(3000)) - 8 - 0.03 * frame["months"].fillna(30)
             + 2 * frame["share"].fillna(0.5) + frame["balance"].fillna(0) / 500
             + 0.7 * frame["own home"] + frame["purpose"].isin(["radio", "study trip"]))
    return frame, (score + rng.normal(0, 0.4, count) > 0.3).astype(int)


def thresholds(document, key="split_conditions"):
    """(column, threshold) of every numeric split of an XGBoost model."""
    model = document["learner"]["gradient_booster"]
    model = model.get("gbtree", model)["model"]
    for tree in model["trees"]:
        for node, column in enumerate(tree["split_indices"]):
            if tree["left_children"][node] != -1 and tree["split_type"][node] == 0:
                yield column, tree[key][node]


def lightgbm_thresholds(text):
    columns, numbers, kinds = [], [], []
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key == "split_feature":
            columns = [int(v) for v in value.split()]
        elif key == "threshold":
            numbers = [float(v) for v in value.split()]
        elif key == "decision_type":
            for column, number, kind in zip(columns, numbers, value.split()):
                if int(kind) % 2 == 0:
                    yield column, number


def test_rows(rng, frame, marks, single):
    """Rows of the data, then rows with a threshold or a neighbour of it in one column."""
    rows = frame.sample(120, random_state=1).reset_index(drop=True)
    marks = list(marks)
    rng.shuffle(marks)
    extra = frame.sample(120, random_state=2).reset_index(drop=True)
    for i in range(len(extra)):
        column, number = marks[i % len(marks)]
        if single:
            number = float(np.float32(number))
            below = float(np.nextafter(np.float32(number), np.float32(-np.inf)))
            middle = (below + number) / 2
            number = [number, below, middle, float(np.nextafter(middle, -np.inf)),
                      float(np.nextafter(middle, np.inf))][i % 5]
        else:
            number = [number, float(np.nextafter(number, np.inf)),
                      float(np.nextafter(number, -np.inf)), 0.0, 1e-36][i % 5]
        if frame.columns[column] == "purpose":
            continue
        extra.loc[i, frame.columns[column]] = number
    return pd.concat([rows, extra], ignore_index=True)


def encode(rows):
    codes = rows.copy()
    if "purpose" in codes:
        codes["purpose"] = codes["purpose"].cat.codes.astype(float).replace(-1, np.nan)
    return [[None if np.isnan(v) else float(v) for v in row] for row in codes.to_numpy(float)]


def main():
    out = {"versions": {"xgboost": xgb.__version__, "lightgbm": lgb.__version__}, "models": []}
    rng = np.random.default_rng(7)
    folder = HERE / "trees"

    def xgboost_model(name, parameters, rounds, missing=0.1, categories=False, suffixes=("json",)):
        frame, label = people(rng, 1500, missing)
        if not categories:
            frame = frame.drop(columns="purpose")
        frame = frame.rename(columns={"own home": "own_home"})
        booster = xgb.train({"objective": "binary:logistic", "seed": 1, "nthread": 1, **parameters},
                            xgb.DMatrix(frame, label, enable_categorical=True), rounds)
        document = json.loads(booster.save_raw("json").decode())
        rows = test_rows(rng, frame, thresholds(document), single=True)
        margins = booster.predict(xgb.DMatrix(rows, enable_categorical=True), output_margin=True)
        files = []
        for suffix in suffixes:
            booster.save_model(folder / f"{name}.{suffix}")
            files.append(f"{name}.{suffix}")
        out["models"].append({"files": files, "columns": list(frame.columns),
                              "rows": encode(rows), "margins": [float(m) for m in margins]})

    def lightgbm_model(name, parameters, rounds, missing=0.1, categories=False):
        frame, label = people(rng, 1500, missing)
        if not categories:
            frame = frame.drop(columns="purpose")
        booster = lgb.train({"objective": "binary", "verbose": -1, "seed": 1, "num_threads": 1,
                             "deterministic": True, **parameters}, lgb.Dataset(frame, label), rounds)
        text = booster.model_to_string()
        rows = test_rows(rng, frame, lightgbm_thresholds(text), single=False)
        sigmoid = parameters.get("sigmoid", 1.0)
        # Raw scores of forests are sums; their answers come from the means.
        trees = booster.num_trees() if parameters.get("boosting") == "rf" else 1
        margins = sigmoid * (booster.predict(rows, raw_score=True) / trees)
        answers = 1 / (1 + np.exp(-margins))
        assert np.allclose(answers, booster.predict(rows), rtol=0, atol=1e-12), name
        booster.save_model(folder / f"{name}.txt")
        out["models"].append({"files": [f"{name}.txt"],
                              "columns": [c.replace(" ", "_") for c in frame.columns],
                              "rows": encode(rows), "margins": [float(m) for m in margins]})

    xgboost_model("xgb_numbers", {"max_depth": 4, "eta": 0.3}, 20, suffixes=("json", "ubj"))
    xgboost_model("xgb_categories", {"max_depth": 4, "max_cat_to_onehot": 2}, 12, categories=True,
                  suffixes=("json", "ubj"))
    xgboost_model("xgb_one_hot_split", {"max_depth": 3, "max_cat_to_onehot": 100}, 8,
                  categories=True)
    xgboost_model("xgb_dart", {"booster": "dart", "rate_drop": 0.3, "max_depth": 3}, 12)
    xgboost_model("xgb_forest", {"num_parallel_tree": 12, "subsample": 0.7, "eta": 1,
                                 "colsample_bynode": 0.7, "max_depth": 5}, 1, missing=0)
    xgboost_model("xgb_raw", {"objective": "binary:logitraw", "base_score": 0.25,
                              "max_depth": 3}, 6)
    lightgbm_model("lgb_numbers", {"num_leaves": 15}, 20)
    lightgbm_model("lgb_categories", {"num_leaves": 12, "max_cat_to_onehot": 1, "cat_smooth": 1,
                                      "min_data_per_group": 10}, 12, categories=True)
    lightgbm_model("lgb_zeros_missing", {"num_leaves": 12, "zero_as_missing": True}, 12)
    lightgbm_model("lgb_no_missing", {"num_leaves": 12, "use_missing": False}, 12)
    lightgbm_model("lgb_forest", {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.7,
                                  "num_leaves": 31}, 12, missing=0)
    lightgbm_model("lgb_sigmoid", {"num_leaves": 7, "sigmoid": 0.7}, 8)
    with open(HERE / "trees.json", "w") as file:
        json.dump(out, file)
        file.write("\n")


if __name__ == "__main__":
    main()
