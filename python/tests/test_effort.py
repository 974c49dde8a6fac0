# SPDX-License-Identifier: Apache-2.0
"""How many rows a black box is asked about, and what bounds them."""

import json

import numpy as np
import pandas as pd
import pytest

import croco

COLUMNS = 12
HELD = [f"x{j}" for j in range(2, COLUMNS)]


class Counted:
    """Accepts a row whose sum is large; counts what it is asked."""

    def __init__(self):
        self.rows = 0

    def __call__(self, frame):
        self.rows += len(frame)
        return 1 / (1 + np.exp(8 * COLUMNS - frame.to_numpy().sum(axis=1)))


@pytest.fixture(scope="module")
def table():
    values = np.random.default_rng(2).uniform(0, 10, size=(300, COLUMNS))
    return pd.DataFrame(values, columns=[f"x{j}" for j in range(COLUMNS)])


@pytest.fixture(scope="module")
def counted():
    return Counted()


@pytest.fixture(scope="module")
def hopeless(counted, table):
    """An explainer that may change 2 of 12 numbers, which is far too little; 10 limits bind."""
    return croco.Explainer(counted, table, immutable=HELD, noise={"x0": 0.2, "x1": 0.2})


def asked(counted, explainer, rows, **effort):
    before = counted.rows
    result = explainer.explain(rows, progress=False, **effort)
    return counted.rows - before, result


def test_reasons_of_a_black_box_are_bounded_and_say_so(counted, hopeless, table):
    alone, without = asked(counted, hopeless, table.head(1), reasons=False)
    rows, result = asked(counted, hopeless, table.head(1))
    assert without.status == result.status == ["infeasible"]
    assert without[0].why == ()
    assert rows - alone < 2_000_000
    assert "ended early" in result[0].why[-1] and "takes long to ask" in result[0].why[-1]
    assert json.loads(result.to_json())["obstacle"]["cut_short"] is True


def test_all_limits_are_lifted_where_they_are_few():
    values = np.random.default_rng(3).uniform(0, 10, size=(300, 3))
    table = pd.DataFrame(values, columns=["x0", "x1", "x2"])
    explainer = croco.Explainer(
        lambda frame: 1 / (1 + np.exp(25 - frame.to_numpy().sum(axis=1))), table,
        immutable=["x1", "x2"], noise={"x0": 0.2},
    )  # fmt: skip
    answer = explainer.explain(pd.DataFrame({"x0": [1.0], "x1": [8.0], "x2": [6.0]}))[0]
    assert answer.status == "infeasible"
    assert "if x1 could change" in " ".join(answer.why)
    assert "ended early" not in " ".join(answer.why)


def test_fewer_rows_are_asked_about_when_few_are_allowed(counted, hopeless, table):
    usual, _ = asked(counted, hopeless, table.head(1), reasons=False)
    few, _ = asked(counted, hopeless, table.head(1), reasons=False, search_rows=2_000)
    assert few < usual


def test_the_manifest_says_what_was_asked_for(hopeless, table, tmp_path):
    path = tmp_path / "advice.jsonl"
    hopeless.explain(table.head(1), reasons=False, search_rows=2_000).to_json(path)
    manifest = (tmp_path / "advice.jsonl.manifest.json").read_text()
    assert '"reasons"' in manifest and '"off"' in manifest and '"search-rows"' in manifest


@pytest.mark.parametrize(
    ("effort", "text"),
    [
        ({"search_rows": 0}, "search_rows is 0; it must be a whole number from 1"),
        ({"search_rows": 1.5}, "search_rows is 1.5; it must be a whole number"),
        ({"reasons": "no"}, "reasons is 'no'; it must be True or False"),
        ({"time_limit": 0}, "time_limit is 0; it must be above 0 seconds"),
    ],
)
def test_what_makes_no_sense_is_refused(effort, text, hopeless, table):
    with pytest.raises(croco.InvalidArgument, match=text):
        hopeless.explain(table.head(1), **effort)


def test_a_time_limit_ends_search_and_reasons(hopeless, table):
    result = hopeless.explain(table.head(1), time_limit=1e-6)
    assert "time limit" in " ".join([result[0].reason, *result[0].why])
