#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to change few features: at most k of them against any number.

Usage: experiments/few_changes.py --reference DIR [--program build/release/apps/cli/croco]
           [--target 0.2] [--people 465] [--check]

The published Give Me Some Credit network and its people, columns kept inside the range of the data, age
fixed, noise of variance .01. For k = 1, 2, 3: who is certified, the mean of each person's cost over
that without a limit, the ratio of the sums, and milliseconds of processor time a person on one thread.
--check fails unless two features lose nobody and cost at most 5 % more on average.
"""
import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

from run_croco import NOBODY_HELPED


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--reference", type=pathlib.Path, required=True)
    parser.add_argument("--target", default="0.2")
    parser.add_argument("--people", type=int, default=465)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not options.reference.is_dir():
        print(f"{options.reference}: there is no such folder")
        sys.exit(77)
    name = "give_me_some_credit"

    def explain(folder, *more):
        output = folder / "advice.jsonl"
        before = processor_seconds()
        result = subprocess.run(
            [options.program, "explain", "--model", options.reference / "models" / f"{name}.json",
             "--encoded", "--data", options.reference / "factuals" / f"{name}.csv", "--rows", f"0:{options.people}",
             "--box", "0:1", "--freeze-immutable", "--noise", "gaussian:variance=0.01",
             "--target", options.target, "--threads", "1", "--reasons", "off", "--output", output,
             *more], capture_output=True, text=True, check=False)
        if result.returncode not in (0, NOBODY_HELPED):
            raise SystemExit(f"{' '.join(map(str, result.args))}: {result.stderr}")
        answers = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
        asked = [one for one in answers if one["status"] != "already"]
        found = {one["row"]: one for one in asked if one["status"] == "found"}
        return asked, found, 1000 * (processor_seconds() - before) / max(1, len(asked))

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        asked, free, milliseconds = explain(folder)
        cost = {row: one["distance"]["cost"] for row, one in free.items()}
        print("most", "asked", "certified", "mean_cost", "mean_ratio", "ratio_of_sums", "over_10_percent",
              "ms_per_person", sep="\t")
        print("any", len(asked), len(free), f"{statistics.fmean(cost.values()):.4f}", "1", "1", 0,
              f"{milliseconds:.2f}", sep="\t", flush=True)
        for most in (1, 2, 3):
            _, few, milliseconds = explain(folder, "--max-changes", str(most))
            broken = [row for row, one in few.items() if len(one["changes"]) > most]
            if broken:
                raise SystemExit(f"rows {broken} change more than {most} features")
            both = [(one["distance"]["cost"], cost[row]) for row, one in few.items() if row in cost]
            ratio = statistics.fmean(a / b for a, b in both)
            print(most, len(asked), len(few), f"{statistics.fmean(a for a, _ in both):.4f}", f"{ratio:.4f}",
                  f"{sum(a for a, _ in both) / sum(b for _, b in both):.4f}",
                  sum(a > 1.1 * b for a, b in both), f"{milliseconds:.2f}", sep="\t", flush=True)
            if options.check and most == 2 and (len(few) < len(free) or ratio > 1.05):
                sys.exit("two features lose somebody, or cost more than 5 %")


if __name__ == "__main__":
    main()
