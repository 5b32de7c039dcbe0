"""Runs of ASE over the Python code of a potential, for docs/parity.md.

Usage, in the environment of the family: `python ase_runs.py FAMILY NAME TASK OUT.json`

Each task writes the structures that it began with, so that Hooke begins with the same.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported: all times are those of one thread

import ase.units as units
import numpy as np
import torch
from ase import Atoms
from ase.build import bulk, molecule
from ase.calculators.calculator import Calculator, all_changes
from ase.calculators.morse import MorsePotential
from ase.filters import FrechetCellFilter
from ase.md.velocitydistribution import MaxwellBoltzmannDistribution, Stationary
from ase.md.verlet import VelocityVerlet
from ase.optimize import LBFGS
from ase.spacegroup import crystal

from hooke_export.evaluate import evaluate_module, inputs_of
from hooke_export.families import load
from hooke_export.potential import Potential
from hooke_export.structures import Structure
from hooke_export.trace import parameters_of

#: eV/Å: of atoms in fixed cells, and with their cells, whose ends a loose limit leaves 0.015 Å apart.
FMAX = {False: 0.01, True: 0.001}
STEPS = {"relax": 400, "md": 200}
TEMPERATURE = 300
#: Steps of a timing: at least, at most, and the time in s after which no other is begun.
TIMED = (3, 10, 30)
TUNING = {"epochs": 20, "lr": 1e-4, "energy": 1.0, "forces": 10.0}


def main(family: str, name: str, task: str, out: Path) -> None:
    """Runs a task and writes what it found."""
    torch.set_num_threads(1)
    found = TASKS[task](family, name)
    out.write_text(json.dumps(found) + "\n")


# Structures ----------------------------------------------------------------------------------------------------------


def lithium_iron_phosphate() -> Atoms:
    """Returns the olivine, 28 atoms."""
    places = [
        (0, 0, 0), (0.282, 0.25, 0.975), (0.095, 0.25, 0.418),
        (0.097, 0.25, 0.743), (0.457, 0.25, 0.206), (0.166, 0.046, 0.285),
    ]
    cell = [10.33, 6.01, 4.69, 90, 90, 90]
    return crystal(["Li", "Fe", "P", "O", "O", "O"], places, spacegroup=62, cellpar=cell)


def molecules() -> Atoms:
    """Returns four molecules of water and four of ammonia in a periodic box, 28 atoms."""
    water = Atoms("OHH", [(0, 0, 0.119), (0, 0.763, -0.477), (0, -0.763, -0.477)])
    ammonia = Atoms("NHHH", [(0, 0, 0.116), (0, 0.94, -0.271), (0.814, -0.47, -0.271), (-0.814, -0.47, -0.271)])
    box, spacing, random = Atoms(), 3.6, np.random.default_rng(0)
    for i in range(8):
        place = np.array([i & 1, i >> 1 & 1, i >> 2 & 1])
        one = (water if place.sum() % 2 else ammonia).copy()
        one.rotate(random.uniform(0, 360), random.normal(size=3))
        one.translate(spacing * (place + 0.5))
        box += one
    box.set_cell([2 * spacing] * 3)
    box.pbc = True
    return box


def rattled(atoms: Atoms, width: float) -> Atoms:
    """Moves each coordinate by noise of this width, Å."""
    moved = atoms.copy()
    moved.positions += np.random.default_rng(1).normal(0, width, moved.positions.shape)
    return moved


def sheared(atoms: Atoms) -> Atoms:
    """Deforms the cell, and the atoms with it, by some per cent."""
    moved = atoms.copy()
    deformation = np.eye(3) + np.random.default_rng(2).uniform(-0.04, 0.04, (3, 3))
    moved.set_cell(moved.cell.array @ deformation, scale_atoms=True)
    return moved


def stretched(atoms: Atoms) -> Atoms:
    """Makes a cubic cell 3 % longer along z: where another shape is stable, programs then find the same axis."""
    moved = atoms.copy()
    moved.set_cell(moved.cell.array * [1, 1, 1.03], scale_atoms=True)
    return moved


def salt(a: float) -> Atoms:
    """Returns NaCl, 8 atoms."""
    return bulk("NaCl", "rocksalt", a=a, cubic=True)


def knows(potential: Potential, symbols: str) -> bool:
    """Returns whether a potential knows all of these elements."""
    return set(symbols.split()) <= set(potential.index_of())


def ethanol() -> Atoms:
    """Returns a molecule in a box that its images are far away in."""
    atoms = molecule("CH3CH2OH")
    atoms.center(about=(7, 7, 7))
    atoms.set_cell([14] * 3)
    atoms.pbc = True
    return atoms


# Calculators ---------------------------------------------------------------------------------------------------------


class Module(Calculator):
    """The exported module in float64, for families without a calculator of their own."""

    implemented_properties = ["energy", "forces", "stress"]

    def __init__(self, potential: Potential) -> None:
        super().__init__()
        self.potential = potential

    def calculate(self, atoms: Any = None, properties: Any = None, system_changes: Any = all_changes) -> None:
        """Computes everything."""
        super().calculate(atoms, properties, system_changes)
        found = evaluate_module(self.potential, structure_of(atoms))
        self.results = {"energy": found.energy, "forces": found.forces}
        if found.stress is not None:
            self.results["stress"] = found.stress.reshape(-1)[[0, 4, 8, 5, 2, 1]]


def structure_of(atoms: Atoms, label: str = "") -> Structure:
    """Returns atoms as the exporter has them."""
    pbc = tuple(bool(one) for one in atoms.pbc)
    return Structure(label, list(atoms.symbols), atoms.positions.copy(), atoms.cell.array.copy(), pbc)


def calculator_of(potential: Potential) -> Any:
    """Returns the family's own calculator as the reference has it: in float64 if it can."""
    return potential.calculator() if potential.calculator else Module(potential)


