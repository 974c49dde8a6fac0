# SPDX-License-Identifier: Apache-2.0
"""Translations are trusted only when they decide as the user's own object, and are asked again."""

import sys
import types
from dataclasses import dataclass, field

import numpy as np
import pytest

import croco

# One split, on the income, as LightGBM saves it.
STUMP = b"""tree
version=v3
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=binary sigmoid:1
feature_names=income debt
feature_infos=[800:6000] [0:20]
tree_sizes=330

Tree=0
num_leaves=2
num_cat=0
split_feature=0
split_gain=10
threshold=3000
decision_type=2
left_child=-1
right_child=-2
leaf_value=-2 2
leaf_weight=10 10
leaf_count=10 10
internal_value=0
internal_weight=20
internal_count=20
is_linear=0
shrinkage=1


end of trees
"""


class Stump:
    """A classifier of the user's that does the same, above a limit of its own."""

    classes_ = np.array([0, 1])

    def __init__(self, limit):
        self.limit = limit

    def predict_proba(self, X):
        p = np.where(np.asarray(X["income"], dtype=float) > self.limit, 0.88, 0.12)
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return (self.predict_proba(X)[:, 1] > 0.5).astype(int)


class NotTranslatable(Exception):
    pass


@dataclass
class Column:
    name: str
    kind: str = "number"
    dtype: str = "float64"
    values: tuple = ()
    levels: tuple = ()


@dataclass
class Translation:
    data: bytes
    classes: list
    choices: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)


@pytest.fixture
def translator(monkeypatch):
    """A translator that takes every model for the stump above 3000."""
    package = types.ModuleType("croco._translate")
    package.NotTranslatable = NotTranslatable
    package.Column = Column
    package.translate = lambda model, columns: Translation(STUMP, [0, 1], notes=["a stump"])
    monkeypatch.setitem(sys.modules, "croco._translate", package)
    return package


@pytest.fixture
def numbers(people):
    return people[["income", "debt"]]


NOISE = {"income": 100}


def test_a_translation_that_decides_alike_is_used(translator, numbers):
    explainer = croco.Explainer(Stump(3000), numbers, noise=NOISE)
    description = explainer.describe()
    assert description.path == "native"
    assert description.compared == 2 * len(numbers)
    assert description.differing == 0
    assert "agree with those of the object on all of 600 rows" in str(description)
    assert "a stump" in str(description)
    result = explainer.explain(numbers[numbers["income"] <= 3000].head(3))
    assert result.status == ["found"] * 3
    assert result.confirmed == [True] * 3


def test_a_translation_that_decides_otherwise_is_not(translator, numbers):
    explainer = croco.Explainer(Stump(3200), numbers, noise=NOISE)
    description = explainer.describe()
    assert description.path == "black box"
    assert description.differing > 0
    expected = f"decides otherwise in {description.differing} of {description.compared} rows"
    assert expected in str(description)
    result = explainer.explain(numbers[numbers["income"] <= 3000].head(2))
    assert (result.to_frame()["income"] > 3200).all()


def test_perturbed_rows_find_what_the_background_does_not_show(translator, numbers):
    # No background row lies between the two limits; perturbed ones do.
    gap = numbers[(numbers["income"] <= 3000) | (numbers["income"] > 3400)]
    description = croco.Explainer(Stump(3400), gap, noise=NOISE).describe()
    assert description.path == "black box"
    assert 0 < description.differing <= len(gap)


def test_no_translation_is_a_black_box(translator, numbers):
    def refuse(model, columns):
        raise NotTranslatable("Stump is nothing that is known here")

    translator.translate = refuse
    description = croco.Explainer(Stump(3000), numbers).describe()
    assert description.path == "black box"
    assert "asked as a black box (predict_proba): Stump is nothing" in str(description)


def test_a_translation_that_cannot_be_read_is_a_black_box(translator, numbers):
    translator.translate = lambda model, columns: Translation(b"no model", [0, 1])
    description = croco.Explainer(Stump(3000), numbers).describe()
    assert description.path == "black box"
    assert "the translation cannot be read" in description.reason


def test_categories_in_another_order_are_a_black_box(translator, people):
    translator.translate = lambda model, columns: Translation(
        STUMP, [0, 1], {"category_order": {"job": ["clerk", "nurse", "smith"]}}
    )
    description = croco.Explainer(Stump(3000), people).describe()
    assert description.path == "black box"
    assert "'job' in another order" in description.reason


def test_the_users_object_has_the_last_word(translator, numbers):
    model = Stump(3000)
    explainer = croco.Explainer(model, numbers, noise=NOISE)
    model.limit = 9000  # it changes after it was translated
    with pytest.warns(UserWarning, match="Stump itself refuses 2 of the recommended rows"):
        result = explainer.explain(numbers[numbers["income"] <= 3000].head(2))
    assert result.status == ["found"] * 2
    assert result.confirmed == [False, False]
    assert result.metrics()["confirmed"] == 0


def test_a_contradicting_predict_proba_is_not_followed(numbers):
    class Contradicting(Stump):
        def predict(self, X):
            return (np.asarray(X["income"], dtype=float) > 4000).astype(int)

        def decision_function(self, X):
            return (np.asarray(X["income"], dtype=float) - 4000) / 500

    explainer = croco.Explainer(Contradicting(3000), numbers, noise=NOISE)
    description = explainer.describe()
    assert "black box (decision_function)" in str(description)
    assert "predict_proba contradicts predict in" in str(description)
    result = explainer.explain(numbers[numbers["income"] <= 3000].head(1))
    assert result.to_frame()["income"].iloc[0] > 4000
    # A stated threshold is about probabilities.
    stated = croco.Explainer(Contradicting(3000), numbers, noise=NOISE, threshold=0.5)
    advised = stated.explain(numbers[numbers["income"] <= 2000].head(1)).to_frame()
    assert 3000 < advised["income"].iloc[0] < 4000
