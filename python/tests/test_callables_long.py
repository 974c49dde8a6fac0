# SPDX-License-Identifier: Apache-2.0
"""Functions that are asked for long: through explain, from four threads, and in forked children."""

import multiprocessing
import os
import threading

import numpy as np
import pandas as pd
import pytest
from test_calls import X, logistic, resident

import croco

pytestmark = pytest.mark.slow
NEEDY = np.random.default_rng(1).uniform(0, 4, size=(40, 2))
CALLS = 30_000


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="there is no /proc")
def test_memory_stays_level_while_frames_are_explained():
    """Whole answers on DataFrames, not decisions alone: 30,000 calls, 5 MB in the second half."""
    calls = 0

    def model(frame):
        nonlocal calls
        calls += 1
        return logistic(frame.to_numpy())

    explainer = croco.Explainer(model, pd.DataFrame(X, columns=["a", "b"]), n_jobs=2)
    asked = pd.DataFrame(NEEDY, columns=["a", "b"])
    half = None
    while calls < CALLS:
        result = explainer.explain(asked, progress=False)
        assert result.status == ["found"] * len(asked)
        if half is None and calls >= CALLS / 2:
            half = resident()
    assert resident() - half < 5e6


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="there is no /proc")
def test_memory_stays_level_while_a_model_fails():
    """Exceptions with their frames are let go of."""
    explainer = croco.Explainer(logistic, X, n_jobs=2)
    model = explainer._prepared.model
    good = explainer.explain(NEEDY[:1]).to_json()

    class Refused(Exception):
        pass

    def failing(values):
        raise Refused(values)

    half = None
    for i in range(2000):
        with pytest.raises(Refused):
            croco.Explainer(failing, X)
        if i == 1000:
            half = resident()
    assert resident() - half < 5e6
    assert explainer._prepared.model is model
    assert explainer.explain(NEEDY[:1]).to_json() == good


def test_four_threads_for_long():
    explainer = croco.Explainer(logistic, X)
    expected = explainer.explain(NEEDY, progress=False).to_json()
    wrong = []

    def run():
        for _ in range(5):
            if explainer.explain(NEEDY, progress=False).to_json() != expected:
                wrong.append(threading.get_ident())

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
    assert not any(thread.is_alive() for thread in threads)
    assert wrong == []


def child(explainer, queue):
    queue.put(explainer.explain(NEEDY[:5], progress=False).to_json())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_children_of_a_parent_that_used_threads():
    explainer = croco.Explainer(logistic, X)
    expected = explainer.explain(NEEDY[:5]).to_json()
    threads = [threading.Thread(target=explainer.explain, args=(NEEDY,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    context = multiprocessing.get_context("fork")
    queues = [context.Queue() for _ in range(4)]
    children = [context.Process(target=child, args=(explainer, queue)) for queue in queues]
    for process in children:
        process.start()
    assert [queue.get(timeout=120) for queue in queues] == [expected] * 4
    for process in children:
        process.join(timeout=60)
    assert [process.exitcode for process in children] == [0] * 4
