#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decisions of translated Python models against those of the fitted objects themselves.

Fits classifiers of scikit-learn, XGBoost, LightGBM and CatBoost on German Credit and on Adult, translates them
(python/croco/_translate), and asks the program and the object about the same rows: a third from the data, a third
with noise on the numbers and categories of other people, a third whose numbers lie on midpoints of the data, where
trees split, or are their neighbours in single and double precision. Prints a line for each model: differing
decisions at .5, the largest difference of scores, and how the program evaluates the model
(docs/reference/python-models.md).

Usage: python_models.py --croco build/release/apps/cli/croco [--data german,adult] [--models forest,...]
       [--rows 10000] [--adult adult.csv] [--runtime]
--runtime asks onnxruntime about the same ONNX files too. Needs numpy, pandas and scikit-learn; other libraries are
used when they are there.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python" / "croco"))
from _translate import Column, NotTranslatable, translate  # noqa: E402


def load(name, adult):
    """Features, and the label as 0 and 1."""
    table = pd.read_csv(ROOT / "data" / "german_credit.csv" if name == "german" else adult, keep_default_na=False)
    label = "class" if name == "german" else "income"
    target = (table[label].astype(str) == ("good" if name == "german" else "1")).astype(int)
    frame = table.drop(columns=label)
    return frame.astype({column: float for column in frame.select_dtypes("number")}), target


def columns_of(frame):
    """Values of pandas' categories are in their order."""
    def levels(column):
        return list(column.cat.categories if hasattr(column, "cat") else dict.fromkeys(column.astype(object)))

    return [Column(name, "number", str(frame[name].dtype)) if frame[name].dtype.kind == "f"
            else Column(name, "category", str(frame[name].dtype), levels(frame[name])) for name in frame]


def asked_rows(frame, count, seed=0):
    """From the data, noisy, and on the middle between neighbours."""
    random = np.random.default_rng(seed)
    third = count // 3
    parts = []
    for kind in ("data", "noisy", "between"):
        rows = count - 2 * third if kind == "between" else third
        picked = frame.iloc[random.integers(0, len(frame), rows)].reset_index(drop=True)
        for name in frame if kind != "data" else []:
            values = frame[name].to_numpy()
            if frame[name].dtype.kind != "f":
                if kind == "noisy":
                    picked[name] = frame[name].iloc[random.integers(0, len(frame), rows)].to_numpy()
            elif kind == "noisy":
                picked[name] += random.normal(0, 0.05 * np.ptp(values), rows)
            else:
                known = np.unique(values)
                middle = random.choice((known[1:] + known[:-1]) / 2, rows)
                single = middle.astype(np.float32)
                way = random.integers(0, 7, rows)
                picked[name] = np.select(
                    [way == 0, way == 1, way == 2, way == 3, way == 4],
                    [np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf),
                     np.nextafter(single, np.float32(np.inf)).astype(float),
                     np.nextafter(single, np.float32(-np.inf)).astype(float), middle], picked[name])
        parts.append(picked)
    return pd.concat(parts, ignore_index=True)


