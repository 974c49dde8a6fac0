#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several alternatives for rejected German applicants: how many have them, at what cost, and whether they hold.

Usage: experiments/alternatives.py [--program build/release/apps/cli/croco] [--hidden 50] [--seed 1] [--check]

Trains a network on the embedded data and asks for three alternatives for everybody it rejects, different and
then disjoint, target .05, the schema's noise. Prints people with two and with three alternatives, the mean cost of
the second and the third over that of the first, milliseconds of processor time a person on one thread, and
how many of all certificates `croco verify` confirms. --check fails unless 95 % have three different alternatives,
every one differs as it should and all certificates hold.
"""
import argparse
import json
import pathlib
import resource
import statistics
import sys
import tempfile

from run_croco import run_croco


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def changed(answer):
    return {change["feature"] for change in answer["changes"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--hidden", default="50", help="units of each hidden layer, such as 64,32")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def croco(*words):
            return run_croco([options.program, *words], capture_output=True, text=True)

        model, advice = folder / "model.json", folder / "advice.jsonl"
        croco("train", "--data", "german", "--hidden", options.hidden, "--seed", options.seed,
              "--output", model)
        print("alternatives", "rejected", "certified", "with_2", "with_3", "second_over_first",
              "third_over_first", "ms_per_person", "verified", sep="\t")
        for kind, more in (("different", ()), ("disjoint", ("--disjoint",))):
            before = processor_seconds()
            croco("explain", "--model", model, "--data", "german", "--target", "0.05",
                  "--alternatives", "3", *more, "--threads", "1", "--reasons", "off", "--output", advice)
            seconds = processor_seconds() - before
            people = {}
            for line in advice.read_text(encoding="utf-8").splitlines():
                answer = json.loads(line)
                if answer["status"] != "already":
                    people.setdefault(answer["row"], []).append(answer)
            certified = [found for found in people.values() if found[0]["status"] == "found"]
            for found in certified:
                for k, one in enumerate(found):
                    for earlier in found[:k]:
                        alike = (changed(one) & changed(earlier) if more
                                 else changed(one) >= changed(earlier))
                        if alike:
                            sys.exit(f"row {one['row']}: alternative {one['alternative']} is no other one")

            def ratio(k):
                costs = [[one["distance"]["cost"] for one in found] for found in certified
                         if len(found) > k]
                return statistics.fmean(cost[k] / cost[0] for cost in costs) if costs else float("nan")

            verified = croco("verify", advice, "--model", model, "--samples", "20000").stderr.splitlines()[0]
            counts = [sum(len(found) > k for found in certified) for k in (1, 2)]
            print(kind, len(people), len(certified), *counts, f"{ratio(1):.3f}", f"{ratio(2):.3f}",
                  f"{1000 * seconds / max(1, len(people)):.1f}", verified, sep="\t", flush=True)
            if options.check and not more and counts[1] < 0.95 * len(people):
                sys.exit("less than 95 % have three alternatives")


if __name__ == "__main__":
    main()
