"""Velocity Verlet of molecules over ANI-1x by torchani, forces by autograd, one thread, all molecules in one batch
filled up to the largest: {"input", "warm", "steps"}.
"""
import json
import numpy as np
import torch
from turns import serve

SPECIES, MASSES = {1: 0, 6: 1, 7: 2, 8: 3}, {1: 1.008, 6: 12.011, 7: 14.007, 8: 15.999}
ACCELERATION, DT, HARTREE = 9.648533212331e-3, 0.5, 27.211386245988


def make(a):
    import torchani

    torch.set_num_threads(1)
    with open(a["input"]) as file:
        systems = json.load(file)["systems"]
    ensemble = torchani.models.ANI1x()
    model = ensemble[0]
    widest = max(len(system["numbers"]) for system in systems)
    species = -np.ones((len(systems), widest), int)
    x, weights = np.zeros((len(systems), widest, 3), np.float32), np.zeros((len(systems), widest, 1), np.float32)
    for s, system in enumerate(systems):
        for i, number in enumerate(system["numbers"]):
            species[s, i], weights[s, i] = SPECIES[number], ACCELERATION / MASSES[number]
            x[s, i] = system["positions"][3 * i:3 * i + 3]
    species, x, weights = torch.tensor(species), torch.tensor(x), torch.tensor(weights)
    shifts = ensemble.energy_shifter.sae(species)  # the file of the others has no self energies
    v = torch.zeros_like(x)

    def evaluate():
        leaf = x.detach().requires_grad_(True)
        energy = model((species, leaf)).energies
        forces, = torch.autograd.grad(-energy.sum(), leaf)
        return energy.detach(), forces * HARTREE

    state = list(evaluate())
    energy = ((state[0].double() - shifts) * HARTREE).tolist()
    about = dict(peer=f"torch {torch.__version__}", dtype="float32", energy=energy)

    def step(count):
        for _ in range(count):
            v.add_(0.5 * DT * weights * state[1])
            x.add_(DT * v)
            state[:] = evaluate()
            v.add_(0.5 * DT * weights * state[1])
        return count, {}

    step(a["warm"])
    return about, lambda: step(a["steps"])


serve(make)
