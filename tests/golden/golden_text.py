# SPDX-License-Identifier: Apache-2.0
"""How golden JSON files are written and compared."""

import json
import math


def dump(value, depth=0):
    """JSON with one line for every list of numbers, so that differences stay readable."""
    pad = " " * (depth + 1)
    if isinstance(value, dict):
        items = [f"{pad}{json.dumps(k)}: {dump(v, depth + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + " " * depth + "}"
    if isinstance(value, list) and any(isinstance(v, (list, dict)) for v in value):
        items = [pad + dump(v, depth + 1) for v in value]
        return "[\n" + ",\n".join(items) + "\n" + " " * depth + "]"
    return json.dumps(value, allow_nan=False)


def same(old, new, absolute):
    """Equal up to the last digits, which may follow the machine's mathematical library."""
    if isinstance(new, dict):
        if not isinstance(old, dict) or list(old) != list(new):
            return False
        return all(same(old[k], new[k], absolute) for k in new)
    if isinstance(new, list):
        if not isinstance(old, list) or len(old) != len(new):
            return False
        return all(same(a, b, absolute) for a, b in zip(old, new))
    if isinstance(new, float):
        return math.isclose(old, new, rel_tol=1e-9, abs_tol=absolute)
    return old == new
