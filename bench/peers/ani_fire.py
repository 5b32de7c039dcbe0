"""FIRE of molecules over ANI-1x by torchani to fmax 0.05, forces by autograd, one thread, all molecules in one batch
filled up to the largest: {"input"}. Parameters are those of ASE's FIRE. torchani evaluates converged molecules, too:
taking them out changes the shape of the batch, and gathers all tensors again.
"""
import json
import numpy as np
import torch
from turns import serve

SPECIES, HARTREE = {1: 0, 6: 1, 7: 2, 8: 3}, 27.211386245988
FMAX, MOST_STEPS = 0.05, 300


def make(a):
    import torchani

    torch.set_num_threads(1)
    with open(a["input"]) as file:
        systems = json.load(file)["systems"]
    ensemble = torchani.models.ANI1x()
    model = ensemble[0]
    count, widest = len(systems), max(len(system["numbers"]) for system in systems)
    species = -torch.ones((count, widest), dtype=torch.long)
    start = torch.zeros((count, widest, 3))
    for s, system in enumerate(systems):
        n = len(system["numbers"])
        species[s, :n] = torch.tensor([SPECIES[number] for number in system["numbers"]])
        start[s, :n] = torch.tensor(np.reshape(system["positions"], (n, 3)), dtype=torch.float32)

    def evaluate(x):
        leaf = x.detach().requires_grad_(True)
        energy = model((species, leaf)).energies
        forces, = torch.autograd.grad(-energy.sum(), leaf)
        return energy.detach(), forces * HARTREE

    def lengths(values):
        return values.flatten(1).norm(dim=1)[:, None, None]

    def turn():
        x, v = start.clone(), torch.zeros_like(start)
        dt, mix, positive = torch.full((count,), 0.1), torch.full((count,), 0.1), torch.zeros(count)
        forces, steps, system_steps = evaluate(x)[1], 0, 0
        while steps < MOST_STEPS:
            active = forces.norm(dim=2).amax(1) >= FMAX
            if not active.any():
                break
            up = (forces * v).sum((1, 2)) > 0
            share = mix[:, None, None]
            turned = (1 - share) * v + share * forces / lengths(forces).clamp_min(1e-12) * lengths(v)
            v = torch.where(up[:, None, None], turned, torch.zeros_like(v))
            faster = up & (positive > 5)
            dt = torch.where(faster, (dt * 1.1).clamp_max(1.0), dt)
            mix = torch.where(faster, mix * 0.99, mix)
            positive = torch.where(up, positive + 1, torch.zeros(count))
            dt, mix = torch.where(up, dt, dt * 0.5), torch.where(up, mix, torch.full((count,), 0.1))
            v = v + dt[:, None, None] * forces
            move = dt[:, None, None] * v
            length = lengths(move)
            move = torch.where(length > 0.2, 0.2 * move / length, move)
            x = x + move * active[:, None, None]
            forces = evaluate(x)[1]
            steps, system_steps = steps + 1, system_steps + int(active.sum())
        if (forces.norm(dim=2).amax(1) >= FMAX).any():
            raise RuntimeError("a molecule has not converged")
        return 1, dict(steps=steps, systemSteps=system_steps)

    shifts = ensemble.energy_shifter.sae(species)  # the file of the others has no self energies
    energy = ((evaluate(start)[0].double() - shifts) * HARTREE).tolist()
    turn()
    return dict(peer=f"torch {torch.__version__}", dtype="float32", energy=energy), turn


serve(make)
