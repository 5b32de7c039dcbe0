"""SevenNet-0 and its relatives, or a checkpoint of one's own."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from ..elements import SYMBOLS
from ..potential import Potential


def load(name: str = "") -> Potential:
    """Loads published weights (7net-0, whose file is in the wheel), or a checkpoint file."""
    import sevenn._keys as key
    import sevenn.util as util
    from sevenn.calculator import SevenNetCalculator

    name = name or "7net-0"
    _trace_without_scripts()
    network = _build(name)
    rescale = network._modules["rescale_atomic_energy"]
    scale = rescale.scale.detach().double()
    shift = rescale.shift.detach().double().expand(len(network.type_map))
    symbols = sorted(network.type_map, key=network.type_map.__getitem__)
    whole = _build(name).double()
    # The one-hot layer makes float32 whatever the rest of the network is.
    whole._modules["onehot_idx_to_onehot"].register_forward_hook(
        lambda _layer, _inputs, data: _widened(data, key.NODE_FEATURE, key.NODE_ATTR)
    )
    # Its graphs are float32 unless told otherwise.
    util.dtype_correct = partial(util.dtype_correct, float_dtype=torch.float64)
    return Potential(
        name=name,
        module=SevenNet(network, scale),
        cutoff=float(network.cutoff),
        elements=[SYMBOLS[number] for number in symbols],
        atom_energies={SYMBOLS[number]: float(e) for number, e in zip(symbols, shift)},
        calculator=lambda: SevenNetCalculator(whole, file_type="model_instance", device="cpu"),
        license="MIT (the code); weights as their authors say",
        source=f"sevenn: {name}",
        packages=("sevenn", "e3nn"),
    )


def _build(name: str) -> Any:
    import sevenn.util as util

    network = util.load_checkpoint(name).build_model().eval()
    network.set_is_batch_data(False)
    return network


def _widened(data: Any, *names: str) -> Any:
    for name in names:
        if data[name].dtype == torch.float32:
            data[name] = data[name].double()
    return data


def _trace_without_scripts() -> None:
    """Makes e3nn build plain Python modules: TorchScript cannot be exported."""
    import e3nn
    import sevenn.nn.convolution as convolution

    e3nn.set_optimization_defaults(jit_mode="eager")
    # Sums over edges without an index of the size of the messages.
    convolution.message_gather = lambda nodes, index, message: message.new_zeros(
        nodes.shape[0], message.shape[1]
    ).index_add(0, index, message)


class SevenNet(torch.nn.Module):
    """The layers between edge vectors and atomic energies."""

    def __init__(self, network: Any, scale: torch.Tensor) -> None:
        super().__init__()
        ends = ("rescale_atomic_energy", "reduce_total_enegy", "force_output")
        self.layers = torch.nn.ModuleList(layer for name, layer in network._modules.items() if name not in ends)
        self.cutoff = float(network.cutoff)
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
        import sevenn._keys as key

        vectors = positions[edge_index[1]] - positions[edge_index[0]] + shifts
        near = torch.linalg.vector_norm(vectors, dim=1) < self.cutoff
        data = {
            key.EDGE_VEC: vectors,
            key.EDGE_IDX: edge_index,
            key.NODE_FEATURE: species,
            key.ATOM_TYPE: species,
            key.NODE_ATTR: species,
            key.POS: positions,
            key.BATCH: batch_idx,
        }
        for layer in self.layers:
            data = layer(data)
            if key.EDGE_EMBEDDING in data:
                # Its cutoff function is a polynomial that grows again behind the cutoff.
                embedding = data[key.EDGE_EMBEDDING]
                data[key.EDGE_EMBEDDING] = torch.where(near[:, None], embedding, torch.zeros_like(embedding))
        atoms = data[key.SCALED_ATOMIC_ENERGY].reshape(-1)
        scale = self.scale[species] if self.scale.numel() > 1 else self.scale
        return energy0.index_add(0, batch_idx, atoms * scale)
