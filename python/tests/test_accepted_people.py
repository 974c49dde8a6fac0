# SPDX-License-Identifier: Apache-2.0
"""Comparisons with accepted people: reason codes and plausibility."""

import csv
import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from applicants import NOISE, score
from test_files import run

import croco

CODES = {"income": "R1 income", "debt": "R2 debts", "housing": "R2 debts"}
BOTH = {"reason_codes": 2, "plausibility": True}


def coded(schema, codes):
    features = {feature["name"]: feature for feature in schema["features"]}
    for name, code in codes.items():
        features[name]["reason_code"] = code
    return schema


@pytest.fixture(scope="module")
def compared(people, explainer):
    """The explainer of the function, whose schema has codes."""
    schema = coded(explainer.schema, CODES)
    return croco.Explainer(score, people, schema=schema, noise=NOISE, random_state=3, **BOTH)


@pytest.fixture(scope="module")
def answers(compared, people):
    return compared.explain(people.head(12))


def test_gains_are_those_of_accepted_peoples_values(answers, people):
    accepted = people[score(people) > 0.5]
    assert len(accepted) < 512  # all of them are compared with
    seen = 0
    for answer in answers:
        for reason in answer.reason_codes:
            other = pd.concat([people.iloc[[answer.row]]] * len(accepted))
            other[reason.feature] = accepted[reason.feature].to_numpy()
            gain = np.mean(score(other)) - score(people.iloc[[answer.row]])[0]
            assert reason.gain == pytest.approx(gain, abs=1e-9)
            assert CODES[reason.feature] == reason.code
            seen += 1
        gains = [reason.gain for reason in answer.reason_codes]
        assert gains == sorted(gains, reverse=True)
        codes = [reason.code for reason in answer.reason_codes]
        assert len(codes) == len(set(codes)) <= 2
        assert bool(codes) == (answer.status != "already")
    assert seen > 2


def test_the_nearest_is_a_row_that_the_model_accepts(answers, people):
    found = [answer for answer in answers if answer.status == "found"]
    assert found
    for answer in found:
        nearest = people.iloc[[answer.plausibility.nearest]]
        assert score(nearest)[0] > 0.5
        assert 0 <= answer.plausibility.share <= 1
        assert answer.plausibility.distance > 0
    assert all(a.plausibility is None for a in answers if a.status == "already")


