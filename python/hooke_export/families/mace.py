"""MACE, from a file that its authors or a training run wrote."""

from __future__ import annotations

from typing import Any

import torch

from ..elements import SYMBOLS
from ..potential import Potential
from ..weights import weights_file


def load(name: str = "") -> Potential:
    """Loads mace-mp-small, mace-off23-small, or a file of weights (`*.model`)."""
    from mace.calculators import MACECalculator

    path, license, source = weights_file(name or "mace-mp-small", "mace")
    saved = torch.load(path, map_location="cpu", weights_only=False)
    network = _rebuilt(saved)
    symbols = [SYMBOLS[int(number)] for number in network.atomic_numbers]
    free = saved.atomic_energies_fn.atomic_energies.detach().double().reshape(-1, len(symbols))[0]
    return Potential(
        name=path.stem,
        module=Mace(network, len(symbols)),
        cutoff=float(network.r_max),
        elements=symbols,
        atom_energies={symbol: float(energy) for symbol, energy in zip(symbols, free)},
        calculator=lambda: MACECalculator(model_paths=str(path), device="cpu", default_dtype="float64"),
        license=license,
        source=source,
        packages=("mace-torch", "e3nn"),
    )


def _rebuilt(saved: torch.nn.Module) -> torch.nn.Module:
    """Builds the network anew without TorchScript: the modules in a file are scripts, which cannot be exported."""
    from mace.tools.compile import prepare
    from mace.tools.scripts_utils import extract_model

    torch.set_default_dtype(torch.float64)
    network = prepare(lambda: extract_model(saved.double(), map_location="cpu"))().double().eval()
    torch.set_default_dtype(torch.float32)
    return network


class Mace(torch.nn.Module):
    """The layers between edge vectors and atomic energies; the energies of free atoms are left to the manifest."""

    def __init__(self, network: Any, kinds: int) -> None:
        super().__init__()
        self.network = network
        self.register_buffer("kinds", torch.arange(kinds))
        self.cutoff = float(network.r_max)

    def forward(
        self,
        positions: torch.Tensor,
        species: torch.Tensor,
        edge_index: torch.Tensor,
        shifts: torch.Tensor,
        batch_idx: torch.Tensor,
        energy0: torch.Tensor,
    ) -> torch.Tensor:
        """Returns energies without the energies of free atoms, eV."""
        net = self.network
        attributes = (species[:, None] == self.kinds[None, :]).to(positions.dtype)
        heads = torch.zeros_like(species)
        vectors = positions[edge_index[1]] - positions[edge_index[0]] + shifts
        lengths = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
        features = net.node_embedding(attributes)
        harmonics = net.spherical_harmonics(vectors)
        radial, cutoff = net.radial_embedding(lengths, attributes, edge_index, net.atomic_numbers)
        energies = torch.zeros_like(positions[:, 0])
        for depth, (interaction, product) in enumerate(zip(net.interactions, net.products)):
            features, skip = interaction(
                node_attrs=attributes,
                node_feats=features,
                edge_attrs=harmonics,
                edge_feats=radial,
                edge_index=edge_index,
                cutoff=cutoff,
                first_layer=depth == 0,
            )
            features = product(node_feats=features, sc=skip, node_attrs=attributes)
            if len(net.readouts) > 1:
                energies = energies + net.readouts[depth](features, heads)[:, 0]
        if len(net.readouts) == 1:
            energies = energies + net.readouts[0](features, heads)[:, 0]
        if hasattr(net, "pair_repulsion"):
            energies = energies + net.pair_repulsion_fn(lengths, attributes, edge_index, net.atomic_numbers)
        if hasattr(net, "scale_shift"):
            energies = net.scale_shift(energies, heads)
        return energy0.index_add(0, batch_idx, energies)
