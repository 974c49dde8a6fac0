# SPDX-License-Identifier: Apache-2.0
"""The Explainer: a model and its data in, certified advice out."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from . import _core
from ._arguments import Effort, check_arguments, row_numbers, run_options
from ._audit import Audit, Groups, beside_columns, group_list, require_columns
from ._bundle import BESIDE_BUNDLES, bundle_bytes, read_source
from ._describe import Description
from ._errors import DataError, InvalidArgument, IoError
from ._noise import FeatureNoise, Noise
from ._prepare import Prepared, prepare, read_population
from ._progress import Progress, bar
from ._result import Result
from ._schema import Keywords, SchemaLike
from ._table import Table, advice_table, pandas, read_table

TARGET_RATES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
MOST_EXPLAINERS = 8
#: arguments that the prepared model depends on; the others are about runs
_PREPARING = {
    "label", "want", "threshold", "schema", "immutable", "ranges", "directions", "relations",
    "noise", "cost",
}  # fmt: skip


class Explainer:
    """Explains the decisions of one model: what to change, how far, and how often noise undoes it.

    ``model`` is a fitted classifier, a function of a DataFrame (or of an array, as the background
    data are) that returns probabilities, or a model file by its path or bytes. ``background`` are
    rows such as the model was trained on, without the label; their ranges are the units of cost.

    ``query_budget`` is how many rows a model that is expensive to ask may be asked about for one
    person; ``shared_queries`` are asked about once, when the explainer is made, to learn from.

    ``reason_codes`` is how many reason codes of the schema a refused person gets at most, ranked by
    the score that accepted people's values would gain; ``plausibility`` says how unusual
    recommended records are among accepted people. Both compare with the background rows.

    >>> import numpy as np, croco
    >>> X = np.random.default_rng(0).uniform(0, 10, size=(200, 2))
    >>> def model(X):
    ...     return 1 / (1 + np.exp(10 - X.sum(axis=1)))
    >>> explainer = croco.Explainer(model, X, random_state=1)
    >>> result = explainer.explain(np.array([[2.0, 3.0]]))
    >>> result.status
    ['found']
    >>> bool(result[0].certificate.upper <= 0.05)
    True
    """

    def __init__(
        self,
        model: Any,
        background: Any = None,
        *,
        label: str | None = None,
        want: Any = None,
        threshold: float | None = None,
        schema: SchemaLike | None = None,
        immutable: Iterable[str] = (),
        ranges: Mapping[str, tuple[float | None, float | None]] | None = None,
        directions: Mapping[str, str] | None = None,
        relations: Iterable[Mapping[str, Any]] = (),
        noise: Union[Noise, Mapping[str, FeatureNoise], str, None] = None,
        target_rate: float = 0.05,
        confidence: float = 0.999,
        method: str = "certified",
        alternatives: int = 1,
        max_changes: int | None = None,
        cost: str = "l1",
        family: int | str = 1,
        query_budget: int | None = None,
        shared_queries: int | None = None,
        reason_codes: int = 0,
        plausibility: bool = False,
        missing: str = "error",
        models: Any = None,
        search_models: int | None = None,
        model_confidence: float = 0.95,
        random_state: int = 0,
        n_jobs: int = -1,
    ):
        self._model = model
        self._background = background
        self._arguments: dict[str, Any] = {
            "label": label, "want": want, "threshold": threshold, "schema": schema,
            "immutable": immutable, "ranges": ranges, "directions": directions,
            "relations": relations, "noise": noise, "target_rate": target_rate,
            "confidence": confidence, "method": method, "alternatives": alternatives,
            "max_changes": max_changes, "cost": cost, "family": family, "missing": missing,
            "models": models, "search_models": search_models, "model_confidence": model_confidence,
            "query_budget": query_budget, "shared_queries": shared_queries,
            "reason_codes": reason_codes, "plausibility": plausibility,
            "random_state": random_state, "n_jobs": n_jobs,
        }  # fmt: skip
        check_arguments(self._arguments)
        keywords = Keywords(immutable, ranges, directions, relations, noise)
        # Iterators are read once; the arguments are needed again by `replace`.
        self._arguments["immutable"] = keywords.immutable
        self._arguments["relations"] = keywords.relations
        self._prepared: Prepared = prepare(model, background, self._arguments, keywords)
        self._population = read_population(self._prepared, model, self._arguments)
        self._explainers: dict[Any, _core.Explainer] = {}
        self._explainer(self._request(1))

    # What a run is asked for

    def _request(self, people: int, effort: Effort | None = None) -> _core.Request:
        given = self._arguments
        effort = effort or Effort()
        out = _core.Request()
        out.method = given["method"]
        out.target = float(given["target_rate"])
        out.confidence = float(given["confidence"])
        out.threshold = self._prepared.threshold
        out.wanted = self._prepared.wanted
        out.noise = given["noise"] if isinstance(given["noise"], str) else None
        out.family = max(people, 1) if given["family"] == "all" else int(given["family"])
        out.missing = given["missing"]
        out.max_changes = given["max_changes"]
        out.alternatives = int(given["alternatives"])
        out.time_limit = effort.time_limit
        out.reasons = effort.reasons
        out.reason_codes = int(given["reason_codes"])
        out.plausibility = bool(given["plausibility"])
        out.search_rows = effort.search_rows
        out.query_budget = given["query_budget"]
        out.shared_queries = given["shared_queries"]
        out.seed = int(given["random_state"])
        out.threads = 0 if given["n_jobs"] == -1 else int(given["n_jobs"])
        out.models = self._population
        out.model_confidence = float(given["model_confidence"])
        return out

    def _bare_request(self, people: int) -> _core.Request:
        """Without the comparisons with accepted people, which belong to `explain`."""
        out = self._request(people)
        out.reason_codes, out.plausibility = 0, False
        return out

    def _explainer(self, request: _core.Request) -> _core.Explainer:
        """Made once for each kind of request; it holds what people share."""
        key = (request.family, request.time_limit, request.reasons, request.search_rows)
        if key not in self._explainers and len(self._explainers) >= MOST_EXPLAINERS:
            self._explainers.clear()  # a family of all rows makes one for each number of rows
        if key not in self._explainers:
            self._explainers[key] = _core.make_explainer(self._prepared.model, request)
        return self._explainers[key]

    def _table(self, X: Any, what: str) -> Table:
        layout = self._prepared.layout
        table = read_table(X, what, layout.names)
        return layout.matched(table, what, self._arguments["label"])

    # Answers

    def explain(
        self,
        X: Any,
        *,
        rows: Sequence[int] | None = None,
        progress: Progress = None,
        time_limit: float | None = None,
        reasons: bool = True,
        search_rows: int | None = None,
    ) -> Result:
        """Advice for every row of X: a DataFrame, a Series (one person), an array, Arrow.

        Rows that the model accepts already get the status ``already``; a row that cannot be read
        gets ``error`` and never fails the rest. ``rows`` are the numbers of the rows, by default
        0, 1, 2 and so on: samples are drawn by row number, so that a part of a table gets the
        answers that it gets in the whole when its rows keep their numbers. ``progress`` is True,
        False, or a function of (finished, all); by default a bar is shown on a terminal.

        Three arguments bound the work. ``reasons=False`` leaves out why a row has no certified
        advice, which takes several times as long as its search. ``search_rows`` is how many rows
        the search of one person may ask a model without a gradient about. ``time_limit`` is in
        seconds for each person; results then depend on the machine.
        """
        effort = Effort(time_limit, reasons, search_rows)
        effort.check()
        result = self._answered(X, rows, progress, effort)
        self._warn(result)
        return result

    def _answered(
        self, X: Any, rows: Sequence[int] | None, progress: Progress, effort: Effort | None = None
    ) -> Result:
        table = self._table(X, "X")
        numbers = [] if rows is None else row_numbers(rows, table.rows)
        frame, faults = self._prepared.layout.frame(table, "X", numbers)
        request = self._request(table.rows, effort)
        explainer = self._explainer(request)
        with bar(progress, table.rows) as shown:
            answers = _core.explain(explainer, frame, faults, shown, numbers)
        return Result(answers, table, self._prepared, run_options(request))

    def certify(self, X: Any, counterfactuals: Any, *, tool: str = "counterfactuals") -> Result:
        """Judges advice that any tool made: row i of ``counterfactuals`` is for row i of X.

        The status is ``found`` where the model gives the wanted answer there, else ``unmet``; each
        gets a certificate for exactly the record as it is, and ``table()`` names the rules of the
        schema that it breaks. ``counterfactuals`` is a table like X, or what DiCE returned.
        """
        before = self._table(X, "X")
        after = self._table(advice_table(counterfactuals), "counterfactuals")
        if before.rows != after.rows:
            raise DataError(
                f"X has {before.rows} rows and counterfactuals has {after.rows}; row i of one "
                "belongs to row i of the other. Repeat the rows of X that have several"
            )
        layout = self._prepared.layout
        frame, faults = layout.frame(before, "X")
        advised, wrong = layout.frame(after, "counterfactuals")
        request = self._bare_request(before.rows)
        answers = _core.assess(
            self._prepared.model, frame, advised, {**wrong, **faults}, tool, request
        )
        return Result(answers, before, self._prepared, run_options(request), judged=after)

    def audit(
        self,
        X: Any,
        groups: Groups,
        *,
        columns: Mapping[str, Sequence[Any]] | None = None,
        reference: Mapping[str, Any] | None = None,
        score_strata: int = 5,
        gap_confidence: float = 0.95,
        resamples: int = 1000,
        premium: bool = True,
        swap: bool = True,
        progress: Progress = None,
    ) -> Audit:
        """Which groups of the people in X have recourse, at what price, and what blocks the others.

        ``groups`` names columns of X, or maps them to cut points of numbers:
        ``{"sex": None, "age": [25, 40, 60]}``. Columns that the model does not read are given as
        ``columns={"race": ...}``, one value for each row. ``reference`` names the groups that the
        others are compared with, by default the largest. ``premium=False`` and ``swap=False``
        leave out the cheapest change without noise, and the same people as members of other groups.
        """
        table = self._table(X, "X")
        frame, faults = self._prepared.layout.frame(table, "X", [])
        beside = beside_columns(columns, table.rows)
        asked = _core.AuditRequest()
        asked.groups = group_list(groups)
        require_columns(asked.groups, [one["name"] for one in self.schema["features"]], beside)
        asked.references = {str(name): str(value) for name, value in (reference or {}).items()}
        asked.score_strata = int(score_strata)
        asked.gap_confidence = float(gap_confidence)
        asked.resamples = int(resamples)
        asked.premium, asked.swap = bool(premium), bool(swap)
        request = self._bare_request(table.rows)
        with bar(progress, table.rows) as shown:
            texts = _core.audit(self._prepared.model, request, asked, frame, faults, beside, shown)
        return Audit(texts)

    def tradeoff(self, x: Any, target_rates: Sequence[float] | None = None) -> Any:
        """What robustness costs for one person or several: a row for each target rate.

        A DataFrame with the cost, the certified bound and the number of changes by target rate,
        averaged over the rows that got advice. ``croco.plot_tradeoff`` draws it.
        """
        rates = list(TARGET_RATES if target_rates is None else target_rates)
        module = pandas()
        if module is None:
            raise InvalidArgument("tradeoff needs pandas: pip install pandas")
        if not rates:
            raise InvalidArgument("target_rates is empty; give some, such as [0.01, 0.05, 0.2]")
        rows = []
        for rate in rates:
            metrics = self.replace(target_rate=rate).explain(x, progress=False).metrics()
            rows.append({
                "target_rate": float(rate), "found": metrics["found"],
                "cost": metrics["mean_cost"], "upper": metrics["mean_upper"],
                "changes": metrics["mean_changes"],
            })  # fmt: skip
        return module.DataFrame(rows)

    def _warn(self, result: Result) -> None:
        status = result.status
        if status and all(one == "already" for one in status):
            warnings.warn(
                f"all {len(status)} rows have the wanted answer {self._prepared.want!r} already, "
                "so that there is nothing to advise; is want the right class?",
                stacklevel=3,
            )
        refused = [i for i, ok in enumerate(result.confirmed) if ok is False]
        if refused:
            warnings.warn(
                f"{self._prepared.user_name} itself refuses {len(refused)} of the recommended "
                f"rows, the first of them row {refused[0]}; see result.confirmed",
                stacklevel=3,
            )

    # About itself

    @property
    def schema(self) -> dict[str, Any]:
        """The schema in use, as in croco's schema files; correct it and give it as ``schema``."""
        out: dict[str, Any] = json.loads(self._prepared.model.schema)
        return out

    def describe(self) -> Description:
        """How the model is asked, how far it was verified, and what was guessed."""
        explainer = self._explainer(self._request(1))
        return Description(self._prepared, explainer, self.schema, self._arguments)

    def replace(self, **changes: Any) -> Explainer:
        """The same explainer with other arguments; the model is not fitted again.

        >>> import numpy as np, croco
        >>> X = np.random.default_rng(0).uniform(0, 10, size=(200, 2))
        >>> explainer = croco.Explainer(lambda X: 1 / (1 + np.exp(10 - X.sum(axis=1))), X)
        >>> explainer.replace(target_rate=0.2) is explainer
        False
        """
        model = changes.pop("model", self._model)
        background = changes.pop("background", self._background)
        unknown = [name for name in changes if name not in self._arguments]
        if unknown:
            raise InvalidArgument(
                f"replace: {unknown[0]!r} is no argument of Explainer (there are "
                f"{', '.join(['model', 'background', *self._arguments])})"
            )
        arguments = {**self._arguments, **changes}
        same_model = model is self._model and background is self._background
        if not same_model or _PREPARING & set(changes):
            return Explainer(model, background, **arguments)
        check_arguments(arguments)
        out = Explainer.__new__(Explainer)
        out._model, out._background, out._arguments = model, background, arguments
        out._prepared, out._explainers = self._prepared, {}
        out._population = self._population
        if {"models", "search_models"} & set(changes):
            out._population = read_population(out._prepared, model, arguments)
        out._explainer(out._request(1))
        return out

    def save(self, path: str | os.PathLike[str], *, examples: bool = True) -> None:
        """Writes a bundle: the model, the schema, the scales and the threshold in one file.

        It needs no training data, and the command line takes it as ``--model``. The examples are
        rows of the background data, and so of real people; without them a search that has no
        gradient has fewer starting points. Models that are asked as a black box cannot be saved.
        """
        if not str(path).endswith(".croco"):
            raise InvalidArgument(f"path is {str(path)!r}; it must end in .croco")
        _core.write_file(path, bundle_bytes(self._prepared, self._arguments, examples))

    @classmethod
    def load(cls, path: str | os.PathLike[str] | bytes, **changes: Any) -> Explainer:
        """The explainer that was saved, with other arguments where some are given."""
        if not isinstance(path, bytes):
            try:
                path = Path(path).read_bytes()
            except OSError as error:
                raise IoError(f"{str(path)!r}: {error.strerror}") from error
        _, extra = read_source(path, "the bundle")
        return cls(path, **{**(extra.arguments if extra else {}), **changes})

    def __reduce__(self) -> Any:
        """A bundle where there is one; a black box is rebuilt from its model and background."""
        if self._prepared.source is None:
            return _rebuilt, (self._model, self._background, self._arguments)
        given = self._arguments
        if (given["reason_codes"] or given["plausibility"]) and not self._prepared.model.program:
            # A bundle of croco's own file would not hold the people to compare with.
            return _rebuilt, (self._prepared.source.data, self._background, given)
        data = bundle_bytes(self._prepared, given, examples=True)
        return _loaded, (data, {name: given[name] for name in BESIDE_BUNDLES})

    def __repr__(self) -> str:
        return f"<croco.Explainer of {self._prepared.user_name}, {self._prepared.path}>"


def _rebuilt(model: Any, background: Any, arguments: dict[str, Any]) -> Explainer:
    return Explainer(model, background, **arguments)


def _loaded(data: bytes, changes: dict[str, Any]) -> Explainer:
    return Explainer.load(data, **changes)
