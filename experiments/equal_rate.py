#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CROCO as published against the certified search at equal true rate, on the paper's grid.

Usage: experiments/equal_rate.py --reference DIR [--program build/bench/benchmarks/tools/equal_rate]
           [--datasets adult ...] [--variances .01 ...] [--targets .2 ...]

Every rejected person is solved, without a certificate, for the rate that CROCO's counterfactual has
on 100,000 samples: what remains of the difference is not allowance that CROCO leaves unused. Build the
program with `make bench`.
"""
import argparse
import subprocess


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", required=True)
    parser.add_argument("--program", default="build/bench/benchmarks/tools/equal_rate")
    parser.add_argument("--datasets", nargs="+",
                        default=["adult", "compas", "give_me_some_credit"])
    parser.add_argument("--variances", nargs="+", default=["0.005", "0.01", "0.015", "0.02"])
    parser.add_argument("--targets", nargs="+",
                        default=["0.05", "0.1", "0.15", "0.2", "0.25", "0.3", "0.35"])
    options = parser.parse_args()
    print("dataset", "variance", "target", "people", "croco_rate", "croco_l1", "our_l1", "our_rate",
          "ratio", sep="\t")
    ratios = {name: [] for name in options.datasets}
    for dataset in options.datasets:
        for variance in options.variances:
            for target in options.targets:
                out = subprocess.run([options.program, options.reference, dataset, variance, target],
                                     check=True, capture_output=True, text=True).stdout.split()
                ratios[dataset].append(float(out[3]) / float(out[2]))
                print(dataset, variance, target, *out, f"{ratios[dataset][-1]:.4f}", sep="\t",
                      flush=True)
    every = [ratio for of_one in ratios.values() for ratio in of_one]
    print(f"\nmean L1 over CROCO's at its own rate, {len(every)} configurations: mean "
          f"{sum(every) / len(every):.4f}, largest {max(every):.4f}; "
          + ", ".join(f"{name} {sum(of_one) / len(of_one):.4f}" for name, of_one in ratios.items()))


if __name__ == "__main__":
    main()
