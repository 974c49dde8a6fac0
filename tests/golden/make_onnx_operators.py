#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes onnx_operators.json: small graphs of one or two operators each, and what onnxruntime says.

Usage: make_onnx_operators.py

Every graph takes rows of four numbers `x`; what its operators make of a row is flattened and weighted
into one number, which croco reads as a logit. Graphs are stored as hexadecimal bytes. Needs onnx and
onnxruntime.
"""
import json
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
ML = "ai.onnx.ml"
RNG = np.random.default_rng(11)
ROWS = np.round(RNG.normal(size=(12, 4)) * 1.5, 2).astype(np.float32)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, **attributes)


def ml(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, domain=ML, **attributes)


def ints(*values):
    return np.array(values, dtype=np.int64)


def floats(*values):
    return np.array(values, dtype=np.float32)


def cube():
    return node("Reshape", ["x", "cube"], ["c"]), {"cube": ints(-1, 2, 2)}


CUBE, CUBE_INITS = cube()
W43 = np.round(RNG.normal(size=(4, 3)), 2).astype(np.float32)

# name: (nodes that end in "y", initializers, opset)
CASES = {
    "Slice backwards": ([node("Slice", ["x", "s", "e", "a", "t"], ["y"])],
                        {"s": ints(-1), "e": ints(-4), "a": ints(1), "t": ints(-2)}, 17),
    "Slice of all rows": ([node("Slice", ["x", "s", "e", "a"], ["y"])],
                          {"s": ints(0, 1), "e": ints(2**63 - 1, 3), "a": ints(0, 1)}, 17),
    "Slice with attributes": ([node("Slice", ["x"], ["y"], starts=[1], ends=[9], axes=[1])], {}, 9),
    "Gather": ([node("Gather", ["x", "i"], ["y"], axis=1)], {"i": ints(-1, 0, 0)}, 17),
    "Gather one": ([node("Gather", ["x", "i"], ["y"], axis=-1)], {"i": np.array(2)}, 17),
    "Split": ([node("Split", ["x", "n"], ["a", "b"], axis=1), node("Mul", ["a", "b"], ["y"])],
              {"n": ints(2, 2)}, 17),
    "Split with attribute": ([node("Split", ["x"], ["a", "b"], axis=1, split=[1, 3]),
                              node("Mul", ["a", "b"], ["y"])], {}, 11),
    "Concat": ([node("Concat", ["x", "x"], ["y"], axis=-1)], {}, 17),
    "Transpose": ([CUBE, node("Transpose", ["c"], ["y"], perm=[0, 2, 1])], CUBE_INITS, 17),
    "Squeeze Unsqueeze": ([node("Unsqueeze", ["x", "a"], ["u"]), node("Squeeze", ["u", "b"], ["y"])],
                          {"a": ints(1, -1), "b": ints(-1)}, 17),
    "Flatten": ([CUBE, node("Flatten", ["c"], ["y"])], CUBE_INITS, 17),
    "Reshape by Shape": ([CUBE, node("Shape", ["x"], ["s"]), node("Reshape", ["c", "s"], ["y"])],
                         CUBE_INITS, 17),
    "Expand": ([node("Unsqueeze", ["x", "a"], ["u"]), node("Expand", ["u", "s"], ["y"])],
               {"a": ints(1), "s": ints(1, 3, 4)}, 17),
    "Where": ([node("Greater", ["x", "z"], ["g"]), node("Where", ["g", "x", "k"], ["y"])],
              {"z": floats(0.3), "k": floats(1, 2, 3, 4)}, 17),
    "Comparisons": ([node("LessOrEqual", ["x", "z"], ["a"]), node("Less", ["x", "t"], ["b"]),
                     node("Or", ["a", "b"], ["o"]), node("Not", ["o"], ["n"]),
                     node("Cast", ["n"], ["y"], to=TensorProto.FLOAT)],
                    {"z": floats(0.3), "t": floats(1, -1, 2, 0)}, 17),
    "Cast to integers": ([node("Cast", ["x"], ["i"], to=TensorProto.INT64),
                          node("Cast", ["i"], ["y"], to=TensorProto.FLOAT)], {}, 17),
    "Min Max": ([node("Max", ["x", "z"], ["a"]), node("Min", ["a", "x", "t"], ["y"])],
                {"z": floats(-0.5), "t": floats(1, 0.2, 2, 0.7)}, 17),
    "Sum Mean": ([node("Sum", ["x", "x", "t"], ["a"]), node("Mean", ["a", "x"], ["y"])],
                 {"t": floats(1, 0.2, 2, 0.7)}, 17),
    "Sub from constant": ([node("Sub", ["t", "x"], ["y"])], {"t": floats(1, 0.2, 2, 0.7)}, 17),
    "Div of constant": ([node("Exp", ["x"], ["a"]), node("Div", ["t", "a"], ["y"])],
                        {"t": floats(2)}, 17),
    "Pow": ([node("Abs", ["x"], ["a"]), node("Pow", ["a", "t"], ["y"])], {"t": floats(1.5)}, 17),
    "Pow by row": ([node("Abs", ["x"], ["a"]), node("Pow", ["a", "x"], ["y"])], {}, 17),
    "Clip": ([node("Clip", ["x", "", "h"], ["y"])], {"h": np.float32(0.4)}, 17),
    "Clip with attributes": ([node("Clip", ["x"], ["y"], min=-0.3, max=0.9)], {}, 9),
    "Rounding": ([node("Floor", ["x"], ["a"]), node("Ceil", ["x"], ["b"]),
                  node("Round", ["x"], ["c"]), node("Sign", ["x"], ["d"]),
                  node("Concat", ["a", "b", "c", "d"], ["y"], axis=1)], {}, 17),
    "Roots": ([node("Abs", ["x"], ["a"]), node("Sqrt", ["a"], ["b"]), node("Reciprocal", ["b"], ["c"]),
               node("Log", ["a"], ["d"]), node("Neg", ["d"], ["e"]), node("Erf", ["x"], ["f"]),
               node("Concat", ["b", "c", "e", "f"], ["y"], axis=1)], {}, 17),
    "Selu with attributes": ([node("Selu", ["x"], ["y"], alpha=1.2, gamma=0.8)], {}, 17),
    "ThresholdedRelu": ([node("ThresholdedRelu", ["x"], ["y"], alpha=0.4)], {}, 17),
    "HardSigmoid": ([node("HardSigmoid", ["x"], ["y"], alpha=0.3, beta=0.4)], {}, 17),
    "PRelu": ([node("PRelu", ["x", "s"], ["y"])], {"s": floats(0.1, 0.2, 0.3, -0.4)}, 17),
    "Gemm": ([node("Gemm", ["x", "w", "b"], ["y"], alpha=0.5, beta=2.0, transB=1)],
             {"w": W43.T.copy(), "b": floats(0.3)}, 17),
    "MatMul by vector": ([node("MatMul", ["x", "v"], ["a"]), node("Unsqueeze", ["a", "i"], ["y"])],
                         {"v": floats(1, -1, 0.5, 2), "i": ints(1)}, 17),
    "MatMul of rows": ([CUBE, node("Transpose", ["c"], ["t"], perm=[0, 2, 1]),
                        node("MatMul", ["c", "t"], ["y"])], CUBE_INITS, 17),
    "BatchNormalization of channels": (
        [CUBE, node("BatchNormalization", ["c", "s", "b", "m", "v"], ["y"])],
        {**CUBE_INITS, "s": floats(1.5, -1), "b": floats(0.1, 0.2), "m": floats(0.3, -0.2),
         "v": floats(0.5, 2)}, 15),
    "LayerNormalization over two axes": (
        [CUBE, node("LayerNormalization", ["c", "s", "b"], ["y"], axis=1, epsilon=1e-3)],
        {**CUBE_INITS, "s": floats(1, 2, 3, 4).reshape(2, 2), "b": floats(1, 0, 0, 1).reshape(2, 2)},
        17),
    "Softmax over the middle axis": ([CUBE, node("Softmax", ["c"], ["y"], axis=1)], CUBE_INITS, 17),
    "Softmax of merged axes": ([CUBE, node("Softmax", ["c"], ["y"], axis=1)], CUBE_INITS, 11),
    "LogSoftmax": ([node("LogSoftmax", ["x"], ["y"])], {}, 17),
    "Reductions": ([CUBE] + [
        node(op, ["c"], [op], axes=[2], keepdims=0)
        for op in ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare")
    ] + [node("Concat", ["ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2",
                         "ReduceSumSquare"], ["y"], axis=1)], CUBE_INITS, 17),
    "ReduceSum of the first axis": ([CUBE, node("ReduceSum", ["c", "a"], ["y"])],
                                    {**CUBE_INITS, "a": ints(1)}, 17),
    "ArgMax": ([node("ArgMax", ["x"], ["i"], axis=1),
                node("Cast", ["i"], ["y"], to=TensorProto.FLOAT)], {}, 17),
    "ArgMin": ([node("ArgMin", ["x"], ["i"], axis=-1),
                node("Cast", ["i"], ["y"], to=TensorProto.FLOAT)], {}, 17),
    "Places of the first and the last of equal numbers": ([
        node("Round", ["x"], ["r"]), node("ArgMax", ["r"], ["a"], axis=1, select_last_index=1),
        node("ArgMin", ["r"], ["b"], axis=1, select_last_index=1), node("ArgMax", ["r"], ["c"], axis=1),
        node("ArgMin", ["r"], ["d"], axis=1), node("Concat", ["a", "b", "c", "d"], ["i"], axis=1),
        node("Cast", ["i"], ["y"], to=TensorProto.FLOAT)], {}, 17),
    "Places along the middle axis": ([
        CUBE, node("ArgMax", ["c"], ["a"], axis=1, keepdims=0),
        node("ArgMin", ["c"], ["b"], axis=-2, keepdims=0), node("Concat", ["a", "b"], ["i"], axis=1),
        node("Cast", ["i"], ["y"], to=TensorProto.FLOAT)], CUBE_INITS, 17),
    "Equal places": ([node("ArgMax", ["x"], ["i"], axis=1), node("Equal", ["i", "k"], ["e"]),
                      node("Where", ["e", "t", "x"], ["y"])],
                     {"k": ints(0, 1, 2, 3).reshape(1, 4), "t": floats(9)}, 17),
    "Entry of a table at the nearest number": ([
        node("Slice", ["x", "s", "e", "a"], ["f"]), node("Sub", ["f", "k"], ["d"]),
        node("Abs", ["d"], ["b"]), node("ArgMin", ["b"], ["i"], axis=1),
        ml("ArrayFeatureExtractor", ["t", "i"], ["u"]), node("Reshape", ["u", "c"], ["y"])],
        {"s": ints(0), "e": ints(1), "a": ints(1), "k": floats(-1.5, -0.5, 0.25, 1, 2),
         "t": floats(3, 1, 4, 1.5, 9), "c": ints(-1, 1)}, 17),
    "Row of a table at the largest number": ([
        node("ArgMax", ["x"], ["i"], axis=1), node("Gather", ["t", "i"], ["y"])],
        {"t": np.arange(8, dtype=np.float32).reshape(4, 2) ** 2}, 17),
    "Logarithms of sums": ([
        CUBE, node("ReduceLogSumExp", ["c"], ["a"], axes=[2], keepdims=0), node("Exp", ["c"], ["e"]),
        node("ReduceLogSum", ["e"], ["b"], axes=[-2], keepdims=0),
        node("Concat", ["a", "b"], ["y"], axis=1)], CUBE_INITS, 17),
    "ReduceLogSumExp of large numbers": ([
        node("Mul", ["x", "k"], ["a"]), node("ReduceLogSumExp", ["a", "s"], ["b"]),
        node("Div", ["b", "k"], ["y"])], {"k": floats(1000), "s": ints(1)}, 18),
    "Reduced constants": ([
        node("ReduceSum", ["k"], ["a"], keepdims=1), node("ReduceMax", ["m"], ["b"], axes=[1], keepdims=0),
        node("ReduceMin", ["m"], ["c"], axes=[0]), node("ReduceMean", ["k"], ["d"]),
        node("ReduceLogSumExp", ["k"], ["e"]), node("Sum", ["a", "b", "c", "d", "e", "x"], ["y"])],
        {"k": floats(1, -2, 0.5), "m": W43.reshape(4, 3) @ np.eye(3, 4, dtype=np.float32)}, 17),
    "Rows as the middle axis": ([
        node("Mul", ["x", "x"], ["s"]), node("Reshape", ["x", "r"], ["a"]), node("Reshape", ["s", "r"], ["b"]),
        node("Concat", ["a", "b", "a"], ["c"], axis=0), node("ReduceMean", ["c"], ["m"], axes=[0], keepdims=0),
        node("ReduceMax", ["c"], ["l"], axes=[0], keepdims=1), node("Reshape", ["l", "f"], ["n"]),
        node("Concat", ["m", "n"], ["y"], axis=1)], {"r": ints(1, -1, 4), "f": ints(-1, 4)}, 17),
    "Batches behind each other": ([
        node("ReduceSum", ["x", "a"], ["s"]), node("ReduceMax", ["x"], ["l"], axes=[1]),
        node("Concat", ["s", "l"], ["c"], axis=0), node("Reshape", ["c", "r"], ["d"]),
        node("Transpose", ["d"], ["y"], perm=[1, 0])], {"a": ints(1), "r": ints(2, -1)}, 17),
    "Constants in the shape of a batch": ([
        node("Shape", ["x"], ["s"]),
        node("ConstantOfShape", ["s"], ["o"], value=numpy_helper.from_array(floats(1.5))),
        node("Greater", ["x", "z"], ["g"]), node("Where", ["g", "o", "x"], ["y"])],
        {"z": floats(0.3)}, 17),
    "Whole numbers that are 0": ([
        node("Cast", ["x"], ["i"], to=TensorProto.INT32), node("Equal", ["i", "z"], ["e"]),
        node("Cast", ["e"], ["y"], to=TensorProto.FLOAT)], {"z": np.array(0, np.int32)}, 17),
    "Scaler": ([ml("Scaler", ["x"], ["y"], offset=[1.0, 2.0, 3.0, 4.0],
                   scale=[0.5, 1.5, 2.0, 0.1])], {}, 17),
    "Normalizer L1": ([ml("Normalizer", ["x"], ["y"], norm="L1")], {}, 17),
    "Normalizer L2": ([ml("Normalizer", ["x"], ["y"], norm="L2")], {}, 17),
    "Binarizer": ([ml("Binarizer", ["x"], ["y"], threshold=0.2)], {}, 17),
    "ArrayFeatureExtractor": ([ml("ArrayFeatureExtractor", ["x", "i"], ["y"])], {"i": ints(3, 1)},
                              17),
    "Imputer": ([node("Max", ["x", "z"], ["a"]),
                 ml("Imputer", ["a"], ["y"], imputed_value_floats=[7.0], replaced_value_float=0.0)],
                {"z": floats(0)}, 17),
    "OneHotEncoder of numbers": ([node("Round", ["x"], ["r"]),
                                  node("Cast", ["r"], ["i"], to=TensorProto.INT64),
                                  ml("OneHotEncoder", ["i"], ["y"], cats_int64s=[-1, 0, 1], zeros=1)],
                                 {}, 17),
    "LabelEncoder of numbers": ([node("Round", ["x"], ["r"]),
                                 ml("LabelEncoder", ["r"], ["y"], keys_floats=[-1.0, 0.0, 1.0],
                                    values_floats=[5.0, 6.0, 7.0], default_float=-3.0)], {}, 17),
    "LinearRegressor": ([ml("LinearRegressor", ["x"], ["y"], coefficients=[1.0, -2.0, 0.5, 1.5],
                            intercepts=[0.25])], {}, 17),
    "TreeEnsembleRegressor": (
        [ml("TreeEnsembleRegressor", ["x"], ["y"], n_targets=1, aggregate_function="AVERAGE",
            nodes_treeids=[0, 0, 0, 1, 1, 1], nodes_nodeids=[0, 1, 2, 0, 1, 2],
            nodes_featureids=[2, 0, 0, 1, 0, 0], nodes_values=[0.2, 0.0, 0.0, -0.1, 0.0, 0.0],
            nodes_modes=["BRANCH_LT", "LEAF", "LEAF", "BRANCH_GT", "LEAF", "LEAF"],
            nodes_truenodeids=[1, 0, 0, 1, 0, 0], nodes_falsenodeids=[2, 0, 0, 2, 0, 0],
            target_treeids=[0, 0, 1, 1], target_nodeids=[1, 2, 1, 2], target_ids=[0, 0, 0, 0],
            target_weights=[1.0, -2.0, 3.0, 0.5])], {}, 17),
}


def build(nodes, inits, opset, width):
    weights = np.round(np.random.default_rng(width).normal(size=(width, 1)), 2).astype(np.float32)
    nodes = [*nodes, node("Reshape", ["y", "_flat"], ["_f"]), node("MatMul", ["_f", "_w"], ["score"])]
    inits = {**inits, "_flat": ints(-1, width), "_w": weights}
    graph = helper.make_graph(
        nodes, "operator", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4])],
        [helper.make_tensor_value_info("score", TensorProto.FLOAT, ["N", 1])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in inits.items()])
    return helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid("", opset), helper.make_opsetid(ML, 3)])


def probe(nodes, inits, opset):
    """How many numbers `y` has for a row."""
    model = build(nodes, inits, opset, 1)
    del model.graph.node[-2:]
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("y", TensorProto.FLOAT, None))
    y = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": ROWS})[0]
    return y.size // len(ROWS)


def main():
    cases = []
    for name, (nodes, inits, opset) in CASES.items():
        model = build(nodes, inits, opset, probe(nodes, inits, opset))
        data = model.SerializeToString()
        score = onnxruntime.InferenceSession(data).run(None, {"x": ROWS})[0]
        cases.append({"name": name, "model": data.hex(), "logits": [float(v) for v in score[:, 0]]})
    out = {"rows": [[float(str(v)) for v in row] for row in ROWS], "cases": cases}
    text = json.dumps(out, separators=(",", ":")).replace('{"name"', '\n{"name"')
    (HERE / "onnx_operators.json").write_text(text + "\n")
    print(len(cases), "operators")


if __name__ == "__main__":
    main()
