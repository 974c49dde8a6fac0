# SPDX-License-Identifier: Apache-2.0
"""A model and a table in, advice out, in the user's own types."""

import json

import numpy as np
import pandas as pd
import pytest

import croco


def test_every_denied_row_gets_certified_advice(result):
    assert result.status == ["found"] * 4
    for certificate in result.certificates:
        assert certificate.upper <= 0.05
        assert certificate.confidence == 0.999
        assert certificate.samples > 0


def test_the_certified_rate_holds_in_the_users_own_function(result, credit):
    # Noise that croco never drew, on the record that it recommends, in the user's own function.
    random = np.random.default_rng(90210)
    for i, (_, row) in enumerate(result.to_frame().iterrows()):
        copies = pd.DataFrame([row] * 20_000).reset_index(drop=True)
        copies["income"] = copies["income"].astype(float) + random.normal(0, 100, len(copies))
        copies["debt"] = copies["debt"].astype(float) + random.normal(0, 0.5, len(copies))
        copies["telephone"] = copies["telephone"].astype(bool)
        rate = np.mean(credit(copies) <= 0.5)
        assert rate <= result.certificates[i].upper + 0.006


def test_to_frame_keeps_index_columns_and_dtypes(result, denied, credit):
    frame = result.to_frame()
    given = denied.head(4)
    assert list(frame.index) == list(given.index)
    assert list(frame.columns) == list(given.columns)
    assert list(frame.dtypes) == list(given.dtypes)
    assert (credit(frame) > 0.5).all()
    assert result.confirmed == [True] * 4


def test_rows_without_advice_are_not_in_the_frame(explainer, people, credit):
    accepted = people[credit(people) > 0.5].head(2)
    denied = people[credit(people) <= 0.5].head(1)
    result = explainer.explain(pd.concat([accepted, denied]))
    assert result.status == ["already", "already", "found"]
    assert list(result.to_frame().index) == list(denied.index)
    assert result.confirmed == [None, None, True]
    assert list(result.table().index) == [*accepted.index, *denied.index]


def test_changes_are_what_differs(result, denied):
    changes = result.changes()
    frame = result.to_frame()
    given = denied.head(4)
    assert set(changes.columns) == {"index", "alternative", "feature", "before", "after", "price"}
    for _, change in changes.iterrows():
        assert frame.loc[change["index"], change["feature"]] == change["after"]
        assert given.loc[change["index"], change["feature"]] == change["before"]
    assert len(changes) == int((frame.astype(object) != given.astype(object)).sum().sum())


def test_a_series_is_one_person(explainer, denied):
    alone = explainer.explain(denied.iloc[0])
    together = explainer.explain(denied.head(1))
    assert alone.status == ["found"]
    assert alone[0].after == together[0].after
    assert alone[0].index == denied.index[0]


def test_a_dict_is_one_person(explainer, denied):
    person = denied.iloc[0].to_dict()
    assert explainer.explain(person)[0].after == explainer.explain(denied.head(1))[0].after


def test_columns_may_come_in_another_order(explainer, denied):
    turned = denied.head(2)[list(reversed(denied.columns))]
    result = explainer.explain(turned)
    assert [a.after for a in result] == [a.after for a in explainer.explain(denied.head(2))]
    assert set(result.to_frame().columns) == set(denied.columns)


def test_an_array_is_answered_by_an_array():
    X = np.random.default_rng(0).uniform(0, 10, size=(200, 2))
    explainer = croco.Explainer(lambda X: 1 / (1 + np.exp(10 - X.sum(axis=1))), X)
    result = explainer.explain(X[:3] * 0.3)
    assert isinstance(result.to_frame(), np.ndarray)
    assert (result.to_frame().sum(axis=1) > 10).all()


def test_text_classes_and_the_wanted_one(fitted, people):
    numbers = people[["income", "debt"]]
    denied = numbers[fitted.predict(numbers) == "denied"].head(3)
    explainer = croco.Explainer(fitted, numbers, want="approved", noise={"income": 50})
    result = explainer.explain(denied)
    assert result.status == ["found"] * 3
    assert list(fitted.predict(result.to_frame())) == ["approved"] * 3
    assert "'approved'" in result[0].text


def test_the_other_class_may_be_wanted_too(fitted, people):
    numbers = people[["income", "debt"]]
    approved = numbers[fitted.predict(numbers) == "approved"].head(2)
    result = croco.Explainer(fitted, numbers, want="denied").explain(approved)
    assert list(fitted.predict(result.to_frame())) == ["denied"] * 2


