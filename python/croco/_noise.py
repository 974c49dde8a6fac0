# SPDX-License-Identifier: Apache-2.0
"""How inexactly people carry out advice, feature by feature and in the features' own units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Union

from ._errors import InvalidArgument


@dataclass(frozen=True)
class Flip:
    """A category that turns out as another of its levels, with this probability."""

    probability: float


def flip(probability: float) -> Flip:
    """The category turns out as one of its other levels with this probability.

    >>> flip(0.02)
    Flip(probability=0.02)
    """
    if isinstance(probability, bool) or not 0 <= float(probability) <= 1:
        raise InvalidArgument(
            f"flip({probability!r}): a probability is a number from 0 to 1, such as flip(0.02)"
        )
    return Flip(float(probability))


#: A standard deviation, a probability of another level, or an entry as in a schema file.
FeatureNoise = Union[float, Flip, Mapping[str, Any]]


class Noise(Mapping[str, FeatureNoise]):
    """Noise by feature; features that are not named are carried out exactly."""

    def __init__(self, features: Mapping[str, FeatureNoise]):
        self._features = {name: _checked(name, value) for name, value in features.items()}

    def __getitem__(self, name: str) -> FeatureNoise:
        return self._features[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._features)

    def __len__(self) -> int:
        return len(self._features)

    def __repr__(self) -> str:
        return "noise(" + ", ".join(f"{k}={v!r}" for k, v in self._features.items()) + ")"


def noise(features: Mapping[str, FeatureNoise] | None = None, /, **more: FeatureNoise) -> Noise:
    """How people miss advice: a number is a standard deviation in the feature's own units.

    >>> noise(amount=250, purpose=flip(0.02))
    noise(amount=250.0, purpose=Flip(probability=0.02))
    >>> noise({"monthly income": {"half_width": 100}})
    noise(monthly income={'half_width': 100})

    Features that are not named are carried out exactly. ``{"half_width": w}`` and
    ``{"transition": [[...], ...]}`` are as in a schema file.
    """
    return Noise({**(features or {}), **more})


def _checked(name: str, value: FeatureNoise) -> FeatureNoise:
    if isinstance(value, (Flip, Mapping)):
        return value
    if isinstance(value, bool) or (not isinstance(value, (int, float)) and not _is_number(value)):
        raise InvalidArgument(
            f"noise of '{name}' is {value!r}; it must be a standard deviation in the feature's own "
            "units, such as 250, or croco.flip(0.02) for a category"
        )
    if not 0 <= float(value) < float("inf"):
        raise InvalidArgument(f"noise of '{name}' is {value!r}; a standard deviation is at least 0")
    return float(value)


def _is_number(value: object) -> bool:
    return hasattr(value, "dtype") and getattr(value, "shape", None) == ()


def noise_entry(value: FeatureNoise) -> dict[str, Any]:
    """The entry of a schema file."""
    if isinstance(value, Flip):
        return {"flip": value.probability}
    if isinstance(value, Mapping):
        return dict(value)
    return {"sd": float(value)}
