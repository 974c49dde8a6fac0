#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs on German Credit to survive retraining, for a search that knows every model.

Usage: experiments/model_change_floor.py --work FOLDER [--target 0.05] [--people 25] [--models 300]

Reads what `experiments/model_change.py --only german --work FOLDER` left: people, models and the advice under noise
alone. For each person every combination of the schema's category moves, of whole steps of the two small numbers and
of a grid of the credit's duration (3 months) and amount (700 DM) is tried in the order of its cost, until the model in
use accepts it and at most the target's share of the further models refuses it. No noise is added, nothing is held back
for a certificate, and the models that judge are those that chose: what a certificate has to add comes on top. The grid
is coarse, so that the true minimum may be a little lower. Needs numpy.
"""
import argparse
import csv
import json
import pathlib

import numpy as np

from betarce import Encoding, Network

GRID = {"installment_commitment": 1, "existing_credits": 1, "duration": 3, "credit_amount": 700}
BATCH = 64


def choices_of(person, schema, encoding):
    """For each feature that may change: (name, value, cost), beginning with no change."""
    out = []
    scales = dict(zip((feature["name"] for feature in encoding.features), encoding.scales))
    for feature in schema["features"]:
        name, moves = feature["name"], [(feature["name"], None, 0.0)]
        if feature.get("movement") == "fixed":
            continue
        if feature["type"] == "categorical":
            moves += [(name, move["to"], move.get("cost", 1.0)) for move in feature.get("moves", [])
                      if move["from"] == person[name]]
        else:
            scale, here, step = scales[name], float(person[name]), GRID[name]
            width = scale["maximum"] - scale["minimum"]
            down = np.arange(here - step, scale["minimum"] - 1e-9, -step)
            up = np.arange(here + step, scale["maximum"] + 1e-9, step) if name == "installment_commitment" else []
            moves += [(name, str(value), abs(value - here) / width) for value in (*down, *up)]
        out.append(moves)
    return out


def combinations(choices, most):
    """All of them within a cost, the cheapest first."""
    out = [(0.0, {})]
    for moves in choices:
        out = [(cost + more, changed if value is None else {**changed, name: value})
               for cost, changed in out for name, value, more in moves if cost + more <= most]
    return sorted(out, key=lambda one: one[0])


class Committee:
    """Networks of one hidden layer and the same width, asked together."""

    def __init__(self, paths):
        networks = [Network(path).layers for path in paths]
        self.count = len(networks)
        self.weights = np.concatenate([layers[0][0] for layers in networks]).astype(np.float32)
        self.biases = np.stack([layers[0][1] for layers in networks]).astype(np.float32)
        self.outputs = np.stack([layers[1][0][0] for layers in networks]).astype(np.float32)
        self.ends = np.array([layers[1][1][0] for layers in networks], dtype=np.float32)

    def refusals(self, points):
        hidden = (points.astype(np.float32) @ self.weights.T).reshape(len(points), self.count, -1) + self.biases
        return (np.einsum("nmu,mu->nm", np.maximum(hidden, 0), self.outputs) + self.ends <= 0).mean(axis=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--target", type=float, default=0.05)
    parser.add_argument("--people", type=int, default=25)
    parser.add_argument("--models", type=int, default=300)
    parser.add_argument("--most", type=float, default=1.7, help="combinations that cost more are left out")
    options = parser.parse_args()
    folder = options.work / "german"
    model = Network(folder / "model.json")
    encoding = Encoding(model)
    schema = json.loads((folder / "schema.json").read_text())
    committee = Committee(sorted((folder / "further").glob("model-*.json"))[:options.models])
    with open(folder / "people.csv", newline="") as file:
        people = list(csv.DictReader(file))[:options.people]
    with open(folder / "noise.csv", newline="") as file:
        alone = {int(row["row"]): float(row["cost"]) for row in csv.DictReader(file) if row["target_met"] == "1"}
    floors, costs = [], []
    for row, person in enumerate(people):
        if row not in alone:
            continue
        ordered = combinations(choices_of(person, schema, encoding), options.most)
        for begin in range(0, len(ordered), BATCH):
            some = ordered[begin:begin + BATCH]
            points = np.array([encoding.encode({**person, **changed}) for _, changed in some])
            holds = model.accepts(points) & (committee.refusals(points) <= options.target)
            if holds.any():
                floors.append(some[int(np.argmax(holds))][0])
                costs.append(alone[row])
                break
    print(f"{len(floors)} of {len(people)} people: {np.mean(floors):.3f} on average, {np.mean(costs):.3f} under noise "
          f"alone; ratio {np.mean(floors) / np.mean(costs):.2f}")


if __name__ == "__main__":
    main()
