# SPDX-License-Identifier: Apache-2.0
"""The loops of Wachter, PROBE and CROCO as published, one person at a time, in float64.

Every loop starts at the origin, moves the continuous columns only and keeps no bounds. `jitter`
multiplies each gradient by 1 + 1e-13 N(0, 1): paths that it bends are of no use as golden values.
"""

import math

import numpy as np

from network import sigmoid


class Adam:
    """Adam with amsgrad: the denominator holds the largest second moment met so far."""

    def __init__(self, width, learning_rate):
        self.learning_rate = learning_rate
        self.first = np.zeros(width)
        self.second = np.zeros(width)
        self.largest = np.zeros(width)
        self.count = 0

    def step(self, point, gradient):
        self.count += 1
        self.first = 0.9 * self.first + 0.1 * gradient
        self.second = 0.999 * self.second + 0.001 * gradient**2
        self.largest = np.maximum(self.largest, self.second)
        size = self.learning_rate / (1.0 - 0.9**self.count)
        root = np.sqrt(self.largest) / math.sqrt(1.0 - 0.999**self.count)
        return point - size * self.first / (root + 1e-8)


def linearised_rate(network, point, sigmas, threshold=0.5):
    """PROBE's closed form 1 - Phi(margin / spread), and its gradient for a constant slope."""
    z, slope = network.logit_gradient(point)
    spread = math.sqrt(np.sum((sigmas * slope) ** 2))
    if spread == 0.0:  # No noise reaches the logit, as when every ReLU is off.
        return float(z <= math.log(threshold / (1.0 - threshold))), np.zeros_like(slope)
    a = (z - math.log(threshold / (1.0 - threshold))) / spread
    density = math.exp(-0.5 * a * a) / math.sqrt(2.0 * math.pi)
    return 0.5 * math.erfc(a / math.sqrt(2.0)), -density / spread * slope


class _Search:
    def __init__(self, network, origin):
        self.network = network
        self.origin = np.asarray(origin, dtype=float)

    def _masked(self, gradient, jitter):
        if jitter is not None:
            gradient = gradient * (1.0 + 1e-13 * jitter.standard_normal(gradient.shape))
        return np.where(self.network.movable, gradient, 0.0)


class Wachter(_Search):
    """-log f + lambda |x - origin|_1, until f > 1/2."""

    def path(self, limit, jitter=None):
        optimizer = Adam(self.network.width, 0.01)
        iterates = [self.origin]
        while len(iterates) <= limit:
            x = iterates[-1]
            z, slope = self.network.logit_gradient(x)
            if z > 0:
                break
            gradient = -sigmoid(-z) * slope + 0.01 * np.sign(x - self.origin)
            iterates.append(optimizer.step(x, self._masked(gradient, jitter)))
        return iterates


class Probe(_Search):
    """3 max(0, rate - target) + BCE(f, 0.55) + |x - origin|_1, inside the first block."""

    def __init__(self, network, origin, sigma, target):
        super().__init__(network, origin)
        self.sigmas = np.full(network.width, sigma)
        self.target = target

    def path(self, steps, jitter=None):
        optimizer = Adam(self.network.width, 0.001)
        iterates = [self.origin]
        for _ in range(steps):
            x = iterates[-1]
            z, slope = self.network.logit_gradient(x)
            rate, rate_gradient = linearised_rate(self.network, x, self.sigmas)
            gradient = (sigmoid(z) - 0.55) * slope + np.sign(x - self.origin)
            if rate > self.target:
                gradient = gradient + 3.0 * rate_gradient
            iterates.append(optimizer.step(x, self._masked(gradient, jitter)))
        return iterates


class Croco(_Search):
    """((margin + theta) / (1 - t) - target)^2 + (1 - f)^2 + lambda |x - origin|_1."""

    def __init__(self, network, origin, threshold, margin, target, weight):
        super().__init__(network, origin)
        self.threshold = threshold
        self.margin = margin
        self.target = target
        self.weight = weight

    def soft_rate(self, point, draws):
        z, slopes = self.network.logit_gradient(point + draws)
        gradient = -np.mean((sigmoid(z) * sigmoid(-z))[:, None] * slopes, axis=0)
        return float(np.mean(sigmoid(-z))), gradient

    def loss(self, point, draws):
        theta, theta_gradient = self.soft_rate(point, draws)
        z, slope = self.network.logit_gradient(point)
        delta = point - self.origin
        excess = (self.margin + theta) / (1.0 - self.threshold) - self.target
        miss = sigmoid(-z)
        value = excess**2 + miss**2 + self.weight * np.sum(np.abs(delta))
        gradient = 2.0 * excess / (1.0 - self.threshold) * theta_gradient
        gradient = gradient - 2.0 * miss * miss * sigmoid(z) * slope + self.weight * np.sign(delta)
        return float(value), gradient

    def path(self, draws, jitter=None):
        optimizer = Adam(self.network.width, 0.01)
        iterates = [self.origin]
        for step_draws in draws:
            x = iterates[-1]
            gradient = self.loss(x, step_draws)[1]
            iterates.append(optimizer.step(x, self._masked(gradient, jitter)))
        return iterates
