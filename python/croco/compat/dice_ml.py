# SPDX-License-Identifier: Apache-2.0
"""DiCE's interface, answered by croco: ``import croco.compat.dice_ml as dice_ml``.

Programs for DiCE run with this import, and every counterfactual has a certificate. What croco has
nothing for is refused. Arguments of `croco.Explainer` about noise and certificates may be given to
`Dice`.
"""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._arguments import Effort
from .._errors import DataError, InvalidArgument, ModelError
from .._explainer import Explainer
from .._layout import Layout
from .._schema import guessed_schema
from .._table import pandas, read_table
from .._values import listed, suggestion, text_of
from ._dice_result import CounterfactualExamples, CounterfactualExplanations

__all__ = ["CounterfactualExamples", "CounterfactualExplanations", "Data", "Dice", "Model"]

METHODS = ("random", "genetic", "kdtree", "gradient")
BACKENDS = ("sklearn", "PYT", "TF2")
#: of croco.Explainer, which `Dice` takes too
OF_EXPLAINER = (
    "noise", "target_rate", "confidence", "directions", "relations", "max_changes", "cost",
    "random_state", "n_jobs",
)  # fmt: skip
#: DiCE's arguments that control its own search, with the values that mean the default
OF_SEARCH = {
    "desired_range": (None,), "stopping_threshold": (0.5,), "posthoc_sparsity_param": (0.1, None),
    "posthoc_sparsity_algorithm": ("linear",),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """DiCE's own helpers, such as ``dice_ml.utils.helpers``, when DiCE is installed."""
    if name != "utils":
        raise AttributeError(f"croco.compat.dice_ml has no {name!r}; it has {listed(__all__)}")
    try:
        importlib.import_module("dice_ml.utils.helpers")
        return importlib.import_module("dice_ml.utils")
    except ImportError:
        raise AttributeError("dice_ml.utils is DiCE's own: pip install dice-ml") from None


class Data:
    """The training data with their label, as DiCE takes them."""

    def __init__(self, **params: Any):
        known = (
            "dataframe", "continuous_features", "outcome_name", "permitted_range",
            "continuous_features_precision", "data_name",
        )  # fmt: skip
        if "dataframe" not in params:
            raise InvalidArgument(
                "Data: 'dataframe' is missing; croco needs the training data, since their ranges "
                "are the units of cost. DiCE's private data are not supported"
            )
        for name in params:
            if name not in known:
                raise InvalidArgument(
                    f"Data: {name!r} is not supported{suggestion(name, list(known))} "
                    f"(there are {listed(list(known))})"
                )
        self.data_df = params["dataframe"]
        if not hasattr(self.data_df, "columns"):
            raise InvalidArgument("Data: dataframe must be a pandas DataFrame")
        self.outcome_name: str = params.get("outcome_name", "")
        columns = [str(name) for name in self.data_df.columns]
        if self.outcome_name not in columns:
            raise InvalidArgument(
                f"Data: outcome_name is {self.outcome_name!r}, which is no column of the dataframe "
                f"({listed(columns)})"
            )
        self.feature_names = [name for name in columns if name != self.outcome_name]
        self.continuous_feature_names = self._known(params, "continuous_features")
        self.categorical_feature_names = [
            name for name in self.feature_names if name not in self.continuous_feature_names
        ]
        self.permitted_range = dict(params.get("permitted_range") or {})
        self.continuous_features_precision = dict(params.get("continuous_features_precision") or {})

        self._ends = {
            name: (float(self.data_df[name].min()), float(self.data_df[name].max()))
            for name in self.continuous_feature_names
        }
        self._levels = {
            name: {text: place for place, text in enumerate(sorted(map(text_of, values)))}
            for name in self.categorical_feature_names for values in [set(self.data_df[name])]
        }  # fmt: skip

    def _known(self, params: Mapping[str, Any], argument: str) -> list[str]:
        given = params.get(argument)
        if given is None or isinstance(given, str):
            raise InvalidArgument(f"Data: {argument} must be a list of names; it is {given!r}")
        for name in given:
            if name not in self.feature_names:
                raise InvalidArgument(
                    f"Data: {argument} has {name!r}, which is no feature"
                    f"{suggestion(str(name), self.feature_names)}"
                )
        return list(given)

    @property
    def background(self) -> Any:
        """The data without the label."""
        return self.data_df.drop(columns=[self.outcome_name])

    def encoded(self, frame: Any) -> Any:
        """DiCE's ``ohe-min-max``: numbers from 0 to 1 first, then every category one-hot."""
        parts = []
        for name, (low, high) in self._ends.items():
            values = frame[name].to_numpy(dtype=float)
            parts.append(((values - low) / ((high - low) or 1.0)).reshape(-1, 1))
        for name, levels in self._levels.items():
            codes, different = pandas().factorize(frame[name])
            places = np.array([levels.get(text_of(value), -1) for value in different], dtype=int)
            parts.append(places[codes].reshape(-1, 1) == np.arange(len(levels)))
        return np.concatenate(parts, axis=1).astype(np.float32)


class Model:
    """A trained classifier, as DiCE takes it."""

    def __init__(
        self,
        model: Any = None,
        model_path: str = "",
        backend: Any = "TF1",
        model_type: str = "classifier",
        func: Any = None,
        kw_args: Mapping[str, Any] | None = None,
    ):
        if backend not in BACKENDS:
            raise InvalidArgument(
                f"Model: backend {backend!r} is not supported; it must be one of "
                f"{listed(list(BACKENDS))}. Models of scikit-learn's interface, XGBoost's and "
                "LightGBM's among them, are 'sklearn'"
            )
        if model_type != "classifier":
            raise InvalidArgument(
                f"Model: model_type {model_type!r} is not supported; croco explains decisions. "
                "Make one of it: a classifier whose predict_proba says how sure it is"
            )
        if not (func is None or func == "ohe-min-max" or callable(func)):
            raise InvalidArgument(
                f"Model: func is {func!r}; it must be 'ohe-min-max' or a function of a DataFrame"
            )
        if model is None and not model_path:
            raise InvalidArgument("Model: give a trained model, or model_path")
        self.model = model if model is not None else _read_model(model_path, backend)
        self.backend = backend
        self.model_type = model_type
        self._func = func
        self._kw_args = dict(kw_args or {})

    def as_explained(self, data: Data) -> Any:
        """What `croco.Explainer` takes: the model itself, or a function of a DataFrame."""
        if self._func is None and self.backend == "sklearn":
            return self.model

        def score(frame: Any) -> Any:
            return _probability(self.model, self.backend, self._prepared(frame, data))

        return score

    def _prepared(self, frame: Any, data: Data) -> Any:
        if self._func is None:
            return frame
        if self._func == "ohe-min-max":
            return data.encoded(frame)
        return self._func(frame, **self._kw_args, data_interface=data)


def _read_model(path: str, backend: str) -> Any:
    if backend == "PYT":
        return importlib.import_module("torch").load(path, weights_only=False)
    if backend == "TF2":
        return importlib.import_module("tensorflow").keras.models.load_model(path)
    return pickle.loads(Path(path).read_bytes())


def _probability(model: Any, backend: str, rows: Any) -> Any:
    """Of class 1."""
    if backend == "sklearn":
        return np.asarray(model.predict_proba(rows))[:, 1]
    values = np.asarray(rows, dtype=np.float32)
    if backend == "PYT":
        torch = importlib.import_module("torch")
        model.eval()
        with torch.no_grad():
            out = model(torch.as_tensor(values)).numpy()
    else:
        out = np.asarray(model(values))
    if out.ndim == 2 and out.shape[1] > 2:
        raise ModelError(f"the model has {out.shape[1]} classes; croco explains one of two")
    return out.reshape(len(values), -1)[:, -1]


class Dice:
    """Finds counterfactuals, each with a certificate. ``method`` may name any of DiCE's; croco
    searches in its own way."""

    def __init__(
        self,
        data_interface: Data,
        model_interface: Model,
        method: str = "random",
        **arguments: Any,
    ):
        if method not in METHODS:
            raise InvalidArgument(f"Dice: method is {method!r}; it must be one of {METHODS}")
        for name in arguments:
            if name not in OF_EXPLAINER:
                raise InvalidArgument(
                    f"Dice: {name!r} is not supported{suggestion(name, list(OF_EXPLAINER))} "
                    f"(of croco.Explainer there are {listed(list(OF_EXPLAINER))})"
                )
        self.data_interface = data_interface
        self.model = model_interface
        self._arguments = arguments
        self._model = model_interface.as_explained(data_interface)
        self._background = data_interface.background
        self._schema = _schema_of(data_interface, self._background)
        classes = getattr(self._model, "classes_", [0, 1])
        self._classes = [c.item() if hasattr(c, "item") else c for c in classes]
        if len(self._classes) != 2:
            raise ModelError(
                f"the model has {len(self._classes)} classes; croco explains one of two"
            )

    def generate_counterfactuals(
        self,
        query_instances: Any,
        total_CFs: int,
        desired_class: Any = "opposite",
        permitted_range: Mapping[str, Sequence[Any]] | None = None,
        features_to_vary: str | Sequence[str] = "all",
        random_seed: int | None = None,
        verbose: bool = False,
        **search: Any,
    ) -> CounterfactualExplanations:
        """Up to ``total_CFs`` different certified changes for each row.

        ``features_to_vary="all"`` leaves out what nobody can change, such as the age; a list of
        names means exactly those.
        """
        _refuse_search(search)
        rows = self._rows(query_instances)
        schema = self._limited(permitted_range, features_to_vary)
        explainer = self._explainer(schema, total_CFs, random_seed)
        user = explainer._prepared.user
        assert user is not None  # DiCE's models are objects, never files of croco's
        decided = user.decide(rows)
        wanted = _wanted(desired_class, decided, self._classes)
        results = {}
        for want in sorted(set(wanted)):
            places = [i for i, one in enumerate(wanted) if one == want]
            some = explainer.replace(want=self._classes[want])
            effort = Effort(reasons=False)
            result = some._answered(rows.iloc[places], places, bool(verbose), effort)
            results[want] = (places, result)
        return CounterfactualExplanations.of(
            rows, results, [self._classes[int(d)] for d in decided], self._classes,
            self.data_interface.outcome_name, desired_class,
        )  # fmt: skip

    def _rows(self, given: Any) -> Any:
        module = pandas()
        if isinstance(given, Mapping):
            given = [given]
        if isinstance(given, list) and given and isinstance(given[0], Mapping):
            given = module.DataFrame(given)
        if not isinstance(given, module.DataFrame):
            raise DataError("query_instances must be a DataFrame, a dict or a list of dicts")
        if self.data_interface.outcome_name in given.columns:
            raise DataError(
                f"query_instances still has the label {self.data_interface.outcome_name!r}; leave "
                "it out"
            )
        lacking = [name for name in self.data_interface.feature_names if name not in given.columns]
        if lacking:
            raise DataError(f"query_instances lacks {listed(lacking)}")
        return given[self.data_interface.feature_names]

    def _explainer(self, schema: dict[str, Any], count: int, seed: int | None) -> Explainer:
        arguments = dict(self._arguments)
        if seed is not None:
            arguments["random_state"] = seed
        return Explainer(
            self._model, self._background, schema=schema, alternatives=count,
            label=self.data_interface.outcome_name, want=self._classes[1], **arguments,
        )  # fmt: skip

    def _limited(self, ranges: Any, vary: str | Sequence[str]) -> dict[str, Any]:
        """The schema under the limits of one call."""
        schema: dict[str, Any] = pickle.loads(pickle.dumps(self._schema))
        features = {feature["name"]: feature for feature in schema["features"]}
        if vary != "all":
            if isinstance(vary, str):
                raise InvalidArgument(f"features_to_vary is {vary!r}; it must be 'all' or a list")
            _require(vary, features, "features_to_vary")
            for name, feature in features.items():
                feature["movement"] = "both" if name in vary else "fixed"
                feature.pop("changeable_by", None)
        for name, ends in {**self.data_interface.permitted_range, **(ranges or {})}.items():
            _require([name], features, "permitted_range")
            _limit(features[name], ends)
        return schema


def _require(names: Sequence[str], features: Mapping[str, Any], argument: str) -> None:
    if not names:
        raise InvalidArgument(f"{argument} is empty; name what may change")
    for name in names:
        if name not in features:
            raise InvalidArgument(
                f"{argument} has {name!r}, which is no feature"
                f"{suggestion(str(name), list(features))}"
            )


def _limit(feature: dict[str, Any], ends: Sequence[Any]) -> None:
    if feature["type"] == "numeric":
        if len(ends) != 2 or not float(ends[0]) <= float(ends[1]):
            raise InvalidArgument(
                f"permitted_range of {feature['name']!r} is {list(ends)}; of a number it is "
                "[lowest, highest]"
            )
        feature["minimum"], feature["maximum"] = float(ends[0]), float(ends[1])
        return
    allowed = [text_of(end) for end in ends]
    unknown = [text for text in allowed if text not in feature["levels"]]
    if unknown:
        raise InvalidArgument(
            f"permitted_range of {feature['name']!r} has {unknown[0]!r}, which is none of its "
            f"levels ({listed(feature['levels'])})"
        )
    feature["moves"] = [
        {"from": old, "to": new} for old in feature["levels"] for new in allowed if old != new
    ]


def _schema_of(data: Data, background: Any) -> dict[str, Any]:
    """Guessed from the data, with DiCE's word on what is a number."""
    table = read_table(background, "dataframe")
    types = {name: "categorical" for name in data.categorical_feature_names}
    layout = Layout.of_table(table, types, "dataframe")
    schema, _ = guessed_schema(table, layout)
    for feature in schema["features"]:
        precision = data.continuous_features_precision.get(feature["name"])
        if precision is not None:
            feature["step"] = 10.0 ** -int(precision)
    return schema


def _refuse_search(search: Mapping[str, Any]) -> None:
    for name, value in search.items():
        if name not in OF_SEARCH:
            raise InvalidArgument(
                f"generate_counterfactuals: {name!r} is not supported; it belongs to DiCE's own "
                "search. croco looks for the cheapest change that meets the target; leave it out"
            )
        if not any(value is usual or value == usual for usual in OF_SEARCH[name]):
            raise InvalidArgument(
                f"generate_counterfactuals: {name} is {value!r}, which is not supported; leave it "
                "out. How sure an answer must be is said by noise and target_rate: "
                "Dice(d, m, target_rate=0.01)"
            )


def _wanted(desired: Any, decided: Any, classes: list[Any]) -> list[int]:
    """The place of the wanted class, for each row."""
    if isinstance(desired, str) and desired == "opposite":
        return [1 - int(one) for one in decided]
    texts = [text_of(one) for one in classes]
    if text_of(desired) in texts:
        return [texts.index(text_of(desired))] * len(decided)
    if not isinstance(desired, str) and desired in (0, 1):
        return [int(desired)] * len(decided)
    raise InvalidArgument(
        f"desired_class is {desired!r}; it must be 'opposite', or one of the classes "
        f"{classes[0]!r} and {classes[1]!r}"
    )
