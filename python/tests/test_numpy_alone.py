# SPDX-License-Identifier: Apache-2.0
"""NumPy is all that the package needs."""

import os
import pathlib
import subprocess
import sys

import croco

SCRIPT = """
import sys
for name in ("pandas", "sklearn", "scipy", "tqdm", "matplotlib", "pyarrow"):
    sys.modules[name] = None  # not installed
import numpy as np
import croco

random = np.random.default_rng(0)
X = random.uniform(0, 10, size=(200, 2))
explainer = croco.Explainer(lambda X: 1 / (1 + np.exp(10 - X.sum(axis=1))), X)
result = explainer.explain(np.array([[2.0, 3.0], [9.0, 9.0]]), progress=True)
assert result.status == ["found", "already"]
assert result.confirmed == [True, None]
assert result.to_frame().sum() > 10
assert "found" in result.to_json() and "<html" in result.to_html() and result._repr_html_()
assert result.metrics()["found"] == 1
try:
    result.table()
except croco.InvalidArgument as error:
    assert "pip install pandas" in str(error)

people = {"income": X[:, 0] * 1000, "housing": np.array(["own", "rent"] * 100, dtype=object)}
rows = croco.Explainer(
    lambda X: np.array([0.9 if r[0] > 6000 and r[1] == "own" else 0.1 for r in X]), people,
    noise={"income": 50},
).explain({"income": 4000.0, "housing": "rent"})
assert rows[0].after["housing"] == "own" and rows[0].after["income"] > 6000, rows[0]
print("fine")
"""


def test_numpy_alone_is_enough():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(pathlib.Path(croco.__file__).parents[1])},
    )  # fmt: skip
    assert done.stdout == "fine\n", done.stderr
