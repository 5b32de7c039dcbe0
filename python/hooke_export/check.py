"""Checks of an exported potential: nothing that is wrong is written."""

from __future__ import annotations

import numpy as np
import onnxruntime
import torch

from .evaluate import inputs_of
from .potential import Potential
from .structures import Structure

#: eV per atom between the file and the module, both in float32.
_FILE_LIMIT = 2e-4


def check_file(potential: Potential, structures: list[Structure], model: bytes) -> None:
    """Runs the file and the module on each structure alone, which is another size than the export has seen.

    Raises a RuntimeError if they differ.
    """
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # With several threads its scatters lose additions now and then: 0.1 eV for SevenNet.
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options)
    for structure in structures:
        inputs = inputs_of(potential, [structure])
        with torch.no_grad():
            expected = potential.module(*inputs.values()).numpy()
        found = session.run(None, {name: tensor.numpy() for name, tensor in inputs.items()})[0]
        apart = float(np.abs(found - expected).max()) / len(structure.symbols)
        if not apart < _FILE_LIMIT:
            raise RuntimeError(f"the exported file differs from its module by {apart:.1e} eV per atom on a {structure.label}")
