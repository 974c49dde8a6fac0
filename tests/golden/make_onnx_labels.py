#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes ONNX classifiers with a label output, and the labels that onnxruntime and scikit-learn predict.

Usage: make_onnx_labels.py

Writes onnx/label_*.onnx and onnx_labels.json beside itself. Rows hold numbers near the decision
boundary, and for trees the split thresholds and their neighbours in single precision. Labels are
onnxruntime's; scikit-learn's `predict` must be the same. The last few graphs are written by hand:
their label disagrees with their score.

Needs onnx, onnxruntime, scikit-learn and skl2onnx.
"""
import importlib.metadata
import json
import pathlib
import warnings

import numpy as np
import onnx
import onnxruntime
import skl2onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier,
                              StackingClassifier)
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

HERE = pathlib.Path(__file__).resolve().parent
WIDTH = 4
ROWS = 150
warnings.simplefilter("ignore")


def data(rng, count):
    """Whole numbers, halves, numbers with many digits and zeros, on both sides of 0."""
    x = np.column_stack([rng.integers(-25, 34, count), rng.integers(-9, 10, count) / 2,
                         rng.normal(0, 3, count), np.where(rng.random(count) < 0.3, 0, rng.normal(5, 9, count))])
    x = x.astype(np.float32)
    y = x[:, 0] / 8 + x[:, 1] * x[:, 2] / 4 + x[:, 3] / 6 + rng.normal(0, 1, count) > 0.5
    return x, y


def models():
    """name: (model, type of the file's numbers, options of the converter, labels)."""
    plain = {"zipmap": False}
    trees = DecisionTreeClassifier(max_depth=3, random_state=1)
    return {
        "logistic": (LogisticRegression(), np.float32, plain, ["0", "1"]),
        "logistic_double": (LogisticRegression(), np.float64, plain, ["0", "1"]),
        "logistic_text": (LogisticRegression(), np.float32, {}, ["rejected", "accepted"]),
        "sgd": (SGDClassifier(loss="log_loss", random_state=2), np.float32, plain, ["0", "1"]),
        "perceptron": (Perceptron(random_state=3), np.float32, plain, ["no", "yes"]),
        "linear_svc": (LinearSVC(), np.float32, None, ["0", "1"]),
        "ridge": (RidgeClassifier(), np.float32, None, ["no", "yes"]),
        "svc": (SVC(), np.float32, plain, ["0", "1"]),
        "svc_text": (SVC(gamma=0.05), np.float32, plain, ["no", "yes"]),
        "svc_probability": (SVC(probability=True, random_state=4), np.float32, plain, ["0", "1"]),
        "calibrated_svc": (CalibratedClassifierCV(SVC(), cv=2), np.float32, plain, ["0", "1"]),
        "stacking": (StackingClassifier([("linear", LogisticRegression()), ("tree", trees)]), np.float32, plain,
                     ["0", "1"]),
        "forest_30": (RandomForestClassifier(30, max_depth=3, random_state=5), np.float32, plain, ["0", "1"]),
        "extra_trees": (ExtraTreesClassifier(20, max_depth=3, random_state=6), np.float32, plain, ["no", "yes"]),
        "boosting": (GradientBoostingClassifier(n_estimators=15, random_state=7), np.float32, plain, ["0", "1"]),
    }


def split_values(model):
    """Thresholds of a file's trees, by column, and their neighbours in single precision."""
    out = [[] for _ in range(WIDTH)]
    for node in model.graph.node:
        if not node.op_type.startswith("TreeEnsemble"):
            continue
        found = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        for mode, column, value in zip(found["nodes_modes"], found["nodes_featureids"], found["nodes_values"]):
            if mode == b"LEAF":
                continue
            value = np.float32(value)
            out[column] += [value, np.nextafter(value, np.float32(np.inf)), np.nextafter(value, np.float32(-np.inf))]
    return out


def rows_for(rng, model):
    x, _ = data(rng, ROWS)
    atoms = split_values(model)
    for column, values in enumerate(atoms):
        if values:
            taken = rng.random(ROWS) < 0.5
            x[taken, column] = rng.choice(values, taken.sum())
    return x


def run(model, x, element):
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, {session.get_inputs()[0].name: x.astype(element)})[0].ravel()


def fitted_cases(rng):
    for name, (model, element, options, labels) in models().items():
        x, y = data(rng, 150)
        names = np.array([int(t) for t in labels]) if labels[0].isdigit() else np.array(labels)
        model.fit(x, names[y.astype(int)])
        converted = skl2onnx.to_onnx(model, x[:1].astype(element), options=None if options is None else options,
                                     target_opset=17)
        rows = rows_for(rng, converted)
        got = run(converted, rows, element)
        own = model.predict(rows)
        assert (got == own).mean() > 0.99, f"{name}: onnxruntime and scikit-learn differ in {(got != own).sum()} rows"
        same = got == own
        yield name, converted, rows[same], [str(label) for label in got[same]], labels[1]


def graph(name, nodes, constants, label_type):
    inputs = [helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, WIDTH])]
    outputs = [helper.make_tensor_value_info("label", label_type, [None]),
               helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [None, 2])]
    made = helper.make_graph(nodes, name, inputs, outputs,
                             [numpy_helper.from_array(value, key) for key, value in constants.items()])
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def hand_made_cases(rng):
    """The label is not the class with the larger probability."""
    weights = rng.normal(0, 0.2, (WIDTH, 2)).astype(np.float32)
    scores = [helper.make_node("MatMul", ["X", "weights"], ["scores"]),
              helper.make_node("Softmax", ["scores"], ["probabilities"], axis=1)]
    constants = {"weights": weights}
    moved = graph("moved", [*scores, helper.make_node("Add", ["scores", "bias"], ["moved"]),
                            helper.make_node("ArgMax", ["moved"], ["label"], axis=1, keepdims=0)],
                  {**constants, "bias": np.array([0.7, 0], np.float32)}, TensorProto.INT64)
    cut = graph("cut", [*scores, helper.make_node("Gather", ["probabilities", "one"], ["p"], axis=1),
                        helper.make_node("Greater", ["p", "limit"], ["label"])],
                {**constants, "one": np.array(1), "limit": np.array(0.7, np.float32)}, TensorProto.BOOL)
    for name, model in (("moved", moved), ("cut", cut)):
        onnx.checker.check_model(model)
        rows = rows_for(rng, model)
        yield name, model, rows, [str(int(label)) for label in run(model, rows, np.float32)], "1"


def main():
    rng = np.random.default_rng(14)
    cases = []
    for name, model, rows, labels, favourable in [*fitted_cases(rng), *hand_made_cases(rng)]:
        path = HERE / "onnx" / f"label_{name}.onnx"
        model.ClearField("metadata_props")
        onnx.save(model, path)
        print(f"{path.name:30} {path.stat().st_size:7} bytes, {len(rows)} rows, {sorted(set(labels))}")
        cases.append({"file": path.name, "favourable": favourable, "rows": rows.astype(float).tolist(),
                      "labels": labels})
    versions = {name: importlib.metadata.version(name) for name in ["onnx", "onnxruntime", "scikit-learn", "skl2onnx"]}
    text = json.dumps({"versions": versions, "cases": cases}, separators=(",", ":"))
    (HERE / "onnx_labels.json").write_text(text.replace('{"file"', '\n{"file"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