def test_the_table_has_the_columns_of_the_csv_report(answers, tmp_path):
    answers.to_csv(tmp_path / "advice.csv")
    with open(tmp_path / "advice.csv", encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    table = answers.table()
    assert list(table["reason_codes"]) == [line["reason_codes"] for line in lines]
    assert any("; " in codes for codes in table["reason_codes"])
    for line, share, nearest in zip(
        lines, table["plausibility"], table["nearest_accepted"], strict=True
    ):
        said = float(line["plausibility"] or "nan")
        assert said == pytest.approx(share, nan_ok=True)
        assert line["nearest_accepted"] == ("" if nearest is pd.NA else str(nearest))


def test_without_them_nothing_is_said(result, explainer):
    assert not {"reason_codes", "plausibility", "nearest_accepted"} & set(result.table())
    assert result[0].reason_codes == ()
    assert result[0].plausibility is None
    assert "plausib" not in str(explainer.describe()) + result.to_json()


def test_describe_and_replace_know_them(compared, answers, people):
    said = str(compared.describe())
    assert "reason codes: up to 2 for each refused person" in said
    assert "plausibility: of recommended records" in said
    assert compared.describe().reason_codes == 2
    plain = compared.replace(reason_codes=0, plausibility=False).explain(people.head(12))
    stripped = re.sub(
        r',"(plausibility":\{[^}]*\}|reason_codes":\[[^\]]*\])', "", answers.to_json()
    )
    assert plain.to_json() == stripped != answers.to_json()


@pytest.mark.slow
def test_certify_and_audit_leave_them_out(compared, people, denied, tmp_path):
    judged = compared.certify(denied.head(2), denied.head(2).assign(income=5900))
    assert "reason_codes" not in judged.table()
    judged.to_json(tmp_path / "judged.jsonl")
    manifest = (tmp_path / "judged.jsonl.manifest.json").read_text(encoding="utf-8")
    assert "reason-codes" not in manifest and "plausibility" not in manifest
    plain = compared.replace(reason_codes=0, plausibility=False)
    texts = [one.audit(people.head(20), "telephone", resamples=100) for one in (compared, plain)]
    assert texts[0].json() == texts[1].json()


@pytest.fixture(scope="module")
def files(model_path, german, tmp_path_factory):
    """A schema with codes, people and training data for the program."""
    folder = tmp_path_factory.mktemp("codes")
    schema = coded(croco.Explainer(model_path).schema, {"duration": "R1", "savings_status": "R2"})
    (folder / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    german.head(60).to_csv(folder / "people.csv", index=False)
    german.to_csv(folder / "training.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def of_file(model_path, german, files):
    return croco.Explainer(model_path, german, schema=files / "schema.json", **BOTH)


def test_the_json_lines_are_those_of_the_program(of_file, model_path, german, files, tmp_path):
    common = ["--model", model_path, "--schema", files / "schema.json",
              "--data", files / "people.csv", "--training", files / "training.csv"]  # fmt: skip
    run("explain", *common, "--reason-codes", 2, "--plausibility",
        "--output", tmp_path / "program.jsonl")  # fmt: skip
    path = tmp_path / "package.jsonl"
    of_file.explain(german.head(60)).to_json(path)
    program = (tmp_path / "program.jsonl").read_bytes()
    assert program.count(b'"plausibility":{') > 3
    assert program.count(b'"reason_codes":[') > 3
    assert path.read_bytes() == program
    # The manifest says both, so that the program makes the report again.
    assert "DOES NOT HOLD" not in run("verify", path, *common, "--again")
    assert croco.verify(path, of_file, samples=2000)


def test_a_pickled_explainer_says_the_same(compared, of_file, german):
    for explainer, X in ((of_file, german.head(6)), (compared, None)):
        if X is None:
            X = compared._background.head(3)
        again = pickle.loads(pickle.dumps(explainer))
        assert again.explain(X).to_json() == explainer.explain(X).to_json()


def test_a_bundle_brings_the_people(fitted, people, tmp_path):
    X = people[["income", "debt"]]
    explainer = croco.Explainer(fitted, X, want="approved", noise=NOISE, plausibility=True)
    assert explainer.describe().path == "native"
    explainer.save(tmp_path / "a.croco")
    again = croco.Explainer.load(tmp_path / "a.croco", plausibility=True)
    expected = explainer.explain(X.head(8)).to_json()
    assert again.explain(X.head(8)).to_json() == expected
    assert pickle.loads(pickle.dumps(explainer)).explain(X.head(8)).to_json() == expected
    explainer.save(tmp_path / "b.croco", examples=False)
    with pytest.raises(croco.InvalidArgument, match="background must hold the data"):
        croco.Explainer.load(tmp_path / "b.croco", plausibility=True)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"reason_codes": -1}, "reason_codes is -1; it must be a whole number from 0"),
        ({"reason_codes": True}, "reason_codes is True; it must be a whole number from 0"),
        ({"plausibility": 1}, "plausibility is 1; it must be True or False"),
        ({"reason_codes": 1}, "reason_codes is given, and no feature of the schema has a"),
        ({"plausibility": True, "query_budget": 1000}, "query_budget is given with plausibility"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, text, explainer, people):
    with pytest.raises(croco.InvalidArgument, match=text):
        croco.Explainer(score, people, noise=NOISE, **arguments)
    with pytest.raises(croco.InvalidArgument, match=text):
        explainer.replace(**arguments)


@pytest.mark.parametrize("name", ["reason_codes", "plausibility"])
def test_people_to_compare_with_are_needed(model_path, files, name):
    with pytest.raises(croco.InvalidArgument) as raised:
        croco.Explainer(model_path, schema=files / "schema.json", **{name: BOTH[name]})
    assert str(raised.value) == (
        f"{name} compares people with accepted ones; background must hold the data that the model "
        "was trained on"
    )
