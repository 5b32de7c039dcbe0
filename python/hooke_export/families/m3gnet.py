"""M3GNet of matgl 4 (PyTorch Geometric), from a folder that matgl saved."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import torch

from ..potential import TRIPLET_INPUTS, Potential
from ..weights import WEIGHTS, weights_file
from .matgl_files import OLD, refuse_old
from .tensornet import offsets_of


def load(name: str = "") -> Potential:
    """Loads m3gnet-mp-2021, or a folder with a saved `Potential`; `matgl2:FOLDER` if matgl 2 or older saved it."""
    import matgl
    from matgl.ext.ase import PESCalculator

    path, license, source, at_targets = _file(name or "m3gnet-mp-2021")
    matgl.set_default_dtype("float", 64)
    whole = matgl.load_model(path).double()
    torch.set_default_dtype(torch.float32)
    network = copy.deepcopy(whole.model)
    basis = network.basis_expansion
    plain = type(network).__name__ == "M3GNet" and not (network.is_intensive or network.include_state)
    if not plain or basis.use_phi or float(whole.data_mean) != 0 or whole.calc_repuls:
        raise NotImplementedError(f"{name} is not a plain M3GNet of energies")
    if at_targets:
        sum_at_targets(whole.model)
    symbols = list(network.element_types)
    return Potential(
        name=path.name,
        module=M3GNet(network, float(whole.data_std), at_targets),
        cutoff=float(network.cutoff),
        reach=float(network.threebody_cutoff),
        elements=symbols,
        inputs=TRIPLET_INPUTS,
        atom_energies={symbol: float(one) for symbol, one in zip(symbols, offsets_of(whole, len(symbols)))},
        calculator=lambda: PESCalculator(whole, stress_unit="eV/A3", use_voigt=True),
        boxed=True,
        license=license,
        source=source,
        packages=("matgl",),
    )


def _file(name: str) -> tuple[Path, str, str, bool]:
    """Returns path, license and source of weights, and whether messages are summed at targets."""
    folder = name.removeprefix(OLD)
    path, license, source = weights_file(folder, "m3gnet")
    at_targets = folder in WEIGHTS or name.startswith(OLD)
    if not at_targets:
        refuse_old(name, path, f"if it is older, call it {OLD}{folder}")
    return path, license, source, at_targets


def sum_at_targets(network: Any) -> None:
    """Makes the package's own network compute what versions before 3 did."""
    for layer in network.graph_layers:
        layer.conv.node_update_ = _at_targets(layer.conv)


def _at_targets(conv: Any) -> Any:
    def update(
        edge_index: torch.Tensor, edges: torch.Tensor, atoms: torch.Tensor, radial: torch.Tensor, state: Any, count: int
    ) -> torch.Tensor:
        source, target = edge_index[0], edge_index[1]
        ends = torch.hstack([atoms[source], atoms[target], edges])
        messages = conv.node_update_func(ends) * conv.node_weight_func(radial)
        return messages.new_zeros(count, messages.shape[1]).index_add(0, target, messages)

    return update


class M3GNet(torch.nn.Module):
    """The network on unordered triplets, each used in both orders."""

    def __init__(self, network: Any, scale: float, at_targets: bool) -> None:
        super().__init__()
        self.network = network
        self.scale = scale
        self.at_targets = at_targets

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
        """Returns energies without the energies of elements, eV."""
        from matgl.utils.cutoff import polynomial_cutoff

        net = self.network
        source, target = edge_index[0], edge_index[1]
        vectors = positions[target] - positions[source] + shifts
        lengths = torch.linalg.vector_norm(vectors, dim=1)
        near = (lengths < net.cutoff).to(positions.dtype)[:, None]
        radial = net.bond_expansion(lengths) * near
        first = torch.cat([trip_edge[0], trip_edge[1]])
        second = torch.cat([trip_edge[1], trip_edge[0]])
        basis = self._basis(vectors, lengths, first, second)
        fade = polynomial_cutoff(lengths, net.threebody_cutoff)
        weights = (fade[first] * fade[second])[:, None]
        atoms, edges, _ = net.embedding(species, radial, None)
        for three_body, layer in zip(net.three_body_interactions, net.graph_layers):
            ends = three_body.update_network_atom(atoms)[target[second]]
            sums = edges.new_zeros(edges.shape[0], basis.shape[1]).index_add(0, first, basis * ends * weights)
            edges = edges + three_body.update_network_bond(sums)
            edges, atoms = self._convolve(layer.conv, source, target, edges, atoms, radial)
        energies = net.final_layer(atoms).reshape(-1) * self.scale
        return energy0.index_add(0, batch_idx, energies)

    def _basis(
        self, vectors: torch.Tensor, lengths: torch.Tensor, first: torch.Tensor, second: torch.Tensor
    ) -> torch.Tensor:
        """Returns spherical Bessel functions times Legendre polynomials, one row per ordered triplet."""
        both = self.network.basis_expansion
        cosine = (vectors[first] * vectors[second]).sum(1) / (lengths[first] * lengths[second])
        cosine = torch.clamp(cosine, -1 + 1e-7, 1 - 1e-7)
        angular = both.shf(cosine, torch.zeros_like(cosine))
        return both.sbf(lengths[second]) * torch.repeat_interleave(angular, both.max_n, dim=1)

    def _convolve(
        self,
        layer: Any,
        source: torch.Tensor,
        target: torch.Tensor,
        edges: torch.Tensor,
        atoms: torch.Tensor,
        radial: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Updates edges, then atoms."""
        ends = torch.cat([atoms[source], atoms[target], edges], 1)
        edges = edges + layer.edge_update_func(ends) * layer.edge_weight_func(radial)
        ends = torch.cat([atoms[source], atoms[target], edges], 1)
        center = target if self.at_targets else source
        return edges, atoms.index_add(0, center, layer.node_update_func(ends) * layer.node_weight_func(radial))
