"""ANI-1x and ANI-1ccx of torchani 2.0: later wheels have empty files in place of the weights."""

from __future__ import annotations

import math
from typing import Any

import torch

from ..potential import TRIPLET_INPUTS, Potential

HARTREE = 27.211386024367243  # eV, as torchani has it

_CLASSES = {"ani-1x": "ANI1x", "ani-1ccx": "ANI1ccx"}


def load(name: str = "") -> Potential:
    """Loads the ensemble of eight networks; `name` is ani-1x or ani-1ccx."""
    from torchani import models

    name = name or "ani-1x"
    ensemble = getattr(models, _CLASSES[name])(periodic_table_index=False).double()
    computer = ensemble.aev_computer
    symbols = list(ensemble.species)
    shifts = ensemble.energy_shifter.self_energies.tolist()
    return Potential(
        name=name,
        module=Ani(ensemble, len(symbols)),
        cutoff=float(computer.Rcr),
        reach=float(computer.Rca),
        elements=symbols,
        inputs=TRIPLET_INPUTS,
        atom_energies={symbol: shift * HARTREE for symbol, shift in zip(symbols, shifts)},
        calculator=lambda: ensemble.ase(),
        license="MIT",
        source="wheel torchani 2.0",
        packages=("torchani",),
    )


class Ani(torch.nn.Module):
    """Atomic environment vectors from edges and triplets, and the mean of an ensemble."""

    def __init__(self, ensemble: Any, kinds: int) -> None:
        super().__init__()
        computer = ensemble.aev_computer
        self.kinds = kinds
        self.cutoff, self.reach = float(computer.Rcr), float(computer.Rca)
        for name in ("EtaR", "ShfR", "EtaA", "Zeta", "ShfA", "ShfZ"):
            self.register_buffer(name, getattr(computer, name).detach().clone())
        table = torch.zeros(kinds, kinds, dtype=torch.long)
        at = 0
        for a in range(kinds):
            for b in range(a, kinds):
                table[a, b] = table[b, a] = at
                at += 1
        self.pairs = at
        self.register_buffer("pair_of", table.reshape(-1))
        self.networks = torch.nn.ModuleList(
            Stacked([list(member.values())[kind] for member in ensemble.neural_networks]) for kind in range(kinds)
        )

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
        """Returns energies without the self energies, eV."""
        source, target = edge_index[0], edge_index[1]
        vectors = positions[target] - positions[source] + shifts
        lengths = torch.linalg.vector_norm(vectors, dim=1)
        radial = self._radial(lengths)
        count = positions.shape[0]
        rows = source * self.kinds + species[target]
        radials = radial.new_zeros(count * self.kinds, radial.shape[1]).index_add(0, rows, radial)
        first, second = trip_edge[0], trip_edge[1]
        angular = self._angular(vectors[first], vectors[second], lengths[first], lengths[second])
        pair = self.pair_of[species[target[first]] * self.kinds + species[target[second]]]
        rows = source[first] * self.pairs + pair
        angulars = angular.new_zeros(count * self.pairs, angular.shape[1]).index_add(0, rows, angular)
        features = torch.cat([radials.reshape(count, -1), angulars.reshape(count, -1)], 1)
        atoms = torch.zeros_like(positions[:, 0])
        for kind, network in enumerate(self.networks):
            atoms = torch.where(species == kind, network(features), atoms)
        return energy0.index_add(0, batch_idx, atoms * HARTREE)

    def _radial(self, lengths: torch.Tensor) -> torch.Tensor:
        far = lengths[:, None] - self.ShfR.reshape(1, -1)
        terms = 0.25 * torch.exp(-self.EtaR.reshape(1, -1) * far * far)
        return terms * _switch(lengths, self.cutoff)[:, None]

    def _angular(self, u: torch.Tensor, v: torch.Tensor, r: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
        # cos(θ − θs) without acos, which is inexact on GPUs; 0.95 is the factor of torchani's own acos.
        cosine = 0.95 * (u * v).sum(1) / (r * s)
        sine = torch.sqrt(1 - cosine * cosine)
        turned = cosine[:, None] * torch.cos(self.ShfZ).reshape(1, -1) + sine[:, None] * torch.sin(self.ShfZ).reshape(1, -1)
        angles = ((1 + turned) / 2) ** self.Zeta.reshape(1, -1)
        far = ((r + s) / 2)[:, None] - self.ShfA.reshape(1, -1)
        shells = torch.exp(-self.EtaA.reshape(1, -1) * far * far)
        weight = 2 * _switch(r, self.reach) * _switch(s, self.reach)
        return (shells[:, :, None] * angles[:, None, :]).flatten(1) * weight[:, None]


class Stacked(torch.nn.Module):
    """The networks of one element in all members of the ensemble, evaluated together."""

    def __init__(self, members: list[torch.nn.Module]) -> None:
        super().__init__()
        layers = [[layer for layer in member if isinstance(layer, torch.nn.Linear)] for member in members]
        self.weights = torch.nn.ParameterList(torch.stack([one.weight.T for one in row]) for row in zip(*layers))
        self.biases = torch.nn.ParameterList(torch.stack([one.bias[None] for one in row]) for row in zip(*layers))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Returns the mean energy of each atom, Hartree."""
        x = features[None]
        for depth, (weight, bias) in enumerate(zip(self.weights, self.biases)):
            if depth > 0:
                # CELU with α = 0.1, in operators that every runtime differentiates.
                x = torch.relu(x) + 0.1 * (torch.exp(torch.clamp(x, max=0.0) / 0.1) - 1)
            x = torch.matmul(x, weight) + bias
        return x.mean(0)[:, 0]


def _switch(lengths: torch.Tensor, cutoff: float) -> torch.Tensor:
    return torch.where(lengths < cutoff, 0.5 * torch.cos(lengths * (math.pi / cutoff)) + 0.5, 0.0)
