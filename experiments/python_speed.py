#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long people of Adult take in Python, and on the command line with the same bundle.

Fits a pipeline of scikit-learn, saves its explainer as a bundle, and explains the same people three times in each
round: by `croco explain`; in a session of Python that has imported its packages (load the bundle, read the CSV file,
explain, write the report); and by a new process of Python that does the same. Compares the reports byte for byte, and
prints the median times and their ratios to the command line's.

Usage: python_speed.py --adult adult.csv [--people 100] [--rounds 9] [--model logistic,trees,forest]
Needs the package croco, pandas and scikit-learn.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import croco
from croco import _cli

SESSION = """
import sys
import pandas as pd
import croco
bundle, people, report = sys.argv[1:]
croco.Explainer.load(bundle).explain(pd.read_csv(people), progress=False).to_json(report)
"""


def pipeline(kind):
    numbers = make_column_selector(dtype_include="number")
    texts = make_column_selector(dtype_exclude="number")
    unknown = {"handle_unknown": "use_encoded_value", "unknown_value": -1}
    if kind == "logistic":
        encoder = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), texts), (StandardScaler(), numbers)
        )
        return make_pipeline(encoder, LogisticRegression(max_iter=1000))
    encoder = make_column_transformer((OrdinalEncoder(**unknown), texts), (StandardScaler(), numbers))
    if kind == "trees":
        return make_pipeline(encoder, HistGradientBoostingClassifier(random_state=0))
    return make_pipeline(encoder, RandomForestClassifier(50, max_depth=8, random_state=0))


def session(bundle, people, report):
    croco.Explainer.load(bundle).explain(pd.read_csv(people), progress=False).to_json(report)


def measure(kind, data, label, folder, count, rounds):
    X = data.drop(columns=label)
    wanted = sorted(data[label].unique())[-1]
    model = pipeline(kind).fit(X.head(8000), (data[label] == wanted).astype(int).head(8000))
    bundle, people = folder / f"{kind}.croco", folder / f"{kind}.csv"
    explainer = croco.Explainer(model, X.head(8000))
    if explainer.describe().path != "native":
        sys.exit(f"{kind} is not translated: {explainer.describe().reason}")
    explainer.save(bundle)
    X[model.predict(X) == 0].head(count).to_csv(people, index=False)
    reports = {name: folder / f"{kind}-{name}.jsonl" for name in ("program", "session", "process")}
    runs = {
        "program": lambda: subprocess.run(
            [_cli.PROGRAM, "explain", "--model", bundle, "--data", people, "--output", reports["program"]],
            check=True, capture_output=True,
        ),
        "session": lambda: session(bundle, people, reports["session"]),
        "process": lambda: subprocess.run(
            [sys.executable, "-c", SESSION, bundle, people, reports["process"]], check=True
        ),
    }  # fmt: skip
    times = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            reports[name].unlink(missing_ok=True)
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    lines = {name: path.read_bytes() for name, path in reports.items()}
    if len(set(lines.values())) > 1:
        sys.exit(f"{kind}: the reports differ")
    found = lines["program"].count(b'"status":"found"')
    middle = {name: statistics.median(values) for name, values in times.items()}
    print(
        f"{kind:9} {count} people, {found} with advice: program {middle['program']:.3f} s, "
        f"in a session {middle['session']:.3f} s ({middle['session'] / middle['program']:.2f} x), "
        f"as a process {middle['process']:.3f} s ({middle['process'] / middle['program']:.2f} x)",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--adult", required=True, help="adult.csv")
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--model", default="logistic,trees,forest")
    options = parser.parse_args()
    data = pd.read_csv(options.adult)
    with tempfile.TemporaryDirectory() as folder:
        for kind in options.model.split(","):
            measure(kind, data, data.columns[-1], pathlib.Path(folder), options.people, options.rounds)


if __name__ == "__main__":
    main()
