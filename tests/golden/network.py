# SPDX-License-Identifier: Apache-2.0
"""Small networks in croco's model format, evaluated in float64 with numpy.

Gradients are written twice: `logit_gradient` by the chain rule, which the search loops use, and
`central_difference`, which the golden files store and which checks the first one.
"""

import math

import numpy as np

ACTIVATIONS = ("relu", "leaky_relu", "tanh", "sigmoid", "elu", "gelu")
LEAKY_SLOPE = 0.01
_erf = np.vectorize(math.erf, otypes=[float])


def sigmoid(z):
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1.0, e) / (1.0 + e)


def activate(name, h):
    if name == "relu":
        return np.maximum(h, 0.0)
    if name == "leaky_relu":
        return np.where(h > 0, h, LEAKY_SLOPE * h)
    if name == "tanh":
        return np.tanh(h)
    if name == "sigmoid":
        return sigmoid(h)
    if name == "elu":
        return np.where(h > 0, h, np.expm1(np.minimum(h, 0.0)))
    if name == "gelu":
        return 0.5 * h * (1.0 + _erf(h / math.sqrt(2.0)))
    raise ValueError(f"activation '{name}' is not one of {ACTIVATIONS}")


def activation_slope(name, h):
    if name == "relu":
        return np.where(h > 0, 1.0, 0.0)
    if name == "leaky_relu":
        return np.where(h > 0, 1.0, LEAKY_SLOPE)
    if name == "tanh":
        return 1.0 - np.tanh(h) ** 2
    if name == "sigmoid":
        return sigmoid(h) * sigmoid(-h)
    if name == "elu":
        return np.where(h > 0, 1.0, np.exp(np.minimum(h, 0.0)))
    if name == "gelu":
        density = np.exp(-0.5 * h * h) / math.sqrt(2.0 * math.pi)
        return 0.5 * (1.0 + _erf(h / math.sqrt(2.0))) + h * density
    raise ValueError(f"activation '{name}' is not one of {ACTIVATIONS}")


class Network:
    """A fully connected classifier; `spec` is what is written to the JSON files."""

    def __init__(self, spec):
        self.spec = spec
        self.width = len(spec["feature_names"])
        self.activation = spec["hidden_activation"]
        layers = [(np.array(s["weight"]), np.array(s["bias"])) for s in spec["layers"]]
        self.hidden = layers[:-1]
        weight, bias = layers[-1]
        # Two softmax outputs and one sigmoid output are the same thing seen from the logit.
        if spec["output"] == "softmax2":
            self.weight, self.bias = weight[1] - weight[0], bias[1] - bias[0]
        else:
            self.weight, self.bias = weight[0], bias[0]
        continuous = set(spec["continuous"])
        self.movable = np.array([name in continuous for name in spec["feature_names"]])

    def forward(self, rows):
        """Returns the logits of `rows` and the pre-activations of every hidden layer."""
        a, pre = np.asarray(rows, dtype=float), []
        for weight, bias in self.hidden:
            pre.append(a @ weight.T + bias)
            a = activate(self.activation, pre[-1])
        return a @ self.weight + self.bias, pre

    def logit(self, rows):
        return self.forward(rows)[0]

    def logit_gradient(self, rows):
        """Returns the logits of `rows` and their gradients, by the chain rule."""
        z, pre = self.forward(rows)
        back = np.broadcast_to(self.weight, np.shape(z) + self.weight.shape)
        for (weight, _), h in zip(reversed(self.hidden), reversed(pre)):
            back = (back * activation_slope(self.activation, h)) @ weight
        return z, back

    def kink_distance(self, rows):
        """Smallest |pre-activation| over `rows`; infinite for a network without kinks."""
        if self.activation not in ("relu", "leaky_relu") or not self.hidden:
            return math.inf
        return min(float(np.min(np.abs(h))) for h in self.forward(rows)[1])


def central_difference(function, point, step=1e-6):
    """Gradient of a scalar function by central differences, one column at a time."""
    point = np.asarray(point, dtype=float)
    gradient = np.zeros_like(point)
    for j in range(point.size):
        high, low = point.copy(), point.copy()
        high[j] += step
        low[j] -= step
        gradient[j] = (function(high) - function(low)) / (high[j] - low[j])
    return gradient


def make_network(rng, name, continuous, groups, hidden, activation, output):
    """A network with random weights of four decimals; columns `c0 ..`, then the one-hot groups.

    The output layer gives the logits of random people mean -0.5 and standard deviation 1.5, so
    that both answers occur; draws that leave the logit almost constant are thrown away.
    """
    names = [f"c{j}" for j in range(continuous)]
    categorical = [[f"g{g}_l{level}" for level in range(k)] for g, k in enumerate(groups)]
    names += [member for group in categorical for member in group]
    sizes = [len(names), *hidden, 2 if output == "softmax2" else 1]
    spec = {
        "name": name,
        "feature_names": names,
        "continuous": names[:continuous],
        "categorical_groups": categorical,
        "immutable": [],
        "layers": [],
        "hidden_activation": activation,
        "output": output,
    }
    while True:
        spec["layers"] = [_random_layer(rng, *shape) for shape in zip(sizes[:-1], sizes[1:])]
        network = Network(spec)
        people = np.array([random_person(rng, network) for _ in range(200)])
        deviation = float(np.std(network.logit(people)))
        if deviation > 0.3:
            break
    last = spec["layers"][-1]
    last["weight"] = np.round(np.array(last["weight"]) * (1.5 / deviation), 4).tolist()
    shift = float(np.mean(Network(spec).logit(people))) + 0.5
    last["bias"][-1] = round(last["bias"][-1] - shift, 4)
    return Network(spec)


def _random_layer(rng, fan_in, fan_out):
    weight = np.round(2.0 / math.sqrt(fan_in) * rng.standard_normal((fan_out, fan_in)), 4)
    bias = np.round(0.3 * rng.standard_normal(fan_out), 4)
    return {"weight": weight.tolist(), "bias": bias.tolist()}


def random_person(rng, network):
    """A point with continuous values in [0, 1] (four decimals) and one level per group."""
    point = np.round(rng.uniform(0.0, 1.0, network.width), 4)
    first = len(network.spec["continuous"])
    for group in network.spec["categorical_groups"]:
        point[first : first + len(group)] = 0.0
        point[first + rng.integers(len(group))] = 1.0
        first += len(group)
    return point
