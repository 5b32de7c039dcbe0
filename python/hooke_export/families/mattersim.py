"""MatterSim v1 1M and 5M (M3GNet)."""

from __future__ import annotations

import math
import sys
import types
from typing import Any

import numpy as np
import torch

from ..elements import SYMBOLS
from ..potential import TRIPLET_INPUTS, Potential
from ..weights import weights_file

_HEAVIEST = 94


def load(name: str = "") -> Potential:
    """Loads mattersim-v1-1m, mattersim-v1-5m, or a checkpoint file."""
    import ase.constraints
    import ase.stress

    # The place where mattersim looks for it; ASE has moved it.
    ase.constraints.full_3x3_to_voigt_6_stress = ase.stress.full_3x3_to_voigt_6_stress
    _replace_compiled_lists()
    from mattersim.forcefield.m3gnet.m3gnet import M3Gnet
    from mattersim.forcefield.potential import MatterSimCalculator
    from mattersim.forcefield.potential import Potential as Own

    path, license, source = weights_file(name or "mattersim-v1-1m", "mattersim")
    saved = torch.load(path, map_location="cpu", weights_only=False)
    sizes = saved["model_args"]
    network = M3Gnet(device="cpu", **sizes)
    network.load_state_dict(saved["model"], strict=False)
    numbers = torch.arange(_HEAVIEST + 1)
    shift = network.normalizer(torch.zeros(_HEAVIEST + 1), numbers).detach().double()
    scale = network.normalizer(torch.ones(_HEAVIEST + 1), numbers).detach().double() - shift
    whole = Own(_built(M3Gnet, saved), device="cpu")
    whole.model_name = "m3gnet"
    return Potential(
        name=path.stem,
        module=MatterSim(network.eval(), scale, float(sizes["cutoff"])),
        cutoff=float(sizes["cutoff"]),
        reach=float(sizes["threebody_cutoff"]),
        elements={SYMBOLS[number]: number for number in range(1, _HEAVIEST + 1)},
        inputs=TRIPLET_INPUTS,
        atom_energies={SYMBOLS[number]: float(shift[number]) for number in range(1, _HEAVIEST + 1)},
        calculator=lambda: MatterSimCalculator(whole, device="cpu"),
        # Its own box is 1000 Å wide, in which float32 leaves 1e-4 Å of a position.
        boxed=True,
        precision="float32",
        license=license,
        source=source,
        packages=("mattersim",),
    )


def _replace_compiled_lists() -> None:
    """Lists triplets in Python: the package's compiled module needs NumPy 1."""
    module = types.ModuleType("mattersim.datasets.utils.threebody_indices")
    module.compute_threebody = _ordered_triplets  # type: ignore[attr-defined]
    sys.modules[module.__name__] = module


def _ordered_triplets(bonds: np.ndarray, atoms: np.ndarray) -> tuple[np.ndarray, ...]:
    """Returns pairs of bonds of the same atom, and how many there are per bond, per atom and per structure."""
    centers = bonds[:, 0]
    per_atom = np.bincount(centers, minlength=int(atoms.sum()))
    pairs = [(a, b) for a in range(len(centers)) for b in np.flatnonzero(centers == centers[a]) if a != b]
    triplets = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    counts = per_atom * (per_atom - 1)
    return triplets, (per_atom[centers] - 1).astype(np.int32), counts, np.array([counts.sum()])


def _built(kind: Any, saved: Any) -> Any:
    network = kind(device="cpu", **saved["model_args"])
    network.load_state_dict(saved["model"], strict=False)
    return network.eval()


class MatterSim(torch.nn.Module):
    """M3GNet's blocks on unordered triplets, each used in both orders."""

    def __init__(self, network: Any, scale: torch.Tensor, cutoff: float) -> None:
        super().__init__()
        self.network = network
        self.cutoff = cutoff
        self.register_buffer("scale", scale)
        self.register_buffer("numbers", torch.arange(network.max_z + 1))
        self.register_buffer("coefficients", network.sbf.coef)
        network.sbf.coef = self.coefficients

    def forward(
        self,
        positions: torch.Tensor,
        species: torch.Tensor,
        edge_index: torch.Tensor,
        shifts: torch.Tensor,
        trip_edge: torch.Tensor,
        batch_idx: torch.Tensor,
        energy0: torch.Tensor,
    ) -> torch.Tensor:
        """Returns energies without the energies of free atoms, eV."""
        net = self.network
        source, target = edge_index[0], edge_index[1]
        vectors = positions[target] - positions[source] + shifts
        lengths = torch.linalg.vector_norm(vectors, dim=1)
        first = torch.cat([trip_edge[0], trip_edge[1]])
        second = torch.cat([trip_edge[1], trip_edge[0]])
        cosine = (vectors[first] * vectors[second]).sum(1) / (lengths[first] * lengths[second])
        basis = self._basis(lengths[second], torch.clamp(cosine, -1 + 1e-7, 1 - 1e-7))
        # The radial basis is not zero beyond the cutoff; all messages are products with it.
        near = (lengths < self.cutoff).to(positions.dtype)[:, None]
        radial = net.rbf(lengths) * near
        atoms = net.atom_embedding((species[:, None] == self.numbers[None, :]).to(positions.dtype))
        edges = net.edge_encoder(radial)
        for block in net.graph_conv:
            edges = edges + self._three_body(block.three_body, atoms, edges, lengths, source, first, second, basis)
            ends = torch.cat([atoms[source], atoms[target], edges], 1)
            edges = edges + block.gated_mlp_edge(ends) * block.edge_layer_edge(radial)
            ends = torch.cat([atoms[source], atoms[target], edges], 1)
            atoms = atoms.index_add(0, source, block.gated_mlp_atom(ends) * block.edge_layer_atom(radial))
        energies = net.final(atoms).reshape(-1) * self.scale[species]
        return energy0.index_add(0, batch_idx, energies)

    def _three_body(self, layer: Any, atoms: Any, edges: Any, lengths: Any, source: Any, a: Any, b: Any, basis: Any) -> Any:
        from mattersim.forcefield.m3gnet.modules.message_passing import polynomial

        fade = polynomial(lengths, layer.threebody_cutoff)
        mask = layer.atom_mlp(atoms)[source[b]] * (fade[a] * fade[b])[:, None]
        sums = edges.new_zeros(edges.shape[0], basis.shape[1]).index_add(0, a, basis * mask)
        return layer.edge_gate_mlp(sums)

    def _basis(self, lengths: torch.Tensor, cosine: torch.Tensor) -> torch.Tensor:
        """Returns the spherical basis from the cosine: with cos(acos(x)) it loses digits, and on GPUs most of them."""
        from mattersim.forcefield.m3gnet.modules import angle_encoding

        scripted = angle_encoding._spherical_harmonics
        angle_encoding._spherical_harmonics = lambda _highest, _x: _legendre(cosine)
        try:
            return self.network.sbf(lengths, torch.zeros_like(cosine))
        finally:
            angle_encoding._spherical_harmonics = scripted


def _legendre(x: torch.Tensor) -> torch.Tensor:
    """Returns spherical harmonics of order 0 to degree 3, shape [T, 4]."""
    norm = [math.sqrt((2 * degree + 1) / (4 * math.pi)) for degree in range(4)]
    polynomials = [torch.ones_like(x), x, (3 * x**2 - 1) / 2, x * (5 * x**2 - 3) / 2]
    return torch.stack([n * p for n, p in zip(norm, polynomials)], -1)