def models():
    """Name -> (preparation, classifier). Preparations: encoded (scaled), trees (numbers as they are)."""
    logistic = LogisticRegression(max_iter=2000)
    tree = DecisionTreeClassifier(max_depth=6, random_state=0)
    few = [("l", logistic), ("t", tree), ("n", GaussianNB())]
    forest = RandomForestClassifier(50, max_depth=10, random_state=0)
    ada = {"n_estimators": 40, "random_state": 0}
    return {
        "logistic": ("encoded", logistic),
        "ridge": ("encoded", RidgeClassifier()),
        "linear_svc": ("encoded", LinearSVC(max_iter=5000, random_state=0)),
        "sgd": ("encoded", SGDClassifier(loss="log_loss", random_state=0)),
        "lda": ("encoded", LinearDiscriminantAnalysis()),
        "gaussian_nb": ("encoded", GaussianNB()),
        "mlp": ("encoded", MLPClassifier((16, 8), max_iter=200, random_state=0)),
        "svc": ("encoded", SVC()),
        "svc_probability": ("encoded", SVC(probability=True, random_state=0)),
        "svc_poly": ("encoded", SVC(kernel="poly", degree=2)),
        "tree": ("encoded", DecisionTreeClassifier(random_state=0)),
        "forest": ("encoded", RandomForestClassifier(100, random_state=0)),
        "forest_imputed": ("imputed", RandomForestClassifier(100, random_state=0)),
        "forest_raw": ("trees", RandomForestClassifier(100, min_samples_leaf=3, random_state=0)),
        "extra_trees": ("encoded", ExtraTreesClassifier(100, random_state=0)),
        "gradient_boosting": ("encoded", GradientBoostingClassifier(n_estimators=60, random_state=0)),
        "hist_boosting": ("ordinal", HistGradientBoostingClassifier(random_state=0)),
        "hist_codes": ("ordinal", HistGradientBoostingClassifier(random_state=0)),
        "hist_categories": ("categories", HistGradientBoostingClassifier(
            categorical_features="from_dtype", random_state=0)),
        "ada_boost": ("encoded", AdaBoostClassifier(**ada)),
        "bagging_trees": ("encoded", BaggingClassifier(tree, 30, max_features=0.7, random_state=0)),
        "bagging_logistic": ("encoded", BaggingClassifier(logistic, 5, random_state=0)),
        "voting": ("encoded", VotingClassifier(few, voting="soft", weights=[2, 1, 1])),
        "voting_hard": ("encoded", VotingClassifier(few)),
        "stacking": ("encoded", StackingClassifier([("l", logistic), ("f", forest)], cv=3)),
        "sigmoid_logistic": ("encoded", CalibratedClassifierCV(logistic, cv=3)),
        "sigmoid_forest": ("encoded", CalibratedClassifierCV(forest, cv=3)),
        "isotonic_logistic": ("encoded", CalibratedClassifierCV(logistic, method="isotonic", cv=3)),
        "isotonic_forest": ("encoded", CalibratedClassifierCV(forest, method="isotonic", cv=3)),
        "isotonic_svm": ("encoded", CalibratedClassifierCV(LinearSVC(random_state=0), method="isotonic", cv=3)),
        "select_pca": ("encoded", make_pipeline(SelectKBest(k=12), PCA(5), logistic)),
        "polynomial": ("robust", make_pipeline(PolynomialFeatures(2), logistic)),
        "xgboost": ("categories", "xgboost"),
        "xgboost_early": ("categories", "xgboost_early"),
        "lightgbm": ("categories", "lightgbm"),
        "lightgbm_early": ("categories", "lightgbm_early"),
        "catboost": ("texts", "catboost"),
        "xgboost_pipeline": ("encoded", "xgboost_pipeline"),
        "lightgbm_pipeline": ("trees", "lightgbm_pipeline"),
    }


def prepared(kind, frame):
    """A transformer in front of the classifier; nothing when it takes the columns themselves."""
    numbers = make_column_selector(dtype_include="number")
    texts = make_column_selector(dtype_exclude="number")
    one_hot = OneHotEncoder(handle_unknown="ignore", min_frequency=5)
    if kind == "encoded":
        return ColumnTransformer([("n", StandardScaler(), numbers), ("c", one_hot, texts)])
    if kind == "imputed":
        return ColumnTransformer([("n", make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), numbers),
                                  ("c", make_pipeline(SimpleImputer(strategy="most_frequent"), one_hot), texts)])
    if kind == "robust":
        return ColumnTransformer([("n", make_pipeline(RobustScaler(), MinMaxScaler()), numbers)])
    if kind == "trees":
        return ColumnTransformer([("c", OneHotEncoder(drop="first", handle_unknown="ignore"), texts)],
                                 remainder="passthrough")
    if kind == "ordinal":
        return ColumnTransformer([("c", OrdinalEncoder(), texts)], remainder="passthrough")
    return None


