"""Checks of an exported potential: nothing that is wrong is written."""

from __future__ import annotations

import numpy as np
import onnxruntime
import torch

from .evaluate import evaluate_module, inputs_of
from .potential import Potential
from .structures import Structure
from .tolerance import largest_jumps

#: Pairs of elements that are moved across the cutoff.
_PAIRS = 8
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


def jumps_at_cutoff(potential: Potential) -> tuple[float, float]:
    """Returns by how much energies (eV) and forces (eV/Å) jump at most where a pair comes within the cutoff."""
    symbols = list(potential.index_of())
    step = max(1, len(symbols) // _PAIRS)
    pairs = [(one, symbols[(place + 1) % len(symbols)]) for place, one in enumerate(symbols)][::step]
    found: list[tuple[float, float]] = []
    for pair in pairs:
        inside, outside = (
            evaluate_module(potential, _pair(pair, potential.cutoff * (1 + offset)), torch.float32)
            for offset in (-1e-5, 1e-5)
        )
        found.append((abs(inside.energy - outside.energy), float(np.abs(inside.forces - outside.forces).max())))
    return largest_jumps(found)


def _pair(symbols: tuple[str, str], distance: float) -> Structure:
    """Returns two atoms, and a third near the first: some networks need a neighbor."""
    near = min(2.0, distance / 2)
    positions = np.array([[0, 0, 0], [distance, 0, 0], [0, near, 0]])
    return Structure("pair at the cutoff", [*symbols, symbols[0]], positions, np.zeros((3, 3)), (False,) * 3)
