"""AIMNet2 of aimnet 0.2.5: neutral closed-shell systems, with damped Coulomb sums and DFT-D3 within 15 Å."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import torch

from ..elements import SYMBOLS
from ..potential import Potential

#: What the package takes for periodic systems: damped shifted forces within this distance, Å.
_FAR = 15.0
_ALPHA = 0.2
_INPUTS = (
    "positions", "species", "edge_index", "shifts", "edge_index_far", "shifts_far", "batch_idx", "energy0"
)
#: Parts of a model that the graph has, and those that add nothing to the energy.
_KNOWN = {"Output", "AtomicShift", "AtomicSum", "SRCoulomb", "Dipole", "Quadrupole"}


def load(name: str = "") -> Potential:
    """Loads a file `*.pt` of the package's format 2; `random` makes a small network."""
    # Classes of the package remember the default precision when they are imported.
    torch.set_default_dtype(torch.float64)
    from aimnet.models.base import load_model

    name = name or "random"
    network, said = _random() if name == "random" else load_model(name)
    torch.set_default_dtype(torch.float32)
    _refuse_what_is_missing(network, said)
    network = network.double().eval()
    shifts = network.outputs["atomic_shift"].shifts.weight.detach().double().reshape(-1)
    numbers = sorted(int(number) for number in said["implemented_species"])
    return Potential(
        name=Path(name).stem,
        module=AimNet2(copy.deepcopy(network), said),
        cutoff=float(said["cutoff"]),
        far=_FAR,
        elements={SYMBOLS[number]: number for number in numbers},
        inputs=_INPUTS,
        atom_energies={SYMBOLS[number]: float(shifts[number]) for number in numbers},
        calculator=lambda: _calculator(network),
        license="MIT (the code)",
        source="random weights" if name == "random" else Path(name).name,
        packages=("aimnet", "nvalchemi-toolkit-ops"),
    )


def _random() -> tuple[Any, dict[str, Any]]:
    from aimnet.models import AIMNet2 as Network
    from aimnet.modules import AtomicShift, AtomicSum, Output, SRCoulomb

    torch.manual_seed(0)
    mlp = {"activation_fn": torch.nn.GELU(), "last_linear": True, "hidden": [32, 32]}
    keys = {"key_in": "energy", "key_out": "energy"}
    outputs = {
        "energy_mlp": Output(mlp=mlp, n_in=64, n_out=1, key_in="aim", key_out="energy"),
        "atomic_shift": AtomicShift(**keys),
        "atomic_sum": AtomicSum(**keys),
        "srcoulomb": SRCoulomb(rc=4.6),
    }
    hidden = [[96, 64], [96, 64], [96, 64, 64]]
    sizes = {"nfeature": 16, "d2features": True, "ncomb_v": 12, "hidden": hidden, "aim_size": 64}
    network = Network(aev={"rc_s": 5.0, "nshifts_s": 16}, outputs=outputs, **sizes)
    with torch.no_grad():
        network.mlps[0][-1].weight[0] *= 50  # charges that are worth a test
        # Row 0 is that of padding, which the package adds too.
        outputs["atomic_shift"].shifts.weight.copy_(torch.linspace(0, -900, 64)[:, None])
    said = {
        "format_version": 2, "cutoff": 5.0, "needs_coulomb": True, "needs_dispersion": True,
        "coulomb_mode": "sr_embedded", "coulomb_sr_rc": 4.6, "coulomb_sr_envelope": "exp",
        "d3_params": {"s6": 1.0, "s8": 0.3908, "a1": 0.5660, "a2": 3.1280},
        "has_embedded_lr": True, "implemented_species": [1, 5, 6, 7, 8, 9, 14, 15, 16, 17, 33, 34, 35, 53],
    }
    object.__setattr__(network, "_metadata", said)
    return network, said