def booster_behind_pipeline(name, kind, frame, target):
    if name.startswith("xgboost"):
        import xgboost
        last = xgboost.XGBClassifier(n_estimators=60, max_depth=5, n_jobs=1)
    else:
        import lightgbm
        last = lightgbm.LGBMClassifier(n_estimators=60, verbose=-1, n_jobs=1)
    return make_pipeline(prepared(kind, frame), last).fit(frame, target)


def library_model(name, frame, target):
    """A booster on categories in an order of their own, with early stopping on a tenth of the rows."""
    early = name.endswith("_early")
    cut = len(frame) * 9 // 10
    if name.startswith("xgboost"):
        import xgboost
        model = xgboost.XGBClassifier(n_estimators=80, max_depth=4, enable_categorical=True, tree_method="hist",
                                      early_stopping_rounds=3 if early else None, learning_rate=0.4, n_jobs=1)
        more = {"eval_set": [(frame[cut:], target[cut:])], "verbose": False} if early else {}
        return model.fit(frame[:cut], target[:cut], **more)
    if name.startswith("lightgbm"):
        import lightgbm
        model = lightgbm.LGBMClassifier(n_estimators=80, verbose=-1, n_jobs=1, learning_rate=0.3)
        more = {"eval_set": [(frame[cut:], target[cut:])],
                "callbacks": [lightgbm.early_stopping(3, verbose=False)]} if early else {}
        return model.fit(frame[:cut], target[:cut], **more)
    import catboost
    texts = [name for name in frame if frame[name].dtype.kind != "f"]
    return catboost.CatBoostClassifier(iterations=60, one_hot_max_size=255, verbose=0, allow_writing_files=False,
                                       thread_count=1).fit(frame, target, cat_features=texts)


def typed(kind, frame):
    """Categories with pandas' type, in the reverse order of the alphabet."""
    if kind != "categories":
        return frame
    return frame.assign(**{name: pd.Categorical(frame[name], sorted(set(frame[name]), reverse=True))
                           for name in frame if frame[name].dtype.kind != "f"})


def own_scores(model, rows, by_label=False):
    """Of class 1; the sigmoid of the decision function where there is no probability, or where that decides."""
    if hasattr(model, "predict_proba") and not by_label:
        return np.asarray(model.predict_proba(rows), float)[:, 1]
    if hasattr(model, "decision_function"):
        return np.exp(-np.logaddexp(0, -model.decision_function(rows)))
    votes = model[-1].transform(model[:-1].transform(rows))  # a hard vote
    return np.exp(-np.logaddexp(0, votes.shape[1] * (1 + 1e-9) - 2 * votes.sum(axis=1)))


def write_schema(path, columns):
    features = [{"name": one.name, "type": "numeric", "movement": "both"} if one.kind == "number" else
                {"name": one.name, "type": "categorical", "movement": "both", "levels": one.level_texts()}
                for one in columns]
    path.write_text(json.dumps({"croco_schema": 1, "features": features}), encoding="utf-8")


def ask_program(program, translation, columns, rows, scores, folder):
    """Differing rows, the largest difference of scores, and how the model is evaluated."""
    (folder / "model").write_bytes(translation.data)
    write_schema(folder / "schema.json", columns)
    rows.to_csv(folder / "rows.csv", index=False)
    pd.DataFrame({"score": scores}).to_csv(folder / "scores.csv", index=False)
    choices = translation.choices
    orders = [f"--category-order={name}=schema" for name in choices.get("category_order", {})]
    common = ["--schema", folder / "schema.json", "--training", folder / "rows.csv", "--scores", folder / "scores.csv",
              *orders, *([f"--rounds={choices['rounds']}"] if "rounds" in choices else [])]

    def run(*command):
        done = subprocess.run([str(word) for word in (program, *command, *common)], capture_output=True, text=True)
        return done.stdout + done.stderr

    said = run("model", "inspect", folder / "model")
    if "Say which it is" in said or "decision" in choices:
        # `model inspect` takes no such option; here the search is stopped at once.
        said = run("explain", "--model", folder / "model", "--data", folder / "rows.csv", "--score", choices["score"],
                   "--decision", choices.get("decision", "probability"), "--run-time-limit", "0.1")
    different = re.search(r"for (\d+) of \d+ rows", said)
    largest = re.search(r"(?:within|largest difference is) ([0-9.e+-]+)", said)
    if largest is None:
        return None, None, said.strip().splitlines()[-1]
    shape = next((line.strip() for line in said.splitlines() if re.match(r"\s*(structure|made of|it is)", line)), "")
    return int(different[1]) if different else 0, float(largest[1]), shape


