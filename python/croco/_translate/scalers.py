# SPDX-License-Identifier: Apache-2.0
"""Transformers that scale, impute, select or combine numbers. All formulas are those of
scikit-learn's `transform`, with one rounding where it has one.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from . import onnx_writer as writer
from .contract import NotTranslatable
from .graph import ML, Graph, Numbers, Value
from .registry import class_name, transformer
from .table import Lookup, Number, Part, Table

Step = tuple[str, npt.ArrayLike | None]
_NUMPY = {
    "Sub": np.subtract,
    "Div": np.divide,
    "Mul": np.multiply,
    "Add": np.add,
    "Max": np.maximum,
    "Min": np.minimum,
}


def _apply(graph: Graph, scaler: Any, table: Table, given: list[Step]) -> Table:
    """Operations with one constant for each column, one after the other."""
    steps = [
        (op, np.broadcast_to(np.asarray(constants, np.float64), (len(table),)))
        for op, constants in given
        if constants is not None
    ]
    if table.single:
        steps = _in_single_precision(scaler, steps)
    for op, vector in steps:

        def on_value(
            value: Value, places: list[int], op: str = op, vector: Numbers = vector
        ) -> Value:
            return graph.pair(op, value, vector[places])

        def on_lookup(
            levels: Numbers, place: int, op: str = op, vector: Numbers = vector
        ) -> Numbers:
            return np.asarray(_NUMPY[op](levels, vector[place]), np.float64)

        table = table.mapped(graph, on_value, on_lookup)
    return table


def _in_single_precision(
    scaler: Any, steps: list[tuple[str, Numbers]]
) -> list[tuple[str, Numbers]]:
    """Columns of single precision are rounded after each operation; whether the constants are
    rounded before them depends on the version of scikit-learn, which is asked for some rows.
    """
    width = len(steps[0][1]) if steps else 0
    rows = (np.random.default_rng(0).normal(size=(64, width)) * 1000).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.asarray(scaler.transform(rows)) if steps else rows
    rounded = [(op, vector.astype(np.float32).astype(np.float64)) for op, vector in steps]
    for candidate in (steps, rounded):
        made = rows
        for op, vector in candidate:
            made = np.asarray(_NUMPY[op](made.astype(np.float64), vector)).astype(np.float32)
        if np.array_equal(made, expected):
            return candidate
    raise NotTranslatable(
        f"{class_name(scaler)} computes with columns of single precision in an unknown way; "
        f"give it columns of type float64"
    )


@transformer("StandardScaler")
def standard_scaler(graph: Graph, step: Any, table: Table) -> Table:
    """(x - mean) / scale; sparse matrices are multiplied by 1 / scale."""
    mean = step.mean_ if step.with_mean else None
    scale = step.scale_ if step.with_std else None
    if table.sparse:
        return _apply(graph, step, table, [("Mul", None if scale is None else 1 / scale)])
    return _apply(graph, step, table, [("Sub", mean), ("Div", scale)])


@transformer("RobustScaler")
def robust_scaler(graph: Graph, step: Any, table: Table) -> Table:
    """(x - center) / scale; sparse matrices are multiplied by 1 / scale."""
    scale = step.scale_ if step.with_scaling else None
    if table.sparse:
        return _apply(graph, step, table, [("Mul", None if scale is None else 1.0 / scale)])
    return _apply(
        graph, step, table, [("Sub", step.center_ if step.with_centering else None), ("Div", scale)]
    )


@transformer("MinMaxScaler")
def min_max_scaler(graph: Graph, step: Any, table: Table) -> Table:
    """x scale + min, within the range when it clips."""
    limits: list[Step] = (
        [("Max", step.feature_range[0]), ("Min", step.feature_range[1])] if step.clip else []
    )
    return _apply(graph, step, table, [("Mul", step.scale_), ("Add", step.min_), *limits])


@transformer("MaxAbsScaler")
def max_abs_scaler(graph: Graph, step: Any, table: Table) -> Table:
    """x / largest; sparse matrices are multiplied by its reciprocal."""
    limits: list[Step] = [("Max", -1.0), ("Min", 1.0)] if getattr(step, "clip", False) else []
    scaling: Step = ("Mul", 1.0 / step.scale_) if table.sparse else ("Div", step.scale_)
    return _apply(graph, step, table, [scaling, *limits])


@transformer("Binarizer")
def binarizer(graph: Graph, step: Any, table: Table) -> Table:
    """1 above the threshold, else 0."""
    return table.mapped(
        graph,
        lambda value, _: graph.truth("Greater", value, step.threshold),
        lambda levels, _: (levels > step.threshold).astype(float),
    )


@transformer(
    "SelectKBest",
    "SelectPercentile",
    "SelectFpr",
    "SelectFdr",
    "SelectFwe",
    "GenericUnivariateSelect",
    "VarianceThreshold",
    "SelectFromModel",
    "RFE",
    "RFECV",
    "SequentialFeatureSelector",
)
def selection(graph: Graph, step: Any, table: Table) -> Table:
    """Some of the columns."""
    return table.select([int(place) for place in step.get_support(indices=True)])


@transformer("PCA")
def pca(graph: Graph, step: Any, table: Table) -> Table:
    """(x - mean) components', over the square root of the explained variance when it whitens."""
    if table.sparse:
        raise NotTranslatable("a PCA of sparse columns has no translation; give it dense ones")
    value = graph.product(
        graph.subtract(table.value(graph), np.asarray(step.mean_, float)), step.components_.T
    )
    if step.whiten:
        scale = np.maximum(
            np.sqrt(step.explained_variance_), np.finfo(step.explained_variance_.dtype).eps
        )
        value = graph.divide(value, np.asarray(scale, float))
    return _as_table(value)


