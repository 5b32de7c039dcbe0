"""Writes ani1x_ase.xyz beside this file: the molecules of ani1x_1_ref.json relaxed by ASE, whose forces come from
ani1x_1_ef.onnx by onnxruntime for Python, in float64 but for the model.

python tests/data/ani1x_ase.py FOLDER, where FOLDER has both files. Needs ase, numpy, onnxruntime.
Three frames for each molecule: as it is in the file; relaxed to 0.01 eV/A; and by ASE's BFGS from there to 1e-4 eV/A.
Each has the energy and the forces of the model. Where a relaxation stops at 0.01 eV/A depends on its path: methyl groups
turn so easily that another path ends 0.2 A away. So the first relaxation is the scheme of hooke's FIRE, written again.
"""

import base64
import json
import sys
from pathlib import Path

import ase
import numpy as np
import onnxruntime
from ase import Atoms
from ase.calculators.calculator import Calculator, all_changes
from ase.optimize import BFGS
from ase.optimize.optimize import Optimizer

folder = Path(sys.argv[1])
session = onnxruntime.InferenceSession(folder / "ani1x_1_ef.onnx", providers=["CPUExecutionProvider"])
SPECIES = {"H": 0, "C": 1, "N": 2, "O": 3}


class Ani(Calculator):
    implemented_properties = ["energy", "forces"]

    def calculate(self, atoms=None, properties=("energy",), system_changes=all_changes):
        super().calculate(atoms, properties, system_changes)
        r = self.atoms.positions
        d = np.linalg.norm(r[None] - r[:, None], axis=2)
        src, dst = np.nonzero((d < 5.2) & ~np.eye(len(r), dtype=bool))
        near = d[src, dst] < 3.5
        first, second = np.nonzero((src[:, None] == src[None]) & near[:, None] & near[None])
        first, second = first[first < second], second[first < second]
        energy, forces = session.run(["energy", "forces"], {
            "positions": r.astype(np.float32),
            "species": np.array([SPECIES[s] for s in self.atoms.symbols]),
            "edge_index": np.stack([src, dst]),
            "shifts": np.zeros((len(src), 3), np.float32),
            "trip_center": src[first],
            "trip_edge": np.stack([first, second]),
            "batch_idx": np.zeros(len(r), np.int64),
            "energy0": np.zeros(1, np.float32),
        })
        self.results = {"energy": float(energy[0]), "forces": forces.astype(float)}


class Fire(Optimizer):
    """Bitzek et al., Phys. Rev. Lett. 97, 170201 (2006), with masses; dt = 0.1, and what else hooke begins with."""

    def initialize(self):
        self.dt, self.alpha, self.count = 0.1, 0.1, 0
        self.v = np.zeros((len(self.atoms), 3))

    def step(self, forces=None):
        f = self.atoms.get_forces()
        dt = self.dt
        if np.vdot(self.v, f) > 0:
            self.count += 1
            if self.count >= 5:
                self.dt, self.alpha = min(1.1 * self.dt, 1.0), 0.99 * self.alpha
            self.v = (1 - self.alpha) * self.v + self.alpha * np.sqrt(np.vdot(self.v, self.v) / np.vdot(f, f)) * f
        else:
            self.count, self.dt, self.alpha = 0, max(0.5 * self.dt, 0.002), 0.1
            self.v[:] = 0
        self.v += dt * f / self.atoms.get_masses()[:, None]
        dr = dt * self.v
        far = np.linalg.norm(dr, axis=1, keepdims=True)
        self.atoms.positions += dr * np.minimum(1, 0.2 / np.maximum(far, 1e-300))


def numbers(tensor):
    kind = {"float32": "<f4", "float64": "<f8", "int64": "<i8"}[tensor["type"]]
    return np.frombuffer(base64.b64decode(tensor["b64"]), kind).reshape(tensor["dims"])


def frame(atoms, label):
    comment = (f'Properties=species:S:1:pos:R:3:forces:R:3 energy={atoms.get_potential_energy():.9f} '
               f'label={label} source="ASE {ase.__version__}, onnxruntime {onnxruntime.__version__}" pbc="F F F"')
    rows = [f"{s} {' '.join(f'{x:.9f}' for x in (*r, *f))}" for s, r, f
            in zip(atoms.symbols, atoms.positions, atoms.get_forces())]
    return "\n".join([str(len(atoms)), comment, *rows]) + "\n"


reference = json.loads((folder / "ani1x_1_ref.json").read_text())["inputs"]
species, owners = numbers(reference["species"]), numbers(reference["batch_idx"])
frames = []
for system in range(owners.max() + 1):
    own = owners == system
    symbols = ["HCNO"[s] for s in species[own]]
    atoms = Atoms(symbols, numbers(reference["positions"])[own].astype(float), calculator=Ani())
    frames.append(frame(atoms, f"start{system}"))
    fire = Fire(atoms, logfile=None)
    fire.run(fmax=0.01, steps=2000)
    frames.append(frame(atoms, f"fire{system}").replace("label", f"steps={fire.nsteps} label"))
    bfgs = BFGS(atoms, logfile=None)
    bfgs.run(fmax=1e-4, steps=1000)
    frames.append(frame(atoms, f"minimum{system}"))
    print(system, atoms.symbols, fire.nsteps, bfgs.nsteps, np.abs(atoms.get_forces()).max())
(Path(__file__).parent / "ani1x_ase.xyz").write_text("".join(frames))
