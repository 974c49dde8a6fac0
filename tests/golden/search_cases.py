# SPDX-License-Identifier: Apache-2.0
"""Paths of the three published searches, on people whose path does not hang on the last bit."""

import math

import numpy as np

from network import make_network, random_person
from searches import Croco, Probe, Wachter


def path_networks(seed):
    rng = np.random.default_rng(seed)
    return rng, [
        make_network(rng, "relu", 4, [2], [7, 4], "relu", "softmax2"),
        make_network(rng, "tanh", 5, [], [5], "tanh", "sigmoid"),
    ]


def refused_person(rng, network, accept):
    """A person predicted 0 whose path `accept` finds worth keeping."""
    for _ in range(10000):
        point = random_person(rng, network)
        if network.logit(point) < -0.5:
            path = accept(point)
            if path is not None:
                return point, path
    raise RuntimeError(f"no person of model '{network.spec['name']}' has a usable path")


def stable(search, *arguments):
    """The path of `search`, or None when it stands still or rounding would bend it visibly."""
    path = search.path(*arguments)
    if np.sum(np.abs(path[-1] - search.origin)) < 0.02:
        return None
    noisy = search.path(*arguments, jitter=np.random.default_rng(1))
    if len(path) != len(noisy) or np.max(np.abs(np.array(path) - np.array(noisy))) > 1e-10:
        return None
    return path


def wachter_path():
    rng, networks = path_networks(404)
    cases = []
    for network in networks:
        people = []
        for fewest in (3, 10, 25):

            def accept(point, fewest=fewest, network=network):
                path = stable(Wachter(network, point), 1000)
                found = path is not None and network.logit(path[-1]) > 1e-6
                return path if found and fewest <= len(path) - 1 <= 60 else None

            point, path = refused_person(rng, network, accept)
            people.append({"origin": point.tolist(), "iterates": [p.tolist() for p in path]})
        cases.append({"model": network.spec, "people": people})
    settings = {"learning_rate": 0.01, "lambda": 0.01, "threshold": 0.5}
    return {"settings": settings, "cases": cases}


def croco_path():
    rng, networks = path_networks(505)
    samples, steps, variance = 8, 30, 0.01
    cases = []
    for network in networks:
        shape = (steps, samples, network.width)
        draws = np.round(math.sqrt(variance) * rng.standard_normal(shape), 5)

        def accept(point, network=network, draws=draws):
            return stable(Croco(network, point, 0.5, 0.1, 0.3, 1.0), draws)

        point, path = refused_person(rng, network, accept)
        cases.append(
            {
                "model": network.spec,
                "origin": point.tolist(),
                "draws": draws.tolist(),
                "iterates": [p.tolist() for p in path],
            }
        )
    settings = {
        "samples": samples,
        "steps": steps,
        "margin": 0.1,
        "threshold": 0.5,
        "target": 0.3,
        "learning_rate": 0.01,
        "lambda": 1.0,
    }
    return {"settings": settings, "cases": cases}


def probe_path():
    rng, networks = path_networks(606)
    cases = []
    for network in networks:
        for variance, target in ((0.01, 0.3), (0.005, 0.1)):

            def accept(point, network=network, variance=variance, target=target):
                return stable(Probe(network, point, math.sqrt(variance), target), 60)

            point, path = refused_person(rng, network, accept)
            cases.append(
                {
                    "model": network.spec,
                    "origin": point.tolist(),
                    "variance": variance,
                    "target": target,
                    "steps": list(range(0, 61, 10)),
                    "iterates": [p.tolist() for p in path[::10]],
                }
            )
    settings = {"learning_rate": 0.001, "lambda": 1.0, "threshold": 0.5}
    return {"settings": settings, "cases": cases}
