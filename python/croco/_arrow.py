# SPDX-License-Identifier: Apache-2.0
"""Tables of other libraries through Arrow's C stream interface."""

from __future__ import annotations

from typing import Any

from ._errors import DataError


def columns_of_stream(data: Any, what: str) -> tuple[list[str], list[Any]]:
    """Names and columns of anything that has `__arrow_c_stream__`."""
    try:
        import pyarrow
    except ImportError:
        raise DataError(
            f"{what} is a {type(data).__name__}; reading it needs pyarrow (pip install pyarrow), "
            f"or give {what}.to_pandas()"
        ) from None
    frame = pyarrow.table(data).to_pandas()
    return [str(name) for name in frame.columns], [frame[name] for name in frame.columns]
