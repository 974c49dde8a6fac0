# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/howto/python-recipes.md run as printed."""

import os
import re
import shutil

import pytest
from applicants import SOURCE

from croco import _cli

PAGE = SOURCE / "docs" / "howto" / "python-recipes.md"
BLOCK = re.compile(r"^```python( \w+)?\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What the examples defined, after those that need no engine."""
    pytest.importorskip("sklearn")
    folder = tmp_path_factory.mktemp("recipes")
    shutil.copy(SOURCE / "data" / "german_credit.csv", folder)
    out = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        # The program on the path is the one of this package.
        patch.setenv("PATH", f"{_cli.PROGRAM.parent}{os.pathsep}{os.environ['PATH']}")
        for code in blocks(""):
            exec(code, out)
    return out


def blocks(wanted):
    text = PAGE.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        if (match.group(1) or "").strip() == wanted:
            line = text.count("\n", 0, match.start()) + 2
            yield compile("\n" * (line - 1) + match.group(2), str(PAGE), "exec")


def test_the_examples_run(names):
    assert len(list(blocks(""))) >= 4
    assert len(names["both"]) == 6


def test_the_example_of_dask(names):
    pytest.importorskip("dask.dataframe")
    (code,) = blocks("dask")
    exec(code, dict(names))
