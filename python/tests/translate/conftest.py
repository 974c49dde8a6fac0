# SPDX-License-Identifier: Apache-2.0
"""The translators are imported as a package of their own: they need no compiled module."""

import importlib.util
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "croco"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


def _has(*names):
    return all(importlib.util.find_spec(name) is not None for name in names)


collect_ignore = (
    [] if _has("pandas", "sklearn") else ["test_columns.py", "test_libraries.py", "test_sklearn.py"]
)
