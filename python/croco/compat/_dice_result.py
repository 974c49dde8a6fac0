# SPDX-License-Identifier: Apache-2.0
"""DiCE's classes of results, with croco's answers behind them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._errors import InvalidArgument
from .._table import pandas

if TYPE_CHECKING:
    from .._answer import Answer, Certificate
    from .._result import Result

#: of DiCE's format of JSON
VERSION = "2.0"


class _DataInterface:
    """What DiCE's results know about the data."""

    def __init__(self, outcome_name: str):
        self.outcome_name = outcome_name


class CounterfactualExamples:
    """The counterfactuals of one row: `final_cfs_df`, and croco's `answers` beside them.

    `final_cfs_df` has the changes with the class that the model gives them, and is None when there
    is none, for the `reason`. `certificates` are theirs, row by row: one that missed the target is
    among them, since it is a counterfactual too, and its certificate says so.
    """

    def __init__(
        self, test_instance_df: Any, answers: list[Answer], outcome_name: str, new_outcome: Any,
        desired_class: Any,
    ):  # fmt: skip
        self.test_instance_df = test_instance_df
        self.data_interface = _DataInterface(outcome_name)
        self.model_type = "classifier"
        self.desired_class = desired_class
        self.desired_range = None
        self.test_pred = test_instance_df[outcome_name].iat[0]
        self.new_outcome = new_outcome
        self.answers = [one for one in answers if one.confirmed]
        self.reason = "" if self.answers else _reason(answers[0])
        self.final_cfs_df = self._frame()
        self.final_cfs_df_sparse = self.final_cfs_df

    @property
    def certificates(self) -> list[Certificate]:
        return [one.certificate for one in self.answers if one.certificate is not None]

    def _frame(self) -> Any:
        if not self.answers:
            return None
        outcome = self.data_interface.outcome_name
        features = self.test_instance_df.drop(columns=[outcome])
        out = pandas().concat([features] * len(self.answers), ignore_index=True)
        for place, label in enumerate(out.columns):
            column = out.iloc[:, place]
            values = [(one.after or {})[str(label)] for one in self.answers]
            new = pandas().Series(values, dtype=object)
            whole = all(float(v).is_integer() for v in values) if column.dtype.kind in "iu" else 1
            out.isetitem(place, new.astype(column.dtype if whole else float))
        out[outcome] = self.new_outcome
        return out

    def _only_changes(self, frame: Any) -> Any:
        """The frame with a dash for everything that stays as it is."""
        before = self.test_instance_df.iloc[0]
        out = frame.astype(object)
        for label in frame.columns:
            same = frame[label] == before[label]
            out[label] = [
                "-" if one else str(value) for one, value in zip(same, frame[label], strict=True)
            ]
        return out

    def _visualized(self, show: Any, show_only_changes: bool) -> None:
        print(f"Query instance (original outcome : {self.test_pred})")
        show(self.test_instance_df)
        if self.final_cfs_df is None:
            print(f"\nNo counterfactuals found! {self.reason}".rstrip())
            return
        print(f"\nCounterfactual set with certificates (new outcome: {self.new_outcome})")
        shown = self.final_cfs_df
        show(self._only_changes(shown) if show_only_changes else shown)
        for place, certificate in enumerate(self.certificates):
            print(f"{place}: {certificate.statement}")

    def visualize_as_dataframe(
        self, display_sparse_df: bool = True, show_only_changes: bool = False
    ) -> None:
        """Shows the row and its counterfactuals, in notebooks as tables."""
        self._visualized(_show, show_only_changes)

    def visualize_as_list(
        self, display_sparse_df: bool = True, show_only_changes: bool = False
    ) -> None:
        """Prints the row and its counterfactuals as lists."""

        def show(frame: Any) -> None:
            for one in frame.to_numpy(dtype=object).tolist():
                print(one)

        self._visualized(show, show_only_changes)


def _reason(answer: Answer) -> str:
    if answer.status == "already":
        return "The row has the desired class already."
    return " ".join(answer.why) or answer.reason


def _show(frame: Any) -> None:
    """As a table in a notebook, as text in a terminal."""
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        print(frame.to_string())
        return
    if get_ipython() is None:
        print(frame.to_string())
    else:
        display(frame)


class CounterfactualExplanations:
    """The results of all rows: `cf_examples_list`, and croco's own results in `croco`."""

    def __init__(self, cf_examples_list: list[CounterfactualExamples], croco: list[Result]):
        self.cf_examples_list = cf_examples_list
        #: one `croco.Result` for each desired class that rows have; they write reports
        self.croco = croco
        self.local_importance = None
        self.summary_importance = None
        self.metadata = {"version": VERSION}

    @classmethod
    def of(
        cls, rows: Any, results: Mapping[int, tuple[list[int], Result]], outcomes: list[Any],
        classes: list[Any], outcome_name: str, desired_class: Any,
    ) -> CounterfactualExplanations:  # fmt: skip
        examples: list[Any] = [None] * len(rows)
        for want, (places, result) in results.items():
            for i, place in enumerate(places):
                before = rows.iloc[[place]].reset_index(drop=True)
                before[outcome_name] = outcomes[place]
                answers = [result.answer(i, k + 1) for k in range(result._counts[i])]
                examples[place] = CounterfactualExamples(
                    before, answers, outcome_name, classes[want], desired_class
                )
        return cls(examples, [result for _, result in results.values()])

    @property
    def certificates(self) -> list[list[Certificate]]:
        """By row, those of its counterfactuals."""
        return [examples.certificates for examples in self.cf_examples_list]

    def visualize_as_dataframe(
        self, display_sparse_df: bool = True, show_only_changes: bool = False
    ) -> None:
        for examples in self.cf_examples_list:
            examples.visualize_as_dataframe(display_sparse_df, show_only_changes)

    def visualize_as_list(
        self, display_sparse_df: bool = True, show_only_changes: bool = False
    ) -> None:
        for examples in self.cf_examples_list:
            examples.visualize_as_list(display_sparse_df, show_only_changes)

    def to_json(self) -> str:
        """In DiCE's format, which has no certificates; ``croco[0].to_json()`` has them."""
        if not self.cf_examples_list:
            raise InvalidArgument("to_json: there is no row")
        first = self.cf_examples_list[0]
        names = [str(name) for name in first.test_instance_df.columns]
        outcome = first.data_interface.outcome_name
        return json.dumps({
            "test_data": [_lists(one.test_instance_df) for one in self.cf_examples_list],
            "cfs_list": [_lists(one.final_cfs_df) for one in self.cf_examples_list],
            "local_importance": None, "summary_importance": None,
            "data_interface": {"outcome_name": outcome, "data_df": "dummy_data"},
            "feature_names": [name for name in names if name != outcome],
            "feature_names_including_target": names,
            "model_type": first.model_type, "desired_class": first.desired_class,
            "desired_range": None, "metadata": self.metadata,
        }, default=_plain)  # fmt: skip


def _lists(frame: Any) -> Any:
    return None if frame is None else frame.to_numpy(dtype=object).tolist()


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)
