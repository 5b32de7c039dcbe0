"""Training by PyTorch, one thread, one batch that all steps have, torch.optim.Adam: {"input", "network", "warm",
"steps", "fused"}. Says the losses of the first steps, each before its update. A step is forward, loss, backward and
update; its loss is not looked at.
"""
import base64
import json
import numpy as np
import torch
import torch.nn.functional as F
import schnet_torch
from turns import serve

TOLD = 10


def tensors(stored):
    arrays = {name: np.frombuffer(base64.b64decode(one["b64"]), one["type"]).reshape(one["dims"])
              for name, one in stored.items()}
    return {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}


def mlp_loss(p, inputs, targets):
    value, layers = inputs["x"], len(p) // 2
    for i in range(1, layers + 1):
        value = F.linear(value, p[f"w{i}"], p[f"b{i}"])
        if i < layers:
            value = torch.relu(value)
    return F.cross_entropy(value, targets["labels"])


def make(a):
    torch.set_num_threads(1)
    with open(a["input"]) as file:
        given = json.load(file)
    trained, inputs, targets = (tensors(given[name]) for name in ("parameters", "inputs", "targets"))
    p = {**tensors(given["constants"]), **{name: one.requires_grad_() for name, one in trained.items()}}
    optimizer = torch.optim.Adam(trained.values(), lr=given["lr"], fused=a["fused"] or None)

    def loss_now():
        if a["network"].startswith("mlp"):
            return mlp_loss(p, inputs, targets)
        return schnet_torch.loss(p, inputs, targets, given["ofForces"])

    def step():
        optimizer.zero_grad()
        loss = loss_now()
        loss.backward()
        optimizer.step()
        return loss

    def turn():
        for _ in range(a["steps"]):
            step()
        return a["steps"], {}

    losses = [step().item() for _ in range(TOLD)]
    for _ in range(a["warm"]):
        step()
    return dict(peer=f"torch {torch.__version__}", dtype="float32", losses=losses), turn


serve(make)
