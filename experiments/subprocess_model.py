#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a scikit-learn model in another process costs: people of German Credit, explained and certified.

Usage: subprocess_model.py [--program croco] [--people 100] [--models logistic,mlp,forest]
                           [--protocols csv,binary] [--workers 1] [-- OPTIONS OF croco explain]

Trains pipelines on 800 rows (scaler, one-hot encoder, classifier), lets croco explain the first people
that are rejected among the rows of the file, and prints for each: how many were certified or have a
reason why not, what the certified ones pay, seconds per person (elapsed; of the processor, with the start of
Python; of it answering), and how many rows and batches the model was asked for. Needs scikit-learn and pandas;
croco itself needs neither.
"""
import argparse
import collections
import io
import json
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import time

from run_croco import NOBODY_HELPED

os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = pathlib.Path(__file__).resolve().parent.parent


def pipelines(columns, numbers):
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    texts = [column for column in columns if column not in numbers]
    prepare = make_column_transformer((StandardScaler(), numbers),
                                      (OneHotEncoder(handle_unknown="ignore"), texts),
                                      sparse_threshold=0)
    return {
        "logistic": make_pipeline(prepare, LogisticRegression(max_iter=1000)),
        "mlp": make_pipeline(prepare, MLPClassifier((32,), max_iter=200, alpha=0.1,
                                                    random_state=0)),
        "forest": make_pipeline(prepare, RandomForestClassifier(50, min_samples_leaf=5,
                                                                random_state=0)),
    }


def answer(model_path, counts_path, protocol):
    """The child: answers until its input ends, then writes down what it was asked."""
    import joblib
    import numpy
    import pandas

    model = joblib.load(model_path)
    rows = batches = 0
    busy = 0.0
    if protocol == "csv":
        header = sys.stdin.readline()
        batch = []
        for line in sys.stdin:
            if line.strip():
                batch.append(line)
                continue
            start = time.process_time()
            frame = pandas.read_csv(io.StringIO(header + "".join(batch)), keep_default_na=False)
            answers = model.predict_proba(frame)[:, 1]
            sys.stdout.write("".join(f"{p!r}\n" for p in answers.tolist()))
            sys.stdout.flush()
            rows, batches = rows + len(batch), batches + 1
            busy += time.process_time() - start
            batch.clear()
    else:
        columns = json.loads(sys.stdin.buffer.readline())["columns"]
        while head := sys.stdin.buffer.read(4):
            n = struct.unpack("<I", head)[0]
            data = sys.stdin.buffer.read(8 * n * len(columns))
            start = time.process_time()
            values = numpy.frombuffer(data, "<f8").reshape(n, -1)
            frame = pandas.DataFrame({
                column["name"]: numpy.array(column["levels"], object)[values[:, j].astype(int)]
                if "levels" in column else values[:, j] for j, column in enumerate(columns)})
            answers = model.predict_proba(frame)[:, 1]
            sys.stdout.buffer.write(head + answers.astype("<f8").tobytes())
            sys.stdout.buffer.flush()
            rows, batches = rows + n, batches + 1
            busy += time.process_time() - start
    with open(counts_path, "a", encoding="utf-8") as file:
        file.write(json.dumps({"rows": rows, "batches": batches, "busy": busy}) + "\n")


def processor_seconds():
    """Of croco and its children, once they have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(arguments, folder, name, protocol, people):
    counts = folder / "counts.jsonl"
    counts.unlink(missing_ok=True)
    output = folder / "advice.jsonl"
    child = f"'{sys.executable}' '{__file__}' --answer '{folder / name}' '{counts}' {protocol}"
    command = [arguments.program, "explain", "--model-command", child, "--model-protocol", protocol,
               "--model-workers", str(arguments.workers), "--training", "german",
               "--schema", str(ROOT / "data/schemas/german.json"), "--data", str(people),
               "--output", str(output), *arguments.options]
    start, used = time.monotonic(), processor_seconds()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds, used = time.monotonic() - start, processor_seconds() - used
    if done.returncode not in (0, NOBODY_HELPED):
        sys.exit(f"{done.stderr}\nexit code {done.returncode}")
    answers = [json.loads(line) for line in output.read_text().splitlines()]
    statuses = collections.Counter(answer["status"] for answer in answers)
    met = [answer.get("certificate", {}).get("target_met", False) for answer in answers]
    certified = sum(met)
    cost = sum(answer["distance"]["cost"] for answer, done in zip(answers, met) if done) / max(1, certified)
    explained = sum("obstacle" in answer for answer, done in zip(answers, met) if not done)
    asked = [json.loads(line) for line in counts.read_text().splitlines()]
    rows = sum(entry["rows"] for entry in asked)
    batches = sum(entry["batches"] for entry in asked)
    busy = sum(entry["busy"] for entry in asked)
    print(f"| {name} | {protocol} | {len(answers)} | {certified} | {explained} | "
          f"{len(answers) - certified - explained} | {cost:.4f} | {seconds / len(answers):.2f} | "
          f"{used / len(answers):.2f} | {busy / len(answers):.2f} | {rows / len(answers):,.0f} | "
          f"{batches / len(answers):,.0f} |   {dict(statuses)}", flush=True)
    return certified + explained == len(answers)


def main():
    if sys.argv[1:2] == ["--answer"]:
        return answer(*sys.argv[2:5])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "build/release/apps/cli/croco"))
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--models", default="logistic,mlp,forest")
    parser.add_argument("--protocols", default="csv,binary")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("options", nargs="*", help="further options of croco explain, after --")
    arguments = parser.parse_args()
    import joblib
    import pandas

    data = pandas.read_csv(ROOT / "data/german_credit.csv", keep_default_na=False)
    good = data.pop("class") == "good"
    numbers = list(data.select_dtypes("number").columns)
    print("| model | protocol | people | certified | with a reason | neither | mean cost | s per person | "
          "of the processor | of the model | rows | batches |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    complete = True
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name, pipeline in pipelines(list(data.columns), numbers).items():
            if name not in arguments.models.split(","):
                continue
            pipeline.fit(data[:800], good[:800])
            joblib.dump(pipeline, folder / name)
            rejected = data[pipeline.predict_proba(data)[:, 1] <= 0.5][:arguments.people]
            rejected.to_csv(folder / "people.csv", index=False)
            for protocol in arguments.protocols.split(","):
                complete &= run(arguments, folder, name, protocol, folder / "people.csv")
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
