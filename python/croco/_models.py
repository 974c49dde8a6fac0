# SPDX-License-Identifier: Apache-2.0
"""The user's own model: which classes it has, what it decides, and how it is asked."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from ._errors import InvalidArgument, ModelError
from ._layout import Layout, Numbers
from ._table import Table
from ._values import is_boolean, listed, text_of

Decisions = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class ModelFile:
    """A model file, with what the file leaves open; see `model_file`."""

    source: Union[str, os.PathLike[str], bytes]
    rounds: int | str | None = None
    category_order: str | Mapping[str, str] | None = None
    score: str | None = None
    decision: str | None = None

    def orders(self) -> list[str]:
        if self.category_order is None:
            return []
        if isinstance(self.category_order, str):
            return [self.category_order]
        return [f"{name}={order}" for name, order in self.category_order.items()]


def model_file(
    source: Union[str, os.PathLike[str], bytes],
    *,
    rounds: int | str | None = None,
    category_order: str | Mapping[str, str] | None = None,
    score: str | None = None,
    decision: str | None = None,
) -> ModelFile:
    """A model file of croco, ONNX, XGBoost, LightGBM or CatBoost, and how it is to be read.

    ``rounds`` (a number, ``"best"`` or ``"all"``), ``category_order`` (``"schema"`` or
    ``"numbers"``, for all features or by feature), ``score`` (``"logit"`` or ``"probability"``)
    and ``decision`` (``"label"`` or ``"probability"``) are as on the command line. A path or bytes
    alone do where the file leaves nothing open.
    """
    return ModelFile(source, rounds, category_order, score, decision)


def as_model_file(model: Any) -> ModelFile | None:
    """The model as a file, if it is one."""
    if isinstance(model, ModelFile):
        return model
    if isinstance(model, (str, bytes, os.PathLike)):
        if isinstance(model, str) and not Path(model).exists():
            raise ModelError(f"model is the text {model!r}, and there is no such file")
        return ModelFile(model)
    return None


def portable(model: Any) -> Any:
    """What can be pickled and used where there is no such file: the file's bytes."""
    file = as_model_file(model)
    if file is None or isinstance(file.source, bytes):
        return model
    return dataclasses.replace(file, source=Path(file.source).read_bytes())


@dataclass
class UserModel:
    """A fitted object or a function, asked on the user's own kind of data."""

    name: str
    #: class 0 and class 1
    classes: list[Any]
    #: the probability of class 1, or what stands for it
    score: Callable[[Any], Numbers]
    #: whether the object's own answer is class 1
    decide: Callable[[Any], Decisions]
    #: what is asked: 'predict_proba', 'decision_function', 'predict' or 'function'
    asked: str
    notes: list[str] = field(default_factory=list)


def read_user_model(model: Any, layout: Layout, table: Table, threshold: float | None) -> UserModel:
    """Finds out what a fitted object or a function answers. Asks it about some background rows."""
    _refuse(model)
    _require_columns(model, layout)
    sample = _sample(layout, table)
    cut = 0.5 if threshold is None else threshold
    if _is_torch(model):
        return _function(type(model).__name__, _torch_score(model, layout, table), cut)
    if _module_of(model) == "xgboost" and type(model).__name__ == "Booster":
        return _function("Booster", _xgboost_score(model), cut)
    if _module_of(model) == "lightgbm" and type(model).__name__ == "Booster":
        return _function("Booster", lambda X: _numbers(model.predict(X), X), cut)
    if hasattr(model, "predict") and not isinstance(model, type):
        return _classifier(model, sample, threshold)
    if callable(model):
        name = getattr(model, "__name__", type(model).__name__)
        return _function(name, lambda X: _numbers(model(X), X), cut)
    raise ModelError(
        f"model is a {type(model).__name__}; give a fitted classifier, a function of a DataFrame "
        "that returns probabilities, or the path of a model file"
    )


def _module_of(model: Any) -> str:
    return type(model).__module__.partition(".")[0]


def _refuse(model: Any) -> None:
    if model is None:
        raise ModelError("model is None; give a fitted classifier, a function or a model file")
    if isinstance(model, type):
        raise ModelError(
            f"model is the class {model.__name__} itself; make and fit one: "
            f"{model.__name__}().fit(X, y)"
        )
    name = type(model).__name__
    if getattr(model, "_estimator_type", None) == "regressor" or _is_regressor(model):
        raise ModelError(
            f"{name} is a regressor, which decides nothing. Give a function that says what the "
            "decision is, for example lambda X: (model.predict(X) > 3000).astype(float)"
        )
    if _is_unfitted(model):
        raise ModelError(f"{name} is not fitted; call model.fit(X, y) first")
    if hasattr(model, "transform") and not hasattr(model, "predict"):
        raise ModelError(
            f"{name} only transforms data; give the whole pipeline with its classifier"
        )


