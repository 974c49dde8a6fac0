# SPDX-License-Identifier: Apache-2.0
"""Translates fitted classifiers into files that croco reads.

    housing = Column("housing", "category", values=["own", "rent"])
    translation = translate(pipeline, [Column("age"), housing])

needs numpy alone. A library is only imported when the model comes from it. Whether a translation
decides as the model does is not shown here: whoever uses one has to compare them.
"""

from __future__ import annotations

from .contract import Column, NotTranslatable, Translation
from .translator import translate

__all__ = ["Column", "NotTranslatable", "Translation", "translate"]
