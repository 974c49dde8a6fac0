# SPDX-License-Identifier: Apache-2.0
"""Boosters with their own files, boosters behind pipelines, and torch modules."""

import json

import numpy as np
import pandas as pd
import pytest
from _translate import Column, NotTranslatable, translate
from onnx_evaluator import Model
from people import CITIES, HOUSING, asked, columns, people
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

NUMBERS = ["age", "income"]


def typed(frame):
    """Categories in an order that is not the alphabet's."""
    return frame.assign(
        city=pd.Categorical(frame.city, CITIES[::-1]),
        housing=pd.Categorical(frame.housing, HOUSING[::-1]),
        member=frame.member.astype(float),
    )


def described():
    return [
        Column("age"),
        Column("income"),
        Column("city", "category", values=CITIES[::-1]),
        Column("housing", "category", values=HOUSING[::-1]),
        Column("member"),
    ]


def prepared():
    return ColumnTransformer(
        [("n", StandardScaler(), NUMBERS), ("t", OneHotEncoder(), ["city", "housing"])],
        remainder="passthrough",
    )


@pytest.fixture(scope="module")
def data():
    frame, target = people()
    return frame, target, asked(frame)


def test_xgboost_is_saved_whole_with_the_rounds_that_it_uses(data):
    xgboost = pytest.importorskip("xgboost")
    frame, target, rows = data
    model = xgboost.XGBClassifier(
        n_estimators=60,
        learning_rate=0.8,
        enable_categorical=True,
        tree_method="hist",
        early_stopping_rounds=2,
    )
    held = (typed(frame[180:]), target[180:])
    model.fit(typed(frame[:180]), target[:180], eval_set=[held], verbose=False)
    translation = translate(model, described())
    assert translation.format == "xgboost" and translation.classes == [0, 1]
    rounds = translation.choices["rounds"]
    assert rounds == model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    saved = xgboost.Booster(model_file=bytearray(translation.data))
    assert saved.num_boosted_rounds() == model.get_booster().num_boosted_rounds()
    matrix = xgboost.DMatrix(typed(rows), enable_categorical=True)
    found = saved.predict(matrix, iteration_range=(0, rounds))
    np.testing.assert_array_equal(found, model.predict_proba(typed(rows))[:, 1])
    own = json.loads(bytes(saved.save_raw("json")))["learner"]["gradient_booster"]["model"]
    has_categories = bool(own.get("cats", {}).get("enc"))
    expected = {} if has_categories else {"city": CITIES[::-1], "housing": HOUSING[::-1]}
    assert translation.choices.get("category_order", {}) == expected


def test_plain_boosters_use_all_rounds(data):
    xgboost = pytest.importorskip("xgboost")
    frame, target, _ = data
    matrix = xgboost.DMatrix(frame[NUMBERS], target)
    booster = xgboost.train(
        {"objective": "binary:logistic"},
        matrix,
        12,
        evals=[(matrix, "t")],
        early_stopping_rounds=30,
        verbose_eval=False,
    )
    booster.set_attr(best_iteration="3")
    assert translate(booster, columns(frame[NUMBERS])).choices == {"rounds": 12}


def test_what_xgboost_is_refused_for(data):
    xgboost = pytest.importorskip("xgboost")
    frame, target, _ = data
    fitted = xgboost.XGBClassifier(n_estimators=2).fit(frame[NUMBERS], target)
    with pytest.raises(NotTranslatable, match="columns that the data do not have: income"):
        translate(fitted, [Column("age")])
    with pytest.raises(NotTranslatable, match="fit it first"):
        translate(xgboost.XGBClassifier(), [Column("age")])
    with pytest.raises(NotTranslatable, match="predicts numbers"):
        translate(xgboost.XGBRegressor(), [Column("age")])
    three = xgboost.XGBClassifier(n_estimators=2).fit(frame[NUMBERS], np.arange(len(frame)) % 3)
    with pytest.raises(NotTranslatable, match="3 classes"):
        translate(three, columns(frame[NUMBERS]))
    odd = xgboost.XGBClassifier(n_estimators=2, missing=-1.0).fit(frame[NUMBERS], target)
    with pytest.raises(NotTranslatable, match=r"takes -1.0 for a missing value"):
        translate(odd, columns(frame[NUMBERS]))


