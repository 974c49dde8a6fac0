#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes ONNX models that take missing values, and what scikit-learn answers to rows that lack some.

Usage: make_onnx_missing.py

Writes onnx/missing_*.onnx and onnx_missing.json beside itself: rows in which null is a missing value, and the
score of class 1 that scikit-learn itself gives. Every file is checked against onnxruntime on 10,000 further
rows; golden rows on which the two differ are left out. Needs onnxruntime, scikit-learn and skl2onnx; onnx_missing.json names the versions.
"""
import importlib.metadata
import json
import pathlib

import numpy as np
import onnxruntime
import skl2onnx.common._container as container
from skl2onnx import to_onnx
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

plain_node = container.make_node


def make_node(*arguments, **attributes):
    """skl2onnx lists truth values, which newer protobuf does not take for whole numbers."""
    for name, value in attributes.items():
        if isinstance(value, list) and any(isinstance(entry, (bool, np.bool_)) for entry in value):
            attributes[name] = [int(entry) for entry in value]
    return plain_node(*arguments, **attributes)


container.make_node = make_node
HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = 5
ROWS = 120


def people(random, rows, missing=0.2):
    # Exact in single precision, as the graphs take numbers.
    table = np.round(random.normal(size=(rows, COLUMNS)) * 64) / 64
    votes = table @ np.array([2.0, -1.0, 1.5, 0.5, -2.0]) + 0.7 * table[:, 0] * table[:, 2]
    labels = (votes + random.normal(size=rows) > 0).astype(int)
    table[random.random(table.shape) < missing] = np.nan
    return table, labels


def models():
    small = {"random_state": 0, "max_depth": 4}
    return {
        "missing_boosting": HistGradientBoostingClassifier(max_iter=12, max_leaf_nodes=8, random_state=0),
        "missing_imputed_logistic": make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
        "missing_imputed_forest": make_pipeline(SimpleImputer(strategy="most_frequent"), StandardScaler(),
                                                RandomForestClassifier(8, **small)),
        "missing_imputed_network": make_pipeline(
            MinMaxScaler(), SimpleImputer(strategy="constant", fill_value=0.25),
            MLPClassifier((6,), max_iter=400, random_state=0)),
    }


def main():
    random = np.random.default_rng(5)
    table, labels = people(random, 1500)
    rows, further = (people(random, count)[0] for count in (ROWS, 10_000))
    agree = np.ones(len(rows), bool)
    scores = {}
    for name, model in models().items():
        model.fit(table, labels)
        graph = to_onnx(model, table[:1].astype(np.float32), options={id(model): {"zipmap": False}})
        path = HERE / "onnx" / f"{name}.onnx"
        path.write_bytes(graph.SerializeToString())
        session = onnxruntime.InferenceSession(path)
        column = session.get_inputs()[0].name

        def agrees(table):
            found = session.run(None, {column: table.astype(np.float32)})[1][:, 1]
            return np.abs(found - model.predict_proba(table)[:, 1]) < 1e-5

        # Numbers on a threshold behind a scaler are for roundings to decide, which differ.
        apart = int((~agrees(further)).sum())
        print(f"{name}: {path.stat().st_size} bytes, {apart} of {len(further)} rows differ from onnxruntime")
        assert apart < 200
        agree &= agrees(rows)
        scores[path.name] = model.predict_proba(rows)[:, 1]
    rows = rows[agree]
    cases = [{"file": name, "scores": values[agree].tolist()} for name, values in scores.items()]
    versions = {name: importlib.metadata.version(name) for name in ("scikit-learn", "skl2onnx", "onnxruntime")}
    text = json.dumps({"versions": versions,
                       "rows": [[None if np.isnan(value) else value for value in row] for row in rows],
                       "cases": cases}, indent=0)
    (HERE / "onnx_missing.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
