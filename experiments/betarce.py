#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""BetaRCE's rule (Stepka et al., KDD 2025), re-implemented for comparison: no package of it installs.

Usage: experiments/betarce.py --model model.json --models 'folder/*' --people people.csv
           --start wachter.csv --output betarce.csv [--estimators 32] [--delta 0.9] [--confidence 0.9]

A counterfactual passes when, of k retrained models, s accept it and the posterior Beta(1 + s, 1 + k - s) of the
share of models that accept it has at most 1 - confidence of its mass below delta. From the counterfactual of another
method (here `croco explain --method wachter --output wachter.csv`) growing spheres look for the nearest point that
passes. Every candidate meets the same k models, so that the stated confidence is not kept: the point that happens to
suit these models is chosen. Changes are those that the schema allows; networks of croco's format only.
The result is for `croco evaluate --counterfactuals betarce=betarce.csv --models ...`, on models that it never saw.
Needs numpy.
"""
import argparse
import csv
import glob
import json
import math
import pathlib

import numpy as np


class Network:
    """A model of croco's own format on its encoded columns."""

    def __init__(self, path):
        self.file = json.loads(pathlib.Path(path).read_text())
        self.layers = [(np.array(layer["weight"]), np.array(layer["bias"])) for layer in self.file["layers"]]
        if self.file.get("hidden_activation", "relu") != "relu":
            raise SystemExit(f"{path}: only networks with relu are supported here")

    def accepts(self, points):
        values = points
        for number, (weight, bias) in enumerate(self.layers):
            values = values @ weight.T + bias
            if number + 1 < len(self.layers):
                values = np.maximum(values, 0)
        return (values[:, 0] if values.shape[1] == 1 else values[:, 1] - values[:, 0]) > 0


class Encoding:
    """Between records and encoded points, as the model file describes it."""

    def __init__(self, network):
        encoding = network.file["encoding"]
        self.features = encoding["schema"]["features"]
        self.scales = encoding["scales"]
        self.columns, self.lower, self.upper = {}, [], []
        # Numbers come first in a model's columns, then the levels of the categories.
        for feature, scale in sorted(zip(self.features, self.scales), key=lambda pair: pair[0]["type"] != "numeric"):
            self.columns[feature["name"]] = len(self.lower)
            if feature["type"] == "categorical":
                self.lower += [0.0] * len(feature["levels"])
                self.upper += [1.0] * len(feature["levels"])
            else:
                low, high = scale["minimum"], scale["maximum"]
                self.lower.append((feature.get("minimum", low) - low) / (high - low))
                self.upper.append((feature.get("maximum", high) - low) / (high - low))

    def encode(self, record):
        point = np.zeros(len(self.lower))
        for feature, scale in zip(self.features, self.scales):
            column, text = self.columns[feature["name"]], record[feature["name"]]
            if feature["type"] == "categorical":
                point[column + feature["levels"].index(text)] = 1
            else:
                point[column] = (float(text) - scale["minimum"]) / (scale["maximum"] - scale["minimum"])
        return point

    def limits(self, origin):
        """What may move, and between which ends, for a person."""
        low, high = origin.copy(), origin.copy()
        for feature in self.features:
            if feature["type"] == "categorical":
                continue
            column, movement = self.columns[feature["name"]], feature.get("movement", "both")
            if movement in ("both", "down"):
                low[column] = min(origin[column], self.lower[column])
            if movement in ("both", "up"):
                high[column] = max(origin[column], self.upper[column])
        return low, high

    def level_moves(self, record):
        """Where categories may go from a person's levels: columns of each, and the levels allowed."""
        out = []
        for feature in self.features:
            if feature["type"] != "categorical" or feature.get("movement", "both") == "fixed":
                continue
            levels, here = feature["levels"], record[feature["name"]]
            if "moves" in feature:
                allowed = {move["to"] for move in feature["moves"] if move["from"] == here} | {here}
            else:
                allowed = set(levels)
            if len(allowed) > 1:
                first = self.columns[feature["name"]]
                out.append((slice(first, first + len(levels)), sorted(levels.index(name) for name in allowed)))
        return out

    def decode(self, record, point):
        out = dict(record)
        for feature, scale in zip(self.features, self.scales):
            if feature["type"] == "categorical":
                first = self.columns[feature["name"]]
                out[feature["name"]] = feature["levels"][int(np.argmax(point[first:first + len(feature["levels"])]))]
                continue
            value = scale["minimum"] + point[self.columns[feature["name"]]] * (scale["maximum"] - scale["minimum"])
            step = feature.get("step", 0)
            if step:
                value = round(value / step) * step
            if abs(value - float(record[feature["name"]])) > 1e-9:
                out[feature["name"]] = repr(float(value))
        return out


