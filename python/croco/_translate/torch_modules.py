# SPDX-License-Identifier: Apache-2.0
"""Modules of PyTorch, by its own exporter, in memory."""

from __future__ import annotations

import importlib
import inspect
import io
import warnings
from typing import Any

import numpy as np

from .contract import Column, NotTranslatable, Translation
from .registry import class_name


def is_torch_module(model: Any) -> bool:
    """Without importing torch: a class of the user's own may be one."""
    return any(
        base.__module__ == "torch.nn.modules.module" and base.__name__ == "Module"
        for base in type(model).__mro__
    )


def torch_module(model: Any, columns: list[Column]) -> Translation:
    """A module that takes rows of numbers in the order of the columns and gives one number for each
    row, or two.
    """
    torch = importlib.import_module("torch")
    others = [column.name for column in columns if column.has_levels]
    if others:
        raise NotTranslatable(
            f"a torch module takes numbers, and these columns are none: {', '.join(others)}"
        )
    was_training = model.training
    model.eval()
    try:
        kind = _kind_of_output(torch, model, len(columns))
        data = _exported(torch, model, len(columns))
    finally:
        model.train(was_training)
    return Translation("onnx", data, [0, 1], {"score": kind})


def _parameters(model: Any) -> dict[str, Any]:
    first = next(model.parameters(), None)
    return {} if first is None else {"dtype": first.dtype, "device": first.device}


def _kind_of_output(torch: Any, model: Any, width: int) -> str:
    """Probabilities when all rows say so, near to 0 and far from it; else logits."""
    random = np.random.default_rng(0)
    rows = np.concatenate([random.normal(size=(64, width)) * scale for scale in (0.1, 1.0, 30.0)])
    try:
        with torch.no_grad():
            out = (
                model(torch.as_tensor(rows, **_parameters(model)))
                .double()
                .cpu()
                .numpy()
                .reshape(len(rows), -1)
            )
    except Exception as error:  # whatever a module may throw
        raise NotTranslatable(
            f"the {class_name(model)} does not take rows of {width} numbers: {error}"
        ) from error
    if out.shape[1] > 2:
        raise NotTranslatable(
            f"the {class_name(model)} gives {out.shape[1]} numbers for a row; croco explains "
            f"two classes"
        )
    whole = out.shape[1] == 1 or np.allclose(out.sum(axis=1), 1, atol=1e-5)
    return "probability" if whole and out.min() >= 0 and out.max() <= 1 else "logit"


def _exported(torch: Any, model: Any, width: int) -> bytes:
    file = io.BytesIO()
    more: dict[str, Any] = {}
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        more["dynamo"] = False
    row = torch.zeros((2, width), **_parameters(model))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                model,
                (row,),
                file,
                input_names=["rows"],
                output_names=["score"],
                dynamic_axes={"rows": {0: "N"}, "score": {0: "N"}},
                **more,
            )
    except Exception as error:  # the exporter's own types differ between versions
        text = (str(error).strip() or class_name(error)).splitlines()[0]
        raise NotTranslatable(
            f"torch.onnx.export cannot export the {class_name(model)}: {text}"
        ) from error
    return file.getvalue()
