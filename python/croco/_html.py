# SPDX-License-Identifier: Apache-2.0
"""Results as notebooks show them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._answer import Answer
    from ._result import Result

SHOWN = 10
#: status: (text, colour)
BADGES = {
    "found": ("certified", "#1a7f4b"),
    "unmet": ("target missed", "#b7791f"),
    "undecided": ("undecided", "#b7791f"),
    "infeasible": ("no advice", "#b3261e"),
    "already": ("accepted already", "#5f6b7a"),
    "error": ("not readable", "#b3261e"),
}
STYLE = """
.croco{font:14px/1.45 system-ui,sans-serif;color:inherit;max-width:60em}
.croco table{border-collapse:collapse;margin:.2em 0 0;font-size:13px}
.croco td{border:0;padding:.1em .8em .1em 0;text-align:left;vertical-align:top;background:none}
.croco .card{border:1px solid rgba(128,128,128,.35);border-radius:8px;
padding:.6em .9em;margin:.5em 0}
.croco .badge{color:#fff;border-radius:999px;padding:.05em .65em;font-size:12px;margin-left:.6em}
.croco .muted{opacity:.7}
.croco .new{font-weight:600}
.croco .track{display:inline-block;width:9em;height:.5em;border-radius:.25em;margin:0 .6em;
background:rgba(128,128,128,.25);vertical-align:middle;overflow:hidden}
.croco .fill{display:block;height:100%}
"""


def result_html(result: Result) -> str:
    """Cards for the first rows that need advice, and how many of each kind there are."""
    metrics = result.metrics()
    rows = [row for row, status in enumerate(result.status) if status != "already"][:SHOWN]
    cards = "".join(_card(result[row]) for row in rows)
    hidden = sum(status != "already" for status in result.status) - len(rows)
    more = f'<div class="muted">and {hidden} more rows</div>' if hidden > 0 else ""
    return f'<div class="croco"><style>{STYLE}</style>{_summary(metrics)}{cards}{more}</div>'


def _summary(metrics: dict[str, Any]) -> str:
    parts = [
        f'<b>{metrics[name]}</b> {escape(text)}'
        for name, (text, _) in BADGES.items() if metrics[name]
    ]  # fmt: skip
    return f"<div>{metrics['rows']} rows: {', '.join(parts)}</div>"


def _card(answer: Answer) -> str:
    text, colour = BADGES[answer.status]
    head = (
        f'<b>{escape(str(answer.index))}</b><span class="badge" style="background:{colour}">'
        f"{escape(text)}</span>"
    )
    if answer.after is None:
        lines = [answer.reason, *answer.why]
        body = "".join(f"<div>{escape(line)}</div>" for line in lines if line)
        return f'<div class="card">{head}{body}</div>'
    changes = "".join(
        f'<tr><td>{escape(c.label)}</td><td class="muted">{escape(c.shown_before)}</td>'
        f'<td>&rarr;</td><td class="new">{escape(c.shown_after)}</td></tr>'
        for c in answer.changes
    )
    reason = f'<div class="muted">{escape(answer.reason)}</div>' if answer.reason else ""
    return f'<div class="card">{head}<table>{changes}</table>{reason}{_bound(answer, colour)}</div>'


def _bound(answer: Answer, colour: str) -> str:
    certificate = answer.certificate
    if certificate is None:
        return ""
    stays = max(0.0, 1 - certificate.upper)
    confirmed = " &middot; <b>the model itself refuses it</b>" if answer.confirmed is False else ""
    return (
        f'<div class="muted">answer stays<span class="track"><span class="fill" style="width:'
        f'{100 * stays:.1f}%;background:{colour}"></span></span>in at least '
        f"{_down(100 * stays)} of 100 noisy versions ({100 * certificate.confidence:.6g} % "
        f"confidence) &middot; cost {answer.cost:.3g}{confirmed}</div>"
    )


def _down(value: float) -> str:
    """One decimal, rounded down: a promise is never rounded up."""
    return f"{int(value * 10 + 1e-9) / 10:g}"
