#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes any number of people like those of Adult, for runs over millions of rows.

Usage: replicated_adult.py --data adult.csv --rows 2000000 [--seed 0] [--output people.csv]

Every row is one of the data set with other numbers: a number of another row of the same class, drawn
independently for each numeric column, so that ranges and levels stay those of the data and hardly any
two rows are the same. The same seed gives the same file. Standard output without --output.
"""
import argparse
import csv
import pathlib
import random
import sys


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--label", default="income", help="the last column unless there is one of that name")
    parser.add_argument("--output", type=pathlib.Path)
    arguments = parser.parse_args()
    with arguments.data.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    label = header.index(arguments.label) if arguments.label in header else len(header) - 1
    numeric = [c for c in range(len(header)) if c != label and all(is_number(row[c]) for row in rows)]
    of_class = {}
    for row in rows:
        of_class.setdefault(row[label], []).append(row)
    choose = random.Random(arguments.seed)
    output = arguments.output.open("w", newline="", encoding="utf-8") if arguments.output else sys.stdout
    with output:
        writer = csv.writer(output, lineterminator="\n")
        writer.writerow(header)
        for _ in range(arguments.rows):
            row = list(choose.choice(rows))
            alike = of_class[row[label]]
            for column in numeric:
                row[column] = choose.choice(alike)[column]
            writer.writerow(row)


if __name__ == "__main__":
    main()
