#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tree ensembles on real data: who is certified, at what length, how fast.

Usage: experiments/trees.py --data-dir DIR [--program build/release/apps/cli/croco] [--people 200]
           [--target 0.1] [--variance 0.01] [--models NAME,NAME]

Trains with the libraries themselves (pip install xgboost lightgbm pandas), saves what they save, and
explains random rejected rows with the raw columns: numbers move within the range of the data, categories
stay; Gaussian noise on the numbers; certificates of 102,400 samples. The recommended records are then measured
on 200,000 other samples with `croco certify`. One thread. The time is the processor's, of people after the
first: reading files and making samples is the first one's.
"""
import argparse
import pathlib
import tempfile

import numpy as np

from tree_models import (DATA, MODELS, Croco, read_data, rejected_rows, schema_of,
                         write_json)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=pathlib.Path, required=True)
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--target", type=float, default=0.1)
    parser.add_argument("--variance", type=float, default=0.01)
    parser.add_argument("--models", default=",".join(MODELS), help="some of: " + ", ".join(MODELS))
    parser.add_argument("--data", default="adult,gsc")
    options = parser.parse_args()
    print("| data | model | people | certified | above on others | mean rate | mean L1 | changed | "
          "ms a person |\n|---|---|---|---|---|---|---|---|---|")
    for dataset in options.data.split(","):
        source, rows, frame, classes = read_data(options.data_dir, dataset)
        for model in options.models.split(","):
            if model == "forest of 100" and dataset != "adult":
                continue
            suffix, train = MODELS[model]
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                answers = train(frame, classes, folder / suffix)
                rejected = rejected_rows(answers, options.people)
                rows.iloc[rejected].to_csv(folder / "people.csv", index=False)
                write_json(folder / "schema.json", schema_of(frame, DATA[dataset][1]))
                croco = Croco(options.program, "--model", folder / suffix, "--schema",
                              folder / "schema.json", "--training", source, "--data",
                              folder / "people.csv", "--noise",
                              f"gaussian:variance={options.variance}", "--noise-on", "continuous",
                              "--target", options.target)
                fixed = ["--samples", "102400", "--reasons", "off"]
                first, _ = croco("explain", folder / "first.csv", *fixed, "--rows", "0:1")
                total, advised = croco("explain", folder / "advice.csv", *fixed)
                _, others = croco("certify", folder / "others.csv", "--counterfactuals",
                                  folder / "advice.csv", "--samples", "200000", "--seed", "90210")
                advised = [row for row in advised if row["target_met"] == "1"]
                rates = {row["row"]: float(row["rate"]) for row in others if row["rate"]}
                above = sum(rates[row["row"]] > options.target for row in advised)
                mean = lambda values: f"{np.mean(list(values)):.4f}"
                print(f"| {dataset} | {model} | {options.people} | {len(advised)} | {above} | "
                      f"{mean(rates[row['row']] for row in advised)} | "
                      f"{mean(float(row['distance_l1']) for row in advised)} | "
                      f"{mean(int(row['features_changed']) for row in advised)[:4]} | "
                      f"{1000 * (total - first) / (options.people - 1):.1f} |", flush=True)


if __name__ == "__main__":
    main()
