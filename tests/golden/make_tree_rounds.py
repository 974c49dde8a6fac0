#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Boosters that stopped early, forests in rounds and slices, and what their libraries answer.

Writes trees/xgb_early*.json, trees/xgb_sliced.json and tree_rounds.json beside this script. Needs what
make_tree_models.py needs, and scikit-learn. Each case names a file, the rounds that are asked for and the
margins that the library gives with them: "best" is what XGBoost's scikit-learn interface does without being
asked, "all" what Booster.predict does, a number what `iteration_range` and `num_iteration` give.
"""
import json
import pathlib
import sys

import lightgbm as lgb
import numpy as np
import xgboost as xgb

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from make_tree_models import encode, people  # noqa: E402


def main():
    out = {"versions": {"xgboost": xgb.__version__, "lightgbm": lgb.__version__}, "cases": []}
    rng = np.random.default_rng(5)
    folder = HERE / "trees"

    def add(file, rounds, frame, margins):
        out["cases"].append({"file": file, "rounds": str(rounds), "columns": list(frame.columns),
                             "rows": encode(frame), "margins": [float(m) for m in margins]})

    def early(name, parameters, rounds=40, patience=3):
        frame, label = people(rng, 800, 0)
        frame = frame.rename(columns={"own home": "own_home"})
        label = np.where(rng.random(800) < 0.25, 1 - label, label)
        model = xgb.XGBClassifier(n_estimators=rounds, early_stopping_rounds=patience, max_depth=2,
                                  learning_rate=0.6, enable_categorical=True, max_cat_to_onehot=2,
                                  n_jobs=1, random_state=1, **parameters)
        model.fit(frame[:400], label[:400], eval_set=[(frame[400:], label[400:])], verbose=False)
        booster = model.get_booster()
        assert model.best_iteration + 1 < booster.num_boosted_rounds(), name
        model.save_model(folder / f"{name}.json")
        shown = frame[:30]
        matrix = xgb.DMatrix(shown, enable_categorical=True)
        best = booster.predict(matrix, output_margin=True, iteration_range=(0, model.best_iteration + 1))
        # The scikit-learn interface sums dart's trees in another order.
        assert np.allclose(best, model.predict(shown, output_margin=True), rtol=0, atol=1e-5), name
        add(f"{name}.json", "best", shown, best)
        add(f"{name}.json", model.best_iteration + 1, shown, best)
        add(f"{name}.json", 2, shown, booster.predict(matrix, output_margin=True, iteration_range=(0, 2)))
        add(f"{name}.json", "all", shown, booster.predict(matrix, output_margin=True))
        assert np.allclose(booster.inplace_predict(shown, predict_type="margin"),
                           booster.predict(matrix, output_margin=True), rtol=0, atol=1e-5), name
        return booster, model.best_iteration + 1, shown, matrix

    booster, count, shown, matrix = early("xgb_early", {})
    early("xgb_early_forest", {"num_parallel_tree": 3, "subsample": 0.6})
    early("xgb_early_dart", {"booster": "dart", "rate_drop": 0.4})
    # A slice is the same model, and has lost its categories.
    part = booster[:count]
    part.save_model(folder / "xgb_sliced.json")
    add("xgb_sliced.json", "all", shown, part.predict(matrix, output_margin=True))

    for name in ["lgb_numbers", "lgb_forest", "lgb_categories"]:
        frame, _ = people(rng, 30, 0)
        if name != "lgb_categories":
            frame = frame.drop(columns="purpose")
        loaded = lgb.Booster(model_file=folder / f"{name}.txt")
        for count in [1, 5]:
            raw = loaded.predict(frame, raw_score=True, num_iteration=count)
            margins = raw / count if name == "lgb_forest" else raw
            assert np.allclose(1 / (1 + np.exp(-margins)), loaded.predict(frame, num_iteration=count),
                               rtol=0, atol=1e-12), name
            add(f"{name}.txt", count, frame.rename(columns={"own home": "own_home"}), margins)
    with open(HERE / "tree_rounds.json", "w", encoding="utf-8") as file:
        json.dump(out, file)
        file.write("\n")


if __name__ == "__main__":
    main()
