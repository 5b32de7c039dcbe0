"""Layers that keep their digits in onnxruntime."""

from __future__ import annotations

import torch


class ExactSigmoid(torch.nn.Module):
    """The logistic function by an exponential that cannot overflow.

    onnxruntime approximates `Sigmoid` by a rational function, which costs CHGNet a digit of its energies and two of its
    forces.
    """

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns 1 / (1 + exp(-x))."""
        small = torch.exp(-torch.abs(x))
        return torch.where(x > 0, torch.ones_like(x), small) / (1 + small)


class ExactSiLU(ExactSigmoid):
    """The sigmoid linear unit."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns x / (1 + exp(-x))."""
        return x * super().forward(x)


def replace_sigmoids(module: torch.nn.Module) -> None:
    """Replaces all layers of sigmoids in a module."""
    exact = {torch.nn.Sigmoid: ExactSigmoid, torch.nn.SiLU: ExactSiLU}
    for name, child in module.named_children():
        if type(child) in exact:
            setattr(module, name, exact[type(child)]())
        else:
            replace_sigmoids(child)
