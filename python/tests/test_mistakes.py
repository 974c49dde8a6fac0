# SPDX-License-Identifier: Apache-2.0
"""Typical mistakes, and texts that say what to do next."""

import datetime

import numpy as np
import pandas as pd
import pytest
from applicants import score

import croco

sklearn = pytest.importorskip("sklearn")
from sklearn.dummy import DummyRegressor  # noqa: E402
from sklearn.linear_model import LogisticRegression, RidgeClassifier  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.tree import DecisionTreeClassifier  # noqa: E402

EXPLAINER = croco.Explainer
INVALID, DATA, MODEL = croco.InvalidArgument, croco.DataError, croco.ModelError


@pytest.fixture(scope="module")
def numbers(people):
    return people[["income", "debt"]]


def tree(X, y):
    return DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)


def answers(X):
    return np.where(np.asarray(X["income"]) > 3000, 1, 0)


# What the user does wrong with (people, numbers), what is raised, and what its text says.
MISTAKES = {
    "no background": (
        lambda people, numbers: EXPLAINER(tree(numbers, answers(numbers))),
        INVALID, r"background is missing; give rows such as the model was trained on",
    ),
    "background without rows": (
        lambda people, numbers: EXPLAINER(score, people.head(0)),
        DATA, r"background has no rows",
    ),
    "label still in the background": (
        lambda people, numbers: EXPLAINER(
            tree(numbers, answers(numbers)), numbers.assign(loan=answers(numbers))
        ),
        MODEL, r"background has 'loan', on which DecisionTreeClassifier was not fitted. If it is "
               r"the label, say label='loan'",
    ),
    "label still in an array": (
        lambda people, numbers: EXPLAINER(
            tree(numbers.to_numpy(), answers(numbers)),
            np.column_stack([numbers, answers(numbers)]),
        ),
        MODEL, r"background has 3 columns, but .* was fitted on 2; is the label still among them",
    ),
    "background in another order than the model": (
        lambda people, numbers: EXPLAINER(
            tree(numbers, answers(numbers)), numbers[["debt", "income"]]
        ),
        MODEL, r"in another order; .*background\[list\(model.feature_names_in_\)\]",
    ),
    "background without a column of the model": (
        lambda people, numbers: EXPLAINER(tree(numbers, answers(numbers)), numbers[["debt"]]),
        MODEL, r"background lacks 'income', on which DecisionTreeClassifier was fitted",
    ),
    "regressor": (
        lambda people, numbers: EXPLAINER(DummyRegressor().fit(numbers, answers(numbers)), numbers),
        MODEL, r"DummyRegressor is a regressor, .*lambda X: \(model.predict\(X\) > 3000\)",
    ),
    "not fitted": (
        lambda people, numbers: EXPLAINER(LogisticRegression(), numbers),
        MODEL, r"LogisticRegression is not fitted; call model.fit\(X, y\) first",
    ),
    "a class instead of a model": (
        lambda people, numbers: EXPLAINER(LogisticRegression, numbers),
        MODEL, r"the class LogisticRegression itself; make and fit one",
    ),
    "a transformer": (
        lambda people, numbers: EXPLAINER(StandardScaler().fit(numbers), numbers),
        MODEL, r"StandardScaler only transforms data; give the whole pipeline",
    ),
    "no model": (
        lambda people, numbers: EXPLAINER(None, numbers),
        MODEL, r"model is None; give a fitted classifier",
    ),
    "something else as a model": (
        lambda people, numbers: EXPLAINER(17, numbers),
        MODEL, r"model is a int; give a fitted classifier, a function",
    ),
    "no such file": (
        lambda people, numbers: EXPLAINER("model.onnx", numbers),
        MODEL, r"'model.onnx', and there is no such file",
    ),
    "several classes": (
        lambda people, numbers: EXPLAINER(tree(numbers, np.arange(len(numbers)) % 3), numbers),
        MODEL, r"has 3 classes \('0', '1', '2'\).*lambda X: model.predict_proba\(X\)\[:, k\]",
    ),
    "one class": (
        lambda people, numbers: EXPLAINER(tree(numbers, np.ones(len(numbers))), numbers),
        MODEL, r"knows the class 1.0 only",
    ),
    "text classes without want": (
        lambda people, numbers: EXPLAINER(
            tree(numbers, np.where(answers(numbers), "approved", "denied")), numbers
        ),
        INVALID, r"the classes are 'approved' and 'denied'; say which one people want",
    ),
    "a wanted class that is none": (
        lambda people, numbers: EXPLAINER(tree(numbers, answers(numbers)), numbers, want="yes"),
        INVALID, r"want is 'yes'; the classes are 0 and 1",
    ),
    "a threshold for a model without probabilities": (
        lambda people, numbers: EXPLAINER(
            RidgeClassifier().fit(numbers, answers(numbers)), numbers, threshold=0.3
        ),
        INVALID, r"threshold is 0.3, but RidgeClassifier has no predict_proba",
    ),
    "log-odds": (
        lambda people, numbers: EXPLAINER(lambda X: np.asarray(X["income"]) / 100, numbers),
        MODEL, r"the model answered .*from 0 to 1. Of log-odds z that is 1 / \(1 \+ numpy.exp",
    ),
    "texts as answers": (
        lambda people, numbers: EXPLAINER(lambda X: ["yes"] * len(X), numbers),
        MODEL, r"the model answered with \['yes', .*; it must answer with the probability",
    ),
    "one answer for all rows": (
        lambda people, numbers: EXPLAINER(lambda X: np.array([0.5]), numbers),
        MODEL, r"answered with the shape \(1,\) for 256 rows",
    ),
    "probabilities of three classes": (
        lambda people, numbers: EXPLAINER(lambda X: np.full((len(X), 3), 1 / 3), numbers),
        MODEL, r"answered with 3 columns for each row; .*\[:, k\]",
    ),
    "a model with chance in it": (
        lambda people, numbers: EXPLAINER(lambda X: np.random.random(len(X)), numbers),
        MODEL, r"a model must answer by the row alone, and always the same",
    ),
    "dates": (
        lambda people, numbers: EXPLAINER(score, people.assign(born=pd.Timestamp("1990-01-01"))),
        DATA, r"column 'born' has dates; .*such as the days until today",
    ),
    "dates as objects": (
        lambda people, numbers: EXPLAINER(score, people.assign(born=datetime.date(1990, 1, 1))),
        DATA, r"column 'born' has dates",
    ),
    "texts and numbers in one column": (
        lambda people, numbers: EXPLAINER(
            score, people.assign(rooms=[3, "many"] * (len(people) // 2))
        ),
        DATA, r"column 'rooms' mixes texts with other values, such as 3; .*astype\(str\)",
    ),
    "a column without values": (
        lambda people, numbers: EXPLAINER(score, people.assign(fax=None)),
        DATA, r"column 'fax' has no value at all; leave it out",
    ),
    "two columns of one name": (
        lambda people, numbers: EXPLAINER(score, pd.concat([people, people[["debt"]]], axis=1)),
        DATA, r"several columns of the name 'debt'; rename them",
    ),
    "columns of several levels": (
        lambda people, numbers: EXPLAINER(score, pd.concat({"a": people}, axis=1)),
        DATA, r"columns of several levels; join them first",
    ),
    "a path instead of data": (
        lambda people, numbers: EXPLAINER(score, "people.csv"),
        DATA, r"background is the text 'people.csv'; .*pandas.read_csv",
    ),
    "a sparse matrix": (
        lambda people, numbers: EXPLAINER(
            score, pytest.importorskip("scipy.sparse").csr_matrix(numbers.to_numpy())
        ),
        DATA, r"background is a sparse matrix; .*toarray\(\)",
    ),
    "immutable as a text": (
        lambda people, numbers: EXPLAINER(score, people, immutable="debt"),
        INVALID, r"it must be a list: immutable=\['debt'\]",
    ),
    "immutable misspelt": (
        lambda people, numbers: EXPLAINER(score, people, immutable=["houseing"]),
        INVALID, r"immutable names 'houseing', .*did you mean 'housing'\?",
    ),
    "a direction that is none": (
        lambda people, numbers: EXPLAINER(score, people, directions={"debt": "lower"}),
        INVALID, r"the direction of 'debt' is 'lower'; it must be one of 'both', 'up', 'down'",
    ),
    "immutable and to be moved": (
        lambda people, numbers: EXPLAINER(
            score, people, immutable=["debt"], directions={"debt": "down"}
        ),
        INVALID, r"'debt' is immutable, but directions says 'down'",
    ),
    "a range that is no pair": (
        lambda people, numbers: EXPLAINER(score, people, ranges={"debt": 5}),
        INVALID, r"the range of 'debt' is 5; it must be a pair such as \(0, 5000\)",
    ),
    "a range of a category": (
        lambda people, numbers: EXPLAINER(score, people, ranges={"housing": (0, 1)}),
        INVALID, r"'housing', which is a category; ranges are for numbers",
    ),
    "a range upside down": (
        lambda people, numbers: EXPLAINER(score, people, ranges={"debt": (9, 1)}),
        DATA, r"feature 'debt'.*(minimum|maximum)",
    ),
    "noise of an unknown feature": (
        lambda people, numbers: EXPLAINER(score, people, noise={"incom": 5}),
        INVALID, r"noise names 'incom', .*did you mean 'income'\?",
    ),
    "noise below 0": (
        lambda people, numbers: croco.noise(income=-1),
        INVALID, r"noise of 'income' is -1; a standard deviation is at least 0",
    ),
    "noise as a number for all": (
        lambda people, numbers: EXPLAINER(score, people, noise=0.1),
        INVALID, r"noise is 0.1; say it by feature, croco.noise\(amount=250\)",
    ),
    "a standard deviation of a category": (
        lambda people, numbers: EXPLAINER(score, people, noise={"housing": 2}),
        DATA, r"feature 'housing'.*noise",
    ),
    "a flip beyond 1": (
        lambda people, numbers: croco.flip(2),
        INVALID, r"flip\(2\): a probability is a number from 0 to 1",
    ),
    "a rate in per cent": (
        lambda people, numbers: EXPLAINER(score, people, target_rate=5),
        INVALID, r"target_rate is 5; it must be between 0 and 1; did you mean 0.05\?",
    ),
    "certainty": (
        lambda people, numbers: EXPLAINER(score, people, confidence=1),
        INVALID, r"confidence is 1; it must be between 0 and 1",
    ),
    "a method that is none": (
        lambda people, numbers: EXPLAINER(score, people, method="dice"),
        INVALID, r"method is 'dice'; it must be one of",
    ),
    "no threads": (
        lambda people, numbers: EXPLAINER(score, people, n_jobs=0),
        INVALID, r"n_jobs is 0; it must be -1 for all cores",
    ),
    "no seed": (
        lambda people, numbers: EXPLAINER(score, people, random_state=None),
        INVALID, r"random_state is None; .*so that every result can be made again",
    ),
    "a relation of an unknown feature": (
        lambda people, numbers: EXPLAINER(
            score, people, relations=[{"name": "r", "sum": "rent", "at_most": 5}]
        ),
        DATA, r"relation 'r'.*'rent'",
    ),
    "a schema without a column": (
        lambda people, numbers: EXPLAINER(
            score, people, schema={"features": [{"name": "income", "type": "numeric"}]}
        ),
        DATA, r"schema has no feature 'debt', .*movement 'fixed' keeps it",
    ),
    "no schema file": (
        lambda people, numbers: EXPLAINER(score, people, schema="people.schema.json"),
        croco.IoError, r"schema 'people.schema.json': No such file",
    ),
    "a cost that is none": (
        lambda people, numbers: EXPLAINER(score, people, cost="l2"),
        INVALID, r"cost is 'l2'|'l2'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_text_says_what_to_do(mistake, people, numbers):
    act, error, text = MISTAKES[mistake]
    with pytest.raises(error, match=text):
        act(people, numbers)


# The same for the rows that are asked about.
ROWS = {
    "label": (
        lambda X: X.assign(loan=1), r"X still has the label 'loan'; .*drop\(columns='loan'\)",
    ),
    "column missing": (
        lambda X: X.rename(columns={"income": "Income"}),
        r"X lacks the column 'income'; did you mean 'Income'\?",
    ),
    "further column": (
        lambda X: X.assign(note="x"),
        r"X has the column 'note' that the background data do not have; leave them out",
    ),
    "one dimension": (
        lambda X: np.arange(3.0), r"X has 1 dimensions; .*x.reshape\(1, -1\)",
    ),
    "too few columns": (
        lambda X: np.ones((2, 3)), r"X has 3 columns; the background data have 5",
    ),
    "nothing": (lambda X: None, r"X is None; give a DataFrame"),
}  # fmt: skip


@pytest.fixture(scope="module")
def labelled(people):
    return croco.Explainer(score, people.assign(loan=1), label="loan", noise={"income": 50})


@pytest.mark.parametrize("mistake", ROWS)
def test_rows_that_do_not_fit(mistake, labelled, people):
    change, text = ROWS[mistake]
    with pytest.raises(DATA, match=text):
        labelled.explain(change(people.head(2)))


def test_missing_values_and_unknown_levels_are_row_errors(labelled, denied):
    rows = denied.head(3).copy()
    rows.iloc[0, rows.columns.get_loc("debt")] = np.nan
    rows.iloc[1, rows.columns.get_loc("housing")] = "Own"
    rows.iloc[2, rows.columns.get_loc("debt")] = np.inf
    result = labelled.explain(rows)
    assert result.status == ["error"] * 3
    assert "'debt'" in result[0].reason and "say missing='impute'" in result[0].reason
    assert "'Own'" in result[1].reason and "own" in result[1].reason
    assert "'debt'" in result[2].reason
    assert len(result.to_frame()) == 0


def test_nobody_to_advise(labelled, people):
    accepted = people[score(people) > 0.5].head(3)
    with pytest.warns(UserWarning, match="all 3 rows have the wanted answer 1 already"):
        result = labelled.explain(accepted)
    assert result.status == ["already"] * 3
    assert len(result.to_frame()) == 0
    assert len(result.changes()) == 0


def test_nothing_that_may_change(people, denied):
    explainer = croco.Explainer(
        score, people, immutable=["housing", "job", "telephone", "debt"],
        ranges={"income": (800, 900)}, noise={"income": 10},
    )  # fmt: skip
    result = explainer.explain(denied.head(1))
    assert result.status == ["infeasible"]
    assert result[0].reason
    assert result[0].why
    assert result.confirmed == [None]


def test_errors_are_the_ones_of_python_too():
    assert issubclass(croco.InvalidArgument, ValueError)
    assert issubclass(croco.IoError, OSError)
    for error in (croco.InvalidArgument, croco.DataError, croco.ModelError, croco.IoError):
        assert issubclass(error, croco.CrocoError)