def plain_calculator(family: str, name: str) -> Any:
    """Returns the family's own calculator as its package makes it in float32, with nothing changed for an export."""
    if family == "mace":
        from hooke_export.weights import weights_file
        from mace.calculators import MACECalculator

        return MACECalculator(model_paths=str(weights_file(name, family)[0]), device="cpu", default_dtype="float32")
    if family == "sevennet":
        from sevenn.calculator import SevenNetCalculator

        return SevenNetCalculator(name, device="cpu")
    if family == "chgnet":
        from chgnet.model.dynamics import CHGNetCalculator
        from chgnet.model.model import CHGNet

        return CHGNetCalculator(CHGNet.load(model_name=name, use_device="cpu", verbose=False), use_device="cpu")
    if family == "ani":
        from torchani import models

        return {"ani-1x": models.ANI1x, "ani-1ccx": models.ANI1ccx}[name]().ase()
    if family == "m3gnet":
        import matgl
        from hooke_export.families.m3gnet import sum_at_targets
        from hooke_export.weights import weights_file
        from matgl.ext.ase import PESCalculator

        whole = matgl.load_model(weights_file(name, family)[0])
        sum_at_targets(whole.model)
        return PESCalculator(whole, stress_unit="eV/A3", use_voigt=True)
    return calculator_of(load(family, name))


# Tasks ---------------------------------------------------------------------------------------------------------------


def relax(family: str, name: str) -> dict[str, Any]:
    """Relaxes atoms in fixed cells, and with their cells."""
    potential = load(family, name)
    calculator = calculator_of(potential)
    if knows(potential, "Li Fe P O"):
        cases = [("LiFePO4", rattled(lithium_iron_phosphate(), 0.05), False)]
    else:
        cases = [("ethanol", rattled(ethanol(), 0.05), False)]
    if knows(potential, "Na Cl"):
        cases.append(("NaCl, stretched", rattled(stretched(salt(5.75)), 0.05), True))
    if knows(potential, "Si"):
        cases.append(("Si, sheared", rattled(sheared(bulk("Si", a=5.43, cubic=True)), 0.05), True))
    if not knows(potential, "Si") and knows(potential, "C"):
        cases.append(("diamond, sheared", rattled(sheared(bulk("C", a=3.57, cubic=True)), 0.03), True))
    return {"cases": [relaxed(calculator, *case) for case in cases]}


