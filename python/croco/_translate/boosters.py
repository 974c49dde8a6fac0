# SPDX-License-Identifier: Apache-2.0
"""XGBoost, LightGBM and CatBoost: their own files, with what the files leave open.

XGBoost is always saved whole, since slices lose its categories; how many rounds count is said
beside it.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from typing import Any

from .contract import Column, NotTranslatable, Translation
from .registry import class_name


def two_classes(model: Any) -> list[Any]:
    """Those of a classifier; 0 and 1 of a plain booster."""
    classes = getattr(model, "classes_", None)
    if classes is None or not len(classes):
        return [0, 1]
    if len(classes) != 2:
        raise NotTranslatable(
            f"the {class_name(model)} has {len(classes)} classes; croco explains two"
        )
    return [one.item() if hasattr(one, "item") else one for one in classes]


def _require_classifier(model: Any) -> None:
    name = class_name(model)
    if name.endswith(("Regressor", "Ranker")):
        raise NotTranslatable(f"{name} predicts numbers; croco explains classifiers of two classes")


def _require_columns(names: list[str], columns: list[Column], model: Any) -> None:
    known = {column.name for column in columns} | {
        column.name.replace(" ", "_") for column in columns
    }
    missing = [name for name in names if name not in known]
    if missing:
        raise NotTranslatable(
            f"the {class_name(model)} was trained on columns that the data do not have: "
            f"{', '.join(missing)}"
        )


def xgboost_rounds(model: Any) -> int:
    """How many rounds `predict` uses: up to the best one in scikit-learn's interface, all of a
    Booster.
    """
    booster = xgboost_booster(model)
    whole = int(booster.num_boosted_rounds())
    if booster is model:
        return whole
    best = booster.attr("best_iteration")
    return whole if best is None else int(best) + 1


def xgboost_booster(model: Any) -> Any:
    _require_classifier(model)
    if not hasattr(model, "get_booster"):
        return model
    missing = getattr(model, "missing", math.nan)
    if missing is not None and not math.isnan(missing):
        raise NotTranslatable(
            f"the {class_name(model)} takes {missing} for a missing value; let it take NaN"
        )
    try:
        return model.get_booster()
    except Exception:
        raise NotTranslatable(f"the {class_name(model)} is not fitted; fit it first") from None


def xgboost(model: Any, columns: list[Column]) -> Translation:
    """UBJSON of the whole booster. Before version 3.1 it has no categories: codes are places among
    the data's own.
    """
    booster = xgboost_booster(model)
    names = list(booster.feature_names or [])
    _require_columns(names, columns, model)
    choices: dict[str, Any] = {"rounds": xgboost_rounds(model)}
    kinds = list(booster.feature_types or [])
    categories = [name for name, kind in zip(names, kinds, strict=True) if kind == "c"]
    if categories:
        saved = _saved_categories(json.loads(bytes(booster.save_raw("json"))), names)
        values = {column.name: column.level_values() for column in columns if column.has_levels}
        orders = {name: values.get(name) for name in categories if name not in saved}
        numbers = [name for name, order in orders.items() if order is None]
        if numbers:
            raise NotTranslatable(
                f"XGBoost takes the column {numbers[0]!r} as a category, and the data have it as "
                f"numbers; give it the type category"
            )
        if orders:
            choices["category_order"] = orders
    return Translation("xgboost", bytes(booster.save_raw("ubj")), two_classes(model), choices)


def _saved_categories(document: Any, names: list[str]) -> set[str]:
    """Columns whose categories the file has."""
    encoded = (
        document["learner"]["gradient_booster"].get("model", {}).get("cats", {}).get("enc", [])
    )
    return {name for name, one in zip(names, encoded, strict=False) if len(one.get("values", []))}


def lightgbm(model: Any, columns: list[Column]) -> Translation:
    """The text of the rounds that `predict` uses; it has the categories of columns of pandas' type
    category.
    """
    booster = lightgbm_booster(model)
    text = booster.model_to_string(num_iteration=lightgbm_rounds(model))
    objective = next((line for line in text.splitlines() if line.startswith("objective=")), "")
    if not objective.startswith(("objective=binary", "objective=cross_entropy")):
        raise NotTranslatable(
            f"LightGBM's {objective or 'objective of its own'} has no translation; croco reads "
            f"binary and cross_entropy"
        )
    return Translation("lightgbm", text.encode(), two_classes(model))


def lightgbm_booster(model: Any) -> Any:
    _require_classifier(model)
    if not hasattr(model, "booster_") and class_name(model).startswith("LGBM"):
        raise NotTranslatable(f"the {class_name(model)} is not fitted; fit it first")
    return getattr(model, "booster_", model)


def lightgbm_rounds(model: Any) -> int | None:
    """Up to the best one when it stopped early; nothing for all."""
    best = getattr(model, "best_iteration_", None) or getattr(model, "best_iteration", None)
    return int(best) if best and int(best) > 0 else None


def catboost(model: Any, columns: list[Column]) -> Translation:
    """JSON, which CatBoost writes into files alone. Categories by their statistics of the target
    have no translation.
    """
    _require_classifier(model)
    if not model.is_fitted():
        raise NotTranslatable(f"the {class_name(model)} is not fitted; fit it first")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        model.save_model(path, format="json")
        with open(path, "rb") as file:
            data = file.read()
    features = json.loads(data)["features_info"]
    if features.get("ctrs"):
        raise NotTranslatable(
            "CatBoost replaces some categories by statistics of the target (CTRs), which croco "
            "does not compute; train it with one_hot_max_size=255"
        )
    if features.get("text_features") or features.get("embedding_features"):
        raise NotTranslatable("CatBoost's texts and embeddings have no translation")
    return Translation("catboost", data, two_classes(model))
