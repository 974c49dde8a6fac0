# SPDX-License-Identifier: Apache-2.0
"""Small model files that ask for far more than they hold, by format."""
import json
import struct

BIG = (1 << 63) - 1


# Protocol buffers, written.
def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(0x80 | value & 0x7F)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value & ((1 << 64) - 1))


def chunk(field, content):
    if isinstance(content, str):
        content = content.encode()
    return varint(field << 3 | 2) + varint(len(content)) + content


def value_info(name, width, element=1):
    shape = chunk(1, chunk(2, "N")) + chunk(1, number(1, width))
    return chunk(1, name) + chunk(2, chunk(1, number(1, element) + chunk(2, shape)))


def attribute(name, kind, content):
    return chunk(5, chunk(1, name) + content + number(20, kind))


def ints(name, values):
    return attribute(name, 7, chunk(8, b"".join(varint(v & ((1 << 64) - 1)) for v in values)))


def integer(name, value):
    return attribute(name, 2, number(3, value))


def floats(name, values):
    return attribute(name, 6, chunk(7, struct.pack(f"<{len(values)}f", *values)))


def texts(name, values):
    return attribute(name, 8, b"".join(chunk(9, v) for v in values))


def node(op, inputs, outputs, *attributes, domain=""):
    if isinstance(outputs, str):
        outputs = [outputs]
    out = b"".join(chunk(1, i) for i in inputs) + b"".join(chunk(2, o) for o in outputs)
    out += chunk(4, op) + b"".join(attributes)
    return chunk(1, out + (chunk(7, domain) if domain else b""))


def int_tensor(name, values, shape=None):
    shape = [len(values)] if shape is None else shape
    return chunk(5, b"".join(number(1, d) for d in shape) + number(2, 7) + chunk(8, name)
                 + chunk(9, struct.pack(f"<{len(values)}q", *values)))


def float_tensor(name, values, shape):
    return chunk(5, b"".join(number(1, d) for d in shape) + number(2, 1) + chunk(8, name)
                 + chunk(9, struct.pack(f"<{len(values)}f", *values)))


def onnx(*parts, inputs=(("x", 2),), outputs=(("y", 1),)):
    graph = b"".join(parts)
    graph += b"".join(chunk(11, value_info(*i)) for i in inputs)
    graph += b"".join(chunk(12, value_info(*o)) for o in outputs)
    opsets = chunk(8, number(2, 17)) + chunk(8, chunk(1, "ai.onnx.ml") + number(2, 3))
    return number(1, 8) + chunk(7, graph) + opsets


def filled(name, shape):
    """A tensor of any size, in a few bytes."""
    return int_tensor(name + "_shape", shape) + node("ConstantOfShape", [name + "_shape"], name)


def reduced(value, name="y"):
    return int_tensor("ax", [1]) + node("ReduceSum", [value, "ax"], name)


def trees(count, labels=2):
    modes = ["LEAF"] * count
    zeros = [0] * count
    return node(
        "TreeEnsembleClassifier", ["x"], ["label", "y"],
        ints("nodes_treeids", range(count)), ints("nodes_nodeids", zeros),
        ints("nodes_featureids", zeros), ints("nodes_truenodeids", zeros),
        ints("nodes_falsenodeids", zeros), texts("nodes_modes", modes),
        floats("nodes_values", zeros), ints("class_treeids", range(count)),
        ints("class_nodeids", zeros), ints("class_ids", zeros), floats("class_weights", zeros),
        ints("classlabels_int64s", range(labels)), domain="ai.onnx.ml")


