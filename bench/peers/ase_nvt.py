"""Langevin dynamics of a crystal at 300 K by ASE with the calculator of a potential, one thread: {"calculator",
"input", "warm", "steps"}. Potentials compute in float32. Calculators are used with their defaults.
"""
import json, os, sys, warnings
import numpy as np
import torch
from turns import serve

warnings.filterwarnings("ignore")


def chgnet():
    from chgnet.model import CHGNetCalculator
    return CHGNetCalculator(use_device="cpu")


def sevennet():
    from sevenn.calculator import SevenNetCalculator
    return SevenNetCalculator("7net-0", device="cpu")


def mace():
    from mace.calculators import MACECalculator
    # Weights from the package index, because the addresses of the authors may not be reachable.
    sys.path.append(os.path.join(os.path.dirname(__file__), "..", "..", "python"))
    from hooke_export.weights import weights_file
    path, _, _ = weights_file("mace-mp-small", "mace")
    return MACECalculator(model_paths=str(path), device="cpu", default_dtype="float32")


def make(a):
    from ase import Atoms, units
    from ase.md.langevin import Langevin
    from ase.md.velocitydistribution import MaxwellBoltzmannDistribution

    torch.set_num_threads(1)
    with open(a["input"]) as file:
        given = json.load(file)
    atoms = Atoms(given["symbols"], np.reshape(given["positions"], (-1, 3)), cell=given["cell"], pbc=True)
    atoms.calc = dict(chgnet=chgnet, sevennet=sevennet, mace=mace)[a["calculator"]]()
    energy = [float(atoms.get_potential_energy())]
    random = np.random.default_rng(1)
    MaxwellBoltzmannDistribution(atoms, temperature_K=300, rng=random)
    engine = Langevin(atoms, 1 * units.fs, temperature_K=300, friction=0.01 / units.fs, rng=random)
    engine.run(a["warm"])

    def turn():
        engine.run(a["steps"])
        return a["steps"], dict(kelvin=atoms.get_temperature())

    return dict(peer=f"{a['calculator']}, torch {torch.__version__}", dtype="float32", energy=energy), turn


serve(make)
