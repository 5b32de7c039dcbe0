"""Writes morse.onnx beside this file: a potential of PyTorch, with its forces. Needs torch, onnx, onnxscript."""

from pathlib import Path

import torch
from torch.fx.experimental.proxy_tensor import make_fx


class Morse(torch.nn.Module):
    """Your own: the energy of each system from atoms, edges, and zeros that say how many systems there are."""

    def __init__(self):
        super().__init__()
        self.depth = torch.nn.Parameter(torch.tensor(0.35))

    def forward(self, positions, z, edge_index, shifts, batch_idx, energy0):
        source, target = edge_index
        vectors = positions[target] - positions[source] + shifts
        r = torch.linalg.vector_norm(vectors, dim=1)
        pair = self.depth * ((1 - torch.exp(-1.4 * (r - 2.9))) ** 2 - 1)
        pair = torch.where(r < 6.0, pair, 0.0) / 2  # each pair is listed both ways
        return energy0.index_add(0, batch_idx[source], pair)


model = Morse().eval().requires_grad_(False)


def energy_and_forces(positions, *rest):
    positions = positions.detach().requires_grad_(True)
    energy = model(positions, *rest)
    return energy, -torch.autograd.grad(energy.sum(), positions)[0]


N, E, B = 7, 18, 5  # all different, and none of 1, 2, 3: torch takes equal lengths for the same
example = (
    torch.rand(N, 3) * 5,
    torch.full((N,), 18),
    torch.stack([torch.arange(E) % N, (torch.arange(E) + 1) % N]),
    torch.zeros(E, 3),
    torch.arange(N) * B // N,
    torch.zeros(B),
)
names = ["positions", "z", "edge_index", "shifts", "batch_idx", "energy0"]
n, e, b = (torch.export.Dim(name) for name in "NEB")
shapes = [{0: n}, {0: n}, {1: e}, {0: e}, {0: n}, {0: b}]
traced = make_fx(
    energy_and_forces, tracing_mode="symbolic", _allow_non_fake_inputs=True
)(*example)
torch.onnx.export(
    traced,
    example,
    Path(__file__).parent / "morse.onnx",
    input_names=names,
    output_names=["energy", "forces"],
    dynamic_shapes=shapes,
    opset_version=18,
    dynamo=True,
    external_data=False,
)