@transformer("PolynomialFeatures")
def polynomial_features(graph: Graph, step: Any, table: Table) -> Table:
    """Products of columns, by the matrix of exponents."""
    one = graph.add(graph.multiply(table.select([0]).value(graph), 0.0), 1.0)
    columns = [table.select([place]).value(graph) for place in range(len(table))]
    made: list[Value] = []
    for powers in step.powers_:
        factors = [columns[place] for place, power in enumerate(powers) for _ in range(power)]
        product = factors[0] if factors else one
        for factor in factors[1:]:
            product = graph.multiply(product, factor)
        made.append(product)
    return Table(tuple(Number(value) for value in made))


def _as_table(value: Value) -> Table:
    return Table(tuple(Number(value, index) for index in range(value.width)))


def _is_missing(value: Any, missing: Any) -> bool:
    if missing is None or (isinstance(missing, float) and np.isnan(missing)):
        return value is None or (isinstance(value, float) and bool(np.isnan(value)))
    return bool(value == missing)


@transformer("SimpleImputer")
def simple_imputer(graph: Graph, step: Any, table: Table) -> Table:
    """Missing values become the column's statistic; columns without one are dropped, and indicators
    follow.
    """
    statistics = list(step.statistics_)
    empty = [isinstance(one, float) and bool(np.isnan(one)) for one in statistics]
    keep = [
        place
        for place in range(len(table))
        if not empty[place]
        or step.strategy == "constant"
        or getattr(step, "keep_empty_features", False)
    ]
    parts: list[Part] = []
    for place in keep:
        part = table.parts[place]
        if isinstance(part, Lookup):
            parts.append(
                Lookup(
                    part.column,
                    tuple(
                        statistics[place] if _is_missing(value, step.missing_values) else value
                        for value in part.values
                    ),
                )
            )
        else:
            by = 0.0 if empty[place] else statistics[place]
            column = table.select([place]).value(graph)
            parts.append(
                Number(_imputed(graph, column, step.missing_values, float(by)), 0, part.single)
            )
    names = None if table.names is None else [table.names[place] for place in keep]
    made = Table(tuple(parts), None, table.sparse).renamed(names)
    if not step.add_indicator:
        return made
    return Table(made.parts + missing_indicator(graph, step.indicator_, table).parts)


@transformer("MissingIndicator")
def missing_indicator(graph: Graph, step: Any, table: Table) -> Table:
    """1 where a value is missing, for the columns that had missing values (or for all)."""
    parts: list[Part] = []
    for place in (int(place) for place in step.features_):
        part = table.parts[place]
        if isinstance(part, Lookup):
            parts.append(
                Lookup(
                    part.column,
                    tuple(float(_is_missing(value, step.missing_values)) for value in part.values),
                )
            )
            continue
        column = table.select([place]).value(graph)
        if not _missing_is_nan(step.missing_values):
            parts.append(Number(graph.truth("Equal", column, float(step.missing_values))))
            continue
        # The product is 0, and keeps the result a column where nothing is ever missing.
        zero = graph.multiply(_imputed(graph, column, np.nan, 0.0), 0.0)
        parts.append(
            Number(graph.add(graph.cast(graph.function("IsNaN", column), writer.DOUBLE), zero))
        )
    return Table(tuple(parts))


def _missing_is_nan(missing: Any) -> bool:
    return (
        missing is None
        or class_name(missing) == "NAType"
        or (isinstance(missing, float) and np.isnan(missing))
    )


def _imputed(graph: Graph, column: Value, missing: Any, by: float) -> Value:
    """The Imputer of ONNX holds single precision: what does not fit is added afterwards."""
    if not _missing_is_nan(missing):
        return graph.node("Where", [graph.pair("Equal", column, float(missing)), by, column], 1)
    exact = float(np.float32(by)) == by
    filled = graph.node(
        "Imputer",
        [column],
        1,
        ML,
        attributes={
            "imputed_value_floats": [by if exact else 0.0],
            "replaced_value_float": float("nan"),
        },
    )
    if exact:
        return filled
    rest = graph.multiply(graph.cast(graph.function("IsNaN", column), writer.DOUBLE), by)
    return graph.add(filled, rest)