def _is_regressor(model: Any) -> bool:
    base = sys.modules.get("sklearn.base")
    if base is None or not isinstance(model, base.BaseEstimator):
        return False
    try:
        return bool(base.is_regressor(model))
    except Exception:
        return False


def _is_unfitted(model: Any) -> bool:
    base = sys.modules.get("sklearn.base")
    if base is None or not isinstance(model, base.BaseEstimator):
        return False
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except NotFittedError:
        return True
    except TypeError:
        return False
    return False


def _require_columns(model: Any, layout: Layout) -> None:
    """The background data have the columns that the model was fitted on."""
    try:
        known = getattr(model, "feature_names_in_", None)
        count = getattr(model, "n_features_in_", None)
    except Exception:  # properties of unusual estimators
        return
    name = type(model).__name__
    if known is not None and layout.form == "frame":
        wanted = [str(one) for one in known]
        extra = [one for one in layout.names if one not in wanted]
        lacking = [one for one in wanted if one not in layout.names]
        if extra and not lacking:
            raise ModelError(
                f"background has {listed(extra)}, on which {name} was not fitted. If it is the "
                f"label, say label={extra[0]!r}; otherwise leave it out"
            )
        if lacking:
            raise ModelError(
                f"background lacks {listed(lacking)}, on which {name} was fitted; give the data "
                "as the model takes them"
            )
        if wanted != layout.names:
            raise ModelError(
                f"background has the columns of {name} in another order; give them in the order "
                "of the model: background[list(model.feature_names_in_)]"
            )
    elif count is not None and int(count) != len(layout.names):
        raise ModelError(
            f"background has {len(layout.names)} columns, but {name} was fitted on {count}; is "
            "the label still among them (label=...)?"
        )


SAMPLE = 2000


def _sample(layout: Layout, table: Table) -> Any:
    """Some rows of the background data in the user's form."""
    values = layout.matrix(table)
    if len(values) > SAMPLE:
        values = values[np.linspace(0, len(values) - 1, SAMPLE).astype(int)]
    return layout.rebuilt(values)


def _numbers(answer: Any, X: Any) -> Numbers:
    """One probability per row, whatever shape the answer has."""
    if hasattr(answer, "detach"):
        answer = answer.detach().cpu().numpy()
    try:
        out = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(
            f"the model answered with {_shortly(answer)}; it must answer with the probability of "
            "class 1, a number from 0 to 1 for each row"
        ) from None
    rows = len(X)
    if out.ndim == 2 and out.shape[1] == 2:
        out = out[:, 1]
    elif out.ndim == 2 and out.shape[1] == 1:
        out = out[:, 0]
    elif out.ndim == 2:
        raise ModelError(
            f"the model answered with {out.shape[1]} columns for each row; croco explains a "
            "decision between two classes. Give the probability of one of them: "
            "lambda X: model.predict_proba(X)[:, k]"
        )
    if out.shape != (rows,):
        raise ModelError(
            f"the model answered with the shape {out.shape} for {rows} rows; it must answer with "
            "one number for each row"
        )
    wrong = out[(out < 0) | (out > 1)]
    if len(wrong):
        raise ModelError(
            f"the model answered {wrong[0]:.6g} for a row; it must answer with the probability of "
            "class 1, from 0 to 1. Of log-odds z that is 1 / (1 + numpy.exp(-z))"
        )
    return np.ascontiguousarray(out)


