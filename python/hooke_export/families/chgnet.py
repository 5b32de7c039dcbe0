"""CHGNet 0.3.0 and its r2SCAN version, whose weights are in the wheel."""

from __future__ import annotations

from typing import Any

import torch

from ..elements import SYMBOLS
from ..exact_layers import replace_sigmoids
from ..potential import Potential

_INPUTS = ("positions", "species", "edge_index", "shifts", "reverse_edge", "trip_edge", "batch_idx", "energy0")


def load(name: str = "") -> Potential:
    """Loads 0.3.0 or r2scan."""
    from chgnet.model.dynamics import CHGNetCalculator
    from chgnet.model.model import CHGNet

    name = name or "0.3.0"
    network = CHGNet.load(model_name=name, use_device="cpu", verbose=False).eval()
    if network.graph_converter.atom_graph_cutoff != network.bond_basis_expansion.rbf_expansion_ag.smooth_cutoff.cutoff:
        raise ValueError("the cutoffs of the graph and of the radial basis differ")
    free = network.composition_model.fc.weight.detach().double()[0]
    whole = _in_float64(CHGNet.load(model_name=name, use_device="cpu", verbose=False))
    replace_sigmoids(network)
    kinds = range(1, len(free) + 1)
    return Potential(
        name=f"chgnet-{name}",
        module=ChgNet(network),
        cutoff=float(network.graph_converter.atom_graph_cutoff),
        reach=float(network.graph_converter.bond_graph_cutoff),
        elements={SYMBOLS[number]: number - 1 for number in kinds},
        inputs=_INPUTS,
        atom_energies={SYMBOLS[number]: float(free[number - 1]) for number in kinds},
        calculator=lambda: CHGNetCalculator(whole, use_device="cpu", on_isolated_atoms="ignore"),
        boxed=True,
        license="BSD-3-Clause (modified)",
        source=f"wheel chgnet 0.4.2: {name}",
        packages=("chgnet",),
    )


def _in_float64(network: Any) -> Any:
    """Makes the package compute in float64, except the energies of free atoms."""
    import chgnet.graph.converter as converter
    import chgnet.graph.crystalgraph as crystalgraph
    import chgnet.model.model as model

    for module in (converter, crystalgraph, model):
        module.TORCH_DTYPE = torch.float64
    network.double()
    network.composition_model.float()
    return network.eval()


class ChgNet(torch.nn.Module):
    """CHGNet with features on directed edges.

    The package keeps one feature per undirected bond. Both directions of an edge have the same features here; what
    angles add to one direction is added to the other by `reverse_edge`.
    """

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network
        self.cutoff = float(network.graph_converter.atom_graph_cutoff)

    def forward(
        self,
        positions: torch.Tensor,
        species: torch.Tensor,
        edge_index: torch.Tensor,
        shifts: torch.Tensor,
        reverse_edge: torch.Tensor,
        trip_edge: torch.Tensor,
        batch_idx: torch.Tensor,
        energy0: torch.Tensor,
    ) -> torch.Tensor:
        """Returns energies without the composition model, eV."""
        net = self.network
        source, target = edge_index[0], edge_index[1]
        vectors = positions[target] - positions[source] + shifts
        lengths = torch.linalg.vector_norm(vectors, dim=1)
        radial = net.bond_basis_expansion.rbf_expansion_ag(lengths)
        bonds = net.bond_embedding(radial)
        atom_weights = net.bond_weights_ag(radial)
        bond_weights = net.bond_weights_bg(net.bond_basis_expansion.rbf_expansion_bg(lengths))
        first = torch.cat([trip_edge[0], trip_edge[1]])
        second = torch.cat([trip_edge[1], trip_edge[0]])
        directions = vectors / lengths[:, None]
        angles = net.angle_embedding(self._angular(directions[first], directions[second]))
        weights = bond_weights[first] * bond_weights[second]
        centers = source[first]
        atoms = net.atom_embedding.embedding.weight[species]
        for depth, atom_layer in enumerate(net.atom_conv_layers):
            messages = atom_layer.twoBody_atom(torch.cat([atoms[source], bonds, atoms[target]], 1)) * atom_weights
            sums = torch.zeros_like(atoms).index_add(0, source, messages)
            atoms = _norm(atom_layer.atom_norm, atom_layer.mlp_out(sums) + atoms)
            if depth == len(net.bond_conv_layers):
                break
            bond_layer, angle_layer = net.bond_conv_layers[depth], net.angle_layers[depth]
            around = torch.cat([bonds[first], bonds[second], angles, atoms[centers]], 1)
            sums = torch.zeros_like(bonds).index_add(0, first, bond_layer.twoBody_bond(around) * weights)
            bonds = _norm(bond_layer.bond_norm, bond_layer.mlp_out(sums + sums[reverse_edge]) + bonds)
            around = torch.cat([bonds[first], bonds[second], angles, atoms[centers]], 1)
            angles = _norm(angle_layer.angle_norm, angle_layer.twoBody_bond(around) + angles)
        energies = net.mlp(_norm(net.readout_norm, atoms)).reshape(-1)
        return energy0.index_add(0, batch_idx, energies)

    def _angular(self, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """Returns the Fourier basis of acos((1 - 1e-6) u·v).

        The arc tangent of half the angle keeps the digits that acos loses for collinear bonds, in float32 all but three.
        """
        fourier = self.network.angle_basis_expansion.fourier_expansion
        x, y, z = u[:, 0], u[:, 1], u[:, 2]
        p, q, r = v[:, 0], v[:, 1], v[:, 2]
        dot = (u * v).sum(1)
        cross = (y * r - z * q) ** 2 + (z * p - x * r) ** 2 + (x * q - y * p) ** 2
        cosine = dot * (1 - 1e-6)
        sine = torch.sqrt(cross + dot * dot * 2e-6)
        half = torch.atan(sine / (1 + torch.abs(cosine)))
        angle = torch.where(cosine > 0, 2 * half, torch.pi - 2 * half)
        turns = angle[:, None] * fourier.frequencies[None, :]
        constant = torch.full_like(angle[:, None], 0.5**0.5)
        return torch.cat([constant, torch.sin(turns), torch.cos(turns)], 1) / torch.pi**0.5


def _norm(layer: torch.nn.Module | None, features: torch.Tensor) -> torch.Tensor:
    return features if layer is None else layer(features)
