# SPDX-License-Identifier: Apache-2.0
"""Groups of people: the findings of the command line, from a fitted model and a DataFrame."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

import croco

# Audits answer several questions about everybody.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def audit(explainer, people):
    town = np.where(np.arange(len(people.head(80))) % 2 == 0, "East", "North")
    return explainer.audit(
        people.head(80),
        {"telephone": None, "income": [2000], "town": None},
        columns={"town": town},
        resamples=100,
    )


def test_every_group_is_counted(audit, explainer, people):
    table = audit.table()
    refused = table[(table["section"] == "group") & (table["measure"] == "refused")]
    for _, part in refused.groupby("attribute"):
        assert part["people"].sum() == 80
    status = explainer.explain(people.head(80)).status
    run = table[(table["section"] == "run") & (table["measure"] == "refused")]
    assert run["value"].item() == sum(one != "already" for one in status)


def test_costs_are_those_of_explain(audit, explainer, people):
    lines = audit.people()
    result = explainer.explain(people.head(80))
    for status, cost, line in zip(
        result.status, result.table()["cost"], lines.itertuples(), strict=False
    ):
        assert line.outcome == ("accepted" if status == "already" else "certified")
        if status == "found":
            assert line.cost == pytest.approx(cost)
            assert line.plain_cost <= line.cost


def test_joint_gaps_say_whether_they_show_something(audit):
    gaps = audit.gaps()
    excluded = (gaps["joint_lower"] > 0) | (gaps["joint_upper"] < 0)
    assert (gaps["shown"] == excluded).all()


def test_files_are_what_the_object_holds(audit, tmp_path):
    audit.write(tmp_path / "folder")
    assert (tmp_path / "folder/audit.html").read_text() == audit.html()
    rows = list(csv.DictReader(io.StringIO((tmp_path / "folder/audit.csv").read_text())))
    assert len(rows) == len(audit.rows())
    assert "<script" not in audit.html()
    assert audit._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')


def test_the_same_on_any_number_of_threads(explainer, people):
    texts = [
        explainer.replace(n_jobs=jobs).audit(people.head(40), "telephone", resamples=100).json()
        for jobs in (1, 2)
    ]
    assert texts[0] == texts[1]


def test_mistakes_are_named(explainer, people):
    few = people.head(10)
    with pytest.raises(croco.InvalidArgument, match="groups: 'town' is no feature of the model"):
        explainer.audit(few, ["town"])
    with pytest.raises(croco.DataError, match="columns: 'town' has 1 values, and X has 10 rows"):
        explainer.audit(few, ["town"], columns={"town": ["East"]})
    with pytest.raises(
        croco.InvalidArgument, match="cut points 3, 1; they must be finite and rise"
    ):
        explainer.audit(few, {"income": [3, 1]})
    with pytest.raises(croco.InvalidArgument, match="there is no such group"):
        explainer.audit(few, {"income": [2000]}, reference={"income": "rich"})


def test_infinite_costs_are_infinity(audit):
    values = [row["value"] for row in audit.rows() if row["measure"] == "cost"]
    assert values and not any(pd.isna(value) for value in values)
