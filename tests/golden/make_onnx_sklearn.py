#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes ONNX files of scikit-learn's further classifiers with skl2onnx, and the probabilities of class 1 that
onnxruntime and scikit-learn give.

Usage: make_onnx_sklearn.py [--check-rows 20000]

Writes onnx/sk_*.onnx and onnx_sklearn.json beside itself. Rows are random ones, rows with values on the splits
of trees and next to them, and rows whose uncalibrated score lies on a step of an isotonic calibration, or as
near to it on either side as single precision allows.

`library` is scikit-learn's own probability, in double precision. skl2onnx writes an isotonic calibration as the
value of the nearest threshold, where scikit-learn interpolates between two: there `library` is that nearest
value, of scikit-learn's own estimators and thresholds, and what `predict_proba` says is another function. It also
writes LinearDiscriminantAnalysis with twice the logit, and so is its `library` here. The script prints how many of --check-rows random rows have another answer at .5 in onnxruntime than in `library`,
and than by `predict_proba`.

Needs onnx, onnxruntime, scikit-learn and skl2onnx.
"""
import argparse
import importlib.metadata
import json
import pathlib
import warnings

import numpy as np
import onnxruntime
import skl2onnx
from onnx import helper
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import (AdaBoostClassifier, BaggingClassifier, GradientBoostingClassifier,
                              RandomForestClassifier, StackingClassifier)
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

HERE = pathlib.Path(__file__).resolve().parent
WIDTH = 4
RANDOM_ROWS = 30
SPECIAL_ROWS = 30
warnings.simplefilter("ignore")


def data(rng, count):
    """Whole numbers, halves and numbers with many digits, none of them negative."""
    x = np.column_stack([rng.integers(0, 9, count), rng.integers(0, 12, count) / 2, rng.gamma(2, 2, count),
                         np.where(rng.random(count) < 0.3, 0, rng.gamma(3, 1, count))]).astype(np.float32)
    y = x[:, 0] / 2 - x[:, 1] / 3 + x[:, 2] * (x[:, 3] - 2) / 4 + rng.normal(0, 1, count) > 1
    return x, y.astype(int)


def isotonic(estimator, **options):
    return CalibratedClassifierCV(estimator, method="isotonic", cv=2, **options)


def models():
    """name: (model, type of the file's numbers)."""
    single, double = np.float32, np.float64
    forest = RandomForestClassifier(4, max_depth=2, random_state=1)
    return {
        "isotonic_logistic": (isotonic(LogisticRegression()), single),
        "isotonic_logistic_double": (isotonic(LogisticRegression()), double),
        "isotonic_one_logistic": (isotonic(LogisticRegression(), ensemble=False), single),
        "isotonic_forest": (isotonic(forest), single),
        "sigmoid_forest": (CalibratedClassifierCV(forest, cv=2), single),
        "isotonic_bayes": (isotonic(GaussianNB()), single),
        "isotonic_linear_svc": (isotonic(LinearSVC()), single),
        "isotonic_linear_svc_double": (isotonic(LinearSVC()), double),
        "adaboost_stumps": (AdaBoostClassifier(n_estimators=7, random_state=2), single),
        "adaboost_trees": (AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=4, random_state=3),
                           single),
        "adaboost_logistic": (AdaBoostClassifier(LogisticRegression(), n_estimators=3, random_state=4), single),
        "bayes": (GaussianNB(), single),
        "bayes_double": (GaussianNB(), double),
        "bayes_bernoulli": (BernoulliNB(binarize=2), single),
        "bayes_multinomial": (MultinomialNB(), single),
        "bayes_complement": (ComplementNB(), single),
        "bayes_sigmoid": (CalibratedClassifierCV(GaussianNB(), cv=2), single),
        "linear_discriminant": (LinearDiscriminantAnalysis(), single),
        "quadratic_discriminant": (QuadraticDiscriminantAnalysis(), single),
        "quadratic_discriminant_double": (QuadraticDiscriminantAnalysis(), double),
        "sgd_huber": (SGDClassifier(loss="modified_huber", random_state=5), single),
        "bagged_trees": (BaggingClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=3, random_state=6),
                         single),
        "bagged_logistic": (BaggingClassifier(LogisticRegression(), n_estimators=3, max_features=0.5,
                                              random_state=7), single),
        "boosting_exponential": (GradientBoostingClassifier(n_estimators=6, max_depth=2, loss="exponential",
                                                            random_state=8), single),
        "stacked_bayes": (StackingClassifier([("bayes", GaussianNB()), ("linear", LogisticRegression())]), single),
    }


def not_kept():
    """A mistake of the converter: the calibration gets probabilities where it was fitted on the decision function."""
    return {"isotonic_pipeline": (isotonic(make_pipeline(StandardScaler(), LogisticRegression())), np.float32)}


def base_score(estimator, x):
    """What a calibration is given."""
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(x)
    return estimator.predict_proba(x)[:, 1]


