#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The model of predict.py for `--model-protocol binary`: no number is written out or read in.

With numpy a batch is `numpy.frombuffer(data, "<f8").reshape(rows, -1)`; its categories are codes.
"""
import array
import json
import struct
import sys

from predict import probability

COLUMNS = json.loads(sys.stdin.buffer.readline())["columns"]


def record(values):
    """Codes become levels again."""
    return {column["name"]: column["levels"][int(value)] if "levels" in column else value
            for column, value in zip(COLUMNS, values)}


def main():
    width = len(COLUMNS)
    while count := sys.stdin.buffer.read(4):
        rows = struct.unpack("<I", count)[0]
        values = array.array("d", sys.stdin.buffer.read(8 * rows * width))
        answers = array.array("d", (probability(record(values[k * width:(k + 1) * width]))
                                    for k in range(rows)))
        sys.stdout.buffer.write(count + answers.tobytes())
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
