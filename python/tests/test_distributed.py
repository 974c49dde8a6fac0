# SPDX-License-Identifier: Apache-2.0
"""Tables in parts get the advice of the whole table, whoever computes them and however often."""

import hashlib
import json
import os
import pathlib
import pickle
import subprocess
import sys
import threading

import applicants
import numpy as np
import pandas as pd
import pytest

import croco
from croco.distributed import PartExplainer, explain_dask, row_number


def digest(table):
    """Of everything in a result, whatever the order of its rows."""
    ordered = table.sort_values(["customer", "alternative"])
    return hashlib.sha256(ordered.to_csv(index=False).encode()).hexdigest()


@pytest.fixture(scope="module")
def of_file(model_path):
    return croco.Explainer(model_path, alternatives=2)


@pytest.fixture(scope="module")
def customers(german):
    """With an id and a column that the model does not take."""
    return german.head(120).assign(customer=[f"C-{i:04}" for i in range(120)], branch="Mitte")


@pytest.fixture(scope="module")
def whole(of_file, customers):
    return PartExplainer(of_file, id="customer")(customers)


def split(table, parts):
    return [table.iloc[places] for places in np.array_split(np.arange(len(table)), parts)]


@pytest.mark.parametrize("parts", [4, 40])
def test_the_result_does_not_depend_on_parts(of_file, customers, whole, parts):
    part = pickle.loads(pickle.dumps(PartExplainer(of_file, id="customer")))
    pieces = [part(piece) for piece in split(customers.sample(frac=1, random_state=1), parts)]
    assert digest(pd.concat(pieces)) == digest(whole)
    assert all(list(piece.dtypes) == list(whole.dtypes) for piece in pieces)


def test_ids_that_are_row_numbers_give_the_rows_of_explain(of_file, german):
    table = german.head(30).assign(customer=range(30))
    lines = PartExplainer(of_file, id="customer")(table.iloc[10:])["json"]
    result = of_file.explain(german.iloc[10:30], rows=range(10, 30))
    assert "\n".join(lines) + "\n" == result.to_json()


def test_columns_say_what_the_answers_say(of_file, customers, whole):
    rows = [row_number(customer) for customer in customers["customer"]]
    result = of_file.explain(customers.drop(columns=["customer", "branch"]), rows=rows)
    first = whole[whole.alternative == 1].reset_index(drop=True)
    assert list(first.status) == result.status
    assert {"found", "already"} <= set(first.status)
    for i, answer in enumerate(result):
        line = first.iloc[i]
        if answer.after is None:
            assert line.filter(like="advised_").isna().all()
            continue
        assert line.upper == answer.certificate.upper and line.cost == answer.cost
        assert line.confirmed and line.target_met
        assert json.loads(line.changes) == {c.feature: c.after for c in answer.changes}
        assert line.advised_duration == answer.after["duration"]
        assert line.advised_purpose == answer.after["purpose"]
    assert (whole.alternative == 2).any()


def test_the_lines_are_a_report_that_verifies(of_file, whole, tmp_path):
    path = tmp_path / "advice.jsonl"
    path.write_text("\n".join(whole["json"]) + "\n")
    verification = croco.verify(path, of_file, seed=3, samples=1000)
    assert len(verification) > 100
    assert verification.holds


def test_rows_that_cannot_be_read_are_no_fault_of_the_part(explainer, denied):
    table = denied.head(3).astype({"job": object}).assign(customer=["a", "b", "c"])
    table.loc[table.index[1], "job"] = "pirate"
    result = PartExplainer(explainer, id="customer")(table)
    assert list(result.customer) == ["a", "b", "c"]
    assert list(result.status) == ["found", "error", "found"]
    assert "pirate" in result.reason.iloc[1]
    assert list(result.confirmed[result.status == "found"]) == [True, True]


def test_the_model_gets_its_own_types(people, denied, monkeypatch):
    """Spark has no categories; the model is asked in the types of the background data."""
    seen = set()

    def model(frame):
        seen.add(str(frame["job"].dtype))
        return applicants.score(frame)

    explainer = croco.Explainer(model, people, noise={"income": 100})
    monkeypatch.setattr(croco.distributed, "_pickled", lambda _: b"stays in this process")
    monkeypatch.setattr(croco.distributed, "_unpickled", lambda _: explainer)
    result = PartExplainer(explainer, id=None)(denied.head(2).astype({"job": object}))
    assert list(result.index) == list(denied.index[:2])
    assert list(result.status) == ["found", "found"]
    assert seen == {"category"}


