# SPDX-License-Identifier: Apache-2.0
"""Confidence bounds, normal quantiles and scores of a classifier on labelled rows."""

import math

import numpy as np

from oracles import area_under_curve, clopper_pearson_upper, normal_cdf, normal_quantile


def bounds():
    counts = {
        1: (0, 1),
        2: (0, 1, 2),
        10: (0, 1, 5, 9, 10),
        500: (0, 1, 7, 150, 499, 500),
        10000: (0, 1, 450, 2900, 9999, 10000),
        102400: (0, 1, 100, 4910, 35000, 102399, 102400),
    }
    clopper_pearson = [
        {"count": k, "samples": n, "confidence": c, "upper": clopper_pearson_upper(k, n, c)}
        for n, ks in counts.items()
        for k in ks
        for c in (0.5, 0.95, 0.999, 0.999999)
    ]
    hoeffding, bernstein = [], []
    for n in (1, 2, 100, 500, 102400):
        for mean in (0.0, 0.02, 0.3, 1.0):
            for confidence in (0.95, 0.999):
                inverse = 1.0 / (1.0 - confidence)
                upper = mean + math.sqrt(math.log(inverse) / (2 * n))
                entry = {"mean": mean, "samples": n, "confidence": confidence}
                hoeffding.append(entry | {"upper": min(1.0, upper)})
                # A mean m of n values in [0, 1] leaves at most m (1 - m) n / (n - 1) of variance.
                for share in (0.0, 0.1, 1.0) if n > 1 else ():
                    variance = share * mean * (1 - mean) * n / (n - 1)
                    log_term = math.log(2 * inverse)
                    upper = mean + math.sqrt(2 * variance * log_term / n)
                    upper += 7 * log_term / (3 * (n - 1))
                    entry = {"mean": mean, "variance": variance, "samples": n}
                    entry |= {"confidence": confidence, "upper": min(1.0, upper)}
                    bernstein.append(entry | {"unclipped": upper})
    values = np.round(np.random.default_rng(707).beta(0.5, 4.0, 40), 6)
    sample = {
        "values": values.tolist(),
        "mean": math.fsum(values) / 40,
        "variance": math.fsum((values - math.fsum(values) / 40) ** 2) / 39,
    }
    table = [
        {"margin": m, "samples": k, "confidence": -math.expm1(-2 * m * m * k), "printed": printed}
        for m, k, printed in (
            (0.1, 100, 0.865),
            (0.1, 250, 0.993),
            (0.1, 500, 0.999),
            (0.01, 100, 0.09),
            (0.01, 10000, 0.86),
            (0.01, 30000, 0.997),
        )
    ]
    return {
        "clopper_pearson": clopper_pearson,
        "hoeffding": hoeffding,
        "empirical_bernstein": bernstein,
        "sample": sample,
        "margin_table": table,
    }


def normal():
    halves = [2.0**-k for k in (1, 2, 3, 10, 24, 32, 33, 53)]
    tails = [1e-12, 1e-30, 1e-100, 1e-6, 0.001, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.45]
    grid = sorted(set(halves + tails + [1 - p for p in halves + tails if p > 2.0**-54]))
    points = [-37.0, -20.0, -8.0, -6.0, -4.0, -2.5, -1.0, -0.1, 0.0, 0.1, 1.0, 2.5, 4.0, 6.0, 8.0]
    return {
        "quantile": [{"probability": p, "value": normal_quantile(p)} for p in grid],
        "cdf": [{"value": x, "probability": normal_cdf(x)} for x in points],
    }


def auc():
    rng = np.random.default_rng(808)
    inputs = [
        ("separated", [0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9]),
        ("reversed", [1, 1, 0, 0], [0.1, 0.2, 0.7, 0.9]),
        ("all tied", [0, 1, 0, 1, 1], [0.5] * 5),
        ("ties across labels", [0, 1, 0, 1, 0, 1], [0.2, 0.2, 0.6, 0.6, 0.8, 0.9]),
    ]
    labels = rng.integers(0, 2, 200)
    scores = np.round(np.clip(0.25 * labels + rng.uniform(0.0, 0.8, 200), 0.0, 1.0), 2)
    inputs.append(("many ties", labels.tolist(), scores.tolist()))
    cases = []
    for name, labels, scores in inputs:
        table = {"true_negative": 0, "false_positive": 0, "false_negative": 0, "true_positive": 0}
        keys = {(0, 0): "true_negative", (0, 1): "false_positive"}
        keys |= {(1, 0): "false_negative", (1, 1): "true_positive"}
        for y, s in zip(labels, scores):
            table[keys[y, int(s > 0.5)]] += 1
        right = table["true_negative"] + table["true_positive"]
        cases.append(
            {
                "name": name,
                "labels": labels,
                "scores": scores,
                "auc": area_under_curve(labels, scores),
                "accuracy": right / len(labels),
                "confusion": table,
            }
        )
    return {"threshold": 0.5, "cases": cases}
