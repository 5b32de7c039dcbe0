"""PET of metatrain 2026.4: checkpoints with conservative forces (PET-MAD and others), or random weights."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import torch

from ..elements import SYMBOLS
from ..exact_layers import ExactSigmoid, ExactSiLU, replace_sigmoids
from ..potential import Potential

_INPUTS = ("positions", "species", "edge_index", "shifts", "reverse_edge", "batch_idx", "energy0")


def load(name: str = "") -> Potential:
    """Loads a checkpoint `*.ckpt`; `random` makes a small network, `random-adaptive` one with adaptive cutoffs."""
    from metatomic_ase import MetatomicCalculator

    name = name or "random"
    whole = (_random(name) if name.startswith("random") else _checkpoint(name)).eval()
    target = _energy_target(whole)
    _refuse_what_is_missing(whole)
    types = [int(number) for number in whole.atomic_types]
    free = whole.additive_models[0].model.weights[target].block().values.double().reshape(-1)
    scale = float(whole.scaler.model.scales[target].block().values.double().reshape(-1)[0])
    network = copy.deepcopy(whole.backend).float()

    def calculator() -> Any:
        return MetatomicCalculator(copy.deepcopy(whole).double().export(), device="cpu")

    return Potential(
        name=Path(name).stem,
        module=Pet(network, target, scale, whole.cutoff_width_adaptive),
        cutoff=float(whole.cutoff),
        elements={SYMBOLS[number]: index for index, number in enumerate(types)},
        inputs=_INPUTS,
        atom_energies={SYMBOLS[number]: float(energy) for number, energy in zip(types, free)},
        calculator=calculator,
        license="BSD-3-Clause (the code)",
        source="random weights" if name.startswith("random") else Path(name).name,
        packages=("metatrain", "metatomic-torch"),
    )


def _checkpoint(path: str) -> Any:
    from metatrain.utils.io import load_model

    whole = load_model(path)
    if type(whole).__name__ != "PET":
        raise NotImplementedError(f"{path} is a {type(whole).__name__}, not a checkpoint of PET")
    return whole


def _random(name: str) -> Any:
    from metatrain.pet import PET
    from metatrain.utils.architectures import get_default_hypers
    from metatrain.utils.data import DatasetInfo
    from metatrain.utils.data.target_info import get_energy_target_info

    torch.manual_seed(0)
    sizes = {"d_pet": 32, "d_head": 32, "d_node": 64, "d_feedforward": 64, "num_heads": 4}
    hypers = {**get_default_hypers("pet")["model"], **sizes}
    if name == "random-adaptive":
        hypers |= {"num_neighbors_adaptive": 16, "cutoff": 6.0}
    energy = get_energy_target_info("energy", {"unit": "eV"})
    types = [1, 6, 7, 8, 11, 12, 13, 14, 17, 29]
    whole = PET(hypers, DatasetInfo(length_unit="angstrom", atomic_types=types, targets={"energy": energy}))
    _fill(whole.additive_models[0], "weights", torch.linspace(-3, -1, len(types)))
    _fill(whole.scaler, "scales", torch.tensor([5.0]))
    return whole


def _fill(module: Any, table: str, values: torch.Tensor) -> None:
    """Sets what the trainer would have fitted: the energies of elements, and the scale."""
    from metatensor.torch import save_buffer

    block = getattr(module.model, table)["energy"].block()
    block.values[:] = values[:, None]
    buffer = {"weights": "energy_composition_buffer", "scales": "energy_scaler_buffer"}[table]
    setattr(module, buffer, save_buffer(getattr(module.model, table)["energy"]))


def _energy_target(whole: Any) -> str:
    """Returns the name of the output with energies in eV."""
    from metatomic.torch import unit_conversion_factor

    targets = {name: info for name, info in whole.dataset_info.targets.items() if info.quantity == "energy"}
    names = ["energy"] if "energy" in targets else sorted(targets)
    if len(names) != 1:
        raise NotImplementedError(f"the checkpoint must have one energy; it has {', '.join(names) or 'none'}")
    unit, length = targets[names[0]].unit, whole.dataset_info.length_unit
    if unit_conversion_factor(unit or "eV", "eV") != 1 or unit_conversion_factor(length or "A", "A") != 1:
        raise NotImplementedError(f"the checkpoint must be in eV and Å; it is in {unit} and {length}")
    return names[0]


def _refuse_what_is_missing(whole: Any) -> None:
    if whole.long_range:
        raise NotImplementedError("a PET with long-range features (Ewald sums) cannot be exported: no list has them")
    if whole.system_conditioning is not None:
        raise NotImplementedError("a PET that depends on charge and spin cannot be exported: batches do not have them")
    if len(whole.additive_models) > 1:
        raise NotImplementedError("a PET with a repulsion of close nuclei (zbl) cannot be exported")


class Pet(torch.nn.Module):
    """The network over tables of neighbors, which the graph makes of edges.

    A table has a row per atom and as many places as the atom with the most neighbors has. Places that are left over
    point to an edge of length 0 in front of all others, and weigh nothing.
    """

    def __init__(self, network: Any, target: str, scale: float, adaptive_width: float) -> None:
        super().__init__()
        self.network, self.target, self.scale = network, target, scale
        self.adaptive_width = float(adaptive_width)
        replace_sigmoids(network)
        network.gnn_layers = torch.nn.ModuleList(_Layer(layer) for layer in network.gnn_layers)

    def forward(
        self,
        positions: torch.Tensor,
        species: torch.Tensor,
        edge_index: torch.Tensor,
        shifts: torch.Tensor,
        reverse_edge: torch.Tensor,
        batch_idx: torch.Tensor,
        energy0: torch.Tensor,
    ) -> torch.Tensor:
        """Returns energies without those of elements, eV."""
        source, target = edge_index[0], edge_index[1]
        count = positions.shape[0]
        vectors = positions[target] - positions[source] + shifts
        lengths = torch.sqrt((vectors * vectors).sum(1))
        cutoffs = self._cutoffs(lengths, source, target, count)
        near = lengths <= cutoffs
        factors = torch.where(near, self._fade(lengths, cutoffs), torch.zeros_like(lengths))
        slot_of, edge_of, most = _table(near, source, species)

        def spread(of_edges: torch.Tensor, fill: torch.Tensor) -> torch.Tensor:
            return torch.cat([fill, of_edges])[edge_of].reshape(count, most, *of_edges.shape[1:])

        vectors = spread(vectors, torch.zeros_like(positions[:1]))
        data = {
            "element_indices_nodes": species,
            "element_indices_neighbors": spread(species[target], species[:1]),
            "edge_vectors": vectors,
            "edge_distances": torch.sqrt((vectors * vectors).sum(2) + 1e-15),
            "padding_mask": (edge_of > 0).reshape(count, most),
            "reverse_neighbor_index": spread(slot_of[reverse_edge], torch.zeros_like(species[:1])),
            "cutoff_factors": spread(factors, torch.zeros_like(energy0[:1])),
        }
        network = self.network
        nodes, edges = network.calculate_features(data)
        atoms, _, _ = network.predict(nodes, edges, data, None, None, [self.target])
        return energy0.index_add(0, batch_idx, atoms[self.target][0].reshape(-1) * self.scale)

    def _cutoffs(self, lengths: torch.Tensor, source: torch.Tensor, target: torch.Tensor, count: int) -> torch.Tensor:
        """Returns the cutoff of each edge, Å."""
        network = self.network
        if network.num_neighbors_adaptive is None:
            return torch.full_like(lengths, network.cutoff)
        from metatrain.pet.modules import adaptive_cutoff

        find = getattr(adaptive_cutoff, f"get_adaptive_cutoffs_{network.adaptive_cutoff_method.lower()}")
        # What is no edge (padding) is far away, but must not overflow.
        lengths = torch.clamp(lengths, max=2 * network.cutoff)
        own = find(source, lengths, network.num_neighbors_adaptive, count, network.cutoff, self.adaptive_width)
        return (own[source] + own[target]) / 2

    def _fade(self, lengths: torch.Tensor, cutoffs: torch.Tensor) -> torch.Tensor:
        from metatrain.pet.modules.utilities import cutoff_func_bump, cutoff_func_cosine

        network = self.network
        fade = {"bump": cutoff_func_bump, "cosine": cutoff_func_cosine}[network.cutoff_function.lower()]
        return fade(lengths, cutoffs, network.cutoff_width)


def _table(
    near: torch.Tensor, source: torch.Tensor, species: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, int]:
    """Returns the place of each edge in the table, 1 + the edge of each place or 0, and the number of places of a row.

    Edges come by their sources. Those that are too far have the place behind the last one.
    """
    count = species.shape[0]
    ones = near.to(torch.long)
    counts = torch.zeros_like(species).index_add(0, source, ones)
    before = torch.cumsum(counts, 0) - counts
    rank = torch.cumsum(ones, 0) - ones - before[source]
    most = int(torch.clamp(counts.max(), min=1).item())
    torch._check(most >= 1)
    slot_of = torch.where(near, source * most + rank, torch.full_like(source, 0) + count * most)
    edges = torch.cumsum(torch.ones_like(source), 0)
    edge_of = torch.zeros(count * most + 1, dtype=torch.long).scatter(0, slot_of, edges)
    return slot_of, edge_of[:-1], most


class _FeedForward(torch.nn.Module):
    """Two linear layers with a sigmoid that keeps its digits."""

    def __init__(self, own: Any) -> None:
        super().__init__()
        self.own = own
        self.sigmoid, self.silu = ExactSigmoid(), ExactSiLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns features of the same length."""
        inner = self.own.w_in(x)
        if not self.own.is_swiglu:
            return self.own.w_out(self.silu(inner))
        half = inner.shape[-1] // 2
        return self.own.w_out(inner[..., :half] * self.sigmoid(inner[..., half:]))


