# SPDX-License-Identifier: Apache-2.0
"""Counterfactual explanations with certificates.

>>> import numpy as np, croco
>>> X = np.random.default_rng(0).uniform(0, 10, size=(200, 2))
>>> explainer = croco.Explainer(lambda X: 1 / (1 + np.exp(10 - X.sum(axis=1))), X)
>>> explainer.explain(np.array([[2.0, 3.0]])).status
['found']
"""

from ._answer import Answer, Certificate, Change, ModelChange, Plausibility, ReasonCode
from ._audit import Audit
from ._core import __version__
from ._errors import CrocoError, DataError, InvalidArgument, IoError, ModelError
from ._explainer import Explainer
from ._models import ModelFile, model_file
from ._noise import Flip, Noise, flip, noise
from ._plot import plot_tradeoff
from ._result import Result
from ._verify import Finding, Verification, verify

__all__ = [
    "Answer",
    "Audit",
    "Certificate",
    "Change",
    "CrocoError",
    "DataError",
    "Explainer",
    "Finding",
    "Flip",
    "InvalidArgument",
    "IoError",
    "ModelChange",
    "ModelError",
    "ModelFile",
    "Noise",
    "Plausibility",
    "ReasonCode",
    "Result",
    "Verification",
    "__version__",
    "flip",
    "model_file",
    "noise",
    "plot_tradeoff",
    "verify",
]