def onnx_files():
    square = filled("m", [4096, 4096])
    yield "input width 2^63-1", onnx(node("Identity", ["x"], "y"), inputs=[("x", BIG)])
    yield "input widths that add up", onnx(node("Identity", ["x0"], "y"), inputs=[
        (f"x{i}", 1 << 17) for i in range(64)])
    yield "many inputs", onnx(node("Identity", ["x0"], "y"), inputs=[
        (f"x{i}", 1) for i in range(50000)])
    yield "wide input added to itself", onnx(
        node("Add", ["x", "x"], "a"), reduced("a"), inputs=[("x", 100000)])
    yield "Gather of 32 GB", onnx(
        filled("t", [1, 65536]), int_tensor("z_shape", [65536]),
        node("ConstantOfShape", ["z_shape"], "zf"), node("Cast", ["zf"], "z", integer("to", 7)),
        node("Gather", ["t", "z"], "g"), node("Add", ["x", "g"], "y"))
    yield "a matrix shared 120 times", onnx(
        square, *[node("MatMul", ["x" if i == 0 else f"h{i - 1}", "m"], f"h{i}")
                  for i in range(120)], reduced("h119"), inputs=[("x", 4096)])
    yield "a smaller matrix shared 120 times", onnx(
        filled("m", [512, 512]), *[node("MatMul", ["x" if i == 0 else f"h{i - 1}", "m"], f"h{i}")
                                   for i in range(120)], reduced("h119"), inputs=[("x", 512)])
    yield "300 KB of Sum", onnx(
        filled("c", [1, 1 << 20]), node("Sum", ["c"] * 99999, "s"), int_tensor("ax", [1]),
        node("Add", ["x", "s"], "y"))
    yield "Sum of rows", onnx(node("Sum", ["x"] * 99999, "s"), reduced("s"))
    yield "chained IsNaN", onnx(
        float_tensor("one", [1], [1]),
        *[part for i in range(40000) for part in (
            node("Add", ["x" if i == 0 else f"a{i - 1}", "one"], f"a{i}"),
            node("IsNaN", [f"a{i}"], f"b{i}"))],
        node("Concat", [f"b{i}" for i in range(40000)], "c", integer("axis", 0)), reduced("a39999"))
    yield "a chain of 99,000 nodes", onnx(
        *[node("Relu" if i % 2 else "Sigmoid", ["x" if i == 0 else f"a{i - 1}"], f"a{i}")
          for i in range(99000)], reduced("a98999"))
    yield "a chain of scales", onnx(
        float_tensor("k", [1.0001], [1]),
        *[node("Mul", ["x" if i == 0 else f"a{i - 1}", "k"], f"a{i}") for i in range(90000)],
        reduced("a89999"))
    yield "repeated doubling by Concat", onnx(
        *[node("Concat", [f"a{i - 1}" if i else "x"] * 2, f"a{i}", integer("axis", 1))
          for i in range(40)], reduced("a39"))
    yield "repeated doubling by Add", onnx(
        *[node("Add", [f"a{i - 1}" if i else "x"] * 2, f"a{i}") for i in range(3000)],
        reduced("a2999"), inputs=[("x", 300)])
    yield "wide Concat", onnx(
        node("Concat", ["x"] * 99999, "c", integer("axis", 1)), reduced("c"), inputs=[("x", 1000)])
    yield "Concat of nothing, many times", onnx(
        filled("e", [1 << 24, 0]), node("Concat", ["e"] * 90000, "c", integer("axis", 1)),
        node("Shape", ["c"], "s"), node("Cast", ["s"], "f", integer("to", 1)),
        node("Add", ["x", "f"], "y"))
    yield "Split into nothing, many times", onnx(
        filled("e", [1 << 23, 0]), node("Split", ["e"], [f"p{i}" for i in range(20000)],
                                        integer("axis", 1)),
        node("Shape", ["p7"], "s"), node("Cast", ["s"], "f", integer("to", 1)),
        node("Add", ["x", "f"], "y"))
    yield "Slice again and again", onnx(
        filled("c", [1, 1 << 20]), int_tensor("b", [0] * 30000), int_tensor("e", [1 << 40] * 30000),
        int_tensor("a", [1] * 30000), node("Slice", ["c", "b", "e", "a"], "d"),
        node("Add", ["x", "d"], "y"))
    yield "Expand", onnx(int_tensor("s", [1, 1 << 40]), node("Unsqueeze", ["x", "ax2"], "u"),
                         int_tensor("ax2", [2]), node("Expand", ["u", "s"], "y"))
    yield "Expand of a constant", onnx(
        filled("c", [1, 1]), int_tensor("s", [4096, 4096]), node("Expand", ["c", "s"], "m"),
        node("Transpose", ["m"], "t"), node("MatMul", ["x", "t"], "h"), reduced("h"),
        inputs=[("x", 4096)])
    yield "ConstantOfShape", onnx(filled("c", [1 << 31, 1 << 31]), node("Add", ["x", "c"], "y"))
    yield "Reshape into a million dimensions", onnx(
        int_tensor("s", [1] * 100000), node("Reshape", ["x", "s"], "y"))
    zero = integer("allowzero", 1)
    yield "product without depth", onnx(
        int_tensor("s1", [0, 1 << 23, 0]), int_tensor("s2", [0, 0, 1 << 23]),
        node("Slice", ["x", "b", "e", "a"], "n"), int_tensor("b", [2]), int_tensor("e", [2]),
        int_tensor("a", [1]), node("Reshape", ["n", "s1"], "l", zero),
        node("Reshape", ["n", "s2"], "r", zero),
        node("MatMul", ["l", "r"], "p"), node("Flatten", ["p"], "y"))
    yield "outer product of a row", onnx(
        int_tensor("s1", [0, 1000, 1]), int_tensor("s2", [0, 1, 1000]),
        node("Reshape", ["x", "s1"], "l"), node("Reshape", ["x", "s2"], "r"),
        node("MatMul", ["l", "r"], "p"), node("Flatten", ["p"], "f"), reduced("f"),
        inputs=[("x", 1000)])
    yield "ArgMax of many", onnx(
        node("Sigmoid", ["x"], "s"), node("ArgMax", ["s"], "i", integer("axis", 1)),
        node("Cast", ["i"], "y", integer("to", 1)), inputs=[("x", 20000)])
    yield "ArgMax of a softmax of many", onnx(
        node("Softmax", ["x"], "s", integer("axis", 1)),
        node("ArgMax", ["s"], "i", integer("axis", 1)),
        node("Cast", ["i"], "y", integer("to", 1)), inputs=[("x", 20000)])
    yield "a normaliser of many", onnx(
        node("Abs", ["x"], "p"), node("Normalizer", ["p"], "n", attribute("norm", 3, chunk(4, "L1")),
                                      domain="ai.onnx.ml"),
        reduced("n"), inputs=[("x", 50000)])
    yield "shape that overflows", onnx(float_tensor("t", [1.0], [1 << 33, 1 << 33]),
                                       node("Add", ["x", "t"], "y"))
    yield "many attributes", onnx(node("Relu", ["x"], "y", *[chunk(5, b"")] * 1000000))
    yield "many texts", onnx(node("Relu", ["x"], "y", attribute("a", 8, chunk(9, b"") * 1400000)))
    yield "many outputs", onnx(
        node("Split", ["x"], [f"p{i}" for i in range(50000)]),
        outputs=[(f"p{i}", 1) for i in range(50000)])
    yield "external data", onnx(
        chunk(5, number(1, 2) + number(2, 1) + chunk(8, "t") + number(14, 1)
              + chunk(13, chunk(1, "location") + chunk(2, "/dev/zero"))),
        node("Add", ["x", "t"], "y"))
    yield "many classes of trees", onnx(trees(2000, labels=100000))
    yield "a hundred thousand trees", onnx(trees(100000))
    yield "a label encoder of many", onnx(
        node("LabelEncoder", ["x"], "e", ints("keys_int64s", range(100000)),
             floats("values_floats", [0.0] * 100000), domain="ai.onnx.ml"), reduced("e"),
        inputs=[("x", 100)])
    yield "a one-hot encoder of many", onnx(
        node("OneHotEncoder", ["x"], "o", ints("cats_int64s", range(100000)), domain="ai.onnx.ml"),
        node("Flatten", ["o"], "f"), reduced("f"), inputs=[("x", 100)])


