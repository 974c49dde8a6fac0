# SPDX-License-Identifier: Apache-2.0
"""Results as notebooks show them."""

import re

import croco


def test_cards_say_what_changes_and_what_is_promised(result):
    html = result._repr_html_()
    assert html.count('class="card"') == 4
    assert "4 rows: <b>4</b> certified" in html
    for answer in result:
        for change in answer.changes:
            assert change.shown_after in html
    promised = [float(found) for found in re.findall(r"in at least ([\d.]+) of 100", html)]
    stays = [100 * (1 - answer.certificate.upper) for answer in result]
    assert all(below <= exact for below, exact in zip(promised, stays, strict=True))


def test_what_users_write_is_escaped(people, credit):
    frame = people.rename(columns={"income": "<b>income</b>"})

    def score(X):
        return credit(X.rename(columns={"<b>income</b>": "income"}))

    explainer = croco.Explainer(
        score, frame, noise={"<b>income</b>": 50}, immutable=["housing", "job", "telephone", "debt"]
    )
    row = frame[score(frame) <= 0.5].head(1).rename(index=lambda name: "<script>")
    html = explainer.explain(row)._repr_html_()
    assert "&lt;b&gt;income&lt;/b&gt;" in html and "&lt;script&gt;" in html
    assert "<b>income" not in html and "<script" not in html


def test_many_rows_are_counted(people, credit, explainer):
    denied = people[credit(people) <= 0.5].head(12).assign(housing="castle")  # quickly answered
    html = explainer.explain(denied)._repr_html_()
    assert html.count('class="card"') == 10
    assert "and 2 more rows" in html
    assert "castle" in html
