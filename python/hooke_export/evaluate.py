"""Energies, forces and stresses of the reference structures."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from .graph import joined_graph
from .potential import Potential
from .structures import Structure


@dataclass(frozen=True)
class Values:
    """Results for one structure."""

    #: eV.
    energy: float
    #: eV/Å, shape [N, 3].
    forces: np.ndarray
    #: eV/Å³, positive under tension, shape [3, 3]; None if the structure does not repeat in all directions.
    stress: np.ndarray | None


def evaluate(potential: Potential, structure: Structure, calculator: Any = None) -> Values:
    """Asks the family's own ASE calculator, or the module in float64 if there is none."""
    if calculator is None:
        return evaluate_module(potential, structure)
    from ase import Atoms

    atoms = Atoms(structure.symbols, structure.positions, cell=structure.cell, pbc=structure.pbc)
    if potential.boxed and not all(structure.pbc):
        if not any(structure.pbc):
            atoms = Atoms(structure.symbols, structure.positions + 15, cell=[30, 30, 30])
        atoms.pbc = True
    atoms.calc = calculator
    energy, forces = atoms.get_potential_energy(), atoms.get_forces()
    stress = atoms.get_stress(voigt=False) if all(structure.pbc) else None
    return Values(float(energy), np.asarray(forces, float), stress)


def evaluate_module(potential: Potential, structure: Structure, dtype: torch.dtype = torch.float64) -> Values:
    """Differentiates the module that is exported."""
    module = copy.deepcopy(potential.module).to(dtype)
    inputs = inputs_of(potential, [structure], dtype)
    strain = torch.zeros(3, 3, dtype=dtype, requires_grad=True)
    symmetric = torch.eye(3, dtype=dtype) + (strain + strain.T) / 2
    positions = inputs["positions"].clone().requires_grad_(True)
    shifts = {name: inputs[name] @ symmetric for name in ("shifts", "shifts_far") if name in inputs}
    moved = {**inputs, "positions": positions @ symmetric, **shifts}
    energy = module(*(moved[name] for name in potential.inputs))
    gradient, virial = torch.autograd.grad(energy.sum(), [positions, strain], allow_unused=True)
    free = sum(potential.atom_energies.get(symbol, 0.0) for symbol in structure.symbols)
    forces = np.zeros_like(structure.positions) if gradient is None else -gradient.double().numpy()
    volume = abs(np.linalg.det(structure.cell))
    flat = np.zeros((3, 3)) if virial is None else virial.double().numpy()
    stress = flat / volume if all(structure.pbc) else None
    return Values(float(energy.detach().sum()) + free, forces, stress)


def inputs_of(
    potential: Potential, structures: Sequence[Structure], dtype: torch.dtype = torch.float32
) -> dict[str, torch.Tensor]:
    """Returns the inputs of the module, in its own order."""
    graph = joined_graph(structures, potential.index_of(), potential.cutoff, potential.reach, potential.far)
    return {name: graph[name].to(dtype) if graph[name].is_floating_point() else graph[name] for name in potential.inputs}
