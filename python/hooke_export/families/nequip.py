"""NequIP and Allegro models of nequip 0.19, from a package, a checkpoint, or with random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from ..potential import Potential

#: The elements of the random networks.
_RANDOM = ["H", "C", "O", "Na", "Mg", "Al", "Si", "Cl", "Cu"]


def load(name: str = "") -> Potential:
    """Loads a packaged model or checkpoint; `random` and `random-allegro` make small networks for tests."""
    import nequip.utils.global_state as state
    from nequip.integrations.ase import NequIPCalculator

    state.set_global_state(allow_tf32=False)
    name = name or "random"
    whole = _network(name, "float64").eval()
    # Layers cast to the precision that the network was built for.
    network = _network(name, "float32").eval()
    network.load_state_dict(whole.state_dict())
    precision = whole.metadata["model_dtype"]
    symbols = list(network.type_names)
    layers = _layers(network)
    return Potential(
        name=Path(name).stem,
        module=NequIP(layers),
        cutoff=float(network.metadata["r_max"]),
        elements=symbols,
        atom_energies=_take_shifts(layers, symbols),
        calculator=lambda: _calculator(NequIPCalculator, whole, symbols),
        precision=precision,
        needs_make_fx=True,
        license="MIT (the code)" if name.startswith("random") else "as the authors of the weights say",
        source="random weights" if name.startswith("random") else Path(name).name,
        packages=("nequip", "nequip-allegro", "e3nn"),
    )


def _network(name: str, dtype: str) -> Any:
    if name.startswith("random"):
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            return _random_allegro(dtype) if name == "random-allegro" else _random_nequip(dtype)
        finally:
            torch.set_default_dtype(before)
    from nequip.model.saved_models.load_utils import load_saved_model

    return load_saved_model(name)


def _common(dtype: str) -> dict[str, Any]:
    return {
        "seed": 1,
        "model_dtype": dtype,
        "type_names": _RANDOM,
        "r_max": 5.0,
        "avg_num_neighbors": 30.0,
        "per_type_energy_scales": 10.0,
        "per_type_energy_shifts": {symbol: -1.0 - i for i, symbol in enumerate(_RANDOM)},
    }


def _random_nequip(dtype: str) -> Any:
    from nequip.model import NequIPGNNModel

    sizes = {"num_layers": 3, "l_max": 2, "parity": True, "num_features": 16}
    return NequIPGNNModel(**sizes, radial_mlp_depth=1, radial_mlp_width=32, **_common(dtype))


def _random_allegro(dtype: str) -> Any:
    from allegro.model import AllegroModel

    embedding = {"_target_": "allegro.nn.TwoBodyBesselScalarEmbed", "num_bessels": 8}
    return AllegroModel(
        radial_chemical_embed=embedding,
        radial_chemical_embed_dim=32,
        scalar_embed_mlp_hidden_layers_depth=1,
        scalar_embed_mlp_hidden_layers_width=32,
        l_max=2,
        num_layers=2,
        num_scalar_features=32,
        num_tensor_features=8,
        allegro_mlp_hidden_layers_depth=1,
        allegro_mlp_hidden_layers_width=32,
        **_common(dtype),
    )


def _layers(network: Any) -> torch.nn.ModuleList:
    """Returns the layers from edge vectors to atomic energies, and last the one that scales and shifts them."""
    from nequip.nn import PerTypeScaleShift, SequentialGraphNetwork

    chain = next(one for one in network.modules() if isinstance(one, SequentialGraphNetwork))
    layers = list(chain)
    last = next(i for i, layer in enumerate(layers) if isinstance(layer, PerTypeScaleShift))
    after = [type(layer).__name__ for layer in layers[last + 1 :]]
    if after != ["AtomwiseReduce"]:
        raise NotImplementedError(f"energies of {', '.join(after)} cannot be exported")
    return torch.nn.ModuleList(layers[: last + 1])


def _take_shifts(layers: torch.nn.ModuleList, symbols: list[str]) -> dict[str, float]:
    last: Any = layers[-1]
    shifts = last.shifts.detach().reshape(-1).double() if last.has_shifts else torch.zeros(1)
    return {symbol: float(shift) for symbol, shift in zip(symbols, shifts.expand(len(symbols)))}


def _calculator(kind: Any, network: Any, symbols: list[str]) -> Any:
    from nequip.data.transforms import ChemicalSpeciesToAtomTypeMapper, NeighborListTransform

    species = ChemicalSpeciesToAtomTypeMapper(
        model_type_names=symbols, chemical_species_to_atom_type_map={symbol: symbol for symbol in symbols}
    )
    return kind(network, "cpu", transforms=[species, NeighborListTransform(float(network.metadata["r_max"]))])


class NequIP(torch.nn.Module):
    """The layers between edge vectors and atomic energies."""

    def __init__(self, layers: torch.nn.ModuleList) -> None:
        super().__init__()
        self.layers = layers[:-1]
        last: Any = layers[-1]
        self.field = last.field
        scale = last.scales.detach().reshape(-1).clone() if last.has_scales else torch.ones(1)
        self.register_buffer("scale", scale)

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
        vectors = positions[edge_index[1]] - positions[edge_index[0]] + shifts
        data = {
            "pos": positions,
            "atom_types": species,
            "edge_index": edge_index,
            "edge_vectors": vectors,
            "batch": batch_idx,
            "num_atoms": torch.ones_like(energy0, dtype=torch.long),
        }
        for layer in self.layers:
            data = layer(data)
        scale = self.scale[species] if self.scale.numel() > 1 else self.scale
        return energy0.index_add(0, batch_idx, data[self.field].reshape(-1) * scale)
