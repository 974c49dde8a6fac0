# SPDX-License-Identifier: Apache-2.0
"""A query budget is a limit on the rows that a function is called with."""

import numpy as np
import pandas as pd
import pytest

import croco


class Counted:
    def __init__(self):
        self.rows = 0

    def __call__(self, frame):
        self.rows += len(frame)
        return 1 / (1 + np.exp(6 - frame["x"] - frame["y"]))


@pytest.fixture(scope="module")
def table():
    values = np.random.default_rng(4).uniform(0, 6, size=(400, 2))
    return pd.DataFrame(values, columns=["x", "y"])


def test_no_person_takes_more(table):
    counted = Counted()
    explainer = croco.Explainer(
        counted, table, noise={"x": 0.2, "y": 0.2}, target_rate=0.1, query_budget=1000,
        shared_queries=2000,
    )  # fmt: skip
    people = table[counted(table) < 0.5].head(3)
    before = counted.rows
    result = explainer.explain(people)
    assert result.metrics()["coverage"] == 1
    assert counted.rows - before <= 3 * 1000
    for answer in result:
        assert answer.certificate.upper <= 0.1


def test_a_family_of_all_shares_the_surrogate(table):
    counted = Counted()
    explainer = croco.Explainer(
        counted, table, noise={"x": 0.2, "y": 0.2}, target_rate=0.1, family="all",
        query_budget=1000, shared_queries=2000,
    )  # fmt: skip
    before = counted.rows
    explainer.explain(table[table["x"] + table["y"] < 5].head(2))
    assert counted.rows - before <= 2 * 1000


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"query_budget": 50}, "need at least"),
        ({"query_budget": 0}, "query_budget is 0; it must be a whole number from 1"),
        ({"shared_queries": 2000}, "shared_queries is for query_budget, which is not given"),
        (
            {"query_budget": 1000, "shared_queries": 10},
            "shared_queries is 10; it must be a whole number from 1000",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, text, table):
    with pytest.raises(croco.InvalidArgument, match=text):
        croco.Explainer(Counted(), table, noise={"x": 0.2}, target_rate=0.1, **arguments)