def _refuse_what_is_missing(network: Any, said: dict[str, Any]) -> None:
    if isinstance(network, torch.jit.ScriptModule):
        raise NotImplementedError("a TorchScript (*.jpt) cannot be exported: convert it by `aimnet convert` first")
    if network.num_charge_channels != 1:
        raise NotImplementedError("an AIMNet2 of open shells (NSE) cannot be exported: batches have no spins of systems")
    if not network.d2features or network.aev._dual_basis:
        raise NotImplementedError("an AIMNet2 with features per atom only, or with two bases, cannot be exported")
    unknown = {type(part).__name__ for part in network.outputs.values()} - _KNOWN
    if unknown:
        raise NotImplementedError(f"an AIMNet2 with {', '.join(sorted(unknown))} cannot be exported")
    if said["needs_coulomb"] != (said["coulomb_mode"] == "sr_embedded"):
        raise NotImplementedError("an AIMNet2 whose Coulomb energy is not added to a short-range part cannot be exported")


def _calculator(network: Any) -> Any:
    """Makes a calculator that keeps float64; the package's own rounds positions to float32."""
    from aimnet.calculators import AIMNet2Calculator
    from ase.calculators.calculator import Calculator, all_changes

    torch.set_default_dtype(torch.float64)
    base = AIMNet2Calculator(network, device="cpu")
    for table in ("keys_in", "keys_in_optional"):
        doubles = {key: torch.double if kind == torch.float else kind for key, kind in getattr(base, table).items()}
        setattr(base, table, doubles)
    if base.external_coulomb is not None:
        base.set_lrcoulomb_method("dsf", cutoff=_FAR, dsf_alpha=_ALPHA)
        # The kernel for inference approximates erfc, which costs 1e-4 eV/Å where charges are large.
        own = base.external_coulomb.forward
        base.external_coulomb.forward = lambda data, **flags: own(data, **{**flags, "training_derivatives": True})

    class InFloat64(Calculator):
        implemented_properties = ["energy", "forces", "stress"]

        def calculate(self, atoms=None, properties=("energy",), system_changes=all_changes) -> None:
            super().calculate(atoms, properties, system_changes)
            asked: dict[str, Any] = {
                "coord": torch.tensor(self.atoms.positions),
                "numbers": torch.tensor(self.atoms.numbers),
                "charge": torch.zeros(1),
            }
            if self.atoms.pbc.any():
                asked |= {"cell": torch.tensor(self.atoms.cell.array), "pbc": torch.tensor(self.atoms.pbc)}
            found = base(asked, forces=True, stress=bool(self.atoms.pbc.all()))
            self.results["energy"] = found["energy"].item()
            self.results["forces"] = found["forces"].detach().numpy().reshape(-1, 3)
            if "stress" in found:
                full = found["stress"].detach().numpy().reshape(3, 3)
                self.results["stress"] = full.reshape(-1)[[0, 4, 8, 5, 2, 1]]

    return InFloat64()


