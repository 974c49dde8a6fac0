# SPDX-License-Identifier: Apache-2.0
"""What croco raises. Every message names the thing, the value and the rule, and says what to do."""


class CrocoError(Exception):
    """Base of everything that croco raises on purpose."""


class InvalidArgument(CrocoError, ValueError):
    """An argument is out of range, or contradicts another one."""


class DataError(CrocoError, ValueError):
    """The data are wrong: a row, a column, a level, a schema."""


class ModelError(CrocoError, ValueError):
    """The model is wrong, or does not fit the data."""


class IoError(CrocoError, OSError):
    """A path or a connection failed."""