def xgboost(trees_text, features="2"):
    return ('{"learner":{"attributes":{},"feature_names":[],"feature_types":[],"gradient_booster":'
            '{"model":{"gbtree_model_param":{"num_parallel_tree":"1","num_trees":"1"},"trees":['
            + trees_text + ']},"name":"gbtree"},"learner_model_param":{"base_score":"5E-1",'
            '"num_class":"0","num_feature":"' + features + '","num_target":"1"},"objective":'
            '{"name":"binary:logistic"}},"version":[2,1,0]}')


def xgboost_tree(nodes, left, right, category=None):
    count = len(left)
    tree = {"tree_param": {"num_nodes": str(nodes), "size_leaf_vector": "1"},
            "left_children": left, "right_children": right, "split_indices": [0] * count,
            "split_conditions": [0.5] * count, "default_left": [0] * count,
            "split_type": [0 if category is None or l < 0 else 1 for l in left]}
    if category is not None:
        splits = [i for i, l in enumerate(left) if l >= 0]
        tree.update(categories=[category] * len(splits), categories_nodes=splits,
                    categories_segments=list(range(len(splits))),
                    categories_sizes=[1] * len(splits))
    return json.dumps(tree)


def category_chain(splits, category):
    """A path whose splits each have a set of one category, with a large code."""
    left, right = [], []
    for i in range(splits):
        left += [2 * i + 1, -1]
        right += [2 * i + 2, -1]
    left.append(-1)
    right.append(-1)
    return xgboost_tree(len(left), left, right, category)