def test_immutable_ranges_directions_and_relations(people, denied, credit):
    explainer = croco.Explainer(
        credit, people, noise={"income": 50}, immutable=["housing", "job", "telephone"],
        directions={"debt": "down"}, ranges={"income": (0, 7000)},
        relations=[{"name": "burden", "sum": {"debt": 100}, "at_most": ["income"]}],
    )  # fmt: skip
    result = explainer.explain(denied.head(6))
    advised = result.to_frame()
    given = denied.loc[advised.index]
    assert len(advised) > 0
    assert (advised[["housing", "job", "telephone"]] == given[["housing", "job", "telephone"]]).all(
        axis=None
    )
    assert (advised["debt"] <= given["debt"]).all()
    assert (advised["income"] <= 7000).all()
    assert (100 * advised["debt"] <= advised["income"]).all()


def test_alternatives_are_certified_together(people, denied, credit):
    explainer = croco.Explainer(credit, people, noise={"income": 50}, alternatives=2)
    result = explainer.explain(denied.head(1))
    assert result.table()["alternatives"].iloc[0] == 2
    first, second = result.answer(0, 1), result.answer(0, 2)
    assert first.cost <= second.cost
    assert {c.feature for c in first.changes} != {c.feature for c in second.changes}
    assert second.confirmed is True
    assert list(result.to_frame(alternative=2).index) == list(denied.index[:1])
    assert sorted(result.changes()["alternative"].unique()) == [1, 2]


def test_the_seed_makes_results_again_on_any_number_of_threads(people, denied, credit):
    def lines(**options):
        explainer = croco.Explainer(credit, people, noise={"income": 100}, **options)
        return explainer.explain(denied.head(2)).to_json()

    assert lines(random_state=5) == lines(random_state=5, n_jobs=1)
    assert lines(random_state=5) != lines(random_state=6)


def test_one_bad_row_never_fails_the_rest(explainer, denied):
    broken = denied.head(3).astype(object)
    broken.iloc[1, broken.columns.get_loc("income")] = "much"
    broken.iloc[2, broken.columns.get_loc("housing")] = "castle"
    result = explainer.explain(broken)
    assert result.status == ["found", "error", "error"]
    assert "'income'" in result[1].reason and "'much' is not a number" in result[1].reason
    assert "castle" in result[2].reason and "housing" in result[2].reason
    assert result.table()["reason"].iloc[1] == result[1].reason


def test_json_lines_hold_certificates(result):
    rows = [json.loads(line) for line in result.to_json().splitlines()]
    assert [row["status"] for row in rows] == ["found"] * 4
    assert rows[0]["certificate"]["model_sha256"] == result._prepared.model.fingerprint


def test_pages_and_tables_are_written(result, tmp_path):
    result.to_html(tmp_path / "advice.html")
    assert "<html" in (tmp_path / "advice.html").read_text()
    result.to_csv(tmp_path / "advice.csv")
    assert len((tmp_path / "advice.csv").read_text().splitlines()) == 5
    with pytest.raises(croco.InvalidArgument, match=r"must end in \.jsonl"):
        result.to_json(tmp_path / "advice.txt")


def test_progress_is_reported(explainer, denied):
    seen = []
    explainer.explain(denied.head(2), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]


def test_metrics_count_and_average(result):
    metrics = result.metrics()
    assert metrics["rows"] == metrics["found"] == metrics["confirmed"] == 4
    assert metrics["coverage"] == 1.0
    assert metrics["mean_upper"] <= 0.05
    assert metrics["mean_cost"] == pytest.approx(np.mean([a.cost for a in result]))


def test_nullable_and_missing_values_stay_as_they_are(people, denied):
    def score(frame):
        debt = np.asarray(frame["debt"], dtype=float)
        return np.where(np.isnan(debt), 0.1, 0.0) + np.asarray(frame["income"], dtype=float) / 7000

    table = people[["income", "debt"]].astype({"income": "Int64"})
    explainer = croco.Explainer(score, table, noise={"income": 50}, missing="keep")
    asked = table[score(table) <= 0.5].head(2).copy()
    asked.iloc[1, 1] = np.nan
    result = explainer.explain(asked)
    assert result.status == ["found", "found"]
    frame = result.to_frame()
    assert str(frame["income"].dtype) == "Int64"
    assert np.isnan(frame["debt"].iloc[1])
    refusing = explainer.replace(missing="error").explain(asked)
    assert refusing.status == ["found", "error"]
    assert "debt" in refusing[1].reason
