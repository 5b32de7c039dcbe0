"""TensorNet of matgl 4 (PyTorch Geometric), from a folder that matgl saved, or with random weights."""

from __future__ import annotations

import copy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from ..potential import Potential
from .matgl_files import refuse_old


def load(name: str = "") -> Potential:
    """Loads a folder with a saved `Potential`; `random` makes a small network."""
    import matgl
    import matgl.utils.maths as maths
    from matgl.ext.ase import PESCalculator

    # Its squeeze(0) only matters for a single edge, and makes an invalid operator of a free length.
    _without_squeeze(maths)
    name = name or "random"
    matgl.set_default_dtype("float", 64)
    whole = _potential(name)
    torch.set_default_dtype(torch.float32)
    network = copy.deepcopy(whole.model)
    if type(network).__name__ != "TensorNet" or network.is_intensive or network.include_state:
        raise NotImplementedError(f"{name} is not a TensorNet of energies")
    symbols = list(network.element_types)
    offsets = offsets_of(whole, len(symbols))
    return Potential(
        name=Path(name).name,
        module=TensorNet(network, float(whole.data_std)),
        cutoff=float(network.cutoff),
        elements=symbols,
        atom_energies={symbol: float(offset) for symbol, offset in zip(symbols, offsets)},
        calculator=lambda: PESCalculator(whole, stress_unit="eV/A3", use_voigt=True),
        boxed=True,
        license="BSD-3-Clause (the code)",
        source="random weights" if name == "random" else Path(name).name,
        packages=("matgl",),
    )


def _potential(name: str) -> Any:
    import matgl
    from matgl.apps.pes import Potential as Own
    from matgl.models import TensorNet as Network

    if name != "random":
        if Path(name).is_dir():
            refuse_old(name, Path(name), "if it is older, it cannot be exported")
        return matgl.load_model(name)
    torch.manual_seed(0)
    network = Network(is_intensive=False, use_warp=False, units=32, nblocks=2, dtype=torch.float64)
    references = torch.linspace(-3, -1, len(network.element_types)).numpy()
    return Own(network.double(), element_refs=references, data_std=20.0)


def offsets_of(whole: Any, count: int) -> torch.Tensor:
    """Returns what each element adds."""
    if whole.element_refs is None:
        return torch.zeros(count)
    return whole.element_refs.property_offset.detach().double().reshape(-1)


def _without_squeeze(maths: Any) -> None:
    import matgl.layers._embedding as embedding

    def skew(vector: torch.Tensor) -> torch.Tensor:
        x, y, z = vector[:, 0], vector[:, 1], vector[:, 2]
        zero = torch.zeros_like(x)
        return torch.stack((zero, -z, y, z, zero, -x, -y, x, zero), dim=1).reshape(-1, 3, 3)

    for module in (maths, embedding):
        module.vector_to_skewtensor = skew


class TensorNet(torch.nn.Module):
    """The network up to the energy of each atom."""

    def __init__(self, network: Any, scale: float) -> None:
        super().__init__()
        self.network = network
        self.scale = scale

    def forward(
        self,
        positions: torch.Tensor,
        species: torch.Tensor,
        edge_index: torch.Tensor,
        shifts: torch.Tensor,
        batch_idx: torch.Tensor,
        energy0: torch.Tensor,
    ) -> torch.Tensor:
        """Returns energies without the energies of elements, eV."""
        graph = SimpleNamespace(node_type=species, pos=positions, edge_index=edge_index, pbc_offshift=shifts)
        features = self.network.forward_features(graph)["readout"]
        energies = self.network.final_layer(features).reshape(-1) * self.scale
        return energy0.index_add(0, batch_idx, energies)
