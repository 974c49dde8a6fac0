#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small models made by CatBoost itself, and what it answers.

Writes trees/cat_*.json, catboost.json and city_hash.json beside this script. Needs catboost and pandas:
    python3 -m venv venv && venv/bin/pip install catboost pandas
    venv/bin/python tests/golden/make_catboost_models.py
The rows hold missing values, borders and their neighbours in single and in double precision, and zeros of
both signs; "margins" are CatBoost's own raw values. Categories are texts in them, levels that the model has never
met among them. city_hash.json has texts of many lengths and the hashes that CatBoost saves of them.
"""
import json
import pathlib

import catboost as cb
import numpy as np
import pandas as pd

HERE = pathlib.Path(__file__).resolve().parent
LEVELS = ["car", "furniture", "other", "radio", "repairs", "study trip", "a category whose text is rather long",
          "and one whose text is longer than sixty-four bytes, so that it is hashed in blocks"]
COMMON = {"verbose": 0, "thread_count": 1, "allow_writing_files": False, "random_seed": 1, "one_hot_max_size": 255}


def people(rng, count, missing):
    """Five numbers of different kinds and two categories, one of them of whole numbers."""
    frame = pd.DataFrame({
        "amount": np.round(rng.lognormal(8, 1, count), 2),
        "months": rng.integers(4, 72, count).astype(float),
        "share": rng.random(count),
        "balance": np.where(rng.random(count) < 0.3, 0.0, rng.normal(0, 500, count)),
        "own home": rng.integers(0, 2, count).astype(float),
        "purpose": rng.choice(LEVELS, count),
        "branch": rng.integers(1, 6, count),
    })
    for column in ["amount", "share", "balance"]:
        frame.loc[rng.random(count) < missing, column] = np.nan
    score = (np.log(frame["amount"].fillna(3000)) - 8 - 0.03 * frame["months"]
             + 2 * frame["share"].fillna(0.5) + frame["balance"].fillna(0) / 500
             + 0.7 * frame["own home"] + frame["purpose"].isin(["radio", *LEVELS[-2:]]) - (frame["branch"] == 2))
    return frame, (score + rng.normal(0, 0.4, count) > 0.3).astype(int)


def neighbours(border):
    """A border, the numbers next to it in either precision, and those where roundings change."""
    single = np.float32(border)
    out = [float(single)]
    for end in (np.float32(-np.inf), np.float32(np.inf)):
        with np.errstate(over="ignore"):
            other = float(np.nextafter(single, end))
        middle = (out[0] + other) / 2
        out += [other, middle, *(float(np.nextafter(middle, way)) for way in (-np.inf, np.inf)),
                float(np.nextafter(out[0], float(end)))]
    return [number for number in out if np.isfinite(number)]


SMALL = [0.0, -0.0, 2.0**-149, -2.0**-149, 2.0**-150, -2.0**-150, 1e-300, -1e-300, 3.4e38, -3.4e38]


def border_rows(rng, frame, document, count=None):
    """Rows of the data with one number each that lies on a border or beside one; all of them, or some."""
    marks = []
    for feature in document["features_info"]["float_features"]:
        for border in feature["borders"]:
            marks += [(feature["flat_feature_index"], number) for number in neighbours(border)]
        marks += [(feature["flat_feature_index"], number) for number in SMALL]
        marks.append((feature["flat_feature_index"], np.nan))
    if count is not None:
        marks = [marks[i] for i in rng.permutation(len(marks))[:count]]
    rows = frame.iloc[rng.integers(0, len(frame), len(marks))].reset_index(drop=True)
    for i, (column, number) in enumerate(marks):
        rows.iat[i, column] = number
    return rows


def margins(model, rows, **choice):
    return [float(m) for m in model.predict(rows, prediction_type="RawFormulaVal", thread_count=1, **choice)]


def encode(rows):
    out = []
    for row in rows.itertuples(index=False):
        out.append([str(v) if isinstance(v, (str, int, np.integer)) else None if np.isnan(v) else float(v)
                    for v in row])
    return out


def hashes(texts):
    """What CatBoost makes of texts: it writes them beside their hashes when it is given the data."""
    frame = pd.DataFrame({"text": texts, "number": np.arange(len(texts), dtype=float)})
    pool = cb.Pool(frame, np.arange(len(texts)) % 2, cat_features=["text"])
    model = cb.CatBoostClassifier(iterations=1, **COMMON).fit(pool)
    path = HERE / "hashes.tmp"
    model.save_model(str(path), format="json", pool=pool)
    document = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    return {entry["value"]: entry["hash"] for entry in document["features_info"]["cat_features_hash"]}


def main():
    out = {"versions": {"catboost": cb.__version__}, "models": []}
    rng = np.random.default_rng(17)
    folder = HERE / "trees"

    def add(name, parameters, trees, missing=0.1, categories=False, labels=None, names=True, change=None, rounds=(),
            unseen=True, pool=False):
        frame, label = people(rng, 1500, missing)
        if not categories:
            frame = frame.drop(columns=["purpose", "branch"])
        columns = list(frame.columns)
        if not names:
            frame.columns = range(len(columns))
        if labels is not None:
            label = np.array(labels)[label]
        if parameters.get("loss_function") == "CrossEntropy":
            label = np.clip(label + rng.normal(0, 0.2, len(label)), 0, 1)
        model = cb.CatBoostClassifier(iterations=trees, **{**COMMON, **parameters})
        kinds = ["purpose", "branch"] if categories else None
        given = cb.Pool(frame if names else frame.to_numpy(), label, cat_features=kinds)
        tests, truth = people(np.random.default_rng(3), 400, missing)
        evaluation = None
        if rounds:
            flipped = np.where(rng.random(400) < 0.25, 1 - truth, truth)
            evaluation = cb.Pool(tests[columns], flipped, cat_features=kinds)
        model.fit(given, eval_set=evaluation)
        if change:
            change(model)
        path = folder / f"{name}.json"
        model.save_model(str(path), format="json", pool=given if pool else None)
        document = json.loads(path.read_text(encoding="utf-8"))
        # The file is the model: CatBoost answers the same from it, but for its reading of numbers.
        again = cb.CatBoostClassifier().load_model(str(path), format="json")
        rows = pd.concat([frame.iloc[:80], border_rows(rng, frame, document, 160)], ignore_index=True)
        if categories and unseen:
            rows.loc[:5, "purpose"] = "never met"
            rows.loc[3:9, "branch"] = 77
        table = rows if names else rows.to_numpy()
        found = margins(model, table)
        assert np.allclose(found, margins(again, table), rtol=0, atol=1e-13), name
        probability = model.predict(table, prediction_type="Probability")[:, 1]
        assert np.allclose(1 / (1 + np.exp(-np.array(found))), probability, rtol=0, atol=1e-15), name
        entry = {"file": f"{name}.json", "columns": columns if names else [], "rows": encode(rows), "margins": found,
                 "rounds": {str(n): margins(model, table, ntree_end=n) for n in rounds}}
        if rounds:
            best = model.best_iteration_ + 1
            assert best < model.tree_count_, name
            entry["rounds"]["best"] = margins(model, table, ntree_end=best)
            entry["rounds"]["all"] = found
        out["models"].append(entry)

    add("cat_numbers", {"depth": 4}, 14)
    add("cat_categories", {"depth": 4}, 10, categories=True, labels=["bad", "good"])
    add("cat_lossguide", {"grow_policy": "Lossguide", "max_leaves": 9, "depth": 6, "nan_mode": "Max"}, 8,
        categories=True, pool=True)
    add("cat_depthwise", {"grow_policy": "Depthwise", "depth": 4, "boost_from_average": True}, 6, missing=0)
    add("cat_cross_entropy", {"loss_function": "CrossEntropy", "depth": 3, "nan_mode": "Max"}, 6, names=False)
    add("cat_scaled", {"depth": 3}, 6, change=lambda model: model.set_scale_and_bias(0.7, 0.13))
    add("cat_early", {"depth": 3, "learning_rate": 0.9, "use_best_model": False, "boost_from_average": True}, 25,
        rounds=(1, 4))
    frame, label = people(rng, 300, 0)
    model = cb.CatBoostClassifier(iterations=2, **{**COMMON, "depth": 2, "one_hot_max_size": 2})
    model.fit(frame[["purpose", "branch"]], label, cat_features=["purpose", "branch"])
    path = folder / "cat_ctr.json"
    model.save_model(str(path), format="json")
    assert json.loads(path.read_text(encoding="utf-8"))["features_info"]["ctrs"]
    with open(HERE / "catboost.json", "w", encoding="utf-8") as file:
        json.dump(out, file)
        file.write("\n")

    letters = list("abcdefghijklmnopqrstuvwxyz ABC0123456789,.-")
    texts = LEVELS + [str(n) for n in range(12)] + ["never met", "77", "é", "größer als 1.000 €", "漢" * 40]
    for length in [*range(0, 100), 127, 128, 129, 191, 192, 193, 300]:
        texts.append("".join(rng.choice(letters, length)))
    known = hashes(sorted(set(texts)))
    with open(HERE / "city_hash.json", "w", encoding="utf-8") as file:
        json.dump({"versions": {"catboost": cb.__version__},
                   "hashes": [{"text": text, "hash": known[text]} for text in sorted(known)]}, file)
        file.write("\n")


if __name__ == "__main__":
    main()
