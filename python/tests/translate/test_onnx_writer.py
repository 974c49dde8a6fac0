# SPDX-License-Identifier: Apache-2.0
"""The writer of ONNX files, against a reader that shares no code with it and against ONNX's own
tools.
"""

import numpy as np
import pytest
from _translate import onnx_writer as writer
from _translate.contract import Column
from _translate.graph import Graph
from _translate.table import Table
from _translate.trees import Tree, add_trees, largest_rounded_to, single_below
from onnx_evaluator import Model, attribute, fields, tensor


@pytest.mark.parametrize("value", [0, 1, 127, 128, 300, 2**31, 2**62, -1, -(2**63)])
def test_integers_of_any_size(value):
    assert next(iter(fields(b"\x08" + writer.varint(value)))) == (1, value)
    assert attribute(writer.attribute("i", [value, 5])) == ("i", [value, 5])


@pytest.mark.parametrize("value", [7, 0.5, "text", [1, 2], [0.5, -1.0], ["a", "b", "a"]])
def test_attributes(value):
    assert attribute(writer.attribute("name", value)) == ("name", value)


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1.5, -2.0]]),
        np.array([1, -2]),
        np.array([True, False]),
        np.array(["x", "é"], object),
        np.array([0.1], np.float32),
        np.zeros((2, 0)),
    ],
)
def test_tensors(array):
    name, found = tensor(writer.tensor("t", array))
    assert name == "t" and found.dtype == array.dtype and found.shape == array.shape
    np.testing.assert_array_equal(found, array)


def test_other_types_are_refused():
    with pytest.raises(TypeError, match="'t' has the type int8"):
        writer.tensor("t", np.zeros(1, np.int8))


def test_what_the_output_does_not_need_is_left_out():
    graph = Graph()
    value = graph.number_input(Column("a"))
    graph.multiply(graph.number_input(Column("unused")), 3.0)
    twice = graph.add(value, 1.0)
    assert graph.add(value, 1.0) == twice
    model = Model(graph.serialize(twice))
    assert [name for name, _ in model.inputs] == ["a"] and len(model.nodes) == 1
    assert model.opsets == writer.OPSETS
    np.testing.assert_array_equal(model.run({"a": [1.0, 2.0]}), [2.0, 3.0])


def test_levels_and_unknown_texts():
    graph = Graph()
    place = graph.place_input(Column("c", "category", values=["x", 3]))
    table = graph.table(place, np.array([[1.0, 2.0], [3.0, 4.0]]))
    model = Model(graph.serialize(graph.sum(table)))
    np.testing.assert_array_equal(model.run({"c": ["x", "3", "other"]}), [3.0, 7.0, 0.0])


def test_thresholds_of_single_precision():
    """x <= t in double precision, of every x of single precision, is x <= the number below t."""
    limits = np.array([0.1, 0.5, -0.3, 1e-42, 16777217.0, np.inf])
    below = single_below(limits)
    assert (below <= limits).all()
    above = np.nextafter(below.astype(np.float32)[:-1], np.float32(np.inf)).astype(float)
    assert (above > limits[:-1]).all()
    last = largest_rounded_to(below[:-1])
    assert (last.astype(np.float32) <= below[:-1]).all()
    assert (np.nextafter(last, np.inf).astype(np.float32) > below[:-1]).all()


def stump(threshold):
    leaf = np.array([0.0, 0.25, 0.75])
    return Tree(
        np.array([1, -1, -1]),
        np.array([2, -1, -1]),
        np.zeros(3, np.int64),
        np.array([threshold, 0.0, 0.0]),
        leaf,
        np.array([True, False, False]),
    )


@pytest.mark.parametrize("single, whole", [(True, True), (True, False), (False, True)])
def test_both_ways_to_compare(single, whole):
    graph = Graph()
    graph.trees_are_all = whole
    table = Table.of(graph, [Column("a")])
    model = Model(graph.serialize(add_trees(graph, table, [stump(0.1)], single=single)))
    values = np.array([0.0, 0.1, np.nextafter(0.1, 1), 0.1 + 1e-9, 0.2, np.nan])
    seen = values.astype(np.float32).astype(float) if single else values
    expected = np.where(np.isnan(seen) | (seen <= 0.1), 0.25, 0.75)
    np.testing.assert_array_equal(model.run({"a": values}), expected)


def test_onnx_accepts_the_files():
    onnx = pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    graph = Graph()
    table = Table.of(
        graph,
        [Column("a"), Column("c", "category", values=["x", "y"]), Column("s", dtype="float32")],
    )
    trees = add_trees(graph, table, [stump(0.1), stump(0.5)], base=0.5)
    score = graph.function(
        "Sigmoid",
        graph.add(trees, graph.affine(table.select([0, 2]).value(graph), [[1.0], [2.0]], [0.5])),
    )
    data = graph.serialize(score)
    onnx.checker.check_model(onnx.load_from_string(data), full_check=True)
    rows = {
        "a": np.array([0.05, 0.2, 0.7]),
        "c": np.array(["x", "y", "?"], object),
        "s": np.array([0.1, 0.2, 0.3], np.float32),
    }
    session = runtime.InferenceSession(data)
    feed = {given.name: rows[given.name][:, None] for given in session.get_inputs()}
    np.testing.assert_allclose(session.run(None, feed)[0][:, 0], Model(data).run(rows), atol=1e-7)
