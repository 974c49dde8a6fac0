#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A model for `croco explain --model-command "python3 examples/predict.py" --data german`.

It needs nothing but Python: a header and lines of CSV come in, one probability per line goes out.
"""
import csv
import math
import sys

SAVINGS = {"<100": 0.0, "100<=X<500": 0.3, "500<=X<1000": 0.7, ">=1000": 1.0, "no known savings": 0.8}
CHECKING = {"<0": 0.0, "0<=X<200": 0.4, ">=200": 1.0, "no checking": 1.6}


def probability(person):
    """That this person is a good risk; `person` has the columns of the data, as text or numbers."""
    score = 0.9 + CHECKING[person["checking_status"]] + SAVINGS[person["savings_status"]]
    score -= 0.045 * float(person["duration"]) + 0.00012 * float(person["credit_amount"])
    return 1 / (1 + math.exp(-score))


def main():
    answers = []

    def lines():
        for line in sys.stdin:
            if line != "\n":
                yield line
                continue
            # A blank line ends a batch: its answers are sent at once.
            sys.stdout.write("".join(f"{answer!r}\n" for answer in answers))
            sys.stdout.flush()
            answers.clear()

    for record in csv.DictReader(lines()):
        answers.append(probability(record))


if __name__ == "__main__":
    main()
