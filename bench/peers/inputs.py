"""Writes the inputs that ours and the peers share: inputs.py PEERS OUT. Å, Å/fs; one file per input.

{"name", "species", "mass_amu", "epsilon_eV", "sigma_A", "cutoff_A",
 "systems": [{"n", "cell": 9 numbers, "positions": 3n numbers, "velocities": 3n numbers}]}
"""
import json, os, sys

peers, out = sys.argv[1:3]
sys.path.insert(0, os.path.join(peers, "common"))
from common import EPS, FS, MASS, RC, SIG, fcc, np, rattled, velocities


def write(name, systems):
    head = dict(name=name, species=18, mass_amu=MASS, epsilon_eV=EPS, sigma_A=SIG, cutoff_A=RC)
    records = [dict(n=len(x), cell=[L, 0, 0, 0, L, 0, 0, 0, L], positions=x.ravel().tolist(),
                    velocities=v.ravel().tolist()) for x, v, L in systems]
    path = os.path.join(out, name + ".json")
    with open(path + ".part", "w") as file:
        json.dump(dict(head, systems=records), file)
    os.replace(path + ".part", path)


def crystal(n, seed=0):
    x, L = fcc(n)
    return x, velocities(n, seed=seed) * FS, L


def shaken(n, seed):
    x, L = rattled(n, seed)
    return x, np.zeros((n, 3)), L


if __name__ == "__main__":
    os.makedirs(out, exist_ok=True)
    for n in (108, 4000, 32000):
        write(f"crystal_{n}", [crystal(n)])
    for n in (32, 108):
        write(f"crystal_{n}x64", [crystal(n, seed) for seed in range(64)])
    write("rattled_32x64", [shaken(32, seed) for seed in range(64)])
