"""A module as an ONNX file: opset 18, free lengths, one energy per system."""

from __future__ import annotations

import io
import json
import warnings
from contextlib import redirect_stdout

import onnx
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from .graph import AXES
from .potential import Potential

OPSET = 18
#: Name of the note in the metadata of a file that lists its parameters.
PARAMETERS = "hooke.parameters"


def trace(potential: Potential, example: dict[str, torch.Tensor]) -> onnx.ModelProto:
    """Returns the graph of a potential in float32.

    Raises a RuntimeError if a length of the example has become part of the graph.
    """
    parameters = parameters_of(potential.module)
    module = potential.module.float().eval().requires_grad_(False)
    arguments = tuple(example.values())
    traced: torch.nn.Module = module
    if potential.needs_make_fx:
        # Double trace: what Python decides while it runs (e3nn's code generation, asserts) is gone afterwards.
        traced = make_fx(lambda *a: module(*a), tracing_mode="symbolic", _allow_non_fake_inputs=True)(*arguments)
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            traced,
            arguments,
            input_names=list(example),
            output_names=["energy"],
            dynamic_shapes=tuple(_free(name) for name in example),
            opset_version=OPSET,
            dynamo=True,
            optimize=False,
            verbose=False,
        )
    # onnxscript's own optimizer is not used: it drops additions of constants of 1e-8 or less, and with them what keeps
    # square roots differentiable. Hooke simplifies graphs when it opens them.
    model = program.model_proto
    _check(model, example)
    note_parameters(model, parameters)
    return model


def parameters_of(module: torch.nn.Module) -> list[str]:
    """Returns the parameters that the family's own package trains; all, if it has frozen all."""
    named = list(module.named_parameters())
    return [name for name, one in named if one.requires_grad] or [name for name, _ in named]


def note_parameters(model: onnx.ModelProto, parameters: list[str]) -> None:
    """Notes which tensors training moves: without it, tables such as Clebsch-Gordan coefficients look like weights.

    Parameters whose names tracing has changed are not noted.
    """
    tensors = {tensor.name for tensor in model.graph.initializer}
    names = [name for name in parameters if name in tensors]
    if names:
        model.metadata_props.add(key=PARAMETERS, value=json.dumps(names))


_DIMS: dict[str, torch.export.Dim] = {}


def _free(name: str) -> dict[int, torch.export.Dim]:
    return {axis: _DIMS.setdefault(length, torch.export.Dim(length)) for axis, length in AXES[name].items()}


def _check(model: onnx.ModelProto, example: dict[str, torch.Tensor]) -> None:
    for tensor in model.graph.input:
        for axis in AXES[tensor.name]:
            if not tensor.type.tensor_type.shape.dim[axis].dim_param:
                raise RuntimeError(f"axis {axis} of {tensor.name} has been traced to a fixed length")
    missing = set(example) - {tensor.name for tensor in model.graph.input}
    if missing:
        raise RuntimeError(f"the graph does not use {', '.join(sorted(missing))}")
    for opset in model.opset_import:
        if opset.domain not in ("", "ai.onnx"):
            raise RuntimeError(f"the graph has operators of {opset.domain}, which no runtime knows")
    onnx.checker.check_model(model)
