# SPDX-License-Identifier: Apache-2.0
"""Messages of the library name keywords in Python, and no options of the command line."""

import re

import numpy as np
import pytest
from applicants import SOURCE, score

import croco
from croco._words import in_python

OPTION = re.compile(r"--[a-z]")
#: messages that no call of the package can lead to: data sets by their name, labels of training
#: data, endpoints, comparisons with a file of scores, the service, what the program prints itself
OF_THE_PROGRAM = [
    "base", "batch", "data/catalog.cpp", "data/dataset.cpp", "data/infer_label.cpp", "experiment",
    "loading/score_check.cpp", "remote/remote_options.cpp", "report/verification_report.cpp",
    "service",
]  # fmt: skip


def messages():
    """The texts in the library's sources that name options, put together from their lines."""
    one = r'"(?:[^"\\\n]|\\.)*"'
    for path in sorted((SOURCE / "croco").rglob("*.cpp")):
        name = path.relative_to(SOURCE / "croco").as_posix()
        if any(name.startswith(part) for part in OF_THE_PROGRAM):
            continue
        code = re.sub(r"^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for found in re.findall(rf"{one}(?:\s*{one})*", code):
            text = "".join(part[1:-1] for part in re.findall(one, found))
            if OPTION.search(text):
                yield pytest.param(text.replace("{}", "x"), id=f"{name}: {text[:30]}")


@pytest.mark.parametrize("text", list(messages()))
def test_no_option_of_the_command_line_is_left(text):
    assert not OPTION.search(in_python(text))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (
            "the value is missing (''); --missing drop or\n  impute says what to do with such "
            "rows, and keep asks a model that takes missing values",
            "the value is missing (''); say missing='impute' or missing='drop', or "
            "missing='keep' if the model takes missing values",
        ),
        (
            "takes no missing values; --missing drop or impute says what to do with such rows",
            "takes no missing values; say missing='impute' or missing='drop'",
        ),
        ("predicts at 0.3: pass --threshold 0.3, or", "predicts at 0.3: pass threshold=0.3, or"),
        (
            "say which with --rounds best or --rounds all",
            "say which with croco.model_file(path, rounds='best') or rounds='all'",
        ),
        (
            "the score decides: --decision probability",
            "the score decides: croco.model_file(path, decision='probability')",
        ),
        (
            "Say it with --category-order home town=schema, when a code is the place of a level, "
            "or with home town=numbers, when it is the level itself",
            "Say it with croco.model_file(path, category_order={'home town': 'schema'}), when a "
            "code is the place of a level, or with {'home town': 'numbers'}, when it is the level "
            "itself",
        ),
        ("a number - or a text", "a number - or a text"),
    ],
)
def test_keywords_in_place_of_options(said, words):
    assert in_python(said) == words


def test_a_row_that_lacks_a_value(people, denied):
    explainer = croco.Explainer(score, people, noise={"income": 50})
    rows = denied.head(1).copy()
    rows["debt"] = np.nan
    answer = explainer.explain(rows)[0]
    assert answer.reason == (
        "X, row 0, column 'debt': the value is missing (''); say missing='impute' or "
        "missing='drop', or missing='keep' if the model takes missing values"
    )
    assert not OPTION.search(answer.text)
    assert not OPTION.search(str(explainer.explain(rows)))


def test_a_row_that_lacks_a_value_which_the_model_needs(model_path, german):
    rows = german.head(1).copy()
    rows["credit_amount"] = np.nan
    kept = croco.Explainer(str(model_path), missing="keep").explain(rows)[0]
    assert kept.status == "error"
    assert "say missing='impute' or missing='drop'" in kept.reason
    assert not OPTION.search(kept.reason)


def test_notes_on_missing_values(people):
    table = people.copy()
    table.loc[table.index[0], "debt"] = np.nan
    notes = croco.Explainer(score, table, missing="keep").describe().notes
    assert "unless missing='impute', 'drop' or 'keep' is said" in " ".join(notes)


def test_files_that_are_no_models(people, tmp_path):
    table = tmp_path / "people.csv"
    people.to_csv(table)
    with pytest.raises(croco.ModelError, match=r"read it with pandas\.read_csv") as raised:
        croco.Explainer(table, people)
    assert "as the fitted object, or as a function" in str(raised.value)
    assert not OPTION.search(str(raised.value))
