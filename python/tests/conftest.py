# SPDX-License-Identifier: Apache-2.0
"""Data and models that the tests share. Models are small functions: the package is tested here, not
the search."""

import os
import pathlib

import numpy as np
import pytest

pd = pytest.importorskip("pandas")

SOURCE = pathlib.Path(
    os.environ.get("CROCO_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2])
)


@pytest.fixture(scope="session")
def people():
    """300 applicants with numbers, texts, a category and a boolean, and an index of their own."""
    random = np.random.default_rng(7)
    n = 300
    return pd.DataFrame(
        {
            "income": random.integers(8, 60, n) * 100,
            "debt": np.round(random.uniform(0, 20, n), 1),
            "housing": random.choice(["own", "rent"], n),
            "job": pd.Categorical(
                random.choice(["clerk", "nurse", "smith"], n),
                categories=["smith", "nurse", "clerk"],
            ),
            "telephone": random.random(n) < 0.5,
        },
        index=[f"p{i}" for i in range(n)],
    )


def score(frame):
    """The probability of a loan; quick, and a function of every column."""
    z = (
        np.asarray(frame["income"], dtype=float) / 1000
        - np.asarray(frame["debt"], dtype=float) / 8
        + 0.6 * (np.asarray(frame["housing"]) == "own")
        + 0.4 * (np.asarray(frame["job"].astype(object)) == "nurse")
        + 0.3 * np.asarray(frame["telephone"], dtype=float)
        - 3
    )
    return 1 / (1 + np.exp(-2 * z))


@pytest.fixture(scope="session")
def credit():
    return score


@pytest.fixture(scope="session")
def denied(people):
    return people[score(people) <= 0.5]


NOISE = {"income": 100, "debt": 0.5}


@pytest.fixture(scope="session")
def explainer(people):
    """Of the function, as a black box; quick to search."""
    import croco

    return croco.Explainer(score, people, noise=NOISE, random_state=3)


@pytest.fixture(scope="session")
def result(explainer, denied):
    return explainer.explain(denied.head(4))


@pytest.fixture(scope="session")
def fitted(people):
    """A scikit-learn classifier on the numbers, with text classes."""
    linear = pytest.importorskip("sklearn.linear_model")
    answers = np.where(score(people) > 0.5, "approved", "denied")
    return linear.LogisticRegression(max_iter=1000).fit(people[["income", "debt"]], answers)


@pytest.fixture(scope="session")
def model_path(tmp_path_factory):
    """A model file of croco's own, trained by the program."""
    import subprocess

    from croco import _cli

    path = tmp_path_factory.mktemp("model") / "german.json"
    subprocess.run(
        [_cli.PROGRAM, "train", "--data", "german", "--kind", "logistic", "--epochs", "20",
         "--output", path],
        check=True, capture_output=True,
    )  # fmt: skip
    return path


@pytest.fixture(scope="session")
def german():
    frame = pd.read_csv(SOURCE / "data" / "german_credit.csv")
    return frame.drop(columns=frame.columns[-1])
