# SPDX-License-Identifier: Apache-2.0
"""Model files, and that the package and the program say the same, byte for byte."""

import subprocess
import sys
from importlib import metadata

import numpy as np
import pytest

import croco
from croco import _cli


def run(*arguments):
    """Runs the program; returns what it printed."""
    done = subprocess.run(
        [_cli.PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def german_explainer(model_path):
    return croco.Explainer(model_path)


def test_a_file_of_croco_needs_no_background(german_explainer, german):
    description = german_explainer.describe()
    assert description.path == "file"
    assert description.noise_source == "schema"
    assert description.want == "good"
    result = german_explainer.explain(german.head(40))
    assert set(result.status) <= {"found", "already"}
    assert "found" in result.status
    assert result.confirmed.count(True) == result.status.count("found")
    assert (result.to_frame().dtypes == german.dtypes).all()


def test_the_json_lines_are_those_of_the_program(german_explainer, model_path, german, tmp_path):
    german.head(60).to_csv(tmp_path / "people.csv", index=False)
    run("explain", "--model", model_path, "--data", tmp_path / "people.csv",
        "--output", tmp_path / "program.jsonl")  # fmt: skip
    german_explainer.explain(german.head(60)).to_json(tmp_path / "package.jsonl")
    program = (tmp_path / "program.jsonl").read_bytes()
    assert program.count(b'"status":"found"') > 5
    assert (tmp_path / "package.jsonl").read_bytes() == program


def test_options_reach_the_run_as_on_the_command_line(model_path, german, tmp_path):
    german.head(30).to_csv(tmp_path / "people.csv", index=False)
    run("explain", "--model", model_path, "--data", tmp_path / "people.csv", "--target", 0.2,
        "--confidence", 0.99, "--alternatives", 2, "--max-changes", 2, "--family", "all",
        "--seed", 9, "--cost", "mad", "--noise", "laplace:scale=0.02",
        "--output", tmp_path / "program.jsonl")  # fmt: skip
    explainer = croco.Explainer(
        model_path, target_rate=0.2, confidence=0.99, alternatives=2, max_changes=2, family="all",
        random_state=9, cost="mad", noise="laplace:scale=0.02",
    )  # fmt: skip
    explainer.explain(german.head(30)).to_json(tmp_path / "package.jsonl")
    assert (tmp_path / "package.jsonl").read_bytes() == (tmp_path / "program.jsonl").read_bytes()


def test_the_program_verifies_what_the_package_wrote(
    german_explainer, model_path, german, tmp_path
):
    path = tmp_path / "advice.jsonl"
    german_explainer.replace(target_rate=0.1, alternatives=2).explain(german.head(30)).to_json(path)
    assert "DOES NOT HOLD" not in run("verify", path, "--model", model_path, "--again")


def test_verify_finds_what_was_changed(german_explainer, german, tmp_path):
    path = tmp_path / "advice.jsonl"
    german_explainer.explain(german.head(14)).to_json(path)
    assert croco.verify(path, german_explainer, seed=90210, samples=2000)
    text = path.read_text().replace('"upper":0.0', '"upper":0.00', 1)
    path.write_text(text)
    verification = croco.verify(path, german_explainer, samples=2000)
    assert not verification
    assert {finding.check for finding in verification.failures} >= {"manifest", "bound"}
    with pytest.raises(croco.IoError, match="No such file"):
        croco.verify(tmp_path / "none.jsonl", german_explainer)


def test_the_other_class_and_keywords_of_a_file(model_path, german):
    explainer = croco.Explainer(
        model_path, immutable=["credit_amount"], directions={"duration": "down"},
        noise={"duration": 2},
    )  # fmt: skip
    changes = explainer.explain(german.head(60)).changes()
    assert "credit_amount" not in set(changes["feature"])
    moved = changes[changes["feature"] == "duration"]
    assert (moved["after"].astype(float) < moved["before"].astype(float)).all()
    turned = croco.Explainer(model_path, want="bad").explain(german.head(5))
    assert "found" in turned.status
    with pytest.raises(croco.InvalidArgument, match="want is 'excellent'; the classes are"):
        croco.Explainer(model_path, want="excellent")


def test_bytes_are_read_as_the_file(model_path, german_explainer, german):
    explainer = croco.Explainer(model_path.read_bytes())
    assert explainer.explain(german.head(5)).to_json() == (
        german_explainer.explain(german.head(5)).to_json()
    )


def test_certify_judges_any_tools_advice(german_explainer, model_path, german):
    denied = german.head(60)
    advice = german_explainer.explain(denied)
    own = german_explainer.certify(denied.loc[advice.to_frame().index], advice.to_frame())
    assert own.status == ["found"] * len(own)
    assert own.table()["target_met"].all()
    assert (own.table()["broken_rules"] == "").all()
    # The nearest flips, without regard to noise or rules.
    careless = german_explainer.replace(method="wachter").explain(denied)
    judged = german_explainer.certify(denied.loc[careless.to_frame().index], careless.to_frame())
    assert judged.table()["upper"].mean() > own.table()["upper"].mean()
    # A record that nobody can reach, and one that the model refuses.
    first = advice.to_frame().head(1)
    younger = first.copy()
    younger["age"] = younger["age"] - 5
    broken = german_explainer.certify(denied.loc[first.index], younger)
    assert "age" in broken.table()["broken_rules"].iloc[0]
    refused = german_explainer.certify(denied.loc[first.index], denied.loc[first.index])
    assert refused.status == ["unmet"]
    assert refused.confirmed == [False]


def test_certify_takes_what_dice_returns(german_explainer, german):
    advice = german_explainer.explain(german.head(40)).to_frame()

    class Example:
        def __init__(self, frame):
            self.final_cfs_df = frame.assign(risk="good")
            self.data_interface = type("D", (), {"outcome_name": "risk"})

    class Dice:
        cf_examples_list = [Example(advice.iloc[[i]]) for i in range(len(advice))]  # noqa: RUF012

    result = german_explainer.certify(german.loc[advice.index], Dice())
    assert result.status == ["found"] * len(advice)


def test_certify_needs_pairs(german_explainer, german):
    with pytest.raises(croco.DataError, match="X has 3 rows and counterfactuals has 2"):
        german_explainer.certify(german.head(3), german.head(2))


def test_robustness_has_its_price(german_explainer, german):
    status = german_explainer.explain(german.head(20)).status
    person = german.iloc[status.index("found")]
    table = german_explainer.tradeoff(person, [0.01, 0.3])
    assert list(table["target_rate"]) == [0.01, 0.3]
    assert table["cost"].iloc[0] > table["cost"].iloc[1]
    assert (table["upper"] <= table["target_rate"]).all()
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = croco.plot_tradeoff(table)
    assert axes.get_xlabel() == "target invalidation rate"


def test_replace_changes_runs_and_models(german_explainer, model_path):
    other = german_explainer.replace(target_rate=0.3, immutable=["duration"])
    assert other.describe().target_rate == 0.3
    duration = next(f for f in other.schema["features"] if f["name"] == "duration")
    assert duration["movement"] == "fixed"
    assert german_explainer.describe().target_rate == 0.05
    with pytest.raises(croco.InvalidArgument, match="'target' is no argument of Explainer"):
        german_explainer.replace(target=0.1)


def test_files_of_other_programs_need_background(people, tmp_path):
    from test_native import STUMP

    path = tmp_path / "stump.txt"
    path.write_bytes(STUMP)
    numbers = people[["income", "debt"]]
    explainer = croco.Explainer(path, numbers, noise={"income": 100})
    result = explainer.explain(numbers[numbers["income"] <= 2500].head(3))
    assert result.status == ["found"] * 3
    assert (result.to_frame()["income"] > 3000).all()
    first = croco.Explainer(croco.model_file(path, rounds=1), numbers, noise={"income": 100})
    assert first.explain(numbers[numbers["income"] <= 2500].head(1)).status == ["found"]
    with pytest.raises(croco.ModelError, match="a schema and the data"):
        croco.Explainer(path)


def test_the_console_script_is_the_program():
    done = subprocess.run(
        [sys.executable, "-c", "from croco import _cli; _cli.main()", "--version"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert croco.__version__ in done.stdout
    try:
        installed = metadata.version("croco")
    except metadata.PackageNotFoundError:
        return  # in a build of the project
    assert installed == croco.__version__
    scripts = metadata.entry_points(group="console_scripts")
    assert "croco._cli:main" in [script.value for script in scripts]


def test_the_program_says_when_it_has_no_tls(tmp_path):
    missing = str(tmp_path / "missing.pem")
    run = "from croco import _cli; _cli.main()"
    done = subprocess.run(
        [sys.executable, "-c", run, "serve", "--tls-cert", missing, "--tls-key", missing],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    # The program of a wheel has no TLS; that of a build has it, and looks at the file.
    assert "built without TLS" in done.stderr or "which is no certificate in PEM" in done.stderr


def test_scores_are_the_models_own(german_explainer, german):
    result = german_explainer.explain(german.head(10))
    frame, _ = german_explainer._prepared.layout.frame(
        german_explainer._table(german.head(10), "X"), "X"
    )
    scores, _ = german_explainer._prepared.model.decisions(frame, 0.5)
    assert np.allclose(scores, [answer.score_before for answer in result])


@pytest.fixture(scope="module")
def retrained(tmp_path_factory):
    """A small model, and 90 like it."""
    folder = tmp_path_factory.mktemp("retrained")
    run("train", "--data", "german", "--epochs", 60, "--hidden", 8,
        "--output", folder / "model.json")  # fmt: skip
    run("retrain", "--data", "german", "--like", folder / "model.json", "--count", 90,
        "--epochs", 60, "--output", folder / "models")  # fmt: skip
    return folder


def test_retrained_models_are_those_of_the_program(retrained, german, tmp_path):
    german.head(40).to_csv(tmp_path / "people.csv", index=False)
    run("explain", "--model", retrained / "model.json", "--data", tmp_path / "people.csv",
        "--target", 0.2, "--models", retrained / "models" / "*", "--search-models", 20,
        "--model-confidence", 0.9, "--output", tmp_path / "program.jsonl")  # fmt: skip
    explainer = croco.Explainer(
        retrained / "model.json", target_rate=0.2, models=retrained / "models", search_models=20,
        model_confidence=0.9,
    )  # fmt: skip
    result = explainer.explain(german.head(40))
    result.to_json(tmp_path / "package.jsonl")
    program = (tmp_path / "program.jsonl").read_bytes()
    assert program.count(b'"croco_certificate":3') > 2
    assert (tmp_path / "package.jsonl").read_bytes() == program
    answer = next(one for one in result if one.model_change is not None)
    assert answer.model_change.certifying == 70
    assert answer.model_change.confidence == 0.9
    assert [text.split(":")[0] for text in answer.model_change.statements] == [
        "Retraining", "Share", "List",
    ]  # fmt: skip
    table = result.table()
    assert table["models_upper"].notna().sum() == sum(
        one.model_change is not None for one in result
    )
    alone = explainer.replace(models=None, search_models=None).explain(german.head(40))
    assert all(one.model_change is None for one in alone)
    assert "models_upper" not in alone.table()


def test_retrained_models_must_be_there_and_fit(retrained):
    model = retrained / "model.json"
    with pytest.raises(croco.InvalidArgument, match=r"must name files, and none is there"):
        croco.Explainer(model, models=str(retrained / "nothing" / "*"))
    with pytest.raises(croco.InvalidArgument, match=r"search_models is for models"):
        croco.Explainer(model, search_models=3)
    with pytest.raises(croco.InvalidArgument, match=r"of 90 models at least 1 must be left"):
        croco.Explainer(model, models=retrained / "models", search_models=90)
    with pytest.raises(croco.ModelError, match=r"it is the model in use"):
        croco.Explainer(model, models=[model])
