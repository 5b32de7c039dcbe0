"""A network of one's own: a Python file with a class that has `cutoff`, `elements` and `energy`."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import torch

from ..potential import Potential


def load(name: str) -> Potential:
    """Makes a potential of the only class in a file that follows the protocol; it is created without arguments."""
    path = Path(name)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.exists():
        raise FileNotFoundError(f"cannot import {name}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    classes = [one for one in vars(module).values() if _follows(one, module.__name__)]
    if len(classes) != 1:
        raise TypeError(f"{name} must have one torch.nn.Module with cutoff, elements and energy; found {len(classes)}")
    network = classes[0]()
    return Potential(
        name=getattr(network, "name", path.stem),
        module=Energy(network),
        cutoff=float(network.cutoff),
        elements=network.elements,
        atom_energies=getattr(network, "atom_energies", {}),
        license=getattr(network, "license", ""),
        source=getattr(network, "source", path.name),
    )


def _follows(value: Any, module: str) -> bool:
    is_class = isinstance(value, type) and issubclass(value, torch.nn.Module)
    return is_class and value.__module__ == module and hasattr(value, "energy")


class Energy(torch.nn.Module):
    """Calls `energy` of the user's network."""

    def __init__(self, network: torch.nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(
        self,
        positions: torch.Tensor,
        species: torch.Tensor,
        edge_index: torch.Tensor,
        shifts: torch.Tensor,
        batch_idx: torch.Tensor,
        energy0: torch.Tensor,
    ) -> torch.Tensor:
        """Returns energies per system, eV."""
        return self.network.energy(positions, species, edge_index, shifts, batch_idx, energy0)
