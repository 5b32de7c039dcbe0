"""Frames of 4000 atoms into ASE's Trajectory. Positions are float64 there, and forces what its calculators make of them."""
import os, tempfile
from turns import serve


def make(a):
    import ase, numpy as np
    from ase.calculators.singlepoint import SinglePointCalculator
    from ase.io.trajectory import Trajectory

    random = np.random.default_rng(1)
    frames = []
    for _ in range(8):
        atoms = ase.Atoms(numbers=np.full(4000, 18), positions=52.6 * random.random((4000, 3)), cell=[52.6] * 3, pbc=True)
        atoms.calc = SinglePointCalculator(atoms, forces=random.random((4000, 3)) - 0.5)
        frames.append(atoms)
    path = os.path.join(tempfile.mkdtemp(), "frames.traj")

    def turn():
        if os.path.exists(path):
            os.remove(path)
        with Trajectory(path, "w") as file:
            for step in range(a["steps"]):
                file.write(frames[step % 8])
        return a["steps"], {"bytes": os.path.getsize(path)}

    return dict(peer="ase-" + ase.__version__, dtype="float64"), turn


serve(make)
