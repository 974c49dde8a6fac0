# SPDX-License-Identifier: Apache-2.0
"""Reads ONNX files and computes them with numpy, by the specification: a second opinion on what was
written.

It shares no code with the writer, and knows the operators that the translators use.
"""

import struct

import numpy as np

TYPES = {1: np.float32, 7: np.int64, 9: np.bool_, 11: np.float64}


def fields(data):
    """Number, kind and value of each field of a message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value = varint()
            yield number, value - (1 << 64) if value >> 63 else value
        elif kind == 5:
            yield number, struct.unpack_from("<f", data, at)[0]
            at += 4
        else:
            assert kind == 2, kind
            size = varint()
            yield number, data[at : at + size]
            at += size


def tensor(data):
    shape, texts, raw, kind, name = [], [], b"", 0, ""
    for number, value in fields(data):
        if number == 1:
            shape.append(value)
        elif number == 2:
            kind = value
        elif number == 6:
            texts.append(value.decode())
        elif number == 8:
            name = value.decode()
        elif number == 9:
            raw = value
    array = np.array(texts, object) if kind == 8 else np.frombuffer(raw, TYPES[kind])
    return name, array.reshape(shape)


def attribute(data):
    name, kind = "", 0
    lists = {7: [], 8: [], 9: []}
    single = {}
    for number, value in fields(data):
        if number == 1:
            name = value.decode()
        elif number == 20:
            kind = value
        elif number in lists:
            lists[number].append(value.decode() if number == 9 else value)
        else:
            single[number] = value
    if kind == 4:
        return name, tensor(single[5])[1]
    if kind in (6, 7, 8):
        return name, lists[kind + 1]
    value = single[{1: 2, 2: 3, 3: 4}[kind]]
    return name, value.decode() if kind == 3 else value


class Model:
    def __init__(self, data):
        self.nodes, self.constants, self.inputs, self.outputs, self.opsets = [], {}, [], [], {}
        graph = next(value for number, value in fields(data) if number == 7)
        for number, value in fields(data):
            if number == 8:
                opset = dict(fields(value))
                self.opsets[opset[1].decode()] = opset[2]
        for number, value in fields(graph):
            if number == 1:
                self.nodes.append(self._node(value))
            elif number == 5:
                name, array = tensor(value)
                self.constants[name] = array
            elif number == 11:
                self.inputs.append(self._info(value))
            elif number == 12:
                self.outputs.append(self._info(value))

    @staticmethod
    def _info(data):
        info = dict(fields(data))
        return info[1].decode(), dict(fields(dict(fields(info[2]))[1]))[1]

    @staticmethod
    def _node(data):
        node = {"inputs": [], "outputs": [], "attributes": {}, "domain": ""}
        for number, value in fields(data):
            if number in (1, 2):
                node["inputs" if number == 1 else "outputs"].append(value.decode())
            elif number == 4:
                node["op"] = value.decode()
            elif number == 5:
                name, content = attribute(value)
                node["attributes"][name] = content
            elif number == 7:
                node["domain"] = value.decode()
        return node

    def run(self, columns, output=0):
        """An output for columns by name."""
        values = dict(self.constants)
        for name, kind in self.inputs:
            array = np.asarray(columns[name])[:, None]
            values[name] = (
                array.astype(str).astype(object) if kind == 8 else array.astype(TYPES[kind])
            )
        with np.errstate(all="ignore"):
            for node in self.nodes:
                made = OPERATORS[node["op"]](
                    node["attributes"], *(values[name] for name in node["inputs"])
                )
                values[node["outputs"][-1]] = made
        name, kind = self.outputs[output]
        assert values[name].dtype == TYPES[kind], (values[name].dtype, kind)
        return values[name][:, 0]


def label_encoder(a, texts):
    places = dict(zip(a["keys_strings"], a["values_int64s"], strict=False))
    return np.array(
        [[places.get(text, a["default_int64"]) for text in row] for row in texts], np.int64
    )


def trees(a, rows):
    """Splits and sums in double precision, which is what the node has for doubles."""
    assert rows.dtype == np.float64
    tree, node = np.array(a["nodes_treeids"]), np.array(a["nodes_nodeids"])
    place = {pair: k for k, pair in enumerate(zip(tree.tolist(), node.tolist(), strict=True))}
    children = [
        np.array([place[pair] for pair in zip(tree.tolist(), a[name], strict=True)])
        for name in ("nodes_falsenodeids", "nodes_truenodeids")
    ]
    worth = np.zeros(len(place))
    for pair, weight in zip(
        zip(a["target_treeids"], a["target_nodeids"], strict=True),
        a["target_weights_as_tensor"],
        strict=True,
    ):
        worth[place[pair]] += weight
    leaf = np.array(a["nodes_modes"]) == "LEAF"
    missing = np.array(a.get("nodes_missing_value_tracks_true", [0] * len(place)), bool)
    feature, limit = np.array(a["nodes_featureids"]), a["nodes_values_as_tensor"]
    total = np.full(len(rows), a["base_values_as_tensor"][0])
    roots = list(dict.fromkeys(tree.tolist()))
    for root in roots:
        at = np.full(len(rows), place[root, 0])
        while not leaf[at].all():
            value = rows[np.arange(len(rows)), feature[at]]
            yes = np.where(np.isnan(value), missing[at], value <= limit[at])
            at = np.where(leaf[at], at, np.where(yes, children[1][at], children[0][at]))
        total += worth[at]
    return (total / len(roots) if a["aggregate_function"] == "AVERAGE" else total)[:, None]


def same_types(function):
    def checked(_, left, right):
        assert left.dtype == right.dtype, (left.dtype, right.dtype)
        return function(left, right)

    return checked


def imputer(a, x):
    assert np.isnan(a["replaced_value_float"])
    return np.where(np.isnan(x), np.asarray(a["imputed_value_floats"]), x)


def svm(a, x):
    """LIBSVM's sigmoid of a decision that is given as it is; without its refinement, which is below
    1e-2.
    """
    assert a["coefficients"] == [1.0] and a["prob_a"] == [1.0] and a["rho"] == a["prob_b"] == [0.0]
    first = np.clip(1 / (1 + np.exp(x)), 1e-7, 1 - 1e-7)
    return np.hstack([first, 1 - first])


OPERATORS = {
    "Add": same_types(np.add),
    "Sub": same_types(np.subtract),
    "Mul": same_types(np.multiply),
    "Div": same_types(np.divide),
    "Max": same_types(np.maximum),
    "Min": same_types(np.minimum),
    "Pow": same_types(np.power),
    "MatMul": same_types(np.matmul),
    "Equal": same_types(np.equal),
    "Greater": same_types(np.greater),
    "GreaterOrEqual": same_types(np.greater_equal),
    "Sigmoid": lambda _, x: np.exp(-np.logaddexp(0, -x)),
    "Relu": lambda _, x: np.maximum(x, 0),
    "Tanh": lambda _, x: np.tanh(x),
    "Exp": lambda _, x: np.exp(x),
    "Log": lambda _, x: np.log(x),
    "IsNaN": lambda _, x: np.isnan(x),
    "Where": lambda _, c, x, y: np.where(c, x, y),
    "Cast": lambda a, x: x.astype(TYPES[a["to"]]),
    "Concat": lambda a, *x: np.concatenate(x, axis=a["axis"]),
    "Gather": lambda a, x, i: np.take(x, i, axis=a["axis"]),
    "Squeeze": lambda _, x, axes: np.squeeze(x, tuple(axes)),
    "ReduceSum": lambda _, x, axes: x.sum(axis=tuple(axes), keepdims=True),
    "ArgMax": lambda a, x: np.argmax(x, axis=a["axis"])[:, None],
    "LabelEncoder": label_encoder,
    "TreeEnsembleRegressor": trees,
    "Imputer": imputer,
    "SVMClassifier": svm,
}