def test_xgboost_behind_a_pipeline(data):
    xgboost = pytest.importorskip("xgboost")
    frame, target, rows = data
    last = xgboost.XGBClassifier(n_estimators=15, max_depth=4)
    model = make_pipeline(prepared(), last).fit(frame, target)
    found = Model(translate(model, columns(frame)).data).run(rows)
    np.testing.assert_allclose(found, model.predict_proba(rows)[:, 1], atol=1e-6)


def test_lightgbm_has_the_rounds_that_it_uses(data):
    lightgbm = pytest.importorskip("lightgbm")
    frame, target, rows = data
    model = lightgbm.LGBMClassifier(n_estimators=60, learning_rate=0.8, verbose=-1)
    model.fit(
        typed(frame[:180]),
        target[:180],
        eval_set=[(typed(frame[180:]), target[180:])],
        callbacks=[lightgbm.early_stopping(2, verbose=False)],
    )
    translation = translate(model, described())
    assert translation.format == "lightgbm" and translation.choices == {}
    saved = lightgbm.Booster(model_str=translation.data.decode())
    assert saved.num_trees() == model.best_iteration_ < 60
    np.testing.assert_array_equal(
        saved.predict(typed(rows)), model.predict_proba(typed(rows))[:, 1]
    )
    assert saved.pandas_categorical == [CITIES[::-1], HOUSING[::-1]]


def test_lightgbm_behind_a_pipeline(data):
    lightgbm = pytest.importorskip("lightgbm")
    frame, target, rows = data
    last = lightgbm.LGBMClassifier(n_estimators=15, verbose=-1)
    model = make_pipeline(prepared(), last).fit(frame, target)
    found = Model(translate(model, columns(frame)).data).run(rows)
    np.testing.assert_allclose(found, model.predict_proba(rows)[:, 1], rtol=0, atol=1e-14)


def test_catboost_is_saved_as_json(data):
    catboost = pytest.importorskip("catboost")
    frame, target, _ = data
    shared = {"iterations": 10, "verbose": 0, "allow_writing_files": False}
    texts = ["city", "housing"]
    plain = frame.drop(columns="member")
    model = catboost.CatBoostClassifier(one_hot_max_size=255, **shared)
    model.fit(plain, target, cat_features=texts)
    translation = translate(model, columns(plain))
    assert translation.format == "catboost" and len(json.loads(translation.data)) > 2
    model = catboost.CatBoostClassifier(one_hot_max_size=2, **shared)
    model.fit(plain, target, cat_features=texts)
    with pytest.raises(NotTranslatable, match="one_hot_max_size=255"):
        translate(model, columns(plain))


def test_torch_modules_are_exported_in_memory():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    named = [Column(name) for name in ("a", "b", "c")]
    layers = [torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1)]
    try:
        logits = translate(torch.nn.Sequential(*layers), named)
    except NotTranslatable as error:  # newer exporters need the package onnx
        pytest.skip(error.reason)
    assert logits.format == "onnx" and logits.choices == {"score": "logit"}
    shares = translate(torch.nn.Sequential(*layers, torch.nn.Sigmoid()).train(), named)
    assert shares.choices == {"score": "probability"}
    two = translate(torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Softmax(1)), named)
    assert two.choices == {"score": "probability"}
    with pytest.raises(NotTranslatable, match="does not take rows of 2 numbers"):
        translate(torch.nn.Linear(3, 1), named[:2])
    with pytest.raises(NotTranslatable, match="gives 5 numbers for a row"):
        translate(torch.nn.Linear(3, 5), named)
    with pytest.raises(NotTranslatable, match="these columns are none: t"):
        translate(torch.nn.Linear(1, 1), [Column("t", "category", values=["x"])])
