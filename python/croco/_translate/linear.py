# SPDX-License-Identifier: Apache-2.0
"""Classifiers that are smooth functions of weighted sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import onnx_writer as writer
from .contract import NotTranslatable
from .graph import ML, Graph, Numbers, Value
from .registry import Score, class_name, classifier, sigmoid
from .table import Table


def _plane(graph: Graph, model: Any, table: Table) -> Value:
    """x coef + intercept."""
    coefficients = np.asarray(model.coef_, np.float64)
    if hasattr(model.coef_, "toarray"):
        coefficients = np.asarray(model.coef_.toarray(), np.float64)
    return graph.affine(
        table.value(graph), coefficients.reshape(1, -1).T, np.reshape(model.intercept_, -1)[:1]
    )


@classifier("LogisticRegression", "LogisticRegressionCV")
def logistic_regression(graph: Graph, model: Any, table: Table) -> Score:
    """1 / (1 + exp(-s)); with multi_class="multinomial" the softmax of -s and s."""
    score = _plane(graph, model, table)
    if getattr(model, "multi_class", None) == "multinomial":
        return Score(score, graph.function("Sigmoid", graph.multiply(score, 2.0)))
    return sigmoid(graph, score)


@classifier("LinearDiscriminantAnalysis")
def linear_discriminant_analysis(graph: Graph, model: Any, table: Table) -> Score:
    """1 / (1 + exp(-s))."""
    return sigmoid(graph, _plane(graph, model, table))


@classifier(
    "LinearSVC", "RidgeClassifier", "RidgeClassifierCV", "Perceptron", "PassiveAggressiveClassifier"
)
def linear_decision(graph: Graph, model: Any, table: Table) -> Score:
    """The sign of s decides; there is no probability."""
    return Score(_plane(graph, model, table))


@classifier("SGDClassifier")
def sgd_classifier(graph: Graph, model: Any, table: Table) -> Score:
    """log_loss: 1 / (1 + exp(-s)); modified_huber: (clip(s, -1, 1) + 1) / 2; otherwise only the
    sign of s.
    """
    score = _plane(graph, model, table)
    if model.loss in ("log_loss", "log"):
        return sigmoid(graph, score)
    if model.loss == "modified_huber":
        clipped = graph.clip(score, np.array([-1.0]), np.array([1.0]))
        return Score(score, graph.divide(graph.add(clipped, 1.0), 2.0))
    return Score(score)


@classifier("GaussianNB")
def gaussian_nb(graph: Graph, model: Any, table: Table) -> Score:
    """log prior - sum(log(2 pi v) + (x - m)^2 / v) / 2 of the second class less that of the
    first.
    """
    value = table.value(graph)
    likelihoods = []
    for k in range(2):
        mean = np.asarray(model.theta_[k], np.float64)
        variance = np.asarray(model.var_[k], np.float64)
        offset = graph.subtract(value, mean)
        squares = graph.sum(graph.divide(graph.multiply(offset, offset), variance))
        constant = np.log(model.class_prior_[k]) - 0.5 * np.sum(np.log(2.0 * np.pi * variance))
        likelihoods.append(graph.add(graph.multiply(squares, -0.5), float(constant)))
    return Score(
        probability=graph.function("Sigmoid", graph.subtract(likelihoods[1], likelihoods[0]))
    )


@classifier("QuadraticDiscriminantAnalysis")
def quadratic_discriminant_analysis(graph: Graph, model: Any, table: Table) -> Score:
    """log prior - (sum of ((x - m) R / sqrt(s))^2 + log s) / 2 of the second class less that of the
    first.
    """
    value = table.value(graph)
    logs = []
    for k in range(2):
        mean, scaling = np.asarray(model.means_[k], float), np.asarray(model.scalings_[k], float)
        axes = np.asarray(model.rotations_[k], float) * scaling ** (-0.5)
        turned = graph.product(graph.subtract(value, mean), axes)
        squares = graph.sum(graph.multiply(turned, turned))
        constant = np.log(model.priors_[k]) - 0.5 * np.sum(np.log(scaling))
        logs.append(graph.add(graph.multiply(squares, -0.5), float(constant)))
    return sigmoid(graph, graph.subtract(logs[1], logs[0]))


@classifier("BernoulliNB")
def bernoulli_nb(graph: Graph, model: Any, table: Table) -> Score:
    """Sums of log p for ones and log(1 - p) for zeros, of the binarized columns."""
    value = table.value(graph)
    if model.binarize is not None:
        value = graph.truth("Greater", value, float(model.binarize))
    against = np.log(1 - np.exp(model.feature_log_prob_))
    weights = model.feature_log_prob_ - against
    offsets = model.class_log_prior_ + against.sum(axis=1)
    return _log_odds(graph, value, weights, offsets)


@classifier("MultinomialNB")
def multinomial_nb(graph: Graph, model: Any, table: Table) -> Score:
    """Sums of x log p, plus the log prior."""
    return _log_odds(graph, table.value(graph), model.feature_log_prob_, model.class_log_prior_)


def _log_odds(graph: Graph, value: Value, weights: npt.ArrayLike, offsets: npt.ArrayLike) -> Score:
    rows, constants = np.asarray(weights, np.float64), np.asarray(offsets, np.float64)
    logit = graph.affine(value, (rows[1] - rows[0])[:, None], constants[1:] - constants[:1])
    return Score(probability=graph.function("Sigmoid", logit))


_ACTIVATIONS = {"relu": "Relu", "tanh": "Tanh", "logistic": "Sigmoid", "identity": None}


@classifier("MLPClassifier")
def mlp(graph: Graph, model: Any, table: Table) -> Score:
    """activation(h W + b), layer by layer, and the logistic function of the last sum."""
    value = table.value(graph)
    last = len(model.coefs_) - 1
    for layer, (weights, offset) in enumerate(zip(model.coefs_, model.intercepts_, strict=False)):
        value = graph.affine(value, weights, offset)
        activation = _ACTIVATIONS[model.activation]
        if layer < last and activation is not None:
            value = graph.function(activation, value)
    return Score(probability=graph.function("Sigmoid", value))


@classifier("SVC", "NuSVC")
def svc(graph: Graph, model: Any, table: Table) -> Score:
    """sum of dual coefficients times kernels, plus the intercept; probabilities by LIBSVM's fit of
    them.
    """
    kernels = _kernels(graph, model, table.value(graph))
    dual = _dense(model.dual_coef_).reshape(1, -1)
    decision = graph.affine(kernels, dual.T, np.reshape(model.intercept_, -1))
    if np.size(getattr(model, "_probA", ())) == 0:
        return Score(decision)
    graph.note(
        f"{class_name(model)}(probability=True) fits its probabilities apart from predict(), "
        f"which goes by the decision function: so does the translation"
    )
    a, b = float(np.ravel(model._probA)[0]), float(np.ravel(model._probB)[0])
    return Score(decision, _platt(graph, decision, a, b), label_by_decision=True)


def _platt(graph: Graph, decision: Value, a: float, b: float) -> Value:
    """The first class has 1 / (1 + exp(a f + b)) with f = -decision, refined as LIBSVM does for any
    number of classes.

    The node of ONNX for support vector machines has this last step; its parameters are in single
    precision, so that it is given a f + b and the identity.
    """
    exponent = graph.add(graph.multiply(decision, -a), b)
    both = graph.node(
        "SVMClassifier",
        [exponent],
        2,
        ML,
        outputs=2,
        attributes={
            "coefficients": [1.0],
            "kernel_type": "LINEAR",
            "rho": [0.0],
            "prob_a": [1.0],
            "prob_b": [0.0],
            "post_transform": "NONE",
        },
    )
    return graph.take(graph.cast(both, writer.DOUBLE), [1])


def _dense(matrix: Any) -> Numbers:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, np.float64)


def _kernels(graph: Graph, model: Any, value: Value) -> Value:
    """K(x, s) for each support vector s; gamma as `fit` resolved it."""
    vectors = _dense(model.support_vectors_)
    gamma = float(model._gamma)
    if model.kernel == "linear":
        return graph.product(value, vectors.T)
    if model.kernel == "rbf":
        # -gamma |x - s|^2 = 2 gamma s.x - gamma |x|^2 - gamma |s|^2
        squares = graph.sum(graph.multiply(value, value))
        dots = graph.affine(value, 2 * gamma * vectors.T, -gamma * (vectors * vectors).sum(axis=1))
        return graph.function("Exp", graph.subtract(dots, graph.multiply(squares, gamma)))
    if model.kernel in ("poly", "sigmoid"):
        dots = graph.affine(value, gamma * vectors.T, np.full(len(vectors), float(model.coef0)))
        if model.kernel == "sigmoid":
            return graph.function("Tanh", dots)
        return graph.node("Pow", [dots, float(model.degree)], len(vectors))
    raise NotTranslatable(
        f"the kernel {model.kernel!r} of {class_name(model)} is Python code or a matrix, "
        f"which croco cannot look into"
    )