def tree_files():
    yield "XGBoost of 2^31 columns", xgboost("", features=str(1 << 31))
    yield "XGBoost of 2^17 columns", xgboost(xgboost_tree(1, [-1], [-1]), features=str(1 << 17))
    yield "XGBoost with a tree of 2^27 nodes", xgboost(xgboost_tree(1 << 27, [-1], [-1]))
    yield "XGBoost with large categories", xgboost(category_chain(1000, (1 << 24) - 1))
    yield "XGBoost of 400,000 empty trees", xgboost(",".join(["{}"] * 400000))
    yield "XGBoost nested deep", xgboost("[" * 100000 + "]" * 100000)
    yield "UBJSON that announces much", (
        b"{L" + struct.pack(">q", 7) + b"learner[$Z#L" + struct.pack(">q", 1 << 40))
    header = ("tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx={}\n"
              "objective=binary sigmoid:1\nfeature_names={}\n{}\n\n")
    yield "LightGBM with 2^27 leaves", header.format(0, "a", "feature_infos=[0:1]") + (
        "Tree=0\nnum_leaves=134217728\nleaf_value=1\n\nend of trees\n")
    yield "LightGBM of 400,000 trees", header.format(0, "a", "feature_infos=[0:1]") + (
        "Tree=0\n" * 400000 + "end of trees\n")
    columns = 100000
    yield "LightGBM of many categories", header.format(
        columns - 1, " ".join("ab" for _ in range(columns)),
        "feature_infos=" + " ".join(["0:1"] * columns)) + (
        "Tree=0\nnum_leaves=1\nleaf_value=1\n\nend of trees\n\npandas_categorical:["
        + ",".join(["[0,1]"] * columns) + "]\n")
    words = "1 " * 20000
    splits = 3000
    children = " ".join(str(i + 1) for i in range(splits - 1)) + " -1"
    leaves = " ".join(str(-2 - i) for i in range(splits))
    yield "LightGBM with one set used often", header.format(0, "a", "feature_infos=0:1") + (
        f"Tree=0\nnum_leaves={splits + 1}\nnum_cat=1\nsplit_feature={'0 ' * splits}\n"
        f"threshold={'0 ' * splits}\ndecision_type={'1 ' * splits}\nleft_child={children}\n"
        f"right_child={leaves}\nleaf_value={'0 ' * (splits + 1)}\ncat_boundaries=0 20000\n"
        f"cat_threshold={words}\n\nend of trees\n")


def catboost(trees, borders="0.5", values="", kind="oblivious_trees"):
    return ('{"features_info":{"categorical_features":[{"feature_id":"b","feature_index":0,"flat_feature_index":1,'
            '"values":[' + values + ']}],"float_features":[{"borders":[' + borders + '],"feature_id":"a",'
            '"feature_index":0,"flat_feature_index":0,"has_nans":false,"nan_value_treatment":"AsIs"}]},'
            '"model_info":{"params":{"loss_function":{"type":"Logloss"}}},"' + kind + '":[' + trees
            + '],"scale_and_bias":[1,[0]]}')


def catboost_files():
    split = ('{"border":0.5,"float_feature_index":0,"split_index":0,"split_type":"FloatFeature"}')
    yield "CatBoost with a tree of 60 splits", catboost(
        '{"leaf_values":[0],"splits":[' + ",".join([split] * 60) + "]}")
    yield "CatBoost with many leaves", catboost(",".join(
        ['{"leaf_values":[' + ",".join(["0"] * 65536) + '],"splits":[' + ",".join([split] * 16) + "]}"] * 40))
    yield "CatBoost of 400,000 empty trees", catboost(",".join(["{}"] * 400000))
    yield "CatBoost of 200,000 leaves", catboost(",".join(['{"value":0}'] * 200000), kind="trees")
    yield "CatBoost nested deep", catboost('{"left":' * 100000 + "}" * 100000, kind="trees")
    values = 20000
    equal = ",".join('{"leaf_values":[0,1],"splits":[{"cat_feature_index":0,"split_index":%d,"split_type":'
                     '"OneHotFeature","value":%d}]}' % (k + 1, k) for k in range(values))
    yield "CatBoost with a split for each of many categories", catboost(
        equal, values=",".join(str(k) for k in range(values)))
    yield "CatBoost of 10^6 borders", catboost("", borders=",".join(str(k) for k in range(1000000)))


def network(units, inputs=2, names=None):
    row = "[" + ",".join(["1"] * inputs) + "]"
    names = [f"c{i}" for i in range(inputs)] if names is None else names
    return ('{"croco_model":1,"feature_names":' + json.dumps(names)
            + ',"hidden_activation":"relu","output":"sigmoid","layers":[{"weight":['
            + ",".join([row] * units) + '],"bias":[' + ",".join(["0"] * units)
            + ']},{"weight":[[' + ",".join(["1"] * units) + ']],"bias":[0]}]}')


def network_files():
    yield "a network of 10^5 units", network(100000)
    yield "a network of many columns", network(1, inputs=100000)
    yield "a network nested deep", '{"layers":' + "[" * 100000 + "]" * 100000 + "}"
    yield "a network of many keys", "{" + ",".join(f'"k{i}":0' for i in range(200000)) + "}"
    yield "a network of many lists", '{"layers":[' + ",".join(["[]"] * 700000) + "]}"
