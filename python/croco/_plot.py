# SPDX-License-Identifier: Apache-2.0
"""The trade-off between robustness and cost, as a figure."""

from __future__ import annotations

from typing import Any

from ._errors import InvalidArgument


def plot_tradeoff(table: Any, ax: Any = None) -> Any:
    """Draws what `Explainer.tradeoff` returned: the cost of advice by target rate.

    Needs matplotlib; returns the axes.
    """
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            text = "plot_tradeoff needs matplotlib: pip install matplotlib"
            raise InvalidArgument(text) from None
        _, ax = pyplot.subplots(figsize=(5, 3.2))
    known = table.dropna(subset=["cost"])
    ax.plot(known["target_rate"], known["cost"], marker="o", color="#1a7f4b")
    ax.set_xlabel("target invalidation rate")
    ax.set_ylabel("mean cost of the advice")
    ax.set_xscale("log")
    ax.set_ylim(bottom=0)
    ax.grid(alpha=0.3)
    ticks = list(known["target_rate"])
    ax.set_xticks(ticks)
    ax.set_xticklabels([f"{rate:g}" for rate in ticks])
    ax.minorticks_off()
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax
