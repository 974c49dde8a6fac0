#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every golden model on many random rows: croco's scores against those of the libraries.

Usage: check_models.py [--build build/release] [--rows 10000]

Trees: the margins of XGBoost and LightGBM themselves, on rows with missing values, have to be the same to the
last bit. CatBoost, the same, on rows with every border and its neighbours too; with another scale than 1 the
bias is rounded otherwise, within 1e-14. ONNX files that take numbers: within 1e-5 of onnxruntime in probability (make_onnx_models.py
compares onnxruntime with PyTorch and scikit-learn when it makes them). ONNX pipelines on German Credit's
columns: the same, on records whose features are drawn one by one, through `croco certify`. `--only catboost` needs
catboost and pandas alone, the others xgboost, lightgbm, onnxruntime and pandas.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))


def croco_logits(options, path, table, *rounds):
    done = subprocess.run([options.build / "tests" / "croco_score_rows", path, str(table.shape[1]), *rounds],
                          input=np.ascontiguousarray(table, "<f8").tobytes(), capture_output=True, check=True)
    return np.frombuffer(done.stdout, "<f8")


def tree_margins(path, frame):
    """The library's own, as make_tree_models.py takes them."""
    import lightgbm as lgb
    import xgboost as xgb
    if path.suffix != ".txt":
        booster = xgb.Booster(model_file=path)
        return booster.predict(xgb.DMatrix(frame, enable_categorical=True), output_margin=True).astype(float)
    booster = lgb.Booster(model_file=path)
    text = path.read_text(encoding="utf-8")
    trees = booster.num_trees() if "average_output" in text else 1
    sigmoid = next((float(word.split(":")[1]) for line in text.splitlines() if line.startswith("objective=")
                    for word in line.split() if word.startswith("sigmoid:")), 1.0)
    return sigmoid * (booster.predict(frame, raw_score=True) / trees)


def check_trees(options):
    from make_tree_models import people
    rng = np.random.default_rng(11)
    for model in json.loads((HERE / "trees.json").read_text(encoding="utf-8"))["models"]:
        frame, _ = people(rng, options.rows, 0.1)
        if "purpose" not in model["columns"]:
            frame = frame.drop(columns="purpose")
        for name in model["files"]:
            path = HERE / "trees" / name
            own = frame.rename(columns={"own home": "own_home"}) if path.suffix != ".txt" else frame
            expected = tree_margins(path, own)
            codes = own.copy()
            if "purpose" in codes:
                codes["purpose"] = codes["purpose"].cat.codes.astype(float).replace(-1, np.nan)
            found = croco_logits(options, path, codes.to_numpy(float))
            yield name, np.abs(found - expected).max(), 0.0


def check_catboost(options):
    """Random rows, and rows with every border, its neighbours and blanks; decisions at .5 as well."""
    import catboost as cb
    import make_catboost_models as made
    rng = np.random.default_rng(15)
    golden = json.loads((HERE / "catboost.json").read_text(encoding="utf-8"))["models"]
    known = {one["text"]: one["hash"] for one in
             json.loads((HERE / "city_hash.json").read_text(encoding="utf-8"))["hashes"]}
    for case in golden:
        path = HERE / "trees" / case["file"]
        document = json.loads(path.read_text(encoding="utf-8"))
        columns = case["columns"] or list(made.people(rng, 1, 0)[0].columns[:5])
        frame = made.people(rng, options.rows, 0.1)[0][columns]
        frame = pd.concat([frame, made.border_rows(rng, frame, document)], ignore_index=True)
        model = cb.CatBoostClassifier().load_model(str(path), format="json")
        raw = model.predict(frame if case["columns"] else frame.to_numpy(), prediction_type="RawFormulaVal")
        codes = frame.copy()
        for feature in document["features_info"].get("categorical_features", []):
            values = [value % 2**32 for value in feature.get("values", [])]
            texts = codes[feature["feature_id"]].astype(str)
            place = {text: float(values.index(known[text]) if known[text] in values else len(values))
                     for text in texts.unique()}
            codes[feature["feature_id"]] = texts.map(place)
        found = croco_logits(options, path, codes.to_numpy(float))
        if ((found > 0) != (raw > 0)).any():
            yield f"{case['file']}, decisions", float(((found > 0) != (raw > 0)).sum()), 0.0
        # CatBoost reads the numbers of its own JSON up to their last bit.
        yield f"{case['file']}, {len(frame) - options.rows} on borders", np.abs(found - raw).max(), 1e-14