class _Layer(torch.nn.Module):
    """A layer without assignments to what a mask chooses, and with attention of plain operators."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer
        layer.trans.layers = torch.nn.ModuleList(_Block(block) for block in layer.trans.layers)

    def forward(
        self,
        nodes: torch.Tensor,
        messages: torch.Tensor,
        kinds: torch.Tensor,
        vectors: torch.Tensor,
        padding_mask: torch.Tensor,
        lengths: torch.Tensor,
        factors: torch.Tensor,
        use_manual_attention: bool,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns features of atoms and of places."""
        layer = self.layer
        parts = [layer.edge_embedder(torch.cat([vectors, lengths[:, :, None]], 2))]
        if not layer.is_first:
            parts.append(layer.neighbor_embedder(kinds))
        tokens = layer.compress(torch.cat([*parts, messages], 2))
        weights = torch.cat([torch.ones_like(factors[:, :1]), factors], 1)[:, None, :]
        nodes, tokens = layer.trans(nodes[:, None, :], tokens, cutoff_factors=weights, use_manual_attention=True)
        return nodes.squeeze(1), tokens


class _Block(torch.nn.Module):
    """A block of the transformer that takes tokens apart by slices: `split` makes a sequence, which has no slope."""

    def __init__(self, block: Any) -> None:
        super().__init__()
        self.block = block
        block.mlp = _FeedForward(block.mlp)
        if block.expanded_node_features:
            block.center_mlp = _FeedForward(block.center_mlp)

    def forward(
        self, nodes: torch.Tensor, edges: torch.Tensor, weights: torch.Tensor, use_manual_attention: bool
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns features of atoms and of places."""
        block = self.block
        center = block.center_contraction(nodes) if block.expanded_node_features else nodes
        tokens = torch.cat([center, edges], 1)
        if block.transformer_type == "PreLN":
            tokens = block.attention(block.norm_attention(tokens), weights, use_manual_attention)
            edges = edges + tokens[:, 1:]
            edges = edges + block.mlp(block.norm_mlp(edges))
        else:
            tokens = block.norm_attention(tokens + block.attention(tokens, weights, use_manual_attention))
            tokens = block.norm_mlp(tokens + block.mlp(tokens))
            edges = tokens[:, 1:]
        if not block.expanded_node_features:
            return tokens[:, :1], edges
        nodes = nodes + block.center_expansion(tokens[:, :1])
        return nodes + block.center_mlp(block.norm_center_features(nodes)), edges
