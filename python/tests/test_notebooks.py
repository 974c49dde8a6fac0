# SPDX-License-Identifier: Apache-2.0
"""The notebooks run from the first cell to the last, and are stored without outputs."""

import ast
import json
import os
import pathlib

import pytest
from applicants import SOURCE

import croco
from croco import _cli

FOLDER = SOURCE / "examples" / "notebooks"
#: what each of them imports beside pandas
NEEDS = {
    "adult_xgboost": ["xgboost"], "certify_dice": ["sklearn", "dice_ml"],
    "credit_pipeline": ["sklearn"], "torch_network": ["torch"],
}  # fmt: skip


def notebook(name):
    return json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))


def code_cells(name):
    return ["".join(c["source"]) for c in notebook(name)["cells"] if c["cell_type"] == "code"]


def test_every_notebook_is_tested():
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == sorted(NEEDS)


@pytest.mark.parametrize("name", NEEDS)
def test_a_notebook_is_stored_without_outputs(name):
    cells = notebook(name)["cells"]
    assert cells[0]["cell_type"] == "markdown"
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            ast.parse("".join(cell["source"]))
        else:
            assert max(map(len, "".join(cell["source"]).splitlines())) <= 120


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder of its own, with the program of this package on the path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{_cli.PROGRAM.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(croco.__file__).parents[1]))
    return tmp_path


def require(name):
    for module in NEEDS[name]:
        pytest.importorskip(module)
    if name == "adult_xgboost":
        cache = pathlib.Path.home() / ".cache" / "croco"
        folder = pathlib.Path(os.environ.get("CROCO_DATA_DIR", cache))
        if not (folder / "adult.csv").exists():
            pytest.skip(f"there is no {folder / 'adult.csv'}: croco data fetch adult")


@pytest.mark.slow
@pytest.mark.parametrize("name", NEEDS)
def test_a_notebook_runs(name, workplace):
    """In Jupyter when it is there, else as plain Python."""
    require(name)
    try:
        import ipykernel  # noqa: F401
        import nbclient
        import nbformat
    except ImportError:
        names = {"__name__": "__main__"}
        for cell in code_cells(name):
            exec(compile(cell, name, "exec"), names)
        results = [value for value in names.values() if isinstance(value, croco.Result)]
        assert results and any("found" in result.status for result in results)
        return
    made = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(made, timeout=900, kernel_name="python3").execute()
    shown = [
        data.get("data", {}).get("text/html", "")
        for cell in made.cells if cell.cell_type == "code" for data in cell.outputs
    ]  # fmt: skip
    assert any("found" in html for html in shown)
    kept = os.environ.get("CROCO_KEEP_NOTEBOOKS")
    if kept:
        nbformat.write(made, pathlib.Path(kept) / f"{name}.ipynb")
