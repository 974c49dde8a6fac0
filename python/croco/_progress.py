# SPDX-License-Identifier: Apache-2.0
"""A progress bar while people are explained: tqdm's, when it is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Union

#: None: a bar on a terminal; True or False; or a function of (finished, all)
Progress = Union[None, bool, Callable[[int, int], Any]]


@contextmanager
def bar(progress: Progress, total: int) -> Iterator[Callable[[int], None] | None]:
    """What is called with the number of finished people; None when nobody wants to know."""
    if callable(progress):
        function = progress
        yield lambda done: function(done, total)
        return
    wanted = progress if progress is not None else total > 1 and sys.stderr.isatty()
    tqdm = _tqdm() if wanted else None
    if tqdm is None:
        yield None
        return
    with tqdm(total=total, unit="row", desc="explaining", leave=False) as shown:
        yield lambda done: shown.update(done - shown.n)


def _tqdm() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm
