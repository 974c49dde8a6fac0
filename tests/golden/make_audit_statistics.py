# SPDX-License-Identifier: Apache-2.0
"""Writes audit_statistics.json: intervals and measures of audits, from their definitions.

    python3 tests/golden/make_audit_statistics.py            rewrites the file
    python3 tests/golden/make_audit_statistics.py --check    compares it with a fresh computation

The standard library is enough. People who count k times are written out k times; pairs are counted one by one.
"""

import argparse
import fractions
import json
import math
import pathlib
import random
import statistics
import sys

sys.dont_write_bytecode = True

from golden_text import dump, same

PATH = pathlib.Path(__file__).resolve().parent / "audit_statistics.json"
QUANTILES = (0.25, 0.5, 0.75, 0.9)
INFINITY = 1e300  # stands for no recourse: JSON has no infinity
LEAST_IN_STRATUM = 5


def quantile_of_normal(confidence):
    return statistics.NormalDist().inv_cdf(0.5 + confidence / 2)


def wilson(successes, trials, confidence):
    """The two roots of (p - share)^2 = z^2 p (1 - p) / trials."""
    z2 = quantile_of_normal(confidence) ** 2
    share = successes / trials
    a, b, c = 1 + z2 / trials, -(2 * share + z2 / trials), share * share
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    return [max(0.0, (-b - root) / (2 * a)), min(1.0, (-b + root) / (2 * a))]


def newcombe(one, two, confidence):
    (l1, u1), (l2, u2) = wilson(*one, confidence), wilson(*two, confidence)
    p1, p2 = one[0] / one[1], two[0] / two[1]
    below = math.sqrt((p1 - l1) ** 2 + (u2 - p2) ** 2)
    above = math.sqrt((u1 - p1) ** 2 + (p2 - l2) ** 2)
    return [p1 - p2 - below, p1 - p2 + above]


def shares():
    counts = [(0, 1), (1, 1), (0, 10), (10, 10), (3, 10), (9, 10), (56, 70), (48, 80), (1, 1000), (2913, 9999)]
    single = [{"successes": s, "trials": n, "confidence": c, "interval": wilson(s, n, c)}
              for s, n in counts for c in (0.5, 0.95, 0.999)]
    pairs = [((56, 70), (48, 80)), ((9, 10), (3, 10)), ((10, 10), (0, 20)), ((0, 10), (0, 10)), ((5, 56), (0, 29))]
    both = [{"first": list(a), "second": list(b), "confidence": c, "interval": newcombe(a, b, c)}
            for a, b in pairs for c in (0.95, 0.999)]
    return {"wilson": single, "newcombe": both}


def people(rng, count, groups):
    """People with ties among scores and costs; a third have no recourse of one kind or the other."""
    out = []
    for _ in range(count):
        score = rng.randrange(12) / 4
        kind = rng.choice(["accepted", "certified", "certified", "certified", "impossible", "undecided"])
        plain = rng.randrange(1, 8) / 8
        out.append({
            "group": rng.choice([None, *range(groups), *range(groups)]),
            "recourse": kind,
            "score": score,
            "plain": 0.0 if kind == "accepted" else INFINITY if rng.random() < 0.1 else plain,
            "cost": {"accepted": 0.0, "certified": plain * rng.randrange(8, 16) / 8}.get(kind, INFINITY),
            "times": rng.choice([0, 1, 1, 1, 2, 3]),
        })
    return out


def quantile(weighted, share):
    """The smallest value with at least this share of the weight at or below it."""
    weighted = sorted(weighted, key=lambda pair: pair[0])
    total, below = sum(w for _, w in weighted), fractions.Fraction(0)
    for value, weight in weighted:
        below += weight
        if weight and below >= fractions.Fraction(share) * total:
            return value
    return None


def delta(own, other):
    """Cliff's delta, pair by pair."""
    total = sum(w for _, w in own) * sum(w for _, w in other)
    won = sum(v * w for a, v in own for b, w in other if a > b)
    lost = sum(v * w for a, v in own for b, w in other if a < b)
    return (won - lost) / total


def compared(own, other):
    """Shares, Cliff's delta and cost quantiles of weighted refused people of two groups."""
    out = []
    for kind in ("certified", "impossible", "undecided"):
        values = [sum(w for p, w in side if p["recourse"] == kind) / sum(w for _, w in side) for side in (own, other)]
        out.append([*values, values[0] - values[1]])
    costs = [[(p["cost"], w) for p, w in side] for side in (own, other)]
    d = delta(*costs)
    out.append([d, 0, d])
    for share in QUANTILES:
        values = [quantile(side, share) for side in costs]
        gap = None if values == [INFINITY, INFINITY] else values[0] - values[1]
        out.append([*values, gap])
    return out