def beta_mass_below(delta, successes, failures):
    """P(Beta(1 + successes, 1 + failures) < delta), a binomial tail."""
    trials = successes + failures + 1
    return sum(math.comb(trials, i) * delta**i * (1 - delta) ** (trials - i) for i in range(successes + 1, trials + 1))


def needed(estimators, delta, confidence):
    """The fewest of k models that have to accept; none when even all of them do not suffice."""
    for successes in range(estimators + 1):
        if beta_mass_below(delta, successes, estimators - successes) <= 1 - confidence:
            return successes
    return None


def grow(start, low, high, moves, passes, random, step=0.02, samples=500):
    """The nearest passing point that growing spheres around a start find; the start itself if it passes.

    Numbers lie in the ring; categories are drawn again with a probability that grows with its radius.
    """
    if passes(start[None])[0]:
        return start
    free = np.flatnonzero(high > low)
    for ring in range(1, 75):
        directions = random.normal(size=(samples, len(free)))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        radii = step * (ring - 1 + random.uniform(size=(samples, 1)))
        points = np.repeat(start[None], samples, axis=0)
        points[:, free] += directions * radii
        points = np.clip(points, low, high)
        for part, allowed in moves:
            drawn = np.flatnonzero(random.uniform(size=samples) < min(0.5, ring * step))
            points[drawn, part] = 0
            points[drawn, part.start + random.choice(allowed, size=len(drawn))] = 1
        good = points[passes(points)]
        if len(good):
            return good[np.argmin(np.abs(good - start).sum(axis=1))]
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--model", "--models", "--people", "--start", "--output"):
        parser.add_argument(name, required=True)
    parser.add_argument("--estimators", type=int, default=32)
    parser.add_argument("--delta", type=float, default=0.9)
    parser.add_argument("--confidence", type=float, default=0.9)
    options = parser.parse_args()
    model = Network(options.model)
    encoding = Encoding(model)
    files = [name for name in sorted(glob.glob(options.models)) if not name.endswith("manifest.json")]
    estimators = [Network(name) for name in files[:options.estimators]]
    least = needed(len(estimators), options.delta, options.confidence)
    if least is None:
        raise SystemExit(f"{len(estimators)} estimators cannot show a share of {options.delta}; it takes more")

    def passes(points):
        accepted = sum(network.accepts(points).astype(int) for network in estimators)
        return (accepted >= least) & model.accepts(points)

    with open(options.people, newline="") as file:
        people = list(csv.DictReader(file))
    names = [feature["name"] for feature in encoding.features]
    found = 0
    with open(options.start, newline="") as file, open(options.output, "w", newline="") as output:
        writer = csv.DictWriter(output, ["row", *names])
        writer.writeheader()
        for advice in csv.DictReader(file):
            if advice["status"] not in ("found", "unmet"):
                continue
            person = people[int(advice["row"])]
            origin = encoding.encode(person)
            start = encoding.encode({name: advice[name] for name in names})
            low, high = encoding.limits(origin)
            for feature in encoding.features:  # from where the other method has them
                if feature["type"] == "categorical":
                    part = slice(encoding.columns[feature["name"]],
                                 encoding.columns[feature["name"]] + len(feature["levels"]))
                    low[part] = high[part] = start[part]
            point = grow(start, low, high, encoding.level_moves(person), passes,
                         np.random.default_rng([7, int(advice["row"])]))
            if point is None:
                continue
            found += 1
            record = encoding.decode({name: advice[name] for name in names}, point)
            writer.writerow({"row": advice["row"], **record})
    print(f"{found} counterfactuals; {least} of {len(estimators)} models have to accept")


if __name__ == "__main__":
    main()