def is_isotonic(model):
    return isinstance(model, CalibratedClassifierCV) and model.method == "isotonic"


def library_scores(model, x):
    """In double precision; of an isotonic calibration, the value of the nearest threshold."""
    x = x.astype(np.float64)
    if isinstance(model, LinearDiscriminantAnalysis):
        return 1 / (1 + np.exp(-2 * model.decision_function(x)))
    if not is_isotonic(model):
        return model.predict_proba(x)[:, 1]
    total = 0
    for part in model.calibrated_classifiers_:
        steps = part.calibrators[0]
        score = np.clip(base_score(part.estimator, x), steps.X_min_, steps.X_max_)
        nearest = np.abs(score[:, None] - steps.X_thresholds_).argmin(axis=1)
        total = total + steps.y_thresholds_[nearest]
    return total / len(model.calibrated_classifiers_)


def split_values(model):
    """Thresholds of a file's trees and of BernoulliNB, by column, and their neighbours in single precision."""
    out = [[] for _ in range(WIDTH)]
    for node in model.graph.node:
        found = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        if node.op_type.startswith("TreeEnsemble"):
            for mode, column, value in zip(found["nodes_modes"], found["nodes_featureids"], found["nodes_values"]):
                if mode != b"LEAF":
                    out[column].append(value)
        elif node.op_type == "Greater":
            for column in out:
                column.append(2)
    return [[near for value in map(np.float32, column)
             for near in (value, np.nextafter(value, np.float32(99)), np.nextafter(value, np.float32(-99)))]
            for column in out]


def rows_on_steps(rng, model, count):
    """Rows whose uncalibrated score is halfway between two thresholds, and the next ones on either side."""
    out = []
    while len(out) < count:
        part = model.calibrated_classifiers_[rng.integers(len(model.calibrated_classifiers_))]
        steps = part.calibrators[0]
        at = rng.integers(len(steps.X_thresholds_) - 1)
        middle = (steps.X_thresholds_[at] + steps.X_thresholds_[at + 1]) / 2
        ends = data(rng, 2)[0]
        scores = base_score(part.estimator, ends.astype(float))
        if not scores.min() < middle < scores.max():
            continue
        low, high = ends[scores.argmin()], ends[scores.argmax()]
        for _ in range(60):
            between = ((low + high) / 2).astype(np.float32)
            if (between == low).all() or (between == high).all():
                break
            below = base_score(part.estimator, between[None].astype(float))[0] < middle
            low, high = (between, high) if below else (low, between)
        out += [low, high]
    return np.array(out[:count], np.float32)


def rows_for(rng, model, converted):
    x = data(rng, RANDOM_ROWS + SPECIAL_ROWS)[0]
    for column, values in enumerate(split_values(converted)):
        if values:
            taken = rng.random(len(x)) < 0.5
            taken[:RANDOM_ROWS] = False
            x[taken, column] = rng.choice(values, taken.sum())
    if is_isotonic(model):
        x[-20:] = rows_on_steps(rng, model, 20)
    return x


def runtime_scores(session, x, element):
    return session.run(None, {session.get_inputs()[0].name: x.astype(element)})[1][:, 1].astype(float)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check-rows", type=int, default=20_000)
    options = parser.parse_args()
    cases = []
    for name, (model, element) in [*models().items(), *not_kept().items()]:
        rng = np.random.default_rng(18)
        x, y = data(rng, 120)
        model.fit(x.astype(np.float64), y)
        converted = skl2onnx.to_onnx(model, x[:1].astype(element), options={"zipmap": False}, target_opset=17)
        converted.ClearField("metadata_props")
        path = HERE / "onnx" / f"sk_{name}.onnx"
        content = converted.SerializeToString()
        session = onnxruntime.InferenceSession(content)
        rows = rows_for(rng, model, converted)
        many = data(rng, options.check_rows)[0]
        runtime, library = runtime_scores(session, many, element), library_scores(model, many)
        own = model.predict_proba(many.astype(np.float64))[:, 1]
        print(f"{path.name:40} {len(content):6} bytes; of {len(many)} rows "
              f"{((runtime > 0.5) != (library > 0.5)).sum()} have another answer than the library, "
              f"{((runtime > 0.5) != (own > 0.5)).sum()} than predict_proba; scores of predict_proba are within "
              f"{np.abs(runtime - own).max():.1e}")
        if name in not_kept():
            continue
        path.write_bytes(content)
        cases.append({"file": path.name, "rows": rows.astype(float).tolist(),
                      "runtime": runtime_scores(session, rows, element).tolist(),
                      "library": library_scores(model, rows).tolist()})
    versions = {name: importlib.metadata.version(name) for name in ["onnx", "onnxruntime", "scikit-learn", "skl2onnx"]}
    text = json.dumps({"versions": versions, "cases": cases}, separators=(",", ":"))
    (HERE / "onnx_sklearn.json").write_text(text.replace('{"file"', '\n{"file"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
