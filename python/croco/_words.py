# SPDX-License-Identifier: Apache-2.0
"""The library's messages name options of the command line; in Python they name keywords."""

from __future__ import annotations

import re

_FILE = "croco.model_file(path, {})"
_IMPUTE = "say missing='impute' or missing='drop'"
#: in this order, since some begin like others
_WORDS = [
    (
        r"--missing drop or impute says what to do with such rows, and keep asks a model that "
        r"takes missing values",
        _IMPUTE + ", or missing='keep' if the model takes missing values",
    ),
    (r"--missing drop or impute says what to do with such rows", _IMPUTE),
    (r"unless --missing says otherwise", "unless missing='impute', 'drop' or 'keep' is said"),
    (
        r"--training must name the data that the model was trained on",
        "background must hold the data that the model was trained on",
    ),
    (r"\breason-codes (is given|compares people)", r"reason_codes \1"),
    (r"--threshold ([\w.+-]+)", r"threshold=\1"),
    (
        r"--(rounds|score|decision) (\w+) or --\1 (\w+)",
        _FILE.format(r"\1='\2'") + r" or \1='\3'",
    ),
    (r"--(rounds|score|decision) (\w+)", _FILE.format(r"\1='\2'")),
    (r"--rounds", _FILE.format("rounds=...")),
    (
        r"--category-order (.+?)=(schema|numbers)",
        _FILE.format(r"category_order={'\1': '\2'}"),
    ),
    (r"or with (.+?)=numbers, when", r"or with {'\1': 'numbers'}, when"),
    (r"\bcategory-order\b", "category_order"),
    (r"give it as --data or --training", "read it with pandas.read_csv and give it as background"),
    (
        r"a model that no file can hold is asked by --model-command or --model-url",
        "any other model is given as the fitted object, or as a function that asks it",
    ),
    (r"or ask it by --model-command", "or give the fitted object in place of the file"),
    (
        r"compare the file with your own program's probabilities \(--scores\), or query the model "
        r"itself \(--model-command\)",
        "compare its scores with those of the fitted object, or give that object itself",
    ),
    (r"compare it with --scores", "compare it with the fitted object"),
    (r", --encoded, --box\)", ")"),
    (r" \(--data shows it\)", ""),
]
#: lines may be broken at any blank
_PATTERNS = [(re.compile(pattern.replace(" ", r"\s+")), words) for pattern, words in _WORDS]


def in_python(text: str) -> str:
    """A message of the library in the words of the package."""
    if "-" not in text:
        return text
    for pattern, words in _PATTERNS:
        text = pattern.sub(words, text)
    return text
