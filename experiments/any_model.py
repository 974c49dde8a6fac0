#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every kind of model that croco reads, end to end: trained by its own library, saved as that saves it,
explained with certificates, and measured again.

Usage: experiments/any_model.py --data-dir DIR [--program build/release/apps/cli/croco] [--people 100]
           [--target 0.1] [--models NAME;NAME] [--keep DIR]

Needs: pip install torch onnx onnxscript scikit-learn skl2onnx xgboost lightgbm pandas. On German Credit the
schema of the data set says who may change what, and how people miss it; on Adult numbers move within the
range of the data, with variance .01. Scores are compared with the library's own first: the largest difference
in probability is printed. Rejected people are explained with reasons; recommended records are measured on 200,000
other samples with `croco certify`. One thread; the time is the processor's, of people after the first, without
reasons.
"""
import argparse
import json
import pathlib
import tempfile
import warnings

import tree_models  # sets the threads before the libraries are loaded

import numpy as np
import pandas as pd

HERE = pathlib.Path(__file__).resolve().parent
GERMAN = HERE.parent / "data" / "german_credit.csv"
GERMAN_SCHEMA = HERE.parent / "data" / "schemas" / "german.json"


# ---------------------------------------------------------------- German Credit
def german():
    """Rows, features with texts as categories in the order of the schema, class 1 for "good"."""
    rows = pd.read_csv(GERMAN, keep_default_na=False)
    schema = json.loads(GERMAN_SCHEMA.read_text(encoding="utf-8"))
    frame = pd.DataFrame(index=rows.index)
    for feature in schema["features"]:
        values = rows[feature["name"]]
        frame[feature["name"]] = (pd.Categorical(values, categories=feature["levels"])
                                  if feature["type"] == "categorical" else values.astype(float))
    return rows, frame, (rows["class"] == "good").astype(int)


def numbers_and_levels(frame):
    """Numbers in their own units, then one column per level: what a wide input takes."""
    numbers = frame.select_dtypes("number")
    return pd.concat([numbers, pd.get_dummies(frame.select_dtypes("category"), dtype=float)], axis=1)


def residual_network(frame, labels, path):
    """PyTorch: batch normalisation of the raw columns, then a block whose input is added."""
    import torch
    from torch import nn

    class Network(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.first = nn.Sequential(nn.BatchNorm1d(width), nn.Linear(width, 32), nn.BatchNorm1d(32),
                                       nn.ReLU())
            self.block = nn.Sequential(nn.Linear(32, 32), nn.BatchNorm1d(32), nn.ReLU(),
                                       nn.Dropout(0.2), nn.Linear(32, 32))
            self.last = nn.Linear(32, 1)

        def forward(self, x):
            x = self.first(x)
            return torch.sigmoid(self.last(torch.relu(x + self.block(x))))

    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.tensor(numbers_and_levels(frame).to_numpy(), dtype=torch.float32)
    y = torch.tensor(labels.to_numpy(), dtype=torch.float32)[:, None]
    network = Network(x.shape[1])
    optimiser = torch.optim.Adam(network.parameters(), lr=0.003, weight_decay=1e-3)
    for _ in range(15):
        for batch in torch.randperm(len(x)).split(50):
            optimiser.zero_grad()
            nn.functional.binary_cross_entropy(network(x[batch]), y[batch]).backward()
            optimiser.step()
    network.eval()
    rows = torch.export.Dim("rows")
    torch.onnx.export(network, (x[:2],), path, dynamo=True, input_names=["x"],
                      output_names=["score"], dynamic_shapes=({0: rows},), external_data=False,
                      verbose=False)
    with torch.no_grad():
        return network(x).numpy()[:, 0]


def pipeline(estimator):
    """scikit-learn: scaler and one-hot encoder on the raw columns, then an estimator."""
    def train(frame, labels, path):
        import skl2onnx
        from skl2onnx.common.data_types import FloatTensorType, StringTensorType
        from sklearn.compose import ColumnTransformer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler

        texts = frame.select_dtypes("category").columns
        numbers = frame.select_dtypes("number").columns
        table = frame.astype({name: object for name in texts})
        whole, scaled = estimator()
        model = make_pipeline(ColumnTransformer([
            ("numbers", StandardScaler() if scaled else "passthrough", list(numbers)),
            ("categories", OneHotEncoder(handle_unknown="ignore", sparse_output=False), list(texts))]),
            whole)
        model.fit(table, np.where(labels == 1, "good", "bad"))
        types = [(name, StringTensorType([None, 1]) if name in texts else FloatTensorType([None, 1]))
                 for name in table.columns]
        path.write_bytes(skl2onnx.to_onnx(model, initial_types=types, target_opset=17,
                                          options={id(model): {"zipmap": False}}).SerializeToString())
        return model.predict_proba(table)[:, list(model.classes_).index("good")]
    return train


def network():
    from sklearn.neural_network import MLPClassifier
    return MLPClassifier((32, 16), alpha=1.0, max_iter=300, random_state=1), True


def logistic():
    from sklearn.linear_model import LogisticRegression
    return LogisticRegression(max_iter=1000), True


def forest():
    from sklearn.ensemble import RandomForestClassifier
    return RandomForestClassifier(100, max_depth=10, random_state=1), False


# ---------------------------------------------------------------- the table
# name: (data, file, way to train). Models behind a program of their own: see subprocess_model.py.
MODELS = {
    "PyTorch, batch norm and residual": ("german", "m.onnx", residual_network),
    "scikit-learn pipeline, network": ("german", "m.onnx", pipeline(network)),
    "scikit-learn pipeline, logistic regression": ("german", "m.onnx", pipeline(logistic)),
    "scikit-learn pipeline, random forest": ("german", "m.onnx", pipeline(forest)),
    "LightGBM, splits on categories": ("german", "m.txt",
                                       tree_models.lightgbm(100, num_leaves=15, learning_rate=0.1)),
    "XGBoost, 200 x depth 6": ("adult", *tree_models.MODELS["xgboost 200 x 6"]),
}


def german_words(_options, _folder):
    rows, frame, labels = german()
    return rows, frame, labels, ["--schema", GERMAN_SCHEMA, "--training", "german"]


def adult_words(options, folder):
    source, rows, frame, labels = tree_models.read_data(options.data_dir, "adult")
    tree_models.write_json(folder / "schema.json", tree_models.schema_of(frame, "income"))
    return rows, frame, labels, ["--schema", folder / "schema.json", "--training", source, "--noise",
                                 "gaussian:variance=0.01", "--noise-on", "continuous"]


def explained(options, data, file, train, folder):
    """What the table says about a model."""
    words_of = german_words if data == "german" else adult_words
    rows, frame, labels, words = words_of(options, folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = train(frame, labels, folder / file)
    places = tree_models.rejected_rows(scores, options.people)
    people = rows.iloc[places]
    people.to_csv(folder / "people.csv", index=False)
    croco = tree_models.Croco(options.program, "--model", folder / file, *words, "--data",
                              folder / "people.csv", "--target", options.target)
    # A record recommended as it is has the score of the person.
    people.reset_index(drop=True).to_csv(folder / "same.csv", index_label="row")
    _, same = croco("certify", folder / "same_scores.csv", "--counterfactuals", folder / "same.csv",
                    "--samples", "1000")
    difference = max(abs(float(row["score"]) - scores[places[int(row["row"])]]) for row in same)
    first, _ = croco("explain", folder / "first.csv", "--reasons", "off", "--rows", "0:1")
    total, _ = croco("explain", folder / "timed.csv", "--reasons", "off")
    _, advised = croco("explain", folder / "advice.csv")
    _, others = croco("certify", folder / "others.csv", "--counterfactuals", folder / "advice.csv",
                      "--samples", "200000", "--seed", "90210")
    found = [row for row in advised if row["status"] == "found" and row["target_met"] == "1"]
    reasoned = [row for row in advised if row["status"] != "found" and row["obstacle"]]
    rates = {row["row"]: float(row["rate"]) for row in others if row["rate"]}
    cost = np.mean([float(row["cost"]) for row in found]) if found else float("nan")
    kinds = ", ".join(f"{n} {kind}" for kind, n in
                      pd.Series([row["obstacle"] for row in reasoned], dtype=str).value_counts().items())
    return (len(advised), len(found), f"{len(reasoned)}" + (f" ({kinds})" if kinds else ""),
            len(advised) - len(found) - len(reasoned),
            sum(rates[row["row"]] > options.target for row in found), f"{cost:.4f}",
            f"{1000 * (total - first) / max(1, len(advised) - 1):.1f}", f"{difference:.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", type=pathlib.Path, required=True)
    parser.add_argument("--program", default="build/release/apps/cli/croco")
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--target", type=float, default=0.1)
    parser.add_argument("--models", default=";".join(MODELS),
                        help="some of, by semicolons: " + "; ".join(MODELS))
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the files, kept")
    options = parser.parse_args()
    print("| model | data | people | certified | others, with a reason | without | above on other samples | "
          "mean cost | ms a person | score off by |\n|---|---|---|---|---|---|---|---|---|---|")
    for i, model in enumerate(options.models.split(";")):
        data, file, train = MODELS[model.strip()]
        with tempfile.TemporaryDirectory() as name:
            folder = options.keep / str(i) if options.keep else pathlib.Path(name)
            folder.mkdir(parents=True, exist_ok=True)
            cells = explained(options, data, file, train, folder)
            print("|", " | ".join(map(str, (model.strip(), data, *cells))), "|", flush=True)


if __name__ == "__main__":
    main()
