#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a query budget costs: tree ensembles asked as black boxes, with and without one.

Usage: experiments/query_budget.py --data-dir DIR [--program build/release/apps/cli/croco] [--people 100]
           [--budget 2000] [--targets 0.1,0.05] [--sd 0.05] [--models NAME,NAME]

Trains with the libraries themselves (pip install xgboost lightgbm pandas) on Adult, saves what they save, and
explains random rejected rows with the raw columns: numbers move within the range of the data, categories stay;
Gaussian noise on the numbers. Without a budget the search knows the trees, and certificates have up to 100,000
samples. The recommended records are measured on 200,000 other samples with `croco certify`. "Ratio" is the mean
cost with the budget over that without, of people certified in both runs.
"""
import argparse
import pathlib
import tempfile

import numpy as np

from tree_models import DATA, MODELS, Croco, read_data, rejected_rows, schema_of, write_json


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=pathlib.Path, required=True)
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--budget", type=int, default=2000)
    parser.add_argument("--targets", default="0.1,0.05")
    parser.add_argument("--sd", type=float, default=0.05)
    parser.add_argument("--models", default=",".join(MODELS), help="some of: " + ", ".join(MODELS))
    options = parser.parse_args()
    print("| model | target | people | certified without | certified | above on others | mean rate | ratio | "
          "median ratio | rows a person | at most |\n|---|---|---|---|---|---|---|---|---|---|---|")
    source, rows, frame, classes = read_data(options.data_dir, "adult")
    for model in options.models.split(","):
        suffix, train = MODELS[model]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            rejected = rejected_rows(train(frame, classes, folder / suffix), options.people)
            rows.iloc[rejected].to_csv(folder / "people.csv", index=False)
            write_json(folder / "schema.json", schema_of(frame, DATA["adult"][1]))
            for target in options.targets.split(","):
                croco = Croco(options.program, "--model", folder / suffix, "--schema",
                              folder / "schema.json", "--training", source, "--data",
                              folder / "people.csv", "--noise", f"gaussian:sd={options.sd}",
                              "--noise-on", "continuous", "--target", target)
                _, free = croco("explain", folder / "free.csv", "--reasons", "off")
                _, bound = croco("explain", folder / "bound.csv", "--query-budget", options.budget)
                _, others = croco("certify", folder / "others.csv", "--counterfactuals",
                                  folder / "bound.csv", "--samples", "200000", "--seed", "90210")
                usual = {row["row"]: float(row["cost"]) for row in free if row["target_met"] == "1"}
                met = [row for row in bound if row["target_met"] == "1"]
                rates = {row["row"]: float(row["rate"]) for row in others if row["rate"]}
                above = sum(rates[row["row"]] > float(target) for row in met)
                pairs = np.array([(float(row["cost"]), usual[row["row"]]) for row in met
                                  if row["row"] in usual])
                asked = [int(row["queries"]) for row in bound if row["queries"]]
                print(f"| {model} | {target} | {options.people} | {len(usual)} | {len(met)} | {above} | "
                      f"{np.mean([rates[row['row']] for row in met]):.4f} | "
                      f"{pairs[:, 0].mean() / pairs[:, 1].mean():.3f} | "
                      f"{np.median(pairs[:, 0] / pairs[:, 1]):.3f} | {np.mean(asked):.0f} | {max(asked)} |",
                      flush=True)


if __name__ == "__main__":
    main()