def _shortly(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _function(name: str, score: Callable[[Any], Numbers], threshold: float) -> UserModel:
    return UserModel(name, [0, 1], score, lambda X: score(X) > threshold, "function")


def _classifier(model: Any, sample: Any, threshold: float | None) -> UserModel:
    name = type(model).__name__
    classes = _classes(model, sample)
    index = 1

    def labels(X: Any) -> Decisions:
        answer = np.asarray(model.predict(X)).reshape(-1)
        return np.fromiter((text_of(a) == text_of(classes[1]) for a in answer), bool, len(answer))

    def proba(X: Any) -> Numbers:
        answer = np.asarray(model.predict_proba(X), dtype=np.float64)
        return np.ascontiguousarray(answer[:, index]) if answer.ndim == 2 else _numbers(answer, X)

    def margin(X: Any) -> Numbers:
        return 1 / (1 + np.exp(-np.asarray(model.decision_function(X), dtype=np.float64)))

    has_proba = _has(model, "predict_proba")
    if threshold is not None:
        if not has_proba:
            raise InvalidArgument(
                f"threshold is {threshold}, but {name} has no predict_proba to compare with it"
            )
        return UserModel(name, classes, proba, lambda X: proba(X) > threshold, "predict_proba")
    # The decision is what predict says; the score that agrees with it is the one to follow.
    decided = labels(sample)
    notes = []
    if has_proba:
        differing = int(np.sum((proba(sample) > 0.5) != decided))
        if differing == 0:
            return UserModel(name, classes, proba, labels, "predict_proba")
        notes.append(
            f"predict_proba contradicts predict in {differing} of {len(decided)} background rows, "
            "so it is not used"
        )
    if _has(model, "decision_function"):
        differing = int(np.sum((margin(sample) > 0.5) != decided))
        if differing == 0:
            return UserModel(name, classes, margin, labels, "decision_function", notes)
    return UserModel(name, classes, lambda X: labels(X).astype(float), labels, "predict", notes)


def _has(model: Any, method: str) -> bool:
    """Some estimators say only when asked that they have no such method."""
    try:
        return callable(getattr(model, method, None))
    except Exception:
        return False


def _classes(model: Any, sample: Any) -> list[Any]:
    found = getattr(model, "classes_", None)
    if found is None and _has(model, "predict_proba"):
        width = np.asarray(model.predict_proba(sample[:1])).shape[-1]
        found = list(range(width))
    if found is None:
        answers = np.asarray(model.predict(sample)).reshape(-1)
        found = sorted({text_of(one): one for one in answers}.values())
    if isinstance(found, list) and found and isinstance(found[0], (list, np.ndarray)):
        raise ModelError(
            f"{type(model).__name__} has several outputs; explain one of them: "
            "lambda X: model.predict_proba(X)[0][:, 1]"
        )
    classes = [one.item() if hasattr(one, "item") else one for one in found]
    if len(classes) == 2:
        return classes
    name = type(model).__name__
    if len(classes) < 2:
        raise ModelError(f"{name} knows the class {classes[0]!r} only; there is no other answer")
    raise ModelError(
        f"{name} has {len(classes)} classes ({listed([str(c) for c in classes])}); croco explains "
        "a decision between two. Give the probability of the one that is wanted, k: "
        "lambda X: model.predict_proba(X)[:, k]"
    )


def _is_torch(model: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def _torch_score(model: Any, layout: Layout, table: Table) -> Callable[[Any], Numbers]:
    """Outputs outside of 0 to 1 are log-odds."""
    import torch

    def outputs(X: Any) -> Numbers:
        training = model.training
        model.eval()
        try:
            with torch.no_grad():
                values = torch.as_tensor(np.asarray(X, dtype=np.float32))
                return np.asarray(model(values).cpu().numpy(), dtype=np.float64)
        finally:
            model.train(training)

    sample = outputs(_sample(layout, table))
    if ((sample >= 0) & (sample <= 1)).all():
        return lambda X: _numbers(outputs(X), X)

    def score(X: Any) -> Numbers:
        raw = outputs(X)
        logits = raw[:, 1] - raw[:, 0] if raw.ndim == 2 and raw.shape[1] == 2 else raw.reshape(-1)
        return np.asarray(1 / (1 + np.exp(-logits)), dtype=np.float64)

    return score


def _xgboost_score(model: Any) -> Callable[[Any], Numbers]:
    import xgboost

    return lambda X: _numbers(model.predict(xgboost.DMatrix(X, enable_categorical=True)), X)


def wanted_class(classes: list[Any], want: Any) -> int:
    """The place of the wanted class, 0 or 1."""
    texts = [text_of(one) for one in classes]
    if want is not None:
        if text_of(want) in texts:
            return texts.index(text_of(want))
        binary = sorted(texts) in (["0", "1"], ["False", "True"])
        if binary and (is_boolean(want) or want in (0, 1)):
            return int(want)
        raise InvalidArgument(
            f"want is {want!r}; the classes are {classes[0]!r} and {classes[1]!r}"
        )
    if sorted(texts) in (["0", "1"], ["False", "True"]):
        return texts.index("1" if "1" in texts else "True")
    raise InvalidArgument(
        f"the classes are {classes[0]!r} and {classes[1]!r}; say which one people want: "
        f"want={classes[1]!r}"
    )
