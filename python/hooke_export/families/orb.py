"""ORB v3 with conservative forces, all neighbors within 6 Å."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from ..elements import SYMBOLS
from ..potential import Potential

_KINDS = 118
_CUTOFF = 6.0


def load(name: str = "") -> Potential:
    """Loads `architecture:file`, as in orb-v3-conservative-inf-omat:orb.ckpt; `random` makes a small network."""
    _leave_out_downloads()
    from orb_models.forcefield.atomic_system import SystemConfig
    from orb_models.forcefield.calculator import ORBCalculator

    name = name or "random"
    network, whole = _network(name).eval(), _network(name).double().eval()
    if network.system_config is not None and network.system_config.max_num_neighbors < 100:
        raise NotImplementedError("a cap on the number of neighbors cannot be exported")
    free = network.heads["energy"].reference.linear.weight.detach().double().reshape(-1)
    config = SystemConfig(radius=_CUTOFF, max_num_neighbors=500)
    numbers = range(1, 95)

    def calculator() -> Any:
        torch.set_default_dtype(torch.float64)  # graphs are made in it
        return ORBCalculator(whole, system_config=config, edge_method="knn_scipy", device="cpu")

    return Potential(
        name=Path(name).stem,
        module=Orb(network),
        cutoff=_CUTOFF,
        elements={SYMBOLS[number]: number for number in numbers},
        atom_energies={SYMBOLS[number]: float(free[number]) for number in numbers},
        calculator=calculator,
        boxed=True,
        license="Apache-2.0 (the code)",
        source="random weights" if name == "random" else name.rsplit("/", 1)[-1],
        packages=("orb-models",),
    )


def _leave_out_downloads() -> None:
    """Replaces a package that fetches weights, with dozens of dependencies: files are local here."""
    module = types.ModuleType("cached_path")
    module.cached_path = lambda path: path  # type: ignore[attr-defined]
    sys.modules.setdefault("cached_path", module)


def _network(name: str) -> Any:
    from orb_models.forcefield import pretrained

    if name != "random":
        architecture, _, path = name.partition(":")
        build = pretrained.ORB_PRETRAINED_MODELS[architecture]
        return build(weights_path=path, device="cpu", precision="float32-highest", compile=False)
    torch.manual_seed(0)
    sizes = {"latent_dim": 64, "base_mlp_hidden_dim": 128, "head_mlp_hidden_dim": 64}
    return pretrained.orb_v3_conservative_architecture(**sizes, num_message_passing_steps=3, device="cpu")


class Orb(torch.nn.Module):
    """The network, its energy head and the repulsion of close nuclei."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network.model
        self.head = network.heads["energy"]
        self.repulsion = network.pair_repulsion_fn if network.pair_repulsion else None
        self.power = float(self.repulsion.p) if self.repulsion is not None else 0.0
        self.register_buffer("kinds", torch.arange(_KINDS))

    def forward(
        self,
        positions: torch.Tensor,
        species: torch.Tensor,
        edge_index: torch.Tensor,
        shifts: torch.Tensor,
        batch_idx: torch.Tensor,
        energy0: torch.Tensor,
    ) -> torch.Tensor:
        """Returns energies without the reference energies of elements, eV."""
        source, target = edge_index[0], edge_index[1]
        vectors = positions[target] - positions[source] + shifts
        batch = SimpleNamespace(
            edge_features={"vectors": vectors},
            node_features={
                "atomic_numbers": species,
                "atomic_numbers_embedding": (species[:, None] == self.kinds[None, :]).to(positions.dtype),
            },
            senders=source,
            receivers=target,
        )
        features = self.network(batch)["node_features"]
        counts = energy0.index_add(0, batch_idx, torch.ones_like(positions[:, 0]))
        sums = features.new_zeros(energy0.shape[0], features.shape[1]).index_add(0, batch_idx, features)
        value = self.head.normalizer.inverse(self.head.mlp(sums / counts[:, None])).reshape(-1)
        energies = energy0 + (value * counts if self.head.atom_avg else value)
        if self.repulsion is None:
            return energies
        pairs = self._repulsion(torch.linalg.vector_norm(vectors, dim=1), species[source], species[target])
        atoms = torch.zeros_like(positions[:, 0]).index_add(0, source, pairs)
        repulsion = torch.zeros_like(energy0).index_add(0, batch_idx, atoms)
        return energies + (repulsion / counts if self.repulsion.node_aggregation == "mean" else repulsion)

    def _repulsion(self, r: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        """Returns half the Ziegler-Biersack-Littmark energy of each edge."""
        zbl: Any = self.repulsion
        a, b = first + 1, second + 1  # as the package has it: one above the atomic number
        u, v = a.to(r.dtype), b.to(r.dtype)
        length = zbl.a_prefactor * 0.529 / (u**zbl.a_exp + v**zbl.a_exp)
        screening = (zbl.c.T * torch.exp(-zbl.d.T * (r / length)[:, None])).sum(1)
        reach = zbl.covalent_radii[a] + zbl.covalent_radii[b]
        x, p = r / reach, self.power
        fade = 1 - (p + 1) * (p + 2) / 2 * x**p + p * (p + 2) * x ** (p + 1) - p * (p + 1) / 2 * x ** (p + 2)
        return torch.where(x < 1, 0.5 * 14.3996 * u * v / r * screening * fade, torch.zeros_like(r))