def ask_runtime(translation, columns, rows):
    import onnxruntime
    session = onnxruntime.InferenceSession(translation.data)
    feed = {}
    for given in session.get_inputs():
        column = rows[given.name].to_numpy()
        feed[given.name] = (column.astype(object) if given.type == "tensor(string)" else
                            column.astype(np.float32 if given.type == "tensor(float)" else float))[:, None]
    raw = session.run(None, feed)[0][:, 0]
    return raw if translation.choices["score"] == "probability" else np.exp(-np.logaddexp(0, -raw))


def fit(kind, classifier, name, frame, target):
    if isinstance(classifier, str) and classifier.endswith("_pipeline"):
        return booster_behind_pipeline(name, kind, frame, target)
    if isinstance(classifier, str):
        return library_model(name, frame, target)
    front = prepared(kind, frame)
    if name == "hist_codes":  # the codes of the encoder, which come first, are categories
        texts = [column for column in frame if frame[column].dtype.kind != "f"]
        classifier.set_params(categorical_features=list(range(len(texts))))
    model = classifier if front is None else make_pipeline(front, classifier)
    small = "svc" in name and len(frame) > 3000
    return model.fit(frame[:3000], target[:3000]) if small else model.fit(frame, target)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--croco")
    parser.add_argument("--data", default="german,adult")
    parser.add_argument("--models")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--adult", default=str(ROOT / "data" / "adult.csv"))
    parser.add_argument("--training", type=int, default=8000, help="rows that models are fitted on at most")
    parser.add_argument("--runtime", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    wanted = options.models.split(",") if options.models else list(models())
    print(f"{'data':7} {'model':18} {'rows':>6} {'differ':>7} {'largest':>9} {'runtime':>9} {'KB':>6} {'s':>5}  how")
    bad = 0
    for data in options.data.split(","):
        frame, target = load(data, options.adult)
        rows = asked_rows(frame, options.rows)
        for name in wanted:
            kind, classifier = models()[name]
            try:
                model = fit(kind, classifier, name, typed(kind, frame)[:options.training], target[:options.training])
                own = typed(kind, pd.concat([frame, rows], ignore_index=True))[len(frame):]
                scores = own_scores(model, own)
            except (ImportError, ValueError, TypeError) as error:
                print(f"{data:7} {name:18} not fitted: {str(error).splitlines()[0][:90]}")
                continue
            columns = columns_of(typed(kind, frame))
            started = time.perf_counter()
            try:
                translation = translate(model, columns)
            except NotTranslatable as error:
                print(f"{data:7} {name:18} {'black box':>14}: {error}")
                continue
            seconds = time.perf_counter() - started
            if translation.choices.get("decision") == "label":
                scores = own_scores(model, own, by_label=True)
            runtime = ""
            if options.runtime and translation.format == "onnx":
                try:
                    theirs = ask_runtime(translation, columns, rows)
                    runtime = f"{((theirs > .5) != (scores > .5)).sum()}/{np.abs(theirs - scores).max():.0e}"
                except Exception as error:
                    runtime = "-"
                    print(str(error).splitlines()[0][:160], file=sys.stderr)
            different, largest, how = None, None, ""
            if options.croco:
                with tempfile.TemporaryDirectory() as folder:
                    different, largest, how = ask_program(options.croco, translation, columns, rows, scores,
                                                          pathlib.Path(folder))
                bad += different != 0
            print(f"{data:7} {name:18} {len(rows):6} {different!s:>7} {largest!s:>9} {runtime:>9} "
                  f"{len(translation.data) / 1024:6.0f} {seconds:5.1f}  {how[:150]}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
