# SPDX-License-Identifier: Apache-2.0
"""What a model answers at given points: logits, gradients, closed-form and sampled rates."""

import math

import numpy as np

from network import ACTIVATIONS, central_difference, make_network, random_person, sigmoid
from searches import Croco, linearised_rate

STEP = 1e-6
# Piecewise linear models must stay clear of a kink by much more than the difference step.
CLEARANCE = 1e-4


def clear_person(rng, network, draws=None):
    """A random person whose hidden units are all away from a kink, under every draw."""
    while True:
        point = random_person(rng, network)
        rows = point[None, :] if draws is None else np.vstack([point[None, :], point + draws])
        if network.kink_distance(rows) > CLEARANCE:
            return point


def differences(function, point, exact):
    """The central difference, after checking it against the chain rule."""
    gradient = central_difference(function, point, STEP)
    assert np.allclose(gradient, exact, rtol=1e-6, atol=1e-7), (gradient, exact)
    return gradient.tolist()


def models():
    rng = np.random.default_rng(101)
    networks = []
    for activation in ACTIVATIONS:
        for output in ("softmax2", "sigmoid"):
            for hidden in ([5], [7, 4]):
                name = f"{activation}-{output}-{'-'.join(map(str, hidden))}"
                groups = [2] if hidden == [5] else [3, 2]
                networks.append(make_network(rng, name, 3, groups, hidden, activation, output))
    networks.append(make_network(rng, "logistic", 4, [], [], "relu", "sigmoid"))
    networks.append(make_network(rng, "linear-softmax2", 3, [2], [], "relu", "softmax2"))
    cases = []
    for network in networks:
        points = [clear_person(rng, network) for _ in range(4)]
        # Two points outside the unit box; the last one saturates the probability.
        points.append(np.round(rng.uniform(-2.0, 2.0, network.width), 4))
        points.append(np.round(rng.uniform(-30.0, 30.0, network.width), 4))
        assert network.kink_distance(np.array(points)) > CLEARANCE
        z, gradients = network.logit_gradient(np.array(points))
        cases.append(
            {
                "model": network.spec,
                "points": [p.tolist() for p in points],
                "logits": z.tolist(),
                "gradients": [
                    differences(network.logit, p, g) for p, g in zip(points, gradients)
                ],
            }
        )
    return {"gradient_step": STEP, "gradient_tolerance": 1e-6, "cases": cases}


def probe_rate():
    rng = np.random.default_rng(202)
    networks = [
        make_network(rng, "relu", 4, [2], [7, 4], "relu", "softmax2"),
        make_network(rng, "tanh", 5, [], [5], "tanh", "sigmoid"),
        make_network(rng, "logistic", 4, [], [], "relu", "sigmoid"),
    ]
    cases = []
    for network in networks:
        entries = []
        for sigma in (0.05, 0.1, 0.2, None):
            for threshold in (0.5, 0.3, 0.8):
                if sigma is None:
                    columns = np.round(rng.uniform(0.0, 0.3, network.width), 3)
                    columns[0] = 0.0
                else:
                    columns = np.full(network.width, sigma)
                rate = 1.0
                # Far from the boundary every formula answers 0 or 1.
                while not 1e-6 < rate < 1 - 1e-6:
                    point = clear_person(rng, network)
                    rate, gradient = linearised_rate(network, point, columns, threshold)
                z, slope = network.logit_gradient(point)

                def frozen(x, z=z, slope=slope, point=point, columns=columns, t=threshold):
                    margin = z + slope @ (x - point) - math.log(t / (1 - t))
                    spread = math.sqrt(np.sum((columns * slope) ** 2))
                    return 0.5 * math.erfc(margin / spread / math.sqrt(2.0))

                differences(frozen, point, gradient)
                entries.append(
                    {
                        "point": point.tolist(),
                        "sigmas": columns.tolist(),
                        "threshold": threshold,
                        "rate": rate,
                        "gradient": gradient.tolist(),
                    }
                )
        cases.append({"model": network.spec, "entries": entries})
    return {"cases": cases}


def soft_rate():
    rng = np.random.default_rng(303)
    networks = [
        make_network(rng, "relu", 4, [2], [7, 4], "relu", "softmax2"),
        make_network(rng, "gelu", 4, [3], [5], "gelu", "sigmoid"),
        make_network(rng, "logistic", 4, [], [], "relu", "sigmoid"),
    ]
    cases = []
    for network in networks:
        draws = np.round(0.1 * rng.standard_normal((20, network.width)), 5)
        entries = []
        for threshold, margin, target, weight in (
            (0.5, 0.1, 0.3, 1.0),
            (0.5, 0.1, 0.05, 0.25),
            (0.3, 0.02, 0.35, 0.0),
            (0.7, 0.05, 0.2, 0.5),
        ):
            point = clear_person(rng, network, draws)
            # Every column differs from the origin, so that the L1 term is differentiable.
            shift = rng.choice([-1.0, 1.0], network.width) * rng.uniform(
                0.05, 0.5, network.width
            )
            search = Croco(network, point - np.round(shift, 4), threshold, margin, target, weight)
            theta, slope = search.soft_rate(point, draws)
            loss, gradient = search.loss(point, draws)
            f = sigmoid(network.logit(point + draws))
            assert np.min(np.abs(f - threshold)) > 1e-6
            entries.append(
                {
                    "point": point.tolist(),
                    "origin": search.origin.tolist(),
                    "threshold": threshold,
                    "margin": margin,
                    "target": target,
                    "lambda": weight,
                    "theta": theta,
                    "theta_gradient": differences(
                        lambda x, s=search: s.soft_rate(x, draws)[0], point, slope
                    ),
                    "hard_rate": float(np.mean(f <= threshold)),
                    "loss": loss,
                    "loss_gradient": differences(
                        lambda x, s=search: s.loss(x, draws)[0], point, gradient
                    ),
                }
            )
        cases.append({"model": network.spec, "draws": draws.tolist(), "entries": entries})
    return {"gradient_step": STEP, "gradient_tolerance": 1e-6, "cases": cases}
