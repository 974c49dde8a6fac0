# SPDX-License-Identifier: Apache-2.0
"""Columns of all kinds on their way through pipelines."""

import numpy as np
import pandas as pd
import pytest
from _translate import Column, NotTranslatable, translate
from onnx_evaluator import Model
from people import CITIES, HOUSING, asked, columns, people
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

NUMBERS, TEXTS = ["age", "income"], ["city", "housing"]
LASTS = [LogisticRegression(max_iter=1000), DecisionTreeClassifier(max_depth=5, random_state=0)]


@pytest.fixture(scope="module")
def data():
    frame, target = people()
    return frame, target, asked(frame)


def agree(model, described, rows, given=None):
    """Whether translation and model say the same about rows, which the model may be given in
    another form.
    """
    found = Model(translate(model, described).data).run(rows)
    expected = model.predict_proba(rows if given is None else given)[:, 1]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("last", LASTS)
def test_truth_values_and_whole_numbers_as_categories(data, last):
    frame, target, rows = data

    def with_numbers(table):
        return table.assign(housing=table.housing.map({"free": 10, "own": 2, "rent": 33}))

    front = ColumnTransformer(
        [("t", OneHotEncoder(), ["city", "housing", "member"])], remainder="passthrough"
    )
    described = columns(frame)
    described[3] = Column("housing", "category", "int64", [2, 10, 33])
    model = make_pipeline(front, last).fit(with_numbers(frame), target)
    agree(model, described, with_numbers(rows))


@pytest.mark.parametrize("last", LASTS)
def test_levels_have_the_texts_of_the_schema(data, last):
    """The file asks for the schema's texts, the model for its values."""
    frame, target, rows = data
    front = ColumnTransformer([("t", OneHotEncoder(), ["city", "member"])])
    described = columns(frame)
    described[2] = Column("city", "category", values=CITIES, levels=[c.upper() for c in CITIES])
    described[4] = Column("member", "boolean", levels=["no", "yes"])
    model = make_pipeline(front, last).fit(frame, target)
    texts = rows.assign(city=rows.city.str.upper(), member=np.where(rows.member, "yes", "no"))
    agree(model, described, texts, rows)


@pytest.mark.parametrize("last", LASTS)
def test_arrays_have_columns_by_place(data, last):
    frame, target, rows = data
    front = ColumnTransformer(
        [("n", StandardScaler(), [0, 1]), ("t", OrdinalEncoder(), slice(2, 5))]
    )
    model = make_pipeline(front, last).fit(frame.to_numpy(object), target)
    agree(model, columns(frame), rows, rows.to_numpy(object))


@pytest.mark.parametrize("last", LASTS)
def test_data_frames_between_steps_keep_their_names(data, last):
    frame, target, rows = data
    dense = (
        {"sparse_output": False} if hasattr(OneHotEncoder(), "sparse_output") else {"sparse": False}
    )
    first = ColumnTransformer(
        [("n", MinMaxScaler(), NUMBERS), ("t", OneHotEncoder(**dense), TEXTS)],
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    second = ColumnTransformer(
        [("a", StandardScaler(), ["housing_own", "age"])], remainder="passthrough"
    )
    agree(make_pipeline(first, second, last).fit(frame, target), columns(frame), rows)


@pytest.mark.parametrize("last", LASTS)
@pytest.mark.parametrize("drop", ["first", "if_binary"])
def test_dropped_among_infrequent_categories(data, last, drop):
    frame, target, rows = data
    front = ColumnTransformer(
        [("t", OneHotEncoder(drop=drop, min_frequency=60), [*TEXTS, "member"])],
        remainder="passthrough",
    )
    agree(make_pipeline(front, last).fit(frame, target), columns(frame), rows)


@pytest.mark.parametrize("last", LASTS)
def test_categories_of_pandas(data, last):
    frame, target, rows = data

    def typed(table):
        return table.assign(
            city=pd.Categorical(table.city, CITIES), housing=pd.Categorical(table.housing, HOUSING)
        )

    front = ColumnTransformer(
        [("t", OneHotEncoder(), make_column_selector(dtype_include="category"))],
        remainder="drop",
    )
    agree(make_pipeline(front, last).fit(typed(frame), target), columns(frame), rows, typed(rows))


def test_target_encoders(data):
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    if not hasattr(preprocessing, "TargetEncoder"):
        pytest.skip("scikit-learn 1.3 or later")
    frame, target, rows = data
    front = ColumnTransformer([("t", preprocessing.TargetEncoder(random_state=0), TEXTS)])
    agree(make_pipeline(front, LASTS[0]).fit(frame, target), columns(frame), rows)


def test_objects_that_are_not_built_as_expected_are_a_reason(data):
    frame, target, _ = data
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame[NUMBERS], target)
    del model[0].mean_
    with pytest.raises(NotTranslatable, match=r"Pipeline of sklearn .* not built as .*mean_"):
        translate(model, columns(frame[NUMBERS]))


def test_columns_may_have_any_name(data):
    frame, target, rows = data
    names = {"age": "constant:3", "income": "Sub:5", "city": "Gather:7", "housing": "a b=ü"}
    front = ColumnTransformer(
        [("n", StandardScaler(), ["constant:3", "Sub:5"]), ("t", OneHotEncoder(), [2, 3])]
    )
    model = make_pipeline(front, LASTS[0]).fit(frame.rename(columns=names), target)
    described = [
        Column(names.get(one.name, one.name), one.kind, one.dtype, one.values)
        for one in columns(frame)
    ]
    agree(model, described, rows.rename(columns=names))


def test_descriptions_that_cannot_be(data):
    with pytest.raises(ValueError, match="'c' has no values"):
        Column("c", "category")
    with pytest.raises(ValueError, match="'c' has 2 values and 1 levels"):
        Column("c", "category", values=[1, 2], levels=["1"])
    frame, target, _ = data
    model = LASTS[0].fit(frame[NUMBERS].to_numpy(), target)
    with pytest.raises(NotTranslatable, match="2 columns without names, and the data have 5"):
        translate(model, columns(frame))
