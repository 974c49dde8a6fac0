#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many verdicts "no certified advice" are proved, and whether ten times the search contradicts any.

Usage: experiments/infeasibility.py [--program build/release/apps/cli/croco] [--hidden 50] [--seed 1]
           [--searches 10] [--moves] [--rows 0:200] [--threads 1]

Trains a network on German Credit and explains everybody it rejects, all categories fixed (--moves: as the
schema lets them), under the noise of the schema and under a standard deviation of 5 % of each range with
2 % flips of nine categories. Prints, for the targets .05 and .1: people rejected; certified; without
certified advice; of these, proved to be without any valid point even without noise; proved to be out of
reach of the target, those included; undecided; what the other searches find, each with samples of its own:
people certified whose infeasibility was proved (a contradiction), and others; and the lowest rate that any
search saw among the proved.
"""
import argparse
import json
import pathlib
import tempfile
import time

from german_moves import NOISES, TARGETS, prepared


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--hidden", default="50", help="units of each hidden layer, such as 64,32")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--searches", type=int, default=10)
    parser.add_argument("--moves", action="store_true")
    parser.add_argument("--rows", help="of the data, such as 0:200; all when left out")
    parser.add_argument("--threads", default="1")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        croco, given = prepared(options, folder, not options.moves)
        given += ["--threads", options.threads]
        if options.rows:
            given += ["--rows", options.rows]

        def explain(*words):
            answers = folder / "answers.jsonl"
            croco("explain", *given, *words, "--output", str(answers))
            with open(answers, encoding="utf-8") as file:
                return {one["row"]: one for one in map(json.loads, file)
                        if one["status"] != "already"}

        print("noise", "target", "rejected", "certified", "without", "no_valid_point_proved", "proved",
              "share", "undecided", "contradictions", "found_by_others", "lowest_of_proved", "seconds",
              sep="\t")
        for label, noise in NOISES.items():
            for target in TARGETS:
                before = time.monotonic()
                answers = explain("--target", target, *noise)
                seconds = time.monotonic() - before
                certified = {row for row, one in answers.items() if one["status"] == "found"}
                undecided = {row for row, one in answers.items() if one["status"] == "undecided"}
                without = set(answers) - certified - undecided
                proved = {row for row in without
                          if "out_of_reach_confidence" in answers[row]["obstacle"]}
                certain = {row for row in proved
                           if answers[row]["obstacle"]["out_of_reach_confidence"] == 1}
                lowest = [answers[row]["obstacle"]["best"]["lowest"]["rate"] for row in proved
                          if "lowest" in answers[row]["obstacle"]["best"]]
                others = set()
                for search in range(options.searches):
                    again = explain("--target", target, *noise, "--reasons", "off",
                                    "--seed", str(1000 + search))
                    others |= {row for row, one in again.items() if one["status"] == "found"}
                print(label, target, len(answers), len(certified), len(without), len(certain),
                      len(proved), f"{len(proved) / max(1, len(without)):.3f}", len(undecided),
                      len(others & proved), len(others & (without - proved)),
                      f"{min(lowest):.4f}" if lowest else "-", f"{seconds:.0f}", sep="\t", flush=True)


if __name__ == "__main__":
    main()