def relaxed(calculator: Any, label: str, atoms: Atoms, with_cell: bool) -> dict[str, Any]:
    """Relaxes by L-BFGS with ASE's defaults."""
    start = system(atoms)
    atoms.calc = calculator
    target = FrechetCellFilter(atoms) if with_cell else atoms
    optimizer = LBFGS(target, logfile=None)
    converged = optimizer.run(fmax=FMAX[with_cell], steps=STEPS["relax"])
    return {
        "label": label,
        "cell": with_cell,
        "fmax": FMAX[with_cell],
        "start": start,
        "end": system(atoms),
        "energy": float(atoms.get_potential_energy()),
        "steps": int(optimizer.nsteps),
        "converged": bool(converged),
    }


def md(family: str, name: str) -> dict[str, Any]:
    """Runs velocity Verlet at constant energy."""
    potential = load(family, name)
    if knows(potential, "Na Cl"):
        label, atoms, dt = "NaCl, 8 atoms", salt(5.64), 1.0
    else:
        label, atoms, dt = "water and ammonia, 28 atoms", molecules(), 0.5
    MaxwellBoltzmannDistribution(atoms, temperature_K=TEMPERATURE, rng=np.random.default_rng(0))
    Stationary(atoms)
    start = system(atoms)
    atoms.calc = calculator_of(potential)
    energies = [float(atoms.get_total_energy())]
    dynamics = VelocityVerlet(atoms, timestep=dt * units.fs)
    for _ in range(STEPS["md"]):
        dynamics.run(1)
        energies.append(float(atoms.get_total_energy()))
    return {"label": label, "start": start, "dt": dt, "energies": energies, "end": system(atoms)}


def step_time(family: str, name: str) -> dict[str, Any]:
    """Times steps of velocity Verlet."""
    calculator = plain_calculator(family, name)
    elements = load_elements(family, name)
    sizes = []
    for repeat in (1, 2):
        atoms = lithium_iron_phosphate() if {"Li", "Fe", "P", "O"} <= elements else molecules()
        atoms = atoms.repeat(repeat)
        MaxwellBoltzmannDistribution(atoms, temperature_K=TEMPERATURE, rng=np.random.default_rng(0))
        Stationary(atoms)
        start = system(atoms)
        atoms.calc = calculator
        dynamics = VelocityVerlet(atoms, timestep=0.5 * units.fs)
        dynamics.run(1)
        sizes.append({"start": start, **timed(lambda: dynamics.run(1))})
    return {"sizes": sizes}


def load_elements(family: str, name: str) -> set[str]:
    """Returns the elements that a potential knows, by a process of its own: loading for an export changes packages."""
    import subprocess

    code = "import sys; from hooke_export.families import load; print(*load(*sys.argv[1:]).index_of())"
    done = subprocess.run([sys.executable, "-c", code, family, name], capture_output=True, text=True, check=True)
    return set(done.stdout.split("\n")[-2].split())


def timed(step: Any) -> dict[str, Any]:
    """Returns the least CPU time and wall time of a step, in ms, and the load of the machine."""
    least, most, limit = TIMED
    began, cpu, wall = time.perf_counter(), [], []
    while len(cpu) < least or (len(cpu) < most and time.perf_counter() - began < limit):
        at = time.process_time(), time.perf_counter()
        step()
        cpu.append(time.process_time() - at[0])
        wall.append(time.perf_counter() - at[1])
    return {"cpu": 1e3 * min(cpu), "wall": 1e3 * min(wall), "steps": len(cpu), "load": os.getloadavg()[0]}


