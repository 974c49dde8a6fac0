#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of the concept pages: small models of two features, with sampled noise.

Usage: docs_pictures.py [DOCS_DIR]     (default: docs)

Every picture is drawn twice: into images, and for narrow screens, where the same letters have half the width,
into _static, from where _static/croco.css takes them. Runs in the environment of tools/docs_env.sh. The same
sources give the same files.
"""
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

GOOD, BAD, PERSON, PATH = "#0b6e4f", "#c8442f", "#333333", "#555555"
plt.rcParams.update({
    "svg.hashsalt": "croco", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10,
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#888888",
    "xtick.color": "#888888", "ytick.color": "#888888", "legend.frameon": False,
})
CONFIDENCE = 0.999


def save(figure, name, docs, narrow):
    path = docs / "_static" / f"{name}-narrow.svg" if narrow else docs / "images" / f"{name}.svg"
    figure.savefig(path, bbox_inches="tight", dpi=200, metadata={"Date": None})
    plt.close(figure)


def log_beta_cdf_root(failures, samples, error):
    """The upper bound of Clopper and Pearson: the rate at which so few failures have the probability
    `error`, by bisection on the binomial sum."""
    counts = np.arange(failures + 1)
    log_choose = np.cumsum(np.concatenate(
        [[0.0], np.log((samples - counts[:-1]) / (counts[:-1] + 1))]))

    def log_tail(rate):
        terms = log_choose + counts * np.log(rate) + (samples - counts) * np.log1p(-rate)
        return terms.max() + np.log(np.exp(terms - terms.max()).sum())

    low, high = max(failures, 1e-9) / samples, 1 - 1e-12
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if log_tail(middle) > np.log(error) else (low, middle)
    return high


def smooth_score(x, y):
    """A logit with a curved boundary; positive is the wanted answer."""
    return 2.2 * (y - 0.55 - 0.35 * np.sin(2.3 * (x - 0.35))) + 1.1 * (x - 0.5)


def forest_score(x, y, trees):
    """The mean vote of axis-parallel stumps of two levels, as a forest has it."""
    votes = sum(((x > a) & (y > b)) | (y > c) for a, b, c in trees)
    return votes / len(trees) - 0.5


def background(axes, score):
    grid = np.linspace(0, 1, 300)
    gx, gy = np.meshgrid(grid, grid)
    z = score(gx, gy)
    axes.contourf(gx, gy, z, levels=[-9, 0, 9], colors=["#fbe9e5", "#e3f3ec"])
    axes.contour(gx, gy, z, levels=[0], colors=["#777777"], linewidths=1.2)
    axes.set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[], xlabel="income", ylabel="savings")
    axes.set_aspect("equal")


def cloud(axes, point, sd, score, random, count=400):
    """Noisy versions of a point; returns how many fail."""
    x = point[0] + sd * random.standard_normal(count)
    y = point[1] + sd * random.standard_normal(count)
    fails = score(x, y) <= 0
    axes.plot(x[~fails], y[~fails], ".", color=GOOD, ms=2, alpha=0.6, rasterized=True)
    axes.plot(x[fails], y[fails], ".", color=BAD, ms=2.6, rasterized=True)
    return int(fails.sum())


def along(person, end, share):
    return tuple(a + share * (b - a) for a, b in zip(person, end))


def boundary_share(person, end, score):
    """How much of the way to `end` reaches the boundary."""
    shares = np.linspace(0, 1, 4001)
    values = score(*(person[i] + shares * (end[i] - person[i]) for i in range(2)))
    return float(shares[np.argmax(values > 0)])


def draw_noise(docs, narrow):
    random = np.random.default_rng(1)
    person, end, sd = (0.30, 0.22), (0.46, 0.98), 0.05
    edge = boundary_share(person, end, smooth_score)
    titles = (("the nearest flip", edge + 0.004), ("a margin by rule of thumb", edge + 0.055),
              ("certified for at most 5 %", edge + 0.135))
    figure, rows = plt.subplots(*((3, 1) if narrow else (1, 3)), figsize=(3.6, 10.4) if narrow else (9.6, 3.5))
    for axes, (title, share) in zip(rows, titles):
        background(axes, smooth_score)
        point = along(person, end, share)
        failed = cloud(axes, point, sd, smooth_score, random)
        axes.annotate("", point, person, arrowprops={"arrowstyle": "->", "color": PATH, "lw": 1.3})
        axes.plot(*person, "o", color=PERSON, ms=6)
        axes.plot(*point, "o", color="white", mec=PERSON, ms=6)
        axes.set_title(f"{title}\n{failed} of 400 noisy versions fail", fontsize=10)
        if narrow and axes is not rows[-1]:
            axes.set_xlabel("")
    rows[0].text(0.04, 0.05, "rejected", color=BAD)
    rows[0].text(0.04, 0.92, "accepted", color=GOOD)
    save(figure, "concept-noise", docs, narrow)


def draw_steps(docs, narrow):
    random = np.random.default_rng(3)
    trees = [(random.uniform(0.2, 0.8), random.uniform(0.25, 0.7), random.uniform(0.5, 0.95))
             for _ in range(15)]
    base = np.linspace(0, 1, 240)
    sd = 0.06
    noise = sd * random.standard_normal((4000, 2))
    figure, rows = plt.subplots(*((2, 1) if narrow else (1, 2)), sharex=True, sharey=True,
                                figsize=(3.8, 5) if narrow else (9.6, 3.3))
    for axes, name, score in ((rows[0], "a smooth model", smooth_score),
                              (rows[1], "a forest", lambda x, y: forest_score(x, y, trees))):
        logits = np.array([float(score(np.array(0.45), np.array(y))) for y in base])
        scores = 0.5 + logits if name == "a forest" else 1 / (1 + np.exp(-3 * logits))
        rate = [np.mean(score(0.45 + noise[:, 0], y + noise[:, 1]) <= 0) for y in base]
        axes.plot(base, scores, color="#999999", lw=1.2, label="score of the model")
        axes.plot(base, rate, color=GOOD, lw=2, label="share of noisy versions that fail")
        axes.axhline(0.05, color=BAD, lw=1, ls="--")
        axes.set(title=name, xlabel="savings", xticks=[], ylim=(-0.04, 1.04))
    rows[0].text(0.02, 0.07, "target", color=BAD, transform=rows[0].get_yaxis_transform())
    figure.legend(*rows[0].get_legend_handles_labels(), loc="upper center", ncol=1 if narrow else 2, fontsize=9,
                  bbox_to_anchor=(0.5, 1.04 if narrow else 1.08))
    save(figure, "concept-steps", docs, narrow)


def draw_certificate(docs, narrow):
    random = np.random.default_rng(4)
    rate, target, most = 0.039, 0.05, 16_000
    failed = np.cumsum(random.random(most) < rate)
    sizes = np.unique(np.geomspace(250, most, 70).astype(int))
    upper = [log_beta_cdf_root(int(failed[n - 1]), int(n), 1 - CONFIDENCE) for n in sizes]
    figure, axes = plt.subplots(figsize=(3.9, 3.6) if narrow else (8.4, 3.6))
    axes.fill_between(sizes, upper, 0.14, color="#e3f3ec", lw=0)
    axes.plot(sizes, upper, color=GOOD, lw=2, label="upper bound, 99.9 % confidence")
    axes.plot(sizes, failed[sizes - 1] / sizes, color="#999999", lw=1.2, label="share of failures so far")
    axes.axhline(target, color=BAD, ls="--", lw=1)
    axes.text(260, target + 0.002, "target", color=BAD)
    axes.axhline(rate, color=PERSON, ls=":", lw=1)
    axes.text(700 if narrow else 3300, rate - (0.02 if narrow else 0.0085), "the true rate, which nobody knows", color=PERSON)
    passed = int(sizes[np.flatnonzero(np.array(upper) > target)[-1] + 1])
    axes.plot([passed], [upper[list(sizes).index(passed)]], "o", color=GOOD)
    axes.annotate(f"below the target after {passed:,} samples", (passed, upper[list(sizes).index(passed)]),
                  (500 if narrow else passed / 9, 0.088), arrowprops={"arrowstyle": "->", "color": PATH})
    axes.set(xscale="log", xlim=(250, most), ylim=(0.015, 0.125), xlabel="fresh samples",
             ylabel="invalidation rate")
    axes.set_xticks([250, 1000, 4000, 16000], ["250", "1,000", "4,000", "16,000"])
    axes.minorticks_off()
    axes.legend(loc="upper right", fontsize=9)
    save(figure, "concept-certificate", docs, narrow)


def draw_search(docs, narrow):
    random = np.random.default_rng(5)
    sd, target = 0.06, 0.05
    noise = sd * random.standard_normal((3000, 2))
    grid = np.linspace(0, 1, 90)
    rates = np.array([[np.mean(smooth_score(x + noise[:, 0], y + noise[:, 1]) <= 0) for x in grid]
                      for y in grid])
    figure, axes = plt.subplots(figsize=(4.2, 4.4) if narrow else (6.4, 5.2))
    filled = axes.contourf(grid, grid, rates, levels=[0, 0.05, 0.1, 0.2, 0.5, 0.8, 1],
                           colors=["#cfe9dc", "#e3f3ec", "#f1f5e9", "#fdf3e4", "#fbe9e5", "#f6d9d2"])
    axes.contour(grid, grid, rates, levels=[target], colors=[GOOD], linewidths=2)
    figure.colorbar(filled, ax=axes, label="invalidation rate", fraction=0.046)
    # The cheapest point, in L1, whose measured rate is at most the target; steps towards it.
    person = np.array([0.30, 0.22])
    gx, gy = np.meshgrid(grid, grid)
    cost = np.abs(gx - person[0]) + np.abs(gy - person[1])
    best = np.unravel_index(np.argmin(np.where(rates <= target, cost, np.inf)), cost.shape)
    end = np.array([gx[best], gy[best]])
    path, shares = [person], (0.45, 0.75, 0.92, 1.0)
    path += [person + share * (end - person) for share in shares]
    path = np.array(path)
    axes.plot(path[:, 0], path[:, 1], "-o", color=PATH, ms=4, lw=1.2)
    step = 0.05
    rounded = np.array([person[0] + step * np.round((end[0] - person[0]) / step),
                        step * np.ceil(end[1] / step)])
    axes.plot(*person, "o", color=PERSON, ms=8)
    axes.text(person[0] + 0.03, person[1] - 0.02, "the person")
    axes.plot(*rounded, "s", color=GOOD, ms=9, mec="white")
    axes.annotate("rounded to whole steps,\nthen certified", rounded, (0.42 if narrow else 0.52, 0.90),
                  arrowprops={"arrowstyle": "->", "color": PATH})
    axes.text(0.03, 0.045, "rejected: most noisy versions fail", color=BAD)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="income", ylabel="savings")
    axes.set_xticks(np.arange(0, 1.01, step), minor=True)
    axes.set_yticks(np.arange(0, 1.01, step), minor=True)
    axes.set_xticks([])
    axes.set_yticks([])
    save(figure, "concept-search", docs, narrow)


def main():
    root = pathlib.Path(__file__).resolve().parents[1]
    docs = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "docs"
    for draw in (draw_noise, draw_steps, draw_certificate, draw_search):
        for narrow in (False, True):
            draw(docs, narrow)


if __name__ == "__main__":
    main()