class AimNet2(torch.nn.Module):
    """The network over edges, with charges that add up to zero per system, and the pairs of a longer list."""

    def __init__(self, network: Any, said: dict[str, Any]) -> None:
        super().__init__()
        from aimnet import constants
        from aimnet.modules.lr import DFTD3

        self.network = network
        # The package keeps the shape of its basis with the parameters, though nothing trains it.
        for key in list(network.aev._parameters):
            network.aev.register_buffer(key, network.aev._parameters.pop(key).detach())
        self.coulomb = said["coulomb_sr_envelope"] if said["needs_coulomb"] else None
        self.short = float(said.get("coulomb_sr_rc") or 0)
        self.half_coulomb = float(constants.half_Hartree * constants.Bohr)
        self.bohr, self.half_hartree = float(constants.Bohr), float(constants.half_Hartree)
        damping = said["d3_params"] if said["needs_dispersion"] else None
        self.damping = None if damping is None else {"s6": 1.0, **damping}
        if self.damping is not None:
            table = DFTD3(s8=damping["s8"], a1=damping["a1"], a2=damping["a2"])
            kinds = network.afv.weight.shape[0]
            self.register_buffer("rcov", table.rcov[:kinds].double())
            self.register_buffer("r4r2", table.r4r2[:kinds].double())
            own = table.cn_ref[:kinds, :kinds].double()
            # For each pair of elements 25 references: C6 and the coordination numbers of both.
            parts = [table.c6ab[:kinds, :kinds].double(), own, own.permute(1, 0, 3, 2)]
            self.register_buffer("references", torch.stack([part.reshape(kinds * kinds, 25) for part in parts], 1))

    def forward(
        self,
        positions: torch.Tensor,
        species: torch.Tensor,
        edge_index: torch.Tensor,
        shifts: torch.Tensor,
        edge_index_far: torch.Tensor,
        shifts_far: torch.Tensor,
        batch_idx: torch.Tensor,
        energy0: torch.Tensor,
    ) -> torch.Tensor:
        """Returns energies without the shifts of atoms, eV."""
        source, target = edge_index[0], edge_index[1]
        vectors = positions[target] - positions[source] + shifts
        lengths = torch.linalg.vector_norm(vectors, dim=1)
        charges, features = self._charges(species, source, target, vectors, lengths, batch_idx, energy0)
        atoms = self.network.outputs["energy_mlp"].mlp(features).reshape(-1)
        first, second = edge_index_far[0], edge_index_far[1]
        far = torch.linalg.vector_norm(positions[second] - positions[first] + shifts_far, dim=1)
        if self.coulomb is not None:
            short = self._envelope(lengths) * charges[source] * charges[target] / lengths
            atoms = atoms.index_add(0, source, -self.half_coulomb * short)
            atoms = atoms.index_add(0, first, self.half_coulomb * self._damped(far) * charges[first] * charges[second])
            at_cutoff = math.erfc(_ALPHA * _FAR) / _FAR
            own = -2 * self.half_coulomb * (at_cutoff / 2 + _ALPHA / math.sqrt(math.pi))
            atoms = atoms + own * charges * charges
        if self.damping is not None:
            atoms = atoms.index_add(0, first, self._dispersion(species, first, second, far / self.bohr))
        return energy0.index_add(0, batch_idx, atoms)

    def _charges(
        self,
        species: torch.Tensor,
        source: torch.Tensor,
        target: torch.Tensor,
        vectors: torch.Tensor,
        lengths: torch.Tensor,
        batch_idx: torch.Tensor,
        energy0: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns the charge of each atom and its features."""
        net = self.network
        basis = self._basis(vectors, lengths)
        embedded = net.afv.weight[species]
        charges = torch.zeros_like(embedded[:, :1])
        for depth, mlp in enumerate(net.mlps):
            table = embedded.reshape(-1, net.nfeature, net.nshifts_s)
            parts = [embedded, _convolved(net.conv_a.agh, table, basis, source, target)]
            if depth > 0:
                own = charges[:, :, None].expand(-1, -1, net.nshifts_s)
                parts += [charges, _convolved(net.conv_q.agh, own, basis, source, target)]
            out = mlp(torch.cat(parts, 1))
            if depth == len(net.mlps) - 1:
                return charges[:, 0], out
            raw = out[:, :1] if depth == 0 else charges + out[:, :1]
            charges = _neutral(raw, out[:, 1:2] ** 2, batch_idx, energy0)
            embedded = embedded + out[:, 2:]
        raise ValueError("the network has no layers")

    def _basis(self, vectors: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Returns shells of each edge, and shells times its direction, [E, shells, 4]."""
        aev = self.network.aev
        fade = 0.5 * (torch.cos(torch.minimum(lengths, aev.rc_s) * (math.pi / aev.rc_s)) + 1)
        shells = torch.exp(-aev.eta_s * (lengths[:, None] - aev.shifts_s) ** 2) * fade[:, None]
        directions = torch.cat([torch.ones_like(lengths[:, None]), vectors / lengths[:, None]], 1)
        return shells[:, :, None] * directions[:, None, :]

    def _envelope(self, lengths: torch.Tensor) -> torch.Tensor:
        x = lengths / self.short
        if self.coulomb == "cosine":
            return 0.5 * (torch.cos(torch.clamp(x, max=1.0) * math.pi) + 1)
        inside = torch.clamp(x, max=1 - 1e-6)
        fade = torch.exp(1 - 1 / (1 - inside * inside))
        return torch.where(x < 1, fade, torch.zeros_like(fade))

    def _damped(self, lengths: torch.Tensor) -> torch.Tensor:
        """Returns the damped shifted-force form of 1 / r."""
        value = math.erfc(_ALPHA * _FAR) / _FAR
        slope = value / _FAR + 2 * _ALPHA / math.sqrt(math.pi) * math.exp(-((_ALPHA * _FAR) ** 2)) / _FAR
        form = (1 - torch.erf(_ALPHA * lengths)) / lengths - value + (lengths - _FAR) * slope
        return torch.where(lengths < _FAR, form, torch.zeros_like(form))

    def _dispersion(
        self, species: torch.Tensor, first: torch.Tensor, second: torch.Tensor, r: torch.Tensor
    ) -> torch.Tensor:
        """Returns half the dispersion energy of each pair; r in Bohr."""
        a, b = species[first], species[second]
        near = torch.sigmoid(16 * ((self.rcov[a] + self.rcov[b]) / r - 1))
        counts = torch.zeros_like(self.rcov[species]).index_add(0, first, near)
        c6, own, other = self.references[a * self.rcov.shape[0] + b].unbind(1)
        apart = (counts[first][:, None] - own) ** 2 + (counts[second][:, None] - other) ** 2
        weights = torch.softmax(torch.where(c6 != 0, -4 * apart, torch.full_like(apart, -1e9)), 1)
        # The package leaves out what weighs less than exp(-12) of the largest.
        kept = weights >= torch.amax(weights, 1, keepdim=True) * math.exp(-12)
        weights = torch.where(kept, weights, torch.zeros_like(weights))
        c6 = (c6 * weights).sum(1) / weights.sum(1)
        rr = 3 * self.r4r2[a] * self.r4r2[b]
        s6, s8, a1, a2 = (self.damping[name] for name in ("s6", "s8", "a1", "a2"))
        r2, reach = r * r, (a1 * torch.sqrt(rr) + a2) ** 2
        r6, reach6 = r2 * r2 * r2, reach * reach * reach
        form = s6 / (r6 + reach6) + s8 * rr / (r6 * r2 + reach6 * reach)
        t = torch.clamp((r * self.bohr - 0.8 * _FAR) / (0.2 * _FAR), 0.0, 1.0)
        fade = 1 - t * t * t * (10 - 15 * t + 6 * t * t)
        return -self.half_hartree * c6 * form * fade


def _convolved(
    mixed: torch.Tensor, features: torch.Tensor, basis: torch.Tensor, source: torch.Tensor, target: torch.Tensor
) -> torch.Tensor:
    """Returns sums over neighbors of features times shells, and lengths of mixed sums of directions, [N, …]."""
    per_edge = features[target][:, :, :, None] * basis[:, None, :, :]
    sums = torch.zeros_like(features)[:, :, :, None].expand(-1, -1, -1, 4).index_add(0, source, per_edge)
    directed = torch.einsum("agh,iagd->iahd", mixed, sums[:, :, :, 1:])
    return torch.cat([sums[:, :, :, 0].flatten(1), (directed * directed).sum(3).flatten(1)], 1)


def _neutral(
    raw: torch.Tensor, weights: torch.Tensor, batch_idx: torch.Tensor, energy0: torch.Tensor
) -> torch.Tensor:
    """Returns charges that add up to zero in each system."""
    zeros = torch.zeros_like(energy0[:, None])
    total = zeros.index_add(0, batch_idx, raw)
    weight = zeros.index_add(0, batch_idx, weights) + 1e-6
    return raw - weights / weight[batch_idx] * total[batch_idx]
