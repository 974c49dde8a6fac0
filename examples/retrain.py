#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Retrains a model of another library many times, for `croco ... --models 'folder/*'`.

Usage: examples/retrain.py --library xgboost|lightgbm|sklearn --data train.csv --label COLUMN
           --favourable VALUE --output folder [--count 150] [--resample seed|bootstrap|half] [--seed 0]

Copy the function of your library and put your own training into it: a recipe is whatever your
pipeline does when the model is fitted again, with another seed and other rows. Every model is a
function of the recipe and its number, files appear whole, and files that are there are kept, so a
run that was killed goes on where it was. The manifest names the recipe and the SHA-256 of every
model; croco then refuses a set that lacks some of them, or has others.

    examples/retrain.py --library xgboost --data adult.csv --label income --favourable 1 --output boot
    croco explain --model model.json --schema schema.json --training adult.csv \\
        --data people.csv --models 'boot/*' --target 0.1
"""
import argparse
import hashlib
import json
import os
import pathlib

import numpy as np
import pandas as pd

ROUNDS = 50


def fit_xgboost(frame, classes, seed, path):
    import xgboost as xgb
    data = xgb.DMatrix(frame, classes, enable_categorical=True, nthread=1)
    settings = {"objective": "binary:logistic", "max_depth": 4, "eta": 0.3, "seed": seed, "nthread": 1}
    xgb.train(settings, data, ROUNDS).save_model(path)


def fit_lightgbm(frame, classes, seed, path):
    import lightgbm as lgb
    settings = {"objective": "binary", "num_leaves": 31, "seed": seed, "num_threads": 1,
                "deterministic": True, "verbose": -1}
    lgb.train(settings, lgb.Dataset(frame, classes), ROUNDS).save_model(path)


def fit_sklearn(frame, classes, seed, path):
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import DoubleTensorType, StringTensorType
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    frame = frame.astype({name: str for name in frame.select_dtypes("category")})
    texts = make_column_selector(dtype_exclude=np.number)
    numbers = make_column_selector(dtype_include=np.number)
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(handle_unknown="ignore"), texts),
                                (StandardScaler(), numbers)),
        LogisticRegression(max_iter=1000, random_state=seed))
    model.fit(frame, classes)
    inputs = [(name, (DoubleTensorType if frame[name].dtype.kind in "if" else StringTensorType)([None, 1]))
              for name in frame.columns]
    pathlib.Path(path).write_bytes(
        to_onnx(model, initial_types=inputs, options={"zipmap": False}).SerializeToString())


# How each library fits, and how its files end.
LIBRARIES = {"xgboost": (fit_xgboost, ".json"), "lightgbm": (fit_lightgbm, ".txt"),
             "sklearn": (fit_sklearn, ".onnx")}


def rows_of(resample, count, random):
    if resample == "bootstrap":
        return random.integers(0, count, count)
    if resample == "half":
        return random.permutation(count)[:(count + 1) // 2]
    return np.arange(count)


def read_frame(path, label, favourable):
    rows = pd.read_csv(path)
    classes = (rows[label].astype(str) == favourable).astype(int)
    frame = rows.drop(columns=label)
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            frame[name] = frame[name].astype("category")
    return frame, classes


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_manifest(folder, recipe, models):
    text = json.dumps({"croco_models": 1, "recipe": recipe, "models": models}, indent=1) + "\n"
    (folder / "manifest.json.new").write_text(text)
    os.replace(folder / "manifest.json.new", folder / "manifest.json")


def retrain(frame, classes, fit, ending, folder, recipe, count):
    """Trains what is missing of `count` models, then writes the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = folder / "manifest.json"
    if manifest.exists() and json.loads(manifest.read_text())["recipe"] != recipe:
        raise SystemExit(f"{folder}: the models there have another recipe; it needs another folder")
    if not manifest.exists():
        write_manifest(folder, recipe, [])
    models = []
    for number in range(count):
        random = np.random.default_rng([recipe["seed"], number])
        seed = int(random.integers(2**31))
        path = folder / f"model-{number:04}{ending}"
        if not path.exists():
            rows = rows_of(recipe["resample"], len(frame), random)
            unfinished = folder.parent / f".{folder.name}-{os.getpid()}{ending}"
            fit(frame.iloc[rows].reset_index(drop=True), classes.iloc[rows].reset_index(drop=True),
                seed, unfinished)
            os.replace(unfinished, path)
        models.append({"file": path.name, "seed": seed, "sha256": sha256(path)})
    write_manifest(folder, recipe, models)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", choices=LIBRARIES, required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--label", required=True)
    parser.add_argument("--favourable", required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--resample", choices=["seed", "bootstrap", "half"], default="bootstrap")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    fit, ending = LIBRARIES[options.library]
    frame, classes = read_frame(options.data, options.label, options.favourable)
    recipe = {"trained_by": f"examples/retrain.py, {options.library}", "data_sha256": sha256(options.data),
              "resample": options.resample, "seed": options.seed, "rounds": ROUNDS}
    retrain(frame, classes, fit, ending, options.output, recipe, options.count)
    print(f"{options.count} models in {options.output}")


if __name__ == "__main__":
    main()
