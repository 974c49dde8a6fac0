# SPDX-License-Identifier: Apache-2.0
"""Statistical oracles in decimal arithmetic: slow, exact, and unlike any library's formula."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import pi
from statistics import NormalDist


def _binomial_cdf(k, n, p):
    """P(Bin(n, p) <= k) from the shorter of the two tails, by the recursion of the terms."""
    q = 1 - p
    if 2 * k <= n:
        term = q**n
        total = term
        for i in range(k):
            term = term * (n - i) / (i + 1) * p / q
            total += term
        return total
    term = p**n
    total = term
    for i in range(n, k + 1, -1):
        term = term * i / (n - i + 1) * q / p
        total += term
    return 1 - total


def clopper_pearson_upper(k, n, confidence):
    """The p with P(Bin(n, p) <= k) = 1 - confidence, by bisection; 1 when k = n."""
    if k == n:
        return 1.0
    with localcontext() as context:
        context.prec = 40
        context.Emin = -(10**9)
        alpha = 1 - Decimal(confidence)
        low, high = Decimal(k) / n, Decimal(1)
        # The first halvings only have to leave the wide bracket, 2^-60 of it is below a double.
        while high - low > high * Decimal(2) ** -60:
            middle = (low + high) / 2
            if _binomial_cdf(k, n, middle) > alpha:
                low = middle
            else:
                high = middle
        return float((low + high) / 2)


def _pi():
    """pi to the precision of the current context, by Machin's formula."""

    def arctan_inverse(x):
        power = Decimal(1) / x
        total, n, sign = power, 1, 1
        while True:
            power /= x * x
            n += 2
            sign = -sign
            term = sign * power / n
            if total + term == total:
                return total
            total += term

    value = 4 * (4 * arctan_inverse(5) - arctan_inverse(239))
    assert abs(float(value) - pi) < 1e-15
    return value


def _normal_cdf(x, root_two_pi):
    """Phi(x) = 1/2 + phi(x) (x + x^3/3 + x^5/(3 5) + ...), and phi(x)."""
    density = (-x * x / 2).exp() / root_two_pi
    term, total, n = x, x, 1
    while True:
        n += 2
        term = term * x * x / n
        if total + term == total:
            return Decimal(1) / 2 + density * total, density
        total += term


def _normal_context(context, magnitude):
    # The lower tail is 1/2 minus something near 1/2: digits for the tail, and 40 for the answer.
    context.prec = 40 + int(0.2172 * magnitude * magnitude) + 10
    context.Emin = -(10**9)


def normal_cdf(x):
    with localcontext() as context:
        _normal_context(context, abs(x))
        return float(_normal_cdf(Decimal(x), (2 * _pi()).sqrt())[0])


def normal_quantile(p):
    """Phi^-1(p) by Newton's method from the standard library's value."""
    guess = NormalDist().inv_cdf(p)
    with localcontext() as context:
        _normal_context(context, abs(guess))
        root_two_pi = (2 * _pi()).sqrt()
        x, target = Decimal(guess), Decimal(p)
        for _ in range(3):
            value, density = _normal_cdf(x, root_two_pi)
            x -= (value - target) / density
        return float(x)


def area_under_curve(labels, scores):
    """Share of (1, 0) pairs in the right order, a tie counting one half, as an exact fraction."""
    ones = [s for s, y in zip(scores, labels) if y == 1]
    zeros = [s for s, y in zip(scores, labels) if y == 0]
    halves = sum(2 * (a > b) + (a == b) for a in ones for b in zeros)
    return float(Fraction(halves, 2 * len(ones) * len(zeros)))
