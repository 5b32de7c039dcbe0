"""The SchNet of the models folder (schnet_e.onnx) in PyTorch, its tensors by the names that they have there: what is
trained, and `mu`, the centers of its basis, which is not."""
import math
import torch
import torch.nn.functional as F

LAYERS, CUTOFF = 2, 5.0
PI = torch.tensor(math.pi, dtype=torch.float32).item()  # as the file has it, in float64 too


def perceptron(p, name, x):
    x = F.silu(F.linear(x, p[f"{name}.0.weight"], p[f"{name}.0.bias"]))
    return F.linear(x, p[f"{name}.2.weight"], p[f"{name}.2.bias"])


def energy(p, positions, z, edge_index, shifts, batch_idx, energy0):
    """One value per system, as many as `energy0` has."""
    source, target = edge_index
    vectors = positions[target] - positions[source] + shifts
    r = (vectors * vectors).sum(1).sqrt()
    basis = torch.exp(-10 * (r.unsqueeze(1) - p["mu"]) ** 2)
    fade = (0.5 * (torch.cos(r * PI / CUTOFF) + 1) * (r < CUTOFF)).unsqueeze(1)
    h = p["emb.weight"][z]
    for layer in range(LAYERS):
        filters = perceptron(p, f"filt.{layer}", basis) * fade
        messages = F.linear(h, p[f"lin1.{layer}.weight"])[target] * filters
        h = h + perceptron(p, f"upd.{layer}", torch.zeros_like(h).index_add(0, source, messages))
    return torch.zeros_like(energy0).index_add(0, batch_idx, perceptron(p, "out", h)[:, 0])


def energy_and_forces(p, inputs):
    """With a graph through the forces, so that a loss on them has gradients."""
    positions = inputs["positions"].detach().requires_grad_()
    e = energy(p, **{**inputs, "positions": positions})
    dx, = torch.autograd.grad(e.sum(), positions, create_graph=True)
    return e, -dx


def loss(p, inputs, targets, of_forces):
    e, f = energy_and_forces(p, inputs)
    return F.mse_loss(e, targets["energy"]) + of_forces * F.mse_loss(f, targets["forces"])
