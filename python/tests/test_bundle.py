# SPDX-License-Identifier: Apache-2.0
"""Explainers as files: for Python, for the command line, and for other processes."""

import json
import pickle
import resource
import signal
import subprocess

import numpy as np
import pandas as pd
import pytest
from test_native import STUMP, Stump, Translation, translator  # noqa: F401

import croco
from croco import _cli


def run(*arguments, code=0):
    done = subprocess.run(
        [_cli.PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


# The same on all columns; the codes of categories are places among the schema's levels.
FOREST = STUMP.replace(b"max_feature_idx=1", b"max_feature_idx=4").replace(
    b"feature_names=income debt", b"feature_names=income debt housing job telephone"
).replace(
    b"feature_infos=[800:6000] [0:20]", b"feature_infos=[800:6000] [0:20] 0:1 0:1:2 0:1"
)  # fmt: skip


@pytest.fixture
def stump(translator, people):  # noqa: F811
    """A translated model on all kinds of columns."""
    orders = {"housing": ["own", "rent"], "job": ["smith", "nurse", "clerk"],
              "telephone": [False, True]}  # fmt: skip
    translator.translate = lambda model, columns: Translation(
        FOREST, [0, 1], {"category_order": orders}
    )
    explainer = croco.Explainer(
        Stump(3000), people, noise={"income": 100}, target_rate=0.1, random_state=4,
        immutable=["debt"],
    )  # fmt: skip
    assert explainer.describe().path == "native", explainer.describe().reason
    return explainer


@pytest.fixture
def asked(people):
    return people[people["income"] <= 3000].head(5)


def test_a_saved_explainer_gives_the_same_answers(stump, asked, tmp_path):
    stump.save(tmp_path / "credit.croco")
    loaded = croco.Explainer.load(tmp_path / "credit.croco")
    before, after = stump.explain(asked), loaded.explain(asked)
    assert before.status == ["found"] * 5
    assert after.to_json() == before.to_json()
    assert list(after.to_frame().dtypes) == list(asked.dtypes)
    pd.testing.assert_frame_equal(after.to_frame(), before.to_frame())
    description = loaded.describe()
    assert (description.path, description.model, description.target_rate) == (
        "bundle", "Stump", 0.1,
    )  # fmt: skip
    assert loaded.schema == stump.schema


def test_an_object_that_stayed_behind_confirms_nothing(stump, asked, tmp_path):
    stump.save(tmp_path / "credit.croco")
    loaded = croco.Explainer.load(tmp_path / "credit.croco")
    assert stump.explain(asked).confirmed == [True] * 5
    result = loaded.explain(asked)
    assert result.confirmed == [None] * 5
    assert "refuses" not in result._repr_html_()
    loaded.save(tmp_path / "again.croco")
    again = croco.Explainer.load(tmp_path / "again.croco").explain(asked)
    assert again.confirmed == [None] * 5


def test_the_command_line_takes_a_bundle(stump, asked, tmp_path):
    stump.save(tmp_path / "credit.croco")
    plain = asked.assign(debt=asked["debt"] + 0.05)  # no whole numbers, which pandas writes as 3.0
    plain.to_csv(tmp_path / "people.csv", index=False)
    run("explain", "--model", tmp_path / "credit.croco", "--data", tmp_path / "people.csv",
        "--target", 0.1, "--seed", 4, "--output", tmp_path / "program.jsonl")  # fmt: skip
    stump.explain(plain).to_json(tmp_path / "package.jsonl")
    assert (tmp_path / "package.jsonl").read_bytes() == (tmp_path / "program.jsonl").read_bytes()
    text = run("verify", tmp_path / "package.jsonl", "--model", tmp_path / "credit.croco",
               "--data", tmp_path / "people.csv", "--again")  # fmt: skip
    assert "5 of 5 certificates hold" in text
    assert "a bundle of LightGBM" in run("model", "inspect", tmp_path / "credit.croco")


def test_the_goal_of_a_bundle_is_that_of_its_runs(translator, people, tmp_path):  # noqa: F811
    """The other class is wanted, at another threshold; nobody has to say so again."""
    numbers = people[["income", "debt"]]
    explainer = croco.Explainer(
        Stump(3000), numbers, want=0, threshold=0.2, noise={"income": 100}, random_state=4
    )
    explainer.save(tmp_path / "credit.croco")
    rich = numbers[numbers["income"] > 3500].head(2).assign(debt=1.25)
    rich.to_csv(tmp_path / "people.csv", index=False)
    run("explain", "--model", tmp_path / "credit.croco", "--data", tmp_path / "people.csv",
        "--seed", 4, "--output", tmp_path / "program.jsonl")  # fmt: skip
    rows = [json.loads(line) for line in (tmp_path / "program.jsonl").read_text().splitlines()]
    assert [row["status"] for row in rows] == ["found", "found"]
    assert rows[0]["certificate"]["wanted"] == 0
    assert rows[0]["certificate"]["threshold"] == 0.2
    assert (tmp_path / "program.jsonl").read_text() == explainer.explain(rich).to_json()
    loaded = croco.Explainer.load(tmp_path / "credit.croco")
    assert (loaded.describe().want, loaded.describe().threshold) == ("0", 0.2)


def test_examples_may_be_left_out(stump, asked, tmp_path):
    stump.save(tmp_path / "with.croco")
    stump.save(tmp_path / "without.croco", examples=False)
    assert b'"examples"' in (tmp_path / "with.croco").read_bytes()
    assert b'"examples"' not in (tmp_path / "without.croco").read_bytes()
    loaded = croco.Explainer.load(tmp_path / "without.croco")
    assert loaded.explain(asked).status == ["found"] * 5


def test_a_save_that_fails_leaves_the_bundle_as_it_was(stump, tmp_path):
    path = tmp_path / "credit.croco"
    stump.save(path)
    before = path.read_bytes()
    assert len(before) > 1000
    # Files may grow to 1,000 bytes: as on a full disk, the write ends in an error.
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(croco.IoError, match=r"credit\.croco"):
            stump.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["credit.croco"]


def test_a_folder_that_is_not_there_is_named(stump, tmp_path):
    with pytest.raises(croco.IoError, match="nowhere"):
        stump.save(tmp_path / "nowhere" / "credit.croco")


def test_a_loaded_explainer_takes_other_arguments(stump, asked, tmp_path):
    stump.save(tmp_path / "credit.croco")
    loaded = croco.Explainer.load(tmp_path / "credit.croco", target_rate=0.01)
    assert loaded.describe().target_rate == 0.01
    fixed = loaded.replace(immutable=["income"])
    assert fixed.explain(asked.head(1)).status == ["infeasible"]
    fixed.save(tmp_path / "fixed.croco")
    again = croco.Explainer.load(tmp_path / "fixed.croco")
    assert again.explain(asked.head(1)).status == ["infeasible"]


def test_files_can_be_saved_too(model_path, german, tmp_path):
    explainer = croco.Explainer(model_path)
    explainer.save(tmp_path / "german.croco")
    loaded = croco.Explainer.load(tmp_path / "german.croco")
    assert loaded.explain(german.head(12)).to_json() == explainer.explain(german.head(12)).to_json()


def test_pickles_are_bundles(stump, asked):
    copy = pickle.loads(pickle.dumps(stump))
    assert copy.explain(asked).to_json() == stump.explain(asked).to_json()


def logistic(values):
    return 1 / (1 + np.exp(10 - values.sum(axis=1)))


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"query_budget": 1500, "shared_queries": 4000}, marks=pytest.mark.slow),
        {"plausibility": True},
    ],
)
def test_a_pickle_keeps_what_bundles_leave_out(stump, given):
    copy = pickle.loads(pickle.dumps(stump.replace(n_jobs=1, **given)))
    kept = {name: copy._arguments[name] for name in ("n_jobs", *given)}
    assert kept == {"n_jobs": 1, **given}