def two_numbers(values):
    return 1 / (1 + np.exp(10 - values.sum(axis=1)))


def test_a_model_on_arrays_is_asked_arrays():
    X = np.random.default_rng(0).uniform(0, 10, size=(200, 2))
    explainer = croco.Explainer(two_numbers, X)
    table = pd.DataFrame(X[:4] * 0.3, columns=["x0", "x1"]).assign(id=range(4))
    result = PartExplainer(explainer, id="id")(table)
    assert list(result.status) == ["found"] * 4
    assert (result.advised_x0 + result.advised_x1 > 10).all()


def test_no_rows_have_the_same_columns(of_file, customers, whole):
    part = PartExplainer(of_file, id="customer")
    assert list(part(customers.head(0)).dtypes) == list(whole.dtypes)
    assert list(part.empty(customers["customer"]).columns) == list(whole.columns)


def test_certificates_may_be_left_out(of_file, customers):
    part = PartExplainer(of_file, id="customer", certificates=False)
    assert "json" not in part(customers.head(2)).columns


MISTAKES = {
    "family": (
        lambda e, t: PartExplainer(e.replace(family="all"), id="customer"), croco.InvalidArgument,
        r"family is 'all', but a worker knows its own part alone.*replace\(family=",
    ),
    "id like a result": (
        lambda e, t: PartExplainer(e, id="status"), croco.InvalidArgument,
        r"id is 'status', which is a column of the result; rename yours",
    ),
    "no such id": (
        lambda e, t: PartExplainer(e, id="costumer")(t), croco.DataError,
        r"the table lacks the column 'costumer'; did you mean 'customer'\?",
    ),
    "column missing": (
        lambda e, t: PartExplainer(e, id="customer")(t.rename(columns={"duration": "Duration"})),
        croco.DataError, r"the table lacks the column 'duration'; did you mean 'Duration'\?",
    ),
    "id missing": (
        lambda e, t: PartExplainer(e, id="customer")(t.assign(customer=["a", None])),
        croco.DataError, r"the id 'customer' is missing in row 1 of a part; every row needs one",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name, of_file, customers):
    action, kind, text = MISTAKES[name]
    with pytest.raises(kind, match=text):
        action(of_file, customers.head(2))


def test_what_cannot_be_pickled_is_refused(people):
    lock = threading.Lock()

    def locked(frame):
        with lock:
            return applicants.score(frame)

    explainer = croco.Explainer(locked, people, noise={"income": 100})
    with pytest.raises(croco.InvalidArgument, match=r"cannot be sent to workers: .*cloudpickle"):
        PartExplainer(explainer, id=None)


def test_functions_of_a_notebook_travel_with_their_code(people, denied):
    pytest.importorskip("cloudpickle")

    def local(frame):
        return 1 / (1 + np.exp(3 - frame["income"].to_numpy() / 1000))

    explainer = croco.Explainer(local, people[["income", "debt"]])
    part = PartExplainer(explainer, id=None)
    here = part(denied.head(2))
    code = (
        "import pickle, sys; part, table = pickle.load(sys.stdin.buffer); "
        "pickle.dump(part(table), sys.stdout.buffer)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps((part, denied.head(2))),
        capture_output=True, check=True,
        env={**os.environ, "PYTHONPATH": str(pathlib.Path(croco.__file__).parents[1])},
    )  # fmt: skip
    pd.testing.assert_frame_equal(pickle.loads(done.stdout), here)


def test_dask_in_one_process(of_file, customers, whole):
    """Also with Debian's Dask; that of worker processes is in test_engines.py."""
    dask = pytest.importorskip("dask")
    dd = pytest.importorskip("dask.dataframe")
    with dask.config.set(scheduler="synchronous"):
        table = explain_dask(dd.from_pandas(customers, npartitions=7), of_file, id="customer")
        assert list(table.columns) == list(whole.columns)
        assert digest(table.compute()) == digest(whole)
        with pytest.raises(croco.DataError, match="ddf lacks the column 'costumer'"):
            explain_dask(dd.from_pandas(customers, npartitions=1), of_file, id="costumer")
