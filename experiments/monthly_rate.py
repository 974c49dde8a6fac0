#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""German Credit with and without "the monthly rate may not rise": what the relation costs.

Usage: experiments/monthly_rate.py [--program build/release/apps/cli/croco] [--check]

Trains networks on the embedded German Credit and explains every applicant whom they reject, once
with the data set's own schema, of which numbers may move, and once with the relation credit_amount
/ duration at most today's. Printed per network and noise: how many were asked; how many have
certified advice without and with it; how many of the former raise the rate, and of the latter; the
cost of the latter over that of the former, for people who have both (as a ratio of sums); the
processor time of both runs. --check exits with 1 when any advice raises the rate under the
relation, when anybody whose advice kept it anyway loses it, or when the cost of those rises by more
than 1 %.
"""
import argparse
import json
import pathlib
import resource
import sys
import tempfile

from run_croco import run_croco

RELATION = {"name": "monthly rate", "sum": "credit_amount", "per": "duration",
            "at_most": "today"}
NOISES = {
    "1 month, 250 DM": ["--noise", "gaussian", "--noise-scale", "duration=1",
                        "--noise-scale", "credit_amount=250"],
    "sd 0.05 of each range": ["--noise", "gaussian:sd=0.05"],
}


def run(program, *words):
    """Standard output, and the processor time that the run took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = run_croco([program, *words], capture_output=True, text=True)
    return done.stdout, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def numbers_only(schema):
    """Categories stay as they are, and the command line says what noise there is."""
    for feature in schema["features"]:
        feature.pop("noise", None)
        if feature["type"] == "categorical":
            feature["movement"] = "fixed"
            feature.pop("moves", None)
    return schema


def explained(program, model, schema, noise, output):
    _, seconds = run(program, "explain", "--model", model, "--schema", schema, "--data", "german",
                     *noise, "--noise-on", "continuous", "--reasons", "off", "--threads", "1",
                     "--output", output)
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["status"] != "already"], seconds


def monthly_rate(record):
    return float(record["credit_amount"]) / float(record["duration"])


def raised(row):
    return monthly_rate(row["after"]) > monthly_rate(row["before"]) * (1 + 1e-9)


def ratio(pairs):
    return sum(b["distance"]["cost"] for _, b in pairs) / sum(a["distance"]["cost"] for a, _ in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--check", action="store_true", help="exit with 1 unless the relation holds")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    print("| hidden units | noise | asked | certified without | raise the rate | certified with | "
          "raise it | cost | seconds without | with |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        schema = numbers_only(json.loads(run(program, "data", "show", "german", "--schema")[0]))
        own, ruled, model = (folder / f for f in ("own.json", "ruled.json", "model.json"))
        own.write_text(json.dumps(schema), encoding="utf-8")
        ruled.write_text(json.dumps(schema | {"relations": [RELATION]}), encoding="utf-8")
        for hidden in ("50", "64,32"):
            run(program, "train", "--data", "german", "--hidden", hidden, "--seed", "1",
                "--output", model)
            for label, noise in NOISES.items():
                free, free_time = explained(program, model, own, noise, folder / "free.jsonl")
                bound, bound_time = explained(program, model, ruled, noise, folder / "ruled.jsonl")
                pairs = [(a, b) for a, b in zip(free, bound, strict=True) if a["status"] == "found"]
                with_advice = [b for b in bound if b["status"] == "found"]
                both = [(a, b) for a, b in pairs if b["status"] == "found"]
                kept = [(a, b) for a, b in pairs if not raised(a)]
                print(f"| {hidden} | {label} | {len(free)} | {len(pairs)} "
                      f"| {sum(raised(a) for a, _ in pairs)} | {len(with_advice)} "
                      f"| {sum(map(raised, with_advice))} | {ratio(both):.4f} "
                      f"| {free_time:.1f} | {bound_time:.1f} |")
                failures += any(map(raised, with_advice))
                failures += any(b["status"] != "found" for _, b in kept)
                failures += ratio([pair for pair in kept if pair[1]["status"] == "found"]) > 1.01
    return 1 if arguments.check and failures else 0


if __name__ == "__main__":
    sys.exit(main())
