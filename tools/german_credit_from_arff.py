#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write data/german_credit.csv from an ARFF file of the Statlog German Credit data.

    tools/german_credit_from_arff.py german_credit.arff data/german_credit.csv

The header holds the attribute names, levels are plain text, and rows keep their order.
"""

import argparse
import csv
import io
import re
import sys

ATTRIBUTE = re.compile(
    r"@attribute\s+(?P<name>'[^']+'|\S+)\s+(?P<type>\{.*\}|\S+)\s*$", re.IGNORECASE
)
NUMERIC_TYPES = {"numeric", "integer", "real"}


class ArffError(Exception):
    """A line that is not the ARFF this script understands."""


def split_values(text):
    """The comma-separated values of a line, without their single quotes."""
    return next(csv.reader([text], quotechar="'", skipinitialspace=True, strict=True))


def parse_attribute(text):
    """(name, levels); levels is None for a number."""
    match = ATTRIBUTE.match(text)
    if not match:
        raise ArffError(f"not an attribute: {text!r}")
    name, kind = match["name"].strip("'"), match["type"]
    if kind.lower() in NUMERIC_TYPES:
        return name, None
    if not kind.startswith("{"):
        raise ArffError(f"attribute {name!r}: {kind!r} is neither a number nor a list of levels")
    return name, [level.strip() for level in split_values(kind[1:-1].strip())]


def check_value(value, name, levels):
    if levels is None:
        try:
            float(value)
        except ValueError:
            raise ArffError(f"attribute {name!r}: {value!r} is not a number") from None
    elif value not in levels:
        raise ArffError(f"attribute {name!r}: {value!r} is not one of its levels")


def parse_arff(lines):
    """([(name, levels)], [row]), every value checked against its attribute."""
    attributes, rows, in_data = [], [], False
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        try:
            if in_data:
                row = [value.strip() for value in split_values(line)]
                if len(row) != len(attributes):
                    raise ArffError(f"{len(row)} values for {len(attributes)} attributes")
                for value, (name, levels) in zip(row, attributes):
                    check_value(value, name, levels)
                rows.append(row)
            elif line.lower().startswith("@attribute"):
                attributes.append(parse_attribute(line))
            elif line.lower() == "@data":
                in_data = True
            elif not line.lower().startswith("@relation"):
                raise ArffError(f"not understood: {line!r}")
        except (ArffError, csv.Error) as error:
            raise ArffError(f"line {number}: {error}") from None
    if not rows:
        raise ArffError("no rows")
    return attributes, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("arff")
    parser.add_argument("csv")
    arguments = parser.parse_args()
    try:
        with open(arguments.arff, encoding="utf-8") as source:
            attributes, rows = parse_arff(source)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([name for name, _ in attributes])
        writer.writerows(rows)
        with open(arguments.csv, "w", encoding="utf-8", newline="") as target:
            target.write(text.getvalue())
    except (ArffError, OSError) as error:
        sys.exit(f"{arguments.arff}: {error}")


if __name__ == "__main__":
    main()