def check_rounds(options):
    """The files of make_tree_rounds.py, with every choice of rounds; of LightGBM, check_trees has the files."""
    import xgboost as xgb
    from make_tree_models import people
    rng = np.random.default_rng(14)
    for case in json.loads((HERE / "tree_rounds.json").read_text(encoding="utf-8"))["cases"]:
        if case["file"].endswith(".txt"):
            continue
        path = HERE / "trees" / case["file"]
        frame, _ = people(rng, options.rows, 0.1)
        frame = frame.rename(columns={"own home": "own_home"})
        booster = xgb.Booster(model_file=path)
        whole = booster.num_boosted_rounds()
        used = {"all": whole, "best": int(booster.attr("best_iteration") or whole - 1) + 1}.get(case["rounds"])
        expected = booster.predict(xgb.DMatrix(frame, enable_categorical=True), output_margin=True,
                                   iteration_range=(0, used or int(case["rounds"]))).astype(float)
        codes = frame.copy()
        codes["purpose"] = codes["purpose"].cat.codes.astype(float).replace(-1, np.nan)
        found = croco_logits(options, path, codes.to_numpy(float), case["rounds"])
        yield f"{case['file']}, {case['rounds']}", np.abs(found - expected).max(), 0.0


def probability(logits):
    return np.exp(-np.logaddexp(0, -logits))


def runtime_scores(path, feed):
    """Class 1's, whatever the shape of the last output."""
    import onnxruntime
    session = onnxruntime.InferenceSession(path)
    out = session.run(None, feed(session.get_inputs()))[-1]
    if isinstance(out, list):
        return np.array([[row[max(row)]] for row in out], float)
    return np.asarray(out, float).reshape(len(out), -1)


def check_matrices(options):
    golden = json.loads((HERE / "onnx_models.json").read_text(encoding="utf-8"))
    rng = np.random.default_rng(12)
    for case in golden["cases"]:
        if "data" in case:
            continue
        path = HERE / "onnx" / case["file"]
        like = np.array(case.get("rows", golden["rows"]), float)
        picked = like[rng.integers(0, len(like), options.rows)]
        table = (picked * rng.uniform(0.5, 1.5, picked.shape)).astype(np.float32)
        raw = runtime_scores(path, lambda inputs: {inputs[0].name: table})
        found = probability(croco_logits(options, path, table.astype(float)))
        # The file says how its output is meant; one of these ways it is.
        ways = [raw[:, -1], probability(raw[:, -1])]
        if raw.shape[1] == 2:
            ways.append(probability(raw[:, 1] - raw[:, 0]))
        yield case["file"], min(np.abs(found - way).max() for way in ways), 1e-5


def check_pipelines(options):
    golden = json.loads((HERE / "onnx_models.json").read_text(encoding="utf-8"))
    people_table = pd.read_csv(ROOT / "data" / "german_credit.csv", keep_default_na=False)
    rng = np.random.default_rng(13)
    table = pd.DataFrame({name: people_table[name].to_numpy()[rng.integers(0, len(people_table), options.rows)]
                          for name in people_table.columns})
    for case in golden["cases"]:
        if "data" not in case:
            continue
        path = HERE / "onnx" / case["file"]

        def feed(inputs):
            out = {}
            for one in inputs:
                values = table[one.name].to_numpy()
                kind = object if "string" in one.type else np.float32
                out[one.name] = values.astype(kind).reshape(-1, 1)
            return out

        raw = runtime_scores(path, feed)
        expected = raw[:, -1]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            table.to_csv(folder / "people.csv", index=False)
            table.to_csv(folder / "same.csv", index_label="row")
            # Their labels come from the decision function; scores are compared here.
            decision = ["--decision", "probability"] if "svc" in path.name else []
            subprocess.run([options.build / "apps" / "cli" / "croco", "certify", "--model", path, *decision, "--training", "german",
                            "--data", folder / "people.csv", "--counterfactuals", folder / "same.csv", "--samples", "64",
                            "--noise", "gaussian:sd=0.01", "--noise-on", "continuous", "--output",
                            folder / "out.csv"], check=True, capture_output=True)
            with open(folder / "out.csv", encoding="utf-8") as file:
                found = np.array([float(row["score"]) for row in csv.DictReader(file)])
        yield case["file"], np.abs(found - expected).max(), 1e-5


CHECKS = {"trees": check_trees, "rounds": check_rounds, "catboost": check_catboost, "matrices": check_matrices,
          "pipelines": check_pipelines}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--only", choices=sorted(CHECKS), help="one kind of file alone")
    options = parser.parse_args()
    wrong = []
    for checks in [CHECKS[options.only]] if options.only else CHECKS.values():
        for name, difference, most in checks(options):
            print(f"{name:32} {options.rows} rows   within {difference:.1e}", flush=True)
            if not difference <= most:
                wrong.append(name)
    if wrong:
        sys.exit(f"off by too much: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
