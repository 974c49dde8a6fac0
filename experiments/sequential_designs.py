#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules to stop sampling early, computed exactly: what each costs and what it saves.

Usage: experiments/sequential_designs.py [--target .05] [--alpha .001] [--maximum 100000]

Every design certifies "rate <= target" with an error of at most alpha wherever it stops:

  fixed          one Clopper-Pearson bound at the maximum
  looks A        Clopper-Pearson at 1,000 samples, then twice as many each time, then the maximum; the
                 last look has the share A of the error, the others have equal parts of the rest
  looks A from N the same with the first look at N samples
  group A        the same shares spent on the exact joint distribution of the looks (a binomial group
                 sequential boundary): it certifies the target, but bounds no rate below it
  mixture        a confidence sequence at every 1,000 samples: Beta(1/2, 1/2) mixture martingale
  betting        an e-process against the target at every 1,000 samples: likelihood ratios mixed evenly
                 over rates below the target; it certifies the target, but bounds no rate below it

Columns: the largest count that passes at the maximum, and in how many standard errors of the fixed
design that is short of the fixed one; the chance of a certificate and the mean samples at several
true rates (no stopping for futility); the chance of a certificate when the rate is the target. The
figures are sums over the distribution of the counts, not simulations.
"""
import argparse
import math

NEGLIGIBLE = 1e-18


def log_binomial(n, k, p):
    return (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p)
            + (n - k) * math.log1p(-p))


def binomial(n, p):
    """(first count, probabilities) of all counts that are not negligible."""
    mode = int((n + 1) * p)
    low = high = mode
    while low > 0 and log_binomial(n, low - 1, p) > math.log(NEGLIGIBLE):
        low -= 1
    while high < n and log_binomial(n, high + 1, p) > math.log(NEGLIGIBLE):
        high += 1
    return low, [math.exp(log_binomial(n, k, p)) for k in range(low, high + 1)]


def convolve(a, b):
    (low_a, x), (low_b, y) = a, b
    out = [0.0] * (len(x) + len(y) - 1)
    for i, weight in enumerate(x):
        if weight > NEGLIGIBLE:
            for j, other in enumerate(y):
                out[i + j] += weight * other
    return low_a + low_b, out


def split(distribution, boundary):
    """The probability of at most `boundary`, and the distribution above it."""
    low, weights = distribution
    cut = max(0, boundary + 1 - low)
    return sum(weights[:cut]), (low + cut, weights[cut:])


def largest_passing(n, p, alpha):
    """The largest k with P(Bin(n, p) <= k) <= alpha; -1 when there is none."""
    low, weights = binomial(n, p)
    total, k = 0.0, low - 1
    for weight in weights:
        total += weight
        if total > alpha:
            break
        k += 1
    return k if k >= low else (-1 if low == 0 else low - 1)


def doubling(maximum, first):
    sizes = []
    n = first
    while 3 * n <= 2 * maximum:
        sizes.append(n)
        n *= 2
    return sizes + [maximum]


def shares(sizes, last):
    return [(1 - last) / (len(sizes) - 1)] * (len(sizes) - 1) + [last]


def looks_design(options, last, first=1000):
    sizes = doubling(options.maximum, first)
    return [(n, largest_passing(n, options.target, options.alpha * share))
            for n, share in zip(sizes, shares(sizes, last))]


def group_design(options, last):
    sizes = doubling(options.maximum, 1000)
    design, state, made, unspent = [], (0, [1.0]), 0, 0.0
    for n, share in zip(sizes, shares(sizes, last)):
        state = convolve(state, binomial(n - made, options.target))
        made = n
        budget = options.alpha * share + unspent
        boundary, spent = state[0] - 1, 0.0
        for weight in state[1]:
            if spent + weight > budget:
                break
            spent += weight
            boundary += 1
        unspent = budget - spent
        design.append((n, boundary))
        state = split(state, boundary)[1]
    return design


def evidence_design(options, log_evidence):
    """Passes while the log of the evidence against the target is at least log 1/alpha."""
    design, k = [], 0
    for n in range(1000, options.maximum + 1, 1000):
        while k < n * options.target and log_evidence(k + 1, n) >= -math.log(options.alpha):
            k += 1
        passes = log_evidence(k, n) >= -math.log(options.alpha)
        design.append((n, k if passes else -1))
    return design


def mixture(options):
    p = options.target

    def evidence(k, n):
        beta = math.lgamma(k + .5) + math.lgamma(n - k + .5) - math.lgamma(n + 1) - math.log(math.pi)
        return beta - k * math.log(p) - (n - k) * math.log1p(-p)
    return evidence


def betting(options):
    p = options.target
    grid = [p * (i + .5) / 400 for i in range(400)]

    def evidence(k, n):
        terms = [k * math.log(q / p) + (n - k) * (math.log1p(-q) - math.log1p(-p)) for q in grid]
        top = max(terms)
        return top + math.log(sum(math.exp(term - top) for term in terms) / len(grid))
    return evidence


def evaluate(design, rate):
    """The chance to pass, and the mean samples."""
    state, made, passed, samples, steps = (0, [1.0]), 0, 0.0, 0.0, {}
    for n, boundary in design:
        if n - made not in steps:
            steps[n - made] = binomial(n - made, rate)
        samples += (n - made) * sum(state[1])
        state = convolve(state, steps[n - made])
        made = n
        now, state = split(state, boundary)
        passed += now
        low, weights = state
        while weights and weights[-1] < NEGLIGIBLE:
            weights.pop()
        if not weights:
            break
    return passed, samples


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", type=float, default=.05)
    parser.add_argument("--alpha", type=float, default=.001)
    parser.add_argument("--maximum", type=int, default=100_000)
    options = parser.parse_args()
    fixed = [(options.maximum, largest_passing(options.maximum, options.target, options.alpha))]
    designs = {"fixed": fixed}
    for last in (.5, .8, .9, .95):
        designs[f"looks {last}"] = looks_design(options, last)
    designs["looks 0.9 from 250"] = looks_design(options, .9, 250)
    for last in (.5, .9):
        designs[f"group {last}"] = group_design(options, last)
    designs["mixture"] = evidence_design(options, mixture(options))
    designs["betting"] = evidence_design(options, betting(options))
    error = math.sqrt(options.maximum * options.target * (1 - options.target))
    factors = (.1, 1 / 3, .8, .95)
    print(f"target {options.target}, alpha {options.alpha}, at most {options.maximum} samples")
    print(f"{'design':<20}{'passes':>8}{'short':>7}"
          + "".join(f"{f'{factor:.2f} target':>20}" for factor in factors) + f"{'at target':>11}")
    for name, design in designs.items():
        cells = "".join(f"{f'{passed:.3f} {samples:,.0f}':>20}" for passed, samples in
                        (evaluate(design, options.target * factor) for factor in factors))
        print(f"{name:<20}{design[-1][1]:>8}{(fixed[0][1] - design[-1][1]) / error:>7.2f}{cells}"
              f"{evaluate(design, options.target)[0]:>11.6f}", flush=True)


if __name__ == "__main__":
    main()
