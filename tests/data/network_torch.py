"""Writes network_torch.onnx beside this file: a network of PyTorch, to be trained. Needs torch, onnx, onnxscript."""

from pathlib import Path

import torch
from torch import nn

torch.manual_seed(1)
network = nn.Sequential()
network.add_module("encoder", nn.Linear(3, 4))
network.add_module("norm", nn.BatchNorm1d(4))
network.add_module("tanh", nn.Tanh())
network.add_module("drop", nn.Dropout(0.1))
network.add_module("head", nn.Linear(4, 1))

exported = torch.onnx.export(
    network.eval(),
    (torch.rand(7, 3),),
    input_names=["x"],
    output_names=["y"],
    dynamic_shapes=({0: torch.export.Dim("B")},),
    dynamo=True,
    optimize=False,  # or the norm becomes a part of the layer before it
    verbose=False,
)
model = exported.model_proto
for node in model.graph.node:
    del node.metadata_props[:]  # which lines of which files it was traced from
Path(__file__).with_name("network_torch.onnx").write_bytes(model.SerializeToString())
