#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much of the certified method's cost is proven to be necessary.

Usage: experiments/proof_gap.py --reference DIR [--program build/release/apps/cli/croco]
           [--people 40] [--variance .01] [--targets .05 .1 .2] [--box 0:1] [--datasets adult ...]

DIR holds models/*.json and factuals/*.csv. Over the first people predicted 0, noise on all encoded
columns, one thread: the mean and the largest of certified cost / lower bound (confidence .999 each),
the same for the best solution of the sampled problem, the share of proofs that end within their gap
of 0.5 %, the boxes looked at, and the processor time that a proof adds to a person.
"""
import argparse
import csv
import json
import pathlib
import resource
import statistics
import subprocess
import tempfile

from run_croco import run_croco

COLUMNS = ["dataset", "target", "people", "certified / bound", "largest", "certified / sampled",
           "within gap", "mean boxes", "most boxes", "ms per proof"]


def processor_seconds(command):
    """The processor time of a command, which other programs on the machine move less than its
    duration."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run_croco(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def run_configuration(options, dataset, target, folder):
    factuals = options.reference / "factuals" / f"{dataset}.csv"
    command = [options.program, "explain", "--encoded",
               "--model", options.reference / "models" / f"{dataset}.json",
               "--noise", f"gaussian:variance={options.variance}", "--noise-on", "all",
               "--target", str(target), "--threads", "1"]
    if options.box:
        command += ["--box", options.box]
    # One step of a quick method tells whom the model refuses.
    status, people_file = folder / "status.csv", folder / "people.csv"
    run_croco([*command, "--data", factuals, "--method", "wachter", "--max-blocks", "1",
               "--block-steps", "1", "--samples", "1", "--output", status],
              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(status, newline="", encoding="utf-8") as file:
        refused = [int(row["row"]) for row in csv.DictReader(file) if row["status"] != "already"]
    lines = factuals.read_text(encoding="utf-8").splitlines()
    people_file.write_text("\n".join([lines[0]] + [lines[row + 1] for row in
                                                   refused[:options.people]]) + "\n",
                           encoding="utf-8")
    command += ["--data", people_file]
    answers = folder / "answers.jsonl"
    plain = processor_seconds([*command, "--output", folder / "plain.csv"])
    proving = processor_seconds([*command, "--prove", "--output", answers])
    with open(answers, encoding="utf-8") as file:
        people = [json.loads(line) for line in file]
    proofs = [person["proof"] for person in people]
    ratios = [1 + proof["gap"] for proof in proofs if "gap" in proof]
    sampled = [person["distance"]["cost"] / person["proof"]["sampled"]["cost"]
               for person in people if "gap" in person["proof"]]
    boxes = [proof["sampled"]["boxes"] for proof in proofs]
    return [dataset, target, len(people), f"{statistics.mean(ratios):.4f}", f"{max(ratios):.4f}",
            f"{statistics.mean(sampled):.4f}",
            f"{sum(proof['sampled']['solved'] for proof in proofs)} of {len(proofs)}",
            f"{statistics.mean(boxes):.1f}", max(boxes),
            f"{1000 * (proving - plain) / len(people):.0f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", type=pathlib.Path, required=True)
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--people", type=int, default=40)
    parser.add_argument("--variance", type=float, default=.01)
    parser.add_argument("--targets", nargs="+", type=float, default=[.05, .1, .2])
    parser.add_argument("--box")
    parser.add_argument("--datasets", nargs="+",
                        default=["adult", "compas", "give_me_some_credit"])
    options = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS))
    with tempfile.TemporaryDirectory() as folder:
        for dataset in options.datasets:
            for target in options.targets:
                row = run_configuration(options, dataset, target, pathlib.Path(folder))
                print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
