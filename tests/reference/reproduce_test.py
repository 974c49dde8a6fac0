#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the tables of `croco reproduce` against the published methods' re-run.

It runs what docs/results/reproduction.md tells readers to run, on part of the grid.

Usage: reproduce_test.py --reference-dir ../shared/reference --program build/release/apps/cli/croco
       reproduce_test.py --reference-dir ../shared/reference --results DIR

The first form runs part of the grid on the published models and people, the second checks the
folder of a run that is there already, such as the whole grid's. For every configuration that
baseline.csv has: CROCO as published within 3 % of its mean distance and .01 of its mean rate, the
certified method no more than 1 % above the bar's, above the target in no rate, everybody certified; Wachter within
3 % of rerun.csv. Prints what was compared. Exit codes: 0 all within their limits, 1 some not, 77 when
the reference is not there.
"""
import argparse
import csv
import pathlib
import statistics
import subprocess
import sys
import tempfile

SKIPPED = 77
# rerun.csv is about this many people, the first ones predicted 0.
RERUN_PEOPLE = 200


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Comparison:
    def __init__(self):
        self.failures = 0
        self.worst = {}

    def within(self, kind, where, difference, limit):
        """Counts a difference that is out of its limit, and remembers the largest of its kind."""
        worst = self.worst.setdefault(kind, [0, 0.0, "", limit])
        worst[0] += 1
        if abs(difference) >= abs(worst[1]):
            worst[1:3] = [difference, where]
        if abs(difference) > limit:
            self.failures += 1
            print(f"{where}: {kind} is off by {difference:+.4f}, at most {limit} is allowed")

    def require(self, holds, message):
        if not holds:
            self.failures += 1
            print(message)

    def report(self):
        for kind, (count, difference, where, limit) in self.worst.items():
            print(f"{kind}: {count} compared, largest difference {difference:+.4f} at {where}, "
                  f"limit {limit}")


def check(results, reference):
    comparison = Comparison()
    summary = {(row["dataset"], float(row["noise"]), row["target"] and float(row["target"]),
                row["method"]): row for row in rows_of(results / "summary.csv")}
    ratios = []
    for bar in rows_of(reference / "baseline.csv"):
        key = (bar["dataset"], float(bar["variance"]), float(bar["target"]))
        where = " ".join(map(str, key))
        croco, ours = summary.get((*key, "croco")), summary.get((*key, "certified"))
        if croco:
            comparison.within("CROCO as published, mean L1 over baseline's, minus 1", where,
                              float(croco["l1_mean"]) / float(bar["croco_reference_l1"]) - 1, 0.03)
            comparison.within("CROCO as published, mean rate minus baseline's", where,
                              float(croco["rate_mean"]) - float(bar["croco_reference_rate"]), 0.01)
        if ours:
            # Shorter is better.
            comparison.within("certified, mean L1 above baseline's, share", where,
                              max(0.0, float(ours["l1_mean"]) / float(bar["certified_l1"]) - 1),
                              0.01)
            comparison.require(ours["advised"] == ours["asked"] and float(ours["rule_met"]) == 1
                               and float(ours["upper_above_target"]) == 0,
                               f"{where}: not everybody is certified")
            comparison.require(float(ours["rate_above_target"]) == 0,
                               f"{where}: certified, but measured above the target")
        if croco and ours:
            ratios.append(float(ours["l1_mean"]) / float(croco["l1_mean"]))
    for bar in rows_of(reference / "rerun.csv"):
        if bar["method"] != "wachter":
            continue
        path = results / "results" / bar["dataset"] / bar["variance"] / "any" / "wachter.csv"
        if not path.exists():
            continue
        advised = [row for row in rows_of(path) if row["status"] in ("found", "unmet")]
        first = advised[:RERUN_PEOPLE]
        where = f"{bar['dataset']} {bar['variance']}"
        comparison.within("Wachter, mean L1 over rerun's, minus 1", where,
                          statistics.fmean(float(row["l1"]) for row in first)
                          / float(bar["L1_mean"]) - 1, 0.03)
        comparison.within("Wachter, mean rate minus rerun's", where,
                          statistics.fmean(float(row["rate"]) for row in first)
                          - float(bar["ir_a_mean"]), 0.01)
    comparison.require(len(comparison.worst) == 5, "some of the three methods were not compared")
    comparison.report()
    if ratios:
        print(f"certified over CROCO as published at equal target, mean L1: "
              f"{statistics.fmean(ratios):.4f} on average over {len(ratios)} configurations")
    return comparison.failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference-dir", type=pathlib.Path, required=True)
    parser.add_argument("--program")
    parser.add_argument("--results", type=pathlib.Path)
    options = parser.parse_args()
    if not options.reference_dir.is_dir():
        print(f"{options.reference_dir} is not there")
        sys.exit(SKIPPED)
    if options.results:
        sys.exit(1 if check(options.results, options.reference_dir) else 0)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([options.program, "reproduce", "--output", folder,
                        "--models", options.reference_dir / "models",
                        "--people", options.reference_dir / "factuals",
                        "--published", options.reference_dir / "published.csv",
                        "--methods", "wachter,croco,certified",
                        "--variances", "0.005,0.02", "--targets", "0.05,0.2"],
                       check=True, stdout=subprocess.DEVNULL)
        sys.exit(1 if check(pathlib.Path(folder), options.reference_dir) else 0)


if __name__ == "__main__":
    main()
