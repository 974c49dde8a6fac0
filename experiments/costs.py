#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the kinds of cost make of advice on German Credit: who is certified, and what it costs by each kind.

Usage: experiments/costs.py [--program build/release/apps/cli/croco] [--hidden 50] [--seed 1] [--rows 0:1000]

Trains a network on the embedded data and explains the rows under each kind of cost, under the noise of the
schema, for the targets .05 and .1; then has every recommended record priced by each kind (croco certify). Means are
over the people who were certified under all three. Ends with exit code 1 when a kind of cost is not lowest
where it was searched for, or when a kind certifies fewer people than l1.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from run_croco import run_croco

KINDS = ("l1", "mad", "percentile")
TARGETS = ("0.05", "0.1")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--hidden", default="50", help="units of each hidden layer, such as 64,32")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--rows", default="0:1000")
    options = parser.parse_args()
    broken = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def croco(*words):
            run_croco([options.program, *words],
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def answers(path):
            return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

        model = folder / "german.json"
        croco("train", "--data", "german", "--hidden", options.hidden, "--seed", options.seed, "--output", model)
        print("| target | searched by | certified | l1 | mad | percentile | features changed |")
        print("|---|---|---|---|---|---|---|")
        for target in TARGETS:
            certified = {}
            prices = {}
            changed = {}
            for kind in KINDS:
                advised = folder / f"{kind}.csv"
                lines = folder / f"{kind}.jsonl"
                croco("explain", "--model", model, "--data", "german", "--rows", options.rows,
                      "--noise", "schema", "--target", target, "--cost", kind, "--reasons", "off",
                      "--threads", "1", "--output", lines, "--output", advised)
                found = answers(lines)
                met = [a for a in found if a["status"] == "found" and a["certificate"]["target_met"]]
                certified[kind] = {a["row"] for a in met}
                changed[kind] = {a["row"]: a["features_changed"] for a in met}
                own = {a["row"]: a["distance"]["cost"] for a in met}
                for by in KINDS:
                    priced = folder / "priced.jsonl"
                    croco("certify", "--model", model, "--data", "german", "--counterfactuals", advised,
                          "--noise", "schema", "--cost", by, "--samples", "1000", "--threads", "1",
                          "--output", priced)
                    prices[kind, by] = {a["row"]: a["distance"]["cost"] for a in answers(priced)
                                        if "distance" in a}
                for row, cost in own.items():
                    if abs(prices[kind, kind][row] - cost) > 1e-9:
                        broken.append(f"row {row}: {kind} cost {cost}, certify says {prices[kind, kind][row]}")
            everyone = sorted(set.intersection(*certified.values()))
            means = {key: sum(of[row] for row in everyone) / len(everyone) for key, of in prices.items()}
            for kind in KINDS:
                cells = []
                for by in KINDS:
                    lowest = min(means[other, by] for other in KINDS) == means[kind, by]
                    cells.append(f"**{means[kind, by]:.4f}**" if lowest else f"{means[kind, by]:.4f}")
                    if by == kind and not lowest:
                        broken.append(f"target {target}: {by} is not lowest where it was searched for")
                if len(certified[kind]) < len(certified["l1"]):
                    broken.append(f"target {target}: {kind} certifies {len(certified[kind])}, "
                                  f"l1 {len(certified['l1'])}")
                features = sum(changed[kind][row] for row in everyone) / len(everyone)
                print(f"| {target} | {kind} | {len(certified[kind])} | {' | '.join(cells)} | {features:.2f} |")
    for line in broken:
        print(line, file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
