# SPDX-License-Identifier: Apache-2.0
"""What may change when nobody says so, beside what `croco inspect` guesses of the same table."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest

import croco
from croco import _cli

PROTECTED = [
    "age", "sex", "Gender", "race", "ethnicity", "nationality", "native-country", "religion",
    "marital_status", "disability", "foreign_worker", "is_female", "CODE_GENDER",
]  # fmt: skip
FREE = ["housing", "job", "savings"]


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(5)
    n = 80
    columns = {name: random.choice(["a", "b", "c"], n) for name in [*PROTECTED, *FREE]}
    columns["age"] = random.integers(18, 80, n)
    columns["is_female"] = random.random(n) < 0.5
    columns["CODE_GENDER"] = pd.Categorical(random.integers(0, 2, n))
    columns["income"] = random.integers(10, 50, n) * 100
    columns["branch_id"] = random.integers(1, 9, n)
    columns["letter"] = [f"text {i}" for i in range(n)]
    return pd.DataFrame(columns)


@pytest.fixture(scope="module")
def guessed(table):
    explainer = croco.Explainer(lambda frame: np.asarray(frame["income"]) / 1e4, table)
    return {feature["name"]: feature for feature in explainer.schema["features"]}


@pytest.fixture(scope="module")
def inspected(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("inspect")
    table.to_csv(folder / "people.csv", index=False)
    subprocess.run(
        [_cli.PROGRAM, "inspect", "people.csv"], cwd=folder, check=True, capture_output=True
    )
    schema = json.loads((folder / "people.schema.json").read_text())
    return {feature["name"]: feature for feature in schema["features"]}


def test_what_nobody_can_change_is_the_same_for_both(guessed, inspected):
    for schema in (guessed, inspected):
        nobody = [name for name, f in schema.items() if f.get("changeable_by") == "nobody"]
        assert sorted(nobody) == sorted(PROTECTED)
    assert {guessed[name].get("movement", "fixed") for name in PROTECTED} == {"fixed"}


def test_other_categories_may_change_here_and_wait_for_an_editor_there(guessed, inspected):
    assert {guessed[name]["movement"] for name in FREE} == {"both"}
    assert {inspected[name].get("movement", "fixed") for name in FREE} == {"fixed"}


def test_numbers_move_as_they_do_there(guessed, inspected):
    for name in ("income", "branch_id"):
        assert guessed[name]["type"] == "numeric"
        assert guessed[name].get("movement", "both") == inspected[name].get("movement", "both")
    assert guessed["branch_id"]["movement"] == "fixed"


def test_a_text_that_never_repeats_stays_as_it_is(guessed, inspected, table):
    """`inspect` leaves it out; a model that was fitted on it needs it."""
    assert "letter" not in inspected
    assert guessed["letter"]["movement"] == "fixed"
    score = lambda frame: np.asarray(frame["income"]) / 1e4  # noqa: E731
    assert any("'letter'" in note for note in croco.Explainer(score, table).describe().notes)


def test_codes_as_categories_are_fixed_by_their_name_too(table):
    coded = table.assign(branch_id=table["branch_id"].astype("category"))
    schema = croco.Explainer(lambda frame: np.asarray(frame["income"]) / 1e4, coded).schema
    movements = {feature["name"]: feature["movement"] for feature in schema["features"]}
    assert movements["branch_id"] == "fixed"


def test_directions_free_what_was_guessed(table):
    explainer = croco.Explainer(
        lambda frame: np.asarray(frame["income"]) / 1e4, table, directions={"job": "fixed"}
    )
    movements = {feature["name"]: feature["movement"] for feature in explainer.schema["features"]}
    assert movements["job"] == "fixed"
    assert movements["housing"] == "both"
