#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scikit-learn pipeline for `croco explain --model-command "python3 predict_sklearn.py model.joblib"`.

The pipeline was fitted on a data frame with the columns of the schema, and is saved with joblib.
"""
import io
import os
import sys

# croco asks for some hundred rows at a time: threads that wait for each other cost more than they
# save. `--model-workers` starts several of these programs.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import joblib  # noqa: E402
import pandas  # noqa: E402

model = joblib.load(sys.argv[1])
header = sys.stdin.readline()
batch = []
for line in sys.stdin:
    if line.strip():
        batch.append(line)
        continue
    # An empty field is a missing value (--missing keep); levels such as "none" or "NA" are texts.
    frame = pandas.read_csv(
        io.StringIO(header + "".join(batch)), keep_default_na=False, na_values=[""]
    )
    answers = model.predict_proba(frame)[:, 1]
    sys.stdout.write("".join(f"{answer!r}\n" for answer in answers.tolist()))
    sys.stdout.flush()
    batch.clear()