def standardised(refused, group, reference, ends, strata):
    """Everybody's weight is the share of the stratum among all over its share in the own group."""
    def stratum(p):
        return sum(p["score"] > end for end in ends)

    def counts(people, weight):
        out = [0] * strata
        for p in people:
            out[stratum(p)] += weight(p)
        return out

    once, times = lambda p: 1, lambda p: p["times"]
    own, other = ([p for p in refused if p["group"] == g] for g in (group, reference))
    common = [s for s in range(strata)
              if min(counts(own, once)[s], counts(other, once)[s]) >= LEAST_IN_STRATUM
              and min(counts(own, times)[s], counts(other, times)[s]) > 0]
    pooled = counts(refused, times)
    sides = []
    for side in (own, other):
        size = counts(side, times)
        sides.append([(p, fractions.Fraction(p["times"] * pooled[stratum(p)], size[stratum(p)]))
                      for p in side if stratum(p) in common])
    return compared(*sides)


def measures():
    cases = []
    for seed, groups, reference, strata in ((1, 2, 0, 3), (2, 3, 1, 5), (3, 2, 1, 4)):
        rng = random.Random(seed)
        everyone = people(rng, 160, groups)
        refused = [p for p in everyone if p["recourse"] != "accepted" and p["group"] is not None]
        scores = sorted(p["score"] for p in refused)
        ends = [scores[-(-s * len(scores) // strata) - 1] for s in range(1, strata)]
        swaps = [[i, rng.choice([0.0, 0.25, 0.5, INFINITY]), rng.choice([0.125, 0.25, INFINITY])]
                 for i, p in enumerate(everyone) if p["group"] is not None and rng.random() < 0.6]
        by_group = []
        for g in range(groups):
            own = [p for p in everyone if p["group"] == g]
            quantiles = [quantile([(p["cost"], p["times"]) for p in own if p["recourse"] != "accepted"], q)
                         for q in QUANTILES]
            premium = [(INFINITY if p["cost"] == INFINITY else p["cost"] / p["plain"] - 1, p["times"])
                       for p in own if p["recourse"] != "accepted" and p["plain"] != INFINITY]
            entry = {"cost": quantiles, "premium": [quantile(premium, q) for q in QUANTILES]}
            if g != reference:
                share = [sum(p["times"] for p in everyone if p["group"] == h and p["recourse"] != "accepted")
                         / sum(p["times"] for p in everyone if p["group"] == h) for h in (g, reference)]
                entry["refused"] = [*share, share[0] - share[1]]
                sides = [[(p, p["times"]) for p in refused if p["group"] == h] for h in (g, reference)]
                entry["raw"] = compared(*sides)
                entry["standardised"] = standardised(refused, g, reference, ends, strata)
                pairs = [(a, b, everyone[i]["times"]) for i, a, b in swaps]
                total = sum(w for *_, w in pairs)
                reach = [sum(w for a, b, w in pairs if (a, b)[k] < INFINITY) / total for k in (0, 1)]
                d = sum(w * ((a > b) - (a < b)) for a, b, w in pairs) / total
                both = [(a, b, w) for a, b, w in pairs if max(a, b) < INFINITY]
                mean = [sum(w * pair[k] for *pair, w in both) / sum(w for *_, w in both) for k in (0, 1)]
                entry["paired"] = [[*reach, reach[0] - reach[1]], [d, 0, d], [*mean, mean[0] - mean[1]]]
            by_group.append(entry)
        cases.append({"reference": reference, "strata": strata, "people": everyone, "swaps": swaps,
                      "groups": by_group})
    return cases


def max_t():
    rng = random.Random(7)
    estimates = [round(rng.gauss(0, 1), 3) for _ in range(4)]
    scales = (0.5, 1.0, 2.0, 0.0)
    rows = [[e + s * round(rng.gauss(0, 1), 3) for e, s in zip(estimates, scales)] for _ in range(199)]
    least = [0.0, 3.0, 0.0, 0.0]
    errors = [max(a, statistics.stdev(column)) for a, column in zip(least, zip(*rows))]
    errors[3] = 0.0
    far = sorted(max(abs(x - e) / s for x, e, s in zip(row, estimates, errors) if s > 0) for row in rows)
    # The 99 % upper limit of the quantile, from the normal approximation of the binomial rank.
    rank = 0.9 * 200 + statistics.NormalDist().inv_cdf(0.99) * math.sqrt(199 * 0.9 * 0.1)
    critical = max(far[math.ceil(rank) - 1], quantile_of_normal(0.9))
    freedom = [19.0, 49.0, 99.0, 9.0]
    reach = [(critical + (critical**3 + critical) / (4 * f)) * s for f, s in zip(freedom, errors)]
    return {"estimates": estimates, "replicates": rows, "least_errors": least, "freedom": freedom,
            "confidence": 0.9, "errors": errors, "critical": critical,
            "intervals": [[e - r, e + r] for e, r in zip(estimates, reach)]}


def fresh():
    return {"infinity": INFINITY, **shares(), "measures": measures(), "max_t": max_t()}


def main():
    parser = argparse.ArgumentParser(description="Writes or checks audit_statistics.json.")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    value = json.loads(json.dumps(fresh(), default=float))
    if not parser.parse_args().check:
        PATH.write_text(dump(value) + "\n", encoding="utf-8")
    elif not same(json.loads(PATH.read_text(encoding="utf-8")), value, 1e-12):
        sys.exit(f"{PATH.name} differs from a fresh computation")


if __name__ == "__main__":
    main()