def test_a_black_box_is_pickled_with_its_model_but_not_saved(tmp_path):
    X = np.random.default_rng(0).uniform(0, 10, size=(200, 2))
    explainer = croco.Explainer(logistic, X, target_rate=0.2)
    copy = pickle.loads(pickle.dumps(explainer))
    assert copy.explain(X[:1]).to_json() == explainer.explain(X[:1]).to_json()
    with pytest.raises(croco.ModelError, match="logistic is asked as a black box, and no file can"):
        explainer.save(tmp_path / "no.croco")


def test_mistakes_with_files(stump, tmp_path):
    with pytest.raises(croco.InvalidArgument, match=r"must end in \.croco"):
        stump.save(tmp_path / "credit.json")
    with pytest.raises(croco.IoError, match="No such file"):
        croco.Explainer.load(tmp_path / "none.croco")
    stump.save(tmp_path / "credit.croco")
    cut = (tmp_path / "credit.croco").read_text()[:-40]
    (tmp_path / "cut.croco").write_text(cut)
    with pytest.raises(croco.CrocoError, match="line"):
        croco.Explainer.load(tmp_path / "cut.croco")
    assert "says itself how its model is read" in run(
        "explain", "--model", tmp_path / "credit.croco", "--rounds", "1", "--data", "german", code=2
    )
