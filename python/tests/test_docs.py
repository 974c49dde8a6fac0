# SPDX-License-Identifier: Apache-2.0
"""Every example of the documents and the docstrings runs."""

import doctest
import importlib
import os
import pathlib
import pkgutil
import re
import shutil

import pytest
from applicants import SOURCE

import croco
from croco import _cli

PAGE = SOURCE / "docs" / "reference" / "python.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_examples_of_the_page(tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    shutil.copy(SOURCE / "data" / "german_credit.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    # The program on the path is the one of this package.
    monkeypatch.setenv("PATH", f"{_cli.PROGRAM.parent}{os.pathsep}{os.environ['PATH']}")
    text = PAGE.read_text(encoding="utf-8")
    names = {}
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        code = "\n" * (line - 1) + match.group(1)
        exec(compile(code, str(PAGE), "exec"), names)
    assert pathlib.Path("advice.jsonl.manifest.json").exists()


def modules():
    for info in pkgutil.iter_modules(croco.__path__):
        if not info.name.startswith("_core") and not info.ispkg:
            yield info.name


@pytest.mark.parametrize("name", list(modules()))
def test_the_examples_of_the_docstrings(name):
    failed, _ = doctest.testmod(importlib.import_module(f"croco.{name}"))
    assert failed == 0


def test_the_example_of_the_package():
    failed, tried = doctest.testmod(croco)
    assert (failed, tried > 0) == (0, True)
