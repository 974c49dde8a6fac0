# SPDX-License-Identifier: Apache-2.0
"""Python models are asked by the thread that called: exceptions, Ctrl-C, threads, forks, memory."""

import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import threading
import time
import traceback

import numpy as np
import pytest

import croco

X = np.random.default_rng(0).uniform(0, 10, size=(200, 2))
ASKED = np.array([[2.0, 3.0]])


def logistic(values):
    return 1 / (1 + np.exp(10 - values.sum(axis=1)))


class Failing:
    """Works for some calls, then raises."""

    def __init__(self, good):
        self.good = good

    def __call__(self, values):
        self.good -= 1
        if self.good < 0:
            self.look_up(values)
        return logistic(values)

    def look_up(self, values):
        return {}["the rate table"]


def test_an_exception_arrives_with_its_own_frames():
    explainer = croco.Explainer(Failing(good=12), X)
    with pytest.raises(KeyError, match="the rate table") as raised:
        explainer.explain(ASKED)
    names = [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert names[-2:] == ["__call__", "look_up"]


def test_an_exception_while_the_model_is_first_asked():
    with pytest.raises(KeyError, match="the rate table"):
        croco.Explainer(Failing(good=0), X)


def test_the_model_runs_on_the_thread_that_called():
    threads = set()

    def model(values):
        threads.add(threading.get_ident())
        return logistic(values)

    croco.Explainer(model, X).explain(ASKED)
    assert threads == {threading.get_ident()}


def test_the_model_may_keep_what_it_is_given():
    kept = []

    def model(values):
        kept.append(values)
        return logistic(values)

    croco.Explainer(model, X).explain(ASKED)
    for values in kept:
        assert np.isfinite(values).all()
        assert (np.abs(values) < 1e4).all()


def test_four_threads_get_the_answers_of_one():
    explainer = croco.Explainer(logistic, X)
    rows = [np.array([[1.0 + i, 2.0]]) for i in range(4)]
    alone = [explainer.explain(row).to_json() for row in rows]
    together = [""] * 4

    def run(i):
        together[i] = explainer.explain(rows[i]).to_json()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


def test_an_exception_ends_the_call_that_it_belongs_to():
    """One of two threads has a model that fails; the other one finishes."""
    good = croco.Explainer(logistic, X)
    bad = croco.Explainer(Failing(good=12), X)
    raised = []

    def fail():
        try:
            bad.explain(ASKED)
        except KeyError as error:
            raised.append(error)

    thread = threading.Thread(target=fail)
    thread.start()
    assert good.explain(ASKED).status == ["found"]
    thread.join()
    assert len(raised) == 1


SLOW = """
import sys, time
import numpy as np
import croco

def model(values):
    time.sleep(0.05)
    return 1 / (1 + np.exp(10 - values.sum(axis=1)))

X = np.random.default_rng(0).uniform(0, 10, size=(200, 2))
explainer = croco.Explainer(model, X)
print("ready", flush=True)
try:
    explainer.explain(np.full((50, 2), 2.0))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""

NATIVE = """
import sys
import numpy as np
import pandas as pd
import croco

people = pd.read_csv(sys.argv[2])
explainer = croco.Explainer(sys.argv[1], target_rate=0.001, alternatives=8)
print("ready", flush=True)
try:
    while True:
        explainer.explain(people[[f["name"] for f in explainer.schema["features"]]], progress=False)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""

FITTING = """
import numpy as np
import croco

asked = 0

def model(values):
    global asked
    asked += len(values)
    if 0 <= asked - 7500 < len(values):  # most of the rows before the first fit
        print("ready", flush=True)
    return 1 / (1 + np.exp(10 - values.sum(axis=1)))

X = np.random.default_rng(0).uniform(0, 10, size=(4000, 2))
try:
    croco.Explainer(model, X, target_rate=0.1, query_budget=1000)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def interrupted_after(script, *arguments):
    """The seconds from Ctrl-C to the exception in a process that is explaining."""
    child = subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(pathlib.Path(croco.__file__).parents[1])},
    )  # fmt: skip
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.5)
        start = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        return time.monotonic() - start
    finally:
        child.kill()
        child.wait()


def test_ctrl_c_while_a_slow_model_is_asked():
    assert interrupted_after(SLOW) < 1


def test_ctrl_c_while_a_file_is_asked(model_path, german, tmp_path):
    german.to_csv(tmp_path / "people.csv", index=False)
    assert interrupted_after(NATIVE, str(model_path), str(tmp_path / "people.csv")) < 1


def test_ctrl_c_while_a_surrogate_is_fitted():
    assert interrupted_after(FITTING) < 1


def explain_once(explainer, rows, queue):
    queue.put(explainer.explain(rows).to_json())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_explains_too():
    import multiprocessing

    explainer = croco.Explainer(logistic, X)
    expected = explainer.explain(ASKED).to_json()  # the parent's threads are up
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=explain_once, args=(explainer, ASKED, queue))
    child.start()
    assert queue.get(timeout=60) == expected
    child.join(timeout=30)
    assert child.exitcode == 0


REFUSAL = "forked while a thread of its parent was inside croco.*'spawn' or 'forkserver'"


def answer_of_a_child(action, seconds=60):
    """What `action` returns or raises in a forked child; None if it does neither in time."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = action()
        except BaseException as error:
            answer = f"{type(error).__name__}: {error}"
        os.write(writing, answer.encode())
        os._exit(0)
    os.close(writing)
    try:
        readable, _, _ = select.select([reading], [], [], seconds)
        return os.read(reading, 65536).decode() if readable else None
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_forked_during_a_call_is_told_so():
    """It would wait for ever for locks whose owners it does not have."""
    asked, forked = threading.Event(), threading.Event()

    def model(values):
        if threading.current_thread() is not threading.main_thread():
            asked.set()
            forked.wait(timeout=60)
        return logistic(values)

    explainer = croco.Explainer(model, X)

    def explain():
        return explainer.explain(ASKED).status[0]

    thread = threading.Thread(target=explain)
    thread.start()
    try:
        assert asked.wait(timeout=60)
        refused = answer_of_a_child(explain)
        grandchild = answer_of_a_child(lambda: str(answer_of_a_child(explain, seconds=20)))
    finally:
        forked.set()
        thread.join()
    assert re.match("RuntimeError: .*" + REFUSAL, str(refused))
    assert re.match("RuntimeError: .*" + REFUSAL, str(grandchild))
    assert explain() == "found"  # in the parent nothing happened
    assert answer_of_a_child(explain) == "found"  # no call runs any more


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_that_the_model_forks_is_told_so():
    """The work that its call waits for goes on in the parent alone."""
    parent = os.getpid()
    children = []

    def model(values):
        if not children and os.getpid() == parent:
            children.append(os.fork())
        return logistic(values)

    reading, writing = os.pipe()
    try:
        status = croco.Explainer(model, X).explain(ASKED).status[0]
    except RuntimeError as error:
        if os.getpid() != parent:
            os.write(writing, str(error).encode())
            os._exit(0)
        raise
    finally:
        if os.getpid() != parent:
            os._exit(1)
    assert status == "found"
    os.close(writing)
    with os.fdopen(reading) as said:
        assert re.match(".*" + REFUSAL, said.read())
    assert os.waitpid(children[0], 0)[1] == 0


def resident():
    pages = pathlib.Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="there is no /proc")
@pytest.mark.slow
def test_memory_stays_level_over_many_calls():
    calls = 0

    def model(values):
        nonlocal calls
        calls += 1
        return logistic(values)

    explainer = croco.Explainer(model, X, n_jobs=2)
    frame, _ = explainer._prepared.layout.frame(explainer._table(X, "X"), "X")
    half = None
    while calls < 30_000:
        explainer._prepared.model.decisions(frame, 0.5)
        if calls == 15_000:
            half = resident()
    assert resident() - half < 5e6
