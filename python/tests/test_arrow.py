# SPDX-License-Identifier: Apache-2.0
"""Tables of other libraries, through Arrow's C stream interface."""

import datetime

import numpy as np
import pytest
from applicants import score

import croco
from croco._table import read_table


def producers():
    """How each library that is installed makes a table of columns."""
    out = {}
    try:
        import pyarrow

        out["pyarrow"] = pyarrow.table
        out["pyarrow in batches"] = lambda columns: pyarrow.concat_tables(
            [pyarrow.table(columns).slice(0, 2), pyarrow.table(columns).slice(2)]
        )
    except ImportError:
        pass
    try:
        import polars

        out["polars"] = polars.DataFrame
    except ImportError:
        pass
    return out


PRODUCERS = producers()
pytestmark = pytest.mark.skipif(not PRODUCERS, reason="neither pyarrow nor polars is installed")


@pytest.fixture(params=PRODUCERS)
def make(request):
    return PRODUCERS[request.param]


def test_every_kind_of_column(make):
    table = read_table(
        make({
            "whole": [3, -2, 5], "part": [0.5, None, 2.25], "flag": [True, False, True],
            "short": ["a", None, "bc"], "long": ["a text of more than twelve bytes", "ü", ""],
            "gap": [1, None, 3],
        }),
        "X",
    )  # fmt: skip
    columns = dict(zip(table.names, table.columns, strict=True))
    assert columns["whole"].tolist() == [3, -2, 5]
    assert columns["whole"].dtype == np.int64
    assert columns["flag"].tolist() == [True, False, True]
    assert columns["short"].dropna().tolist() == ["a", "bc"]
    assert columns["short"].isna().tolist() == [False, True, False]
    assert columns["long"].tolist() == ["a text of more than twelve bytes", "ü", ""]
    assert columns["part"].isna().tolist() == [False, True, False]
    assert str(columns["gap"].dtype) == "Int64"


def test_the_same_advice_as_from_pandas(make, people, denied):
    plain = {name: people[name].astype(object).tolist() for name in people}
    asked = {name: denied[name].head(3).astype(object).tolist() for name in denied}
    explainer = croco.Explainer(score, make(plain), noise={"income": 100})
    result = explainer.explain(make(asked))
    texts = people.assign(job=people["job"].astype(object))
    expected = croco.Explainer(score, texts, noise={"income": 100}).explain(
        denied.head(3).assign(job=denied["job"].astype(object))
    )
    assert result.status == ["found"] * 3
    assert result.to_json() == expected.to_json()


def test_dictionaries_are_categories():
    pyarrow = pytest.importorskip("pyarrow")
    column = pyarrow.array(["rent", None, "own", "rent"]).dictionary_encode()
    table = read_table(pyarrow.table({"housing": column}), "X")
    assert list(table.columns[0].cat.categories) == ["rent", "own"]
    assert table.columns[0].astype(object).tolist()[2:] == ["own", "rent"]
    assert table.columns[0].isna().tolist() == [False, True, False, False]


def test_slices_begin_where_they_begin():
    pyarrow = pytest.importorskip("pyarrow")
    whole = pyarrow.table(
        {"n": [1, 2, None, 4], "t": ["a", "b", "c", None], "b": [True] * 3 + [None]}
    )
    table = read_table(whole.slice(1, 2), "X")
    assert [table.columns[0].iloc[0], table.columns[1].tolist()] == [2, ["b", "c"]]
    assert table.columns[0].isna().tolist() == [False, True]


def test_dates_and_lists_are_refused(make):
    with pytest.raises(croco.DataError, match=r"column 'born' has dates or times; .*days until"):
        read_table(make({"born": [datetime.date(1990, 1, 1)]}), "X")
    with pytest.raises(croco.DataError, match="column 'tags' is of Arrow's type"):
        read_table(make({"tags": [["a", "b"]]}), "X")
