# SPDX-License-Identifier: Apache-2.0
"""Columns as users have them: levels, codes and numbers, and the way back."""

import decimal

import numpy as np
import pandas as pd
import pytest

import croco
from croco._layout import Layout
from croco._table import read_table


def layout_of(**columns):
    table = read_table(pd.DataFrame(columns), "background")
    return Layout.of_table(table, {}, "background"), table


def test_levels_are_the_users_own_values():
    layout, _ = layout_of(
        city=["b", None, "a", "b"], grade=pd.Categorical([3, 1, 3, None], categories=[3, 2, 1]),
        flag=[True, False, True, True], size=[1, 2, 3, 4], rate=[decimal.Decimal("0.5"), 1, 2, 3],
    )  # fmt: skip
    kinds = {column.name: (column.kind, column.values) for column in layout.columns}
    assert kinds == {
        "city": ("category", ["a", "b"]), "grade": ("category", [3, 2, 1]),
        "flag": ("boolean", [False, True]), "size": ("number", []), "rate": ("number", []),
    }  # fmt: skip
    assert layout["grade"].texts == ["3", "2", "1"]


def test_codes_find_values_and_texts_and_append_unknown_ones():
    layout, _ = layout_of(city=["b", "a"], grade=pd.Categorical([3, 1]))
    texts, codes = layout["city"].codes(np.array(["a", None, "c", "b", "c"], dtype=object))
    assert (texts, codes.tolist()) == (["a", "b", "c"], [0, -1, 2, 1, 2])
    texts, codes = layout["grade"].codes(np.array(["1", 3, 3.0], dtype=object))
    assert (texts, codes.tolist()) == (["1", "3"], [0, 1, 1])


def test_rows_come_back_in_their_own_types():
    layout, table = layout_of(
        city=["b", None, "a"], grade=pd.Categorical([3, 1, None], categories=[3, 2, 1]),
        flag=[True, False, True], part=np.array([0.5, 1.5, 2.5], dtype=np.float32),
        size=[1, 2, 3],
    )  # fmt: skip
    frame = layout.rebuilt(layout.matrix(table))
    assert frame["city"].tolist()[::2] == ["b", "a"] and pd.isna(frame["city"][1])
    assert frame["grade"].dtype == table.original["grade"].dtype
    assert frame["flag"].dtype == bool
    assert frame["part"].dtype == np.float32
    assert frame["size"].tolist() == [1, 2, 3]


def test_many_rows_take_little_time():
    import time

    n = 300_000
    column = np.random.default_rng(0).choice(["own", "rent", "free"], n).astype(object)
    layout, table = layout_of(housing=column)
    start = time.process_time()
    layout.frame(table, "X")
    assert time.process_time() - start < 1


def test_values_that_are_written_alike_are_refused():
    with pytest.raises(croco.DataError, match="written alike: '1'; make them texts"):
        layout_of(grade=pd.Categorical(["1", 1]))


def test_cells_hold_single_values():
    with pytest.raises(croco.DataError, match="column 'tags' holds lists or other things"):
        layout_of(tags=[["a"], ["b", "c"]])
