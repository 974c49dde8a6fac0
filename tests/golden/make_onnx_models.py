#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the ONNX models of the tests with the exporters that people use, and what the libraries that
trained them predict.

Usage: make_onnx_models.py [--check-rows 10000] [--keep]

Writes onnx/*.onnx and onnx_models.json beside itself: for each model some rows and the score of
class 1 that PyTorch or scikit-learn gives, from their own arithmetic and not from the ONNX file.
Every file is checked against its library on --check-rows further rows with onnxruntime. --keep
leaves the files of PyTorch that are there as they are; exporting takes most of the time.

Needs torch, onnx, onnxscript, onnxruntime, scikit-learn, skl2onnx and pandas; the files here were
made with the versions that onnx_models.json names.
"""
import argparse
import importlib.metadata
import json
import pathlib
import warnings

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import skl2onnx
import torch
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (MinMaxScaler, Normalizer, OneHotEncoder, OrdinalEncoder,
                                   StandardScaler)
from sklearn.svm import SVC
from torch import nn

HERE = pathlib.Path(__file__).resolve().parent
GERMAN = HERE.parent.parent / "data" / "german_credit.csv"
COLUMNS = 6
ROWS = 200
MAX_BYTES = 200_000


# ---------------------------------------------------------------- PyTorch
class Residual(nn.Module):
    """Batch normalisation, and twice a block whose input is added to its output."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(COLUMNS, 16), nn.BatchNorm1d(16), nn.ReLU())
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(16, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1),
                          nn.Linear(16, 16)) for _ in range(2))
        self.last = nn.Linear(16, 2)

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = torch.relu(x + block(x))
        return self.last(x)


class Shapes(nn.Module):
    """Slices, joins, reshapes and transposes, as tokens of a table have them."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(2, 8)
        self.mix = nn.Linear(3, 3)
        self.norm = nn.LayerNorm(8)
        self.last = nn.Linear(8 + COLUMNS, 1)

    def forward(self, x):
        tokens = self.embed(x.reshape(-1, 3, 2))
        mixed = self.mix(tokens.transpose(1, 2)).transpose(1, 2)
        tokens = self.norm(tokens + torch.nn.functional.gelu(mixed))
        pooled = tokens.mean(dim=1) + tokens.sum(dim=1) * 0.1
        return self.last(torch.cat([pooled, x[:, 3:], x[:, :3].clamp(-1, 1)], dim=1)).squeeze(1)


class Attention(nn.Module):
    """One head of attention over the columns: products of two things that depend on the row."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Parameter(torch.randn(COLUMNS, 4))
        self.query, self.key, self.value = (nn.Linear(4, 4) for _ in range(3))
        self.last = nn.Linear(4 * COLUMNS, 2)

    def forward(self, x):
        tokens = x.unsqueeze(-1) * self.embed
        weights = torch.softmax(self.query(tokens) @ self.key(tokens).transpose(1, 2) / 2, dim=-1)
        return self.last((weights @ self.value(tokens)).flatten(1))


def stack(activation, outputs=1, end=None, width=12):
    layers = [nn.Linear(COLUMNS, width), activation(), nn.Linear(width, 8), activation(),
              nn.Linear(8, outputs)]
    return nn.Sequential(*layers, *([end] if end else []))


TORCH = {
    # name: (module, how its output is a score)
    "torch_residual": (Residual, "logits2"),
    "torch_shapes": (Shapes, "logit"),
    "torch_attention": (Attention, "logits2"),
    "torch_layernorm": (lambda: nn.Sequential(nn.Linear(COLUMNS, 12), nn.LayerNorm(12), nn.ReLU(),
                                              nn.Linear(12, 1)), "logit"),
    "torch_batchnorm": (lambda: nn.Sequential(
        nn.BatchNorm1d(COLUMNS), nn.Linear(COLUMNS, 16), nn.BatchNorm1d(16), nn.ReLU(),
        nn.Dropout(0.2), nn.Linear(16, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Identity(),
        nn.Linear(8, 1), nn.Sigmoid()), "probability"),
    "torch_softmax": (lambda: stack(nn.ReLU, 2, nn.Softmax(dim=1)), "probability2"),
    "torch_log_softmax": (lambda: stack(nn.ReLU, 2, nn.LogSoftmax(dim=1)), "log_probability2"),
    "torch_linear": (lambda: nn.Linear(COLUMNS, 1), "logit"),
    "torch_relu": (lambda: stack(nn.ReLU), "logit"),
    "torch_leaky_relu": (lambda: stack(nn.LeakyReLU), "logit"),
    "torch_steep_leaky_relu": (lambda: stack(lambda: nn.LeakyReLU(0.2)), "logit"),
    "torch_prelu": (lambda: stack(lambda: nn.PReLU(12) if not stack_state.pop() else nn.PReLU()),
                    "logit"),
    "torch_elu": (lambda: stack(nn.ELU), "logit"),
    "torch_selu": (lambda: stack(nn.SELU), "logit"),
    "torch_celu": (lambda: stack(lambda: nn.CELU(0.7)), "logit"),
    "torch_gelu": (lambda: stack(nn.GELU), "logit"),
    "torch_gelu_tanh": (lambda: stack(lambda: nn.GELU("tanh")), "logit"),
    "torch_silu": (lambda: stack(nn.SiLU), "logit"),
    "torch_mish": (lambda: stack(nn.Mish), "logit"),
    "torch_tanh": (lambda: stack(nn.Tanh), "logit"),
    "torch_sigmoid": (lambda: stack(nn.Sigmoid), "logit"),
    "torch_softplus": (lambda: stack(nn.Softplus), "logit"),
    "torch_softsign": (lambda: stack(nn.Softsign), "logit"),
    "torch_hard_sigmoid": (lambda: stack(nn.Hardsigmoid), "logit"),
    "torch_hard_swish": (lambda: stack(nn.Hardswish), "logit"),
    "torch_hard_tanh": (lambda: stack(nn.Hardtanh), "logit"),
}
stack_state = []  # PReLU: one slope for each unit in the first layer, one for all in the second

# Exported by the older way, through TorchScript, which writes other operators.
OLDER = {"torch_residual", "torch_gelu", "torch_layernorm", "torch_shapes"}


def shared_rows(count):
    """Rows that all models of PyTorch meet; numbers of few digits that float32 has nearly."""
    x = np.random.default_rng(7).normal(size=(count, COLUMNS)) * 1.5
    return np.round(x, 3).astype(np.float32)


def rows_of(x):
    return [[float(str(v)) for v in row] for row in x]


def short(scores):
    return [round(float(s), 9) for s in scores]


def score_of(kind, output):
    output = np.asarray(output, dtype=np.float64)
    if kind == "logit":
        return 1 / (1 + np.exp(-output.reshape(-1)))
    if kind == "probability":
        return output.reshape(-1)
    if kind == "logits2":
        return 1 / (1 + np.exp(output[:, 0] - output[:, 1]))
    if kind == "probability2":
        return output[:, 1]
    return np.exp(output[:, 1])


def settle(module, generator):
    """A few steps of training, so that statistics of normalisations are not the initial ones."""
    x = torch.randn(256, COLUMNS, generator=generator)
    y = (x[:, 0] * x[:, 1] + x[:, 2] > 0).float()
    optimiser = torch.optim.Adam(module.parameters(), lr=0.02)
    module.train()
    for _ in range(60):
        out = module(x)
        out = out if out.dim() == 1 else out[:, -1]
        loss = ((out - (4 * y - 2)) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    module.eval()


def export_torch(name, module, older):
    path = HERE / "onnx" / f"{name}.onnx"
    sample = (torch.zeros(2, COLUMNS),)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if older:
            torch.onnx.export(module, sample, path, dynamo=False, input_names=["x"],
                              output_names=["score"], opset_version=17,
                              dynamic_axes={"x": {0: "rows"}, "score": {0: "rows"}})
        else:
            rows = torch.export.Dim("rows")
            torch.onnx.export(module, sample, path, dynamo=True, input_names=["x"],
                              output_names=["score"], dynamic_shapes=({0: rows},),
                              external_data=False, verbose=False)
    shrink(path)
    return path


def shrink(path):
    """Without what exporters note about their own source, which names folders."""
    model = onnx.load(path)
    for holder in [model, model.graph, *model.graph.node, *model.graph.value_info,
                   *model.graph.input, *model.graph.output]:
        holder.doc_string = ""
        if holder is not model and hasattr(holder, "metadata_props"):
            del holder.metadata_props[:]
    del model.graph.value_info[:]
    onnx.save(model, path)


def torch_cases(check_rows, keep):
    for number, (name, (make, kind)) in enumerate(TORCH.items()):
        torch.manual_seed(number)
        stack_state[:] = [True, False]
        generator = torch.Generator().manual_seed(100 + number)
        module = make()
        settle(module, generator)
        path = HERE / "onnx" / f"{name}.onnx"
        if not (keep and path.exists()):
            path = export_torch(name, module, name in OLDER)
        x = torch.from_numpy(shared_rows(ROWS + check_rows))
        with torch.no_grad():
            scores = score_of(kind, module(x).numpy())
        session = onnxruntime.InferenceSession(path)
        again = score_of(kind, session.run(None, {"x": x.numpy()})[0])
        report(path, np.abs(scores - again).max())
        yield {"file": path.name, "scores": short(scores[:ROWS])}


# ---------------------------------------------------------------- scikit-learn
def german():
    table = pd.read_csv(GERMAN, keep_default_na=False)
    y = table.pop("class")
    numeric = [c for c in table.columns if pd.api.types.is_numeric_dtype(table[c])]
    table[numeric] = table[numeric].astype(np.float32)
    return table, y, numeric, [c for c in table.columns if c not in numeric]


def columns_of(numeric, categorical, scale=None, encode=None):
    return ColumnTransformer([
        ("numbers", scale or StandardScaler(), numeric),
        ("categories", encode or OneHotEncoder(handle_unknown="ignore", sparse_output=False),
         categorical)])


def sklearn_pipelines(numeric, categorical):
    both = (numeric, categorical)
    few = (numeric[:4], categorical[:5])
    # Numbers reach trees as they are: scaled in double by scikit-learn and in single precision by the
    # exported file, some fall on the other side of a split.
    return {
        # name: (pipeline, its columns, rows to learn from, options of the converter)
        "sklearn_mlp": (make_pipeline(columns_of(*both),
                                      MLPClassifier((16,), max_iter=200, random_state=1)),
                        both, 1000, {"zipmap": True}),
        "sklearn_deep_tanh": (make_pipeline(
            columns_of(*both, make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler())),
            MLPClassifier((12, 8), activation="tanh", max_iter=100, random_state=2)),
            both, 1000, {"zipmap": False}),
        "sklearn_logistic": (make_pipeline(columns_of(*both), LogisticRegression(max_iter=500)),
                             both, 1000, {"zipmap": True}),
        "sklearn_ordinal": (make_pipeline(columns_of(*both, encode=OrdinalEncoder()),
                                          LogisticRegression(max_iter=1000)),
                            both, 1000, {"zipmap": False}),
        "sklearn_svc": (make_pipeline(columns_of(*few), SVC(probability=True, random_state=3)),
                        few, 150, {"zipmap": False}),
        "sklearn_svc_poly": (make_pipeline(columns_of(*few), Normalizer(),
                                           SVC(kernel="poly", degree=2, coef0=1, probability=True,
                                               random_state=4)),
                             few, 150, {"zipmap": False}),
        "sklearn_forest": (make_pipeline(columns_of(*both, "passthrough"), RandomForestClassifier(
            15, max_depth=5, random_state=5)), both, 1000, {"zipmap": True}),
        "sklearn_boosting": (make_pipeline(columns_of(*both, "passthrough"), GradientBoostingClassifier(
            n_estimators=20, max_depth=3, random_state=6)), both, 1000, {"zipmap": False}),
    }


def feed(table, numeric, categorical):
    out = {c: table[[c]].to_numpy(dtype=np.float32) for c in numeric}
    out.update({c: table[[c]].to_numpy(dtype=object).astype(str).astype(object)
                for c in categorical})
    return out


def sklearn_cases(check_rows):
    table, y, numeric, categorical = german()
    for name, (pipeline, columns, learnt, options) in sklearn_pipelines(numeric,
                                                                       categorical).items():
        own = list(columns[0]) + list(columns[1])
        order = [c for c in table.columns if c in own]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pipeline.fit(table[order][:learnt], y[:learnt])
        types = [(c, FloatTensorType([None, 1]) if c in columns[0] else StringTensorType([None, 1]))
                 for c in order]
        model = skl2onnx.to_onnx(pipeline, initial_types=types,
                                 options={id(pipeline): options}, target_opset=17)
        path = HERE / "onnx" / f"{name}.onnx"
        onnx.save(model, path)
        shrink(path)
        good = list(pipeline.classes_).index("good")
        scores = pipeline.predict_proba(table[order])[:, good]
        check = table[order].sample(check_rows, replace=True, random_state=7)
        got = onnxruntime.InferenceSession(path).run(None, feed(check, *columns))[1]
        got = [row["good"] for row in got] if options["zipmap"] else got[:, good]
        report(path, np.abs(pipeline.predict_proba(check)[:, good] - got).max())
        yield {"file": path.name, "data": "german", "scores": short(scores[:ROWS])}


def matrix_case(check_rows):
    """All columns in one matrix of numbers, with labels 0 and 1."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=(ROWS + check_rows, COLUMNS)) * [1, 10, 100, 1, 5, 0.1]
    x = np.round(x, 3).astype(np.float32)
    y = (x[:, 0] + x[:, 1] / 10 > x[:, 2] / 100).astype(int)
    pipeline = make_pipeline(StandardScaler(), MLPClassifier((10,), max_iter=300, random_state=9))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline.fit(x[:1000], y[:1000])
    path = HERE / "onnx" / "sklearn_matrix.onnx"
    onnx.save(skl2onnx.to_onnx(pipeline, x[:1], options={"zipmap": False}, target_opset=17), path)
    shrink(path)
    scores = pipeline.predict_proba(x)[:, 1]
    got = onnxruntime.InferenceSession(path).run(None, {"X": x})[1][:, 1]
    report(path, np.abs(scores - got).max())
    yield {"file": path.name, "rows": rows_of(x[:ROWS]), "scores": short(scores[:ROWS])}


def report(path, difference):
    size = path.stat().st_size
    assert size <= MAX_BYTES, f"{path.name} has {size} bytes"
    assert difference < 1e-4, f"{path.name}: onnxruntime is {difference} off its library"
    print(f"{path.name:32} {size:7} bytes   onnxruntime within {difference:.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check-rows", type=int, default=10_000)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    (HERE / "onnx").mkdir(exist_ok=True)
    cases = [*torch_cases(options.check_rows, options.keep), *matrix_case(options.check_rows),
             *sklearn_cases(options.check_rows)]
    versions = {name: importlib.metadata.version(name) for name in
                ["torch", "onnx", "onnxruntime", "scikit-learn", "skl2onnx"]}
    text = json.dumps({"versions": versions, "rows": rows_of(shared_rows(ROWS)), "cases": cases},
                      separators=(",", ":"))
    (HERE / "onnx_models.json").write_text(text.replace('{"file"', '\n{"file"') + "\n")


if __name__ == "__main__":
    main()
