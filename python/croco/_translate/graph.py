# SPDX-License-Identifier: Apache-2.0
"""A graph of ONNX nodes in double precision, built one operation at a time.

Values are named; each has one row per person and a known number of columns. Constants and nodes
that occur twice are written once, and what the output does not need is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Union

import numpy as np
import numpy.typing as npt

from . import onnx_writer as writer
from .contract import Column
from .onnx_writer import Attribute

ML = "ai.onnx.ml"
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Value:
    """Rows of `width` numbers."""

    name: str
    width: int


Operand = Union[Value, float, Numbers]


@dataclass(frozen=True)
class _Node:
    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    domain: str
    attributes: Mapping[str, Attribute]


class Graph:
    """`reserved` are the names of columns, which no other value may have."""

    def __init__(self, reserved: Sequence[str] = ()) -> None:
        self._nodes: list[_Node] = []
        self._constants: dict[str, npt.NDArray[np.generic]] = {}
        self._constant_names: dict[tuple[str, tuple[int, ...], bytes], str] = {}
        self._inputs: dict[str, int] = {}
        self._numbers: dict[str, Value] = {}
        self._names: set[str] = set(reserved)
        self._done: dict[object, Value] = {}
        self.notes: list[str] = []
        self.trees_are_all = True
        """The output is a sum of trees, or a function of one; false where trees are a part of
        something else.
        """

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def number_input(self, column: Column) -> Value:
        """The column's numbers; those of single precision are rounded when they are read."""
        if column.name not in self._numbers:
            single = column.dtype == "float32"
            name = self._input(column, writer.FLOAT if single else writer.DOUBLE)
            value = Value(name, 1)
            self._numbers[column.name] = self.cast(value, writer.DOUBLE) if single else value
        return self._numbers[column.name]

    def place_input(self, column: Column) -> str:
        """The place of the column's text among its levels, -1 for any other text; whole numbers."""
        name = self._input(column, writer.STRING)
        texts = column.level_texts()
        places: dict[str, Attribute] = {
            "keys_strings": texts,
            "values_int64s": list(range(len(texts))),
            "default_int64": -1,
        }
        return self.node("LabelEncoder", [name], 1, ML, attributes=places).name

    def _input(self, column: Column, element: int) -> str:
        self._names.add(column.name)
        self._inputs[column.name] = element
        return column.name

    def _fresh(self, kind: str) -> str:
        number = len(self._names)
        while f"{kind}:{number}" in self._names:
            number += 1
        self._names.add(f"{kind}:{number}")
        return f"{kind}:{number}"

    def constant(self, values: npt.ArrayLike, dtype: npt.DTypeLike = np.float64) -> str:
        array = np.ascontiguousarray(np.asarray(values, dtype))
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constant_names:
            self._constant_names[key] = self._fresh("constant")
            self._constants[self._constant_names[key]] = array
        return self._constant_names[key]

    def node(
        self,
        op: str,
        inputs: Sequence[Union[Operand, str]],
        width: int,
        domain: str = "",
        outputs: int = 1,
        attributes: Mapping[str, Attribute] = {},
    ) -> Value:
        """Appends a node and returns its last output; numbers among the inputs become constants."""
        names = tuple(one if isinstance(one, str) else self._name(one) for one in inputs)
        small = not any(isinstance(value, np.ndarray) for value in attributes.values())
        key = (op, names, repr(sorted(attributes.items()))) if small else object()
        if key not in self._done:
            made = [self._fresh(op) for _ in range(outputs)]
            self._nodes.append(_Node(op, names, tuple(made), domain, attributes))
            self._done[key] = Value(made[-1], width)
        return self._done[key]

    def _name(self, operand: Operand) -> str:
        return operand.name if isinstance(operand, Value) else self.constant(operand)

    @staticmethod
    def _width(*operands: Operand) -> int:
        return max(
            one.width if isinstance(one, Value) else np.asarray(one).size for one in operands
        )

    def pair(self, op: str, left: Operand, right: Operand) -> Value:
        """Element by element, a vector of constants for every row."""
        return self.node(op, [left, right], self._width(left, right))

    def add(self, left: Operand, right: Operand) -> Value:
        return self.pair("Add", left, right)

    def subtract(self, left: Operand, right: Operand) -> Value:
        return self.pair("Sub", left, right)

    def multiply(self, left: Operand, right: Operand) -> Value:
        return self.pair("Mul", left, right)

    def divide(self, left: Operand, right: Operand) -> Value:
        return self.pair("Div", left, right)

    def function(self, op: str, value: Value) -> Value:
        return self.node(op, [value], value.width)

    def cast(self, value: Value, element: int) -> Value:
        return self.node("Cast", [value], value.width, attributes={"to": element})

    def as_single(self, value: Value) -> Value:
        """Rounded to single precision, still a double."""
        return self.cast(self.cast(value, writer.FLOAT), writer.DOUBLE)

    def truth(self, op: str, left: Operand, right: Operand) -> Value:
        """1 where a comparison holds, else 0."""
        return self.cast(self.pair(op, left, right), writer.DOUBLE)

    def clip(self, value: Value, low: Numbers, high: Numbers) -> Value:
        """Limits of every column: `min(max(value, low), high)`."""
        return self.pair("Min", self.pair("Max", value, low), high)

    def product(self, value: Value, weights: npt.ArrayLike) -> Value:
        """`value @ weights`."""
        matrix = np.asarray(weights, np.float64)
        return self.node("MatMul", [value, matrix], matrix.shape[1])

    def affine(self, value: Value, weights: npt.ArrayLike, offset: npt.ArrayLike) -> Value:
        """`value @ weights + offset`."""
        return self.add(self.product(value, weights), np.asarray(offset, np.float64).reshape(-1))

    def sum(self, value: Value) -> Value:
        """Of each row."""
        return self.node(
            "ReduceSum", [value, self.constant([1], np.int64)], 1, attributes={"keepdims": 1}
        )

    def concat(self, values: Sequence[Value]) -> Value:
        if len(values) == 1:
            return values[0]
        return self.node(
            "Concat", list(values), sum(value.width for value in values), attributes={"axis": 1}
        )

    def take(self, value: Value, columns: Sequence[int]) -> Value:
        """Some columns, in the given order."""
        if list(columns) == list(range(value.width)):
            return value
        return self.node(
            "Gather",
            [value, self.constant(list(columns), np.int64)],
            len(columns),
            attributes={"axis": 1},
        )

    def table(self, place: str, rows: Numbers) -> Value:
        """The row of a table at a place; places of -1 have zeros."""
        known = np.vstack([rows, np.zeros((1, rows.shape[1]))])
        found = self.node(
            "Gather", [self.constant(known), place], rows.shape[1], attributes={"axis": 0}
        )
        return self.node("Squeeze", [found, self.constant([1], np.int64)], rows.shape[1])

    def serialize(self, output: Value, label: Value | None = None) -> bytes:
        """The file, with one output of double precision, and maybe a label of 0 or 1."""
        outputs = {output.name: writer.DOUBLE}
        if label is not None:
            outputs[label.name] = writer.INT64
        needed = set(outputs)
        kept = []
        for node in reversed(self._nodes):
            if needed.isdisjoint(node.outputs):
                continue
            needed.update(node.inputs)
            kept.append(
                writer.node(node.op, node.inputs, node.outputs, node.domain, node.attributes)
            )
        tensors = [
            writer.tensor(name, array) for name, array in self._constants.items() if name in needed
        ]
        inputs = [
            writer.value_info(name, element, 1)
            for name, element in self._inputs.items()
            if name in needed
        ]
        infos = [writer.value_info(name, element, 1) for name, element in outputs.items()]
        return writer.model(kept[::-1], tensors, inputs, infos)
