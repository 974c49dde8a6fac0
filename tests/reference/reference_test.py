#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares croco with the published methods, re-run on the published weights and people.

Usage: reference_test.py --program build/release/apps/cli/croco --reference-dir ../shared/reference

Runs the three methods as published and holds their distances and rates against baseline.csv (all
people predicted 0) and rerun.csv (the first 200 of them); then checks that CROCO, as it is by
default, never calls an answer found that its own bound does not allow. Prints every comparison.
Exit codes: 0 all within their limits, 1 some not, 77 when the reference is not there.
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
DATASETS = ("adult", "compas", "give_me_some_credit")
# Rerun.csv is about this many people, the first ones predicted 0.
RERUN_PEOPLE = 200
# The first rows that hold as many people predicted 0, with some to spare.
RERUN_ROWS = "0:320"


class Reference:
    def __init__(self, program, folder, work):
        self.program = program
        self.folder = folder
        self.work = work
        self.failures = 0
        self.baseline = self.table("baseline.csv", "dataset", "variance", "target")
        self.rerun = self.table("rerun.csv", "dataset", "method", "variance", "target")

    def table(self, name, *keys):
        """The rows of a CSV by their keys; numbers are keys as numbers."""
        def key(text):
            try:
                return float(text)
            except ValueError:
                return text

        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return {tuple(key(row[k]) for k in keys): row for row in csv.DictReader(file)}

    def explain(self, dataset, *options, rows=None):
        """The answers of a run, for the people who are predicted 0."""
        output = self.work / "answers.jsonl"
        command = [self.program, "explain", "--encoded",
                   "--model", self.folder / "models" / f"{dataset}.json",
                   "--data", self.folder / "factuals" / f"{dataset}.csv",
                   "--noise-on", "all", "--output", output, *options]
        if rows:
            command += ["--rows", rows]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              timeout=600, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"exit code {done.returncode}: {done.stderr}")
        with open(output, encoding="utf-8") as file:
            answers = [json.loads(line) for line in file]
        return [answer for answer in answers if answer["status"] != "already"]

    def compare(self, what, measured, expected, difference, limit):
        """Prints a line of the table and counts it when it is out of its limit."""
        holds = abs(difference) <= limit
        self.failures += not holds
        print(f"{what:<62} {measured:9.5f} {expected:9.5f} {difference:+9.4f} {limit:7.3f}"
              f"{'' if holds else '  OUT OF ITS LIMIT'}", flush=True)

    def compare_ratio(self, what, measured, expected, limit):
        self.compare(what, measured, expected, measured / expected - 1, limit)

    def require(self, what, holds):
        self.failures += not holds
        print(f"{what}: {'yes' if holds else 'NO'}", flush=True)

    def check_croco(self, dataset, variance, target):
        answers = self.explain(dataset, "--method", "croco", "--as-published", "--noise",
                               f"gaussian:variance={variance}", "--target", target,
                               "--samples", 20000)
        expected = self.baseline[dataset, variance, target]
        name = f"{dataset} croco variance {variance} target {target}"
        self.compare_ratio(f"{name} L1", statistics.fmean(distance(a) for a in answers),
                           float(expected["croco_reference_l1"]), 0.03)
        measured = statistics.fmean(a["certificate"]["rate"] for a in answers)
        rate = float(expected["croco_reference_rate"])
        self.compare(f"{name} rate", measured, rate, measured - rate, 0.01)

    def check_wachter(self, dataset):
        answers = self.explain(dataset, "--method", "wachter", "--as-published", "--noise",
                               "gaussian:variance=0.01", "--samples", 1000, rows=RERUN_ROWS)
        self.require(f"{dataset} wachter: at least {RERUN_PEOPLE} people predicted 0",
                     len(answers) >= RERUN_PEOPLE)
        measured = statistics.fmean(distance(a) for a in answers[:RERUN_PEOPLE])
        expected = float(self.rerun[dataset, "wachter", 0.01, 0.5]["L1_mean"])
        self.compare_ratio(f"{dataset} wachter L1", measured, expected, 0.03)

    def check_probe(self, dataset, variance, target):
        answers = self.explain(dataset, "--method", "probe", "--as-published", "--noise",
                               f"gaussian:variance={variance}", "--target", target,
                               "--samples", 1000, rows=RERUN_ROWS)
        measured = statistics.median(distance(a) for a in answers[:RERUN_PEOPLE])
        expected = float(self.rerun[dataset, "probe", variance, target]["L1_median"])
        self.compare_ratio(f"{dataset} probe variance {variance} target {target} median L1",
                           measured, expected, 0.10)

    def check_default(self, dataset, target):
        """CROCO as it is by default keeps its word for everybody it calls found."""
        answers = self.explain(dataset, "--method", "croco", "--noise", "gaussian:variance=0.005",
                               "--target", target, "--samples", 20000, rows="0:150")
        found = [a for a in answers if a["status"] == "found"]
        name = f"{dataset} croco by default, target {target}"
        self.require(f"{name}: answers were found ({len(found)} of {len(answers)})", bool(found))
        self.require(f"{name}: every found answer is valid", all(a["valid"] for a in found))
        self.require(f"{name}: every found answer has a bound of at most the target",
                     all(a["search"]["bound"] <= target for a in found))
        # The bound fails for a point with a probability of .001 at most.
        broken = sum(a["certificate"]["rate"] > target for a in found)
        self.require(f"{name}: the measured rates keep to it ({broken} above)", broken == 0)

    def check_boxed(self):
        """Inside the range of the data: everybody is certified, stays inside, and as near as the bar."""
        for target, limit in ((0.2, 0.321), (0.05, 0.541)):
            for frozen in ((), ("--freeze-immutable",)):
                answers = self.explain("give_me_some_credit", "--box", "0:1", *frozen,
                                       "--noise", "gaussian:variance=0.01", "--target", target,
                                       "--samples", 102400)
                name = f"give_me_some_credit boxed {' '.join(frozen)} at {target}"
                left = [a["row"] for a in answers if a["status"] != "found"]
                self.require(f"{name}: all {len(answers)} certified, without {left}", not left)
                points = [(a["certificate"]["origin"], a["certificate"]["point"]) for a in answers]
                outside = sum(not min(0, before[column]) <= value <= max(1, before[column])
                              for before, point in points for column, value in point.items())
                self.require(f"{name}: {outside} values outside the box", outside == 0)
                moved = sum(before["age"] != point["age"] for before, point in points)
                self.require(f"{name}: age moved {moved} times", not frozen or moved == 0)
                mean = statistics.fmean(distance(a) for a in answers)
                self.require(f"{name}: mean L1 {mean:.4f}, at most {limit}", mean <= limit)

    def check_gradient_free(self, dataset):
        """From the model's answers alone, everybody is certified at nearly the same distance."""
        options = ("--noise", "gaussian:variance=0.01", "--target", 0.1)
        by_gradient = self.explain(dataset, *options, "--search", "gradient", rows="0:60")
        answers = self.explain(dataset, *options, "--search", "gradient-free", rows="0:60")
        name = f"{dataset} without the gradient"
        self.require(f"{name}: all {len(answers)} certified",
                     all(a["status"] == "found" for a in answers))
        self.compare_ratio(f"{name} L1", statistics.fmean(distance(a) for a in answers),
                           statistics.fmean(distance(a) for a in by_gradient), 0.03)

    def check_all(self):
        print(f"{'':<62} {'croco':>9} {'reference':>9} {'differs':>9} {'limit':>7}")
        for dataset in DATASETS:
            for variance in (0.005, 0.02):
                for target in (0.05, 0.2, 0.35):
                    self.check_croco(dataset, variance, target)
        for dataset in DATASETS:
            self.check_wachter(dataset)
        for dataset in ("compas", "give_me_some_credit"):
            for variance in (0.005, 0.01, 0.02):
                for target in (0.3, 0.35):
                    self.check_probe(dataset, variance, target)
        for dataset in DATASETS:
            self.check_default(dataset, 0.2)
        for dataset in DATASETS:
            self.check_gradient_free(dataset)
        self.check_boxed()


def distance(answer):
    """The L1 distance of an answer; everybody must have one."""
    if "distance" not in answer:
        raise RuntimeError(f"row {answer['row']} has no advice: {answer.get('reason')}")
    return answer["distance"]["l1"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--reference-dir", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    if not (arguments.reference_dir / "baseline.csv").is_file():
        print(f"skipped: there is no reference in {arguments.reference_dir}")
        return SKIPPED
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="croco-reference-") as work:
        reference = Reference(arguments.program.resolve(), arguments.reference_dir,
                              pathlib.Path(work))
        reference.check_all()
    print(f"{reference.failures} out of their limits, {time.monotonic() - start:.0f} s")
    return 1 if reference.failures else 0


if __name__ == "__main__":
    sys.exit(main())
