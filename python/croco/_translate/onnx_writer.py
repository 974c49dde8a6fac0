# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX files: the few messages of onnx.proto that a table's classifier needs, in protobuf's
wire format.

A message is bytes; every function returns a finished one. Field numbers and types are those of
onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Union

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]
Attribute = Union[int, float, str, Sequence[int], Sequence[float], Sequence[str], Array]

FLOAT, INT64, STRING, BOOL, DOUBLE = 1, 7, 8, 9, 11
"""TensorProto.DataType"""

_VARINT, _BYTES, _FIXED32 = 0, 2, 5
_ELEMENTS = {
    np.dtype(np.float32): FLOAT,
    np.dtype(np.float64): DOUBLE,
    np.dtype(np.int64): INT64,
    np.dtype(np.bool_): BOOL,
}

IR_VERSION = 8
OPSETS = {"": 15, "ai.onnx.ml": 3}


def varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; a negative number as its 64-bit two's complement."""
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _tag(number: int, kind: int) -> bytes:
    return varint(number << 3 | kind)


def _integer(number: int, value: int) -> bytes:
    return _tag(number, _VARINT) + varint(value)


def _bytes(number: int, value: bytes) -> bytes:
    return _tag(number, _BYTES) + varint(len(value)) + value


def _text(number: int, value: str) -> bytes:
    return _bytes(number, value.encode())


def _integers(number: int, values: npt.ArrayLike) -> bytes:
    """A repeated integer, one field each; ensembles have millions of them, so all at once."""
    left = np.asarray(values, np.int64).astype(np.uint64)
    if left.size == 0:
        return b""
    digits = np.empty((left.size, 10), np.uint8)
    used = np.ones(left.size, np.int64)
    for place in range(10):
        digits[:, place] = (left & np.uint64(0x7F)).astype(np.uint8)
        left = left >> np.uint64(7)
        used[left > 0] = place + 2
    places = np.arange(10)
    digits[places < used[:, None] - 1] |= 0x80
    tag = np.frombuffer(_tag(number, _VARINT), np.uint8)
    fields = np.concatenate([np.tile(tag, (used.size, 1)), digits], axis=1)
    kept = np.concatenate([np.ones((used.size, tag.size), bool), places < used[:, None]], axis=1)
    return bytes(fields[kept].tobytes())


def _floats(number: int, values: Iterable[float]) -> bytes:
    tag = _tag(number, _FIXED32)
    return b"".join(tag + struct.pack("<f", value) for value in values)


def tensor(name: str, values: Array) -> bytes:
    """A TensorProto of floats, doubles, 64-bit integers, booleans or texts, in the shape of the
    array.
    """
    array = np.asarray(values)
    shape = b"".join(_integer(1, size) for size in array.shape)
    if array.dtype.kind in "UO":
        data = b"".join(_text(6, str(value)) for value in array.ravel())
        return shape + _integer(2, STRING) + data + _text(8, name)
    if array.dtype not in _ELEMENTS:
        raise TypeError(f"the tensor {name!r} has the type {array.dtype}")
    little = array.astype(array.dtype.newbyteorder("<"))
    return (
        shape + _integer(2, _ELEMENTS[array.dtype]) + _text(8, name) + _bytes(9, little.tobytes())
    )


def attribute(name: str, value: Attribute) -> bytes:
    """An AttributeProto whose type follows from the value's; an array becomes a tensor."""
    head = _text(1, name)
    if isinstance(value, np.ndarray):
        return head + _bytes(5, tensor(name, value)) + _integer(20, 4)
    if isinstance(value, str):
        return head + _text(4, value) + _integer(20, 3)
    if isinstance(value, int):
        return head + _integer(3, value) + _integer(20, 2)
    if isinstance(value, float):
        return head + _tag(2, _FIXED32) + struct.pack("<f", value) + _integer(20, 1)
    first = value[0] if len(value) else 0
    if isinstance(first, str):
        encoded = {text: _text(9, str(text)) for text in set(value)}
        return head + b"".join(encoded[text] for text in value) + _integer(20, 8)
    if isinstance(first, float):
        return head + _floats(7, map(float, value)) + _integer(20, 6)
    return head + _integers(8, np.asarray(value, np.int64)) + _integer(20, 7)


def node(
    op: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    domain: str = "",
    attributes: Mapping[str, Attribute] = {},
) -> bytes:
    """A NodeProto, named by its first output."""
    return (
        b"".join(_text(1, name) for name in inputs)
        + b"".join(_text(2, name) for name in outputs)
        + _text(3, outputs[0])
        + _text(4, op)
        + b"".join(_bytes(5, attribute(name, value)) for name, value in attributes.items())
        + (_text(7, domain) if domain else b"")
    )


def value_info(name: str, element: int, width: int) -> bytes:
    """A ValueInfoProto of a tensor of any number of rows and of `width` columns."""
    rows = _bytes(1, _text(2, "N"))
    columns = _bytes(1, _integer(1, width))
    of_tensor = _integer(1, element) + _bytes(2, rows + columns)
    return _text(1, name) + _bytes(2, _bytes(1, of_tensor))


def model(
    nodes: Sequence[bytes],
    tensors: Sequence[bytes],
    inputs: Sequence[bytes],
    outputs: Sequence[bytes],
) -> bytes:
    """A ModelProto: the whole file."""
    graph = (
        b"".join(_bytes(1, one) for one in nodes)
        + _text(2, "croco")
        + b"".join(_bytes(5, one) for one in tensors)
        + b"".join(_bytes(11, one) for one in inputs)
        + b"".join(_bytes(12, one) for one in outputs)
    )
    opsets = b"".join(
        _bytes(8, _text(1, domain) + _integer(2, version)) for domain, version in OPSETS.items()
    )
    return _integer(1, IR_VERSION) + _text(2, "croco") + _bytes(7, graph) + opsets
