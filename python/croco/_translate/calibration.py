# SPDX-License-Identifier: Apache-2.0
"""Calibrated classifiers: the mean of calibrated copies of a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from .contract import NotTranslatable
from .graph import Graph, Value
from .registry import Score, class_name, classifier, classify_part
from .table import Table


@classifier("CalibratedClassifierCV")
def calibrated(graph: Graph, model: Any, table: Table) -> Score:
    """The mean over the folds of what each calibrator makes of its classifier's score."""
    probabilities = [_one(graph, one, table) for one in model.calibrated_classifiers_]
    total = probabilities[0]
    for probability in probabilities[1:]:
        total = graph.add(total, probability)
    if len(probabilities) == 1:
        return Score(probability=total)
    return Score(probability=graph.divide(total, float(len(probabilities))))


def _one(graph: Graph, model: Any, table: Table) -> Value:
    """Calibrators are fitted on the decision function, or on the probability where there is
    none.
    """
    score = classify_part(graph, model.estimator, table)
    raw = score.decision if hasattr(model.estimator, "decision_function") else score.probability
    if raw is None:
        raise NotTranslatable(
            f"the decision function of {class_name(model.estimator)}, which is calibrated, has no "
            f"translation"
        )
    calibrator = model.calibrators[0]
    if class_name(calibrator) == "_SigmoidCalibration":
        # 1 / (1 + exp(a s + b))
        logit = graph.add(graph.multiply(raw, -float(calibrator.a_)), -float(calibrator.b_))
        return graph.function("Sigmoid", logit)
    if class_name(calibrator) == "IsotonicRegression":
        return _interpolated(graph, raw, calibrator)
    if class_name(calibrator) == "_TemperatureScaling":
        return graph.function(
            "Sigmoid", graph.multiply(_log_odds(graph, model, raw), float(calibrator.beta_))
        )
    raise NotTranslatable(f"the calibrator {class_name(calibrator)} has no translation")


def _log_odds(graph: Graph, model: Any, raw: Value) -> Value:
    """Twice the decision function, or log(p + 1e-12) - log(1 - p + 1e-12)."""
    if hasattr(model.estimator, "decision_function"):
        return graph.multiply(raw, 2.0)
    first = graph.add(graph.subtract(1.0, raw), 1e-12)
    return graph.subtract(
        graph.function("Log", graph.add(raw, 1e-12)), graph.function("Log", first)
    )


def _interpolated(graph: Graph, raw: Value, calibrator: Any) -> Value:
    """Straight lines between the thresholds: y0 + the sum over lines of slope * clip(x - x_i, 0,
    length).

    This is continuous, as the calibration is, so that its slopes can be searched along.
    """
    places = np.asarray(calibrator.X_thresholds_, np.float64)
    heights = np.asarray(calibrator.y_thresholds_, np.float64)
    rises = np.flatnonzero(np.diff(heights) != 0)
    if rises.size == 0:
        return graph.add(graph.multiply(raw, 0.0), float(heights[0]))
    lengths = np.diff(places)[rises]
    parts = graph.clip(graph.subtract(raw, places[rises]), np.zeros(rises.size), lengths)
    slopes = np.diff(heights)[rises] / lengths
    value = graph.affine(parts, slopes[:, None], heights[:1])
    return graph.clip(value, np.zeros(1), np.ones(1))
