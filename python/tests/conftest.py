# SPDX-License-Identifier: Apache-2.0
"""Data and models that the tests share. Models are small functions: the package is tested here, not
the search."""

import numpy as np
import pytest
from applicants import NOISE, SOURCE, score


@pytest.fixture(scope="session")
def people():
    """300 applicants with numbers, texts, a category and a boolean, and an index of their own."""
    pd = pytest.importorskip("pandas")
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


@pytest.fixture(scope="session")
def credit():
    return score


@pytest.fixture(scope="session")
def denied(people):
    return people[score(people) <= 0.5]


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
    pd = pytest.importorskip("pandas")
    frame = pd.read_csv(SOURCE / "data" / "german_credit.csv")
    return frame.drop(columns=frame.columns[-1])