def tune(family: str, name: str) -> dict[str, Any]:
    """Trains the exported module in float32 by PyTorch: energies and forces that a Morse potential is added to."""
    potential = load(family, name)
    module = potential.module.float()
    structures = frames(potential)
    calculator = calculator_of(potential)
    wells = (2.8, 6.0) if knows(potential, "Na Cl") else (1.5, 3.0)
    extra = MorsePotential(epsilon=0.05, r0=wells[0], rho0=wells[1])
    targets = [labelled(atoms, calculator, extra) for atoms in structures]
    train, valid = list(zip(structures, targets))[:-2], list(zip(structures, targets))[-2:]
    trained = set(parameters_of(module))
    parameters = [(key, one.requires_grad_()) for key, one in module.named_parameters() if key in trained]
    before = errors(potential, module, valid)
    optimizer = torch.optim.Adam([one for _, one in parameters], lr=TUNING["lr"])
    for _ in range(TUNING["epochs"]):
        optimizer.zero_grad()
        energy, forces = differences(potential, module, train)
        (TUNING["energy"] * energy.square().mean() + TUNING["forces"] * forces.square().mean()).backward()
        optimizer.step()
    return {
        **TUNING,
        "frames": [{**system(atoms), **target} for atoms, target in zip(structures, targets)],
        "parameters": [key for key, _ in parameters],
        "before": before,
        "after": errors(potential, module, valid),
    }


def frames(potential: Potential) -> list[Atoms]:
    """Returns six frames to train with and two to validate with."""
    if knows(potential, "Na Cl"):
        starts = [salt(5.64 * (0.97 + 0.01 * i)) for i in range(8)]
        starts = [starts[i] for i in (0, 1, 3, 5, 6, 7, 2, 4)]
    else:
        starts = [molecules() for _ in range(8)]
    random = np.random.default_rng(3)
    for atoms in starts:
        atoms.positions += random.normal(0, 0.1, atoms.positions.shape)
    return starts


def labelled(atoms: Atoms, calculator: Any, extra: Any) -> dict[str, Any]:
    """Returns the energy and the forces of both calculators together."""
    energy, forces = 0.0, np.zeros_like(atoms.positions)
    for one in (calculator, extra):
        atoms.calc = one
        energy += float(atoms.get_potential_energy())
        forces += atoms.get_forces()
    return {"energy": energy, "forces": forces.reshape(-1).tolist()}


def differences(potential: Potential, module: Any, pairs: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns differences of energies per atom and of force components, of all frames in one batch."""
    inputs = inputs_of(potential, [structure_of(atoms) for atoms, _ in pairs])
    positions = inputs["positions"].requires_grad_(True)
    energies = module(*(inputs[key] for key in potential.inputs))
    (gradient,) = torch.autograd.grad(energies.sum(), positions, create_graph=True)
    free = [sum(potential.atom_energies.get(symbol, 0.0) for symbol in atoms.symbols) for atoms, _ in pairs]
    wanted = torch.tensor([target["energy"] - own for (_, target), own in zip(pairs, free)], dtype=torch.float32)
    counts = torch.tensor([float(len(atoms)) for atoms, _ in pairs])
    forces = torch.tensor([one for _, target in pairs for one in target["forces"]]).reshape(-1, 3)
    return (energies - wanted) / counts, -gradient - forces


def errors(potential: Potential, module: Any, pairs: Any) -> dict[str, float]:
    """Returns mean absolute errors in meV per atom and meV/Å."""
    energy, forces = differences(potential, module, pairs)
    return {"energy": 1e3 * float(energy.abs().mean()), "forces": 1e3 * float(forces.abs().mean())}


def system(atoms: Atoms) -> dict[str, Any]:
    """Returns atoms as Hooke reads them: Å, Å/fs."""
    velocities = atoms.get_velocities() * units.fs
    found = {
        "symbols": list(atoms.symbols),
        "positions": atoms.positions.reshape(-1).tolist(),
        "cell": atoms.cell.array.reshape(-1).tolist(),
        "pbc": [bool(one) for one in atoms.pbc],
    }
    return {**found, "velocities": velocities.reshape(-1).tolist()} if np.any(velocities) else found


TASKS = {"relax": relax, "md": md, "time": step_time, "tune": tune}

if __name__ == "__main__":
    main(*sys.argv[1:4], Path(sys.argv[4]))
