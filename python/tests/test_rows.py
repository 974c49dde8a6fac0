# SPDX-License-Identifier: Apache-2.0
"""Rows that keep their numbers get the answers of the whole table; explainers can be pickled."""

import pathlib
import pickle

import pytest

import croco


@pytest.fixture(scope="module")
def of_file(model_path):
    return croco.Explainer(model_path)


def test_a_part_of_a_table_gets_the_answers_of_the_whole(of_file, german):
    whole = of_file.explain(german.head(60)).to_json().splitlines()
    part = of_file.explain(german.iloc[40:60], rows=range(40, 60)).to_json().splitlines()
    assert part == whole[40:]
    # Without the numbers other samples are drawn, which the certificates state.
    assert of_file.explain(german.iloc[40:60]).to_json().splitlines() != whole[40:]


def test_rows_in_another_order_get_the_same_answers(explainer, denied):
    turned = explainer.explain(denied.iloc[[2, 0]], rows=[2, 0])
    straight = explainer.explain(denied.head(3))
    assert turned.to_json().splitlines() == [straight.to_json().splitlines()[row] for row in (2, 0)]
    assert [a.index for a in turned] == list(denied.index[[2, 0]])


def test_a_report_of_numbered_rows_is_verified(of_file, german, tmp_path):
    rows = [2**53 - 1 - i for i in range(20)]
    of_file.explain(german.head(20), rows=rows).to_json(tmp_path / "advice.jsonl")
    verification = croco.verify(tmp_path / "advice.jsonl", of_file, seed=5, samples=2000)
    assert verification.holds
    assert {finding.row for finding in verification} >= {2**53 - 2}


def test_messages_name_the_number_of_a_row(explainer, denied):
    broken = denied.head(3).astype(object)
    broken.iloc[1, broken.columns.get_loc("income")] = "much"
    broken.iloc[2, broken.columns.get_loc("housing")] = "castle"
    result = explainer.explain(broken, rows=[70, 80, 90])
    assert "row 80, column 'income': 'much' is not a number" in result[1].reason
    assert "row 90" in result[2].reason and "castle" in result[2].reason


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([1], r"rows has 1 numbers, and X has 2 rows"),
        ([0, -4], r"rows has -4; a row number is from 0 to 2\*\*63 - 1"),
        ([0, 2**63], r"rows has 9223372036854775808; a row number is from 0"),
    ],
)
def test_wrong_row_numbers_are_refused(explainer, denied, rows, text):
    with pytest.raises(croco.InvalidArgument, match=text):
        explainer.explain(denied.head(2), rows=rows)


def test_an_explainer_of_a_file_is_pickled_with_the_file(model_path, german, tmp_path):
    copy = tmp_path / "model.json"
    copy.write_bytes(pathlib.Path(model_path).read_bytes())
    explainer = croco.Explainer(str(copy), target_rate=0.1)
    pickled = pickle.dumps(explainer)
    copy.unlink()
    again = pickle.loads(pickled)
    assert again.explain(german.head(9)).to_json() == explainer.explain(german.head(9)).to_json()
