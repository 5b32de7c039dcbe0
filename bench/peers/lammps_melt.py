"""Melts argon with LAMMPS and writes liquid_4000.json: lammps_melt.py PEERS OUT.

4000 atoms at 1.3785 g/cm3 (liquid argon at 90 K), 10 ps at 300 K, 30 ps at 90 K with a Langevin thermostat,
10 ps without, then scaled to 90 K. Seeds are fixed.
"""
import os, sys

peers, out = sys.argv[1:3]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from turns import load_bench

bench = load_bench(peers, "lammps")
np, FS, MASS = bench.np, bench.FS, bench.MASS
N = 4000
L = (N * MASS / 0.602214076 / 1.3785) ** (1 / 3)
x, crystal_L = bench.fcc(N)
lmp = bench.mk(N, x=x * (L / crystal_L), v=bench.velocities(N, T=300.0, seed=7), L=L, suffix="opt")


def stage(kelvin, steps, seed):
    lmp.commands_string(f"fix 2 all langevin {kelvin} {kelvin} 0.5 {seed} zero yes\nrun {steps}\nunfix 2")


lmp.command("timestep 0.002")
stage(300, 5000, 4711)
stage(90, 15000, 4712)
lmp.command("run 5000")
lmp.command("velocity all scale 90")
lmp.command("run 0")


def gather(name):
    return np.array(lmp.gather_atoms(name, 1, 3)).reshape(-1, 3)


x, v = gather("x"), gather("v") / 1000  # Å/ps to Å/fs
# A crystal scatters at its (111) wave vector; a liquid at none. 1 is perfect order, 1/N none.
k = 2 * np.pi / L * round((N / 4) ** (1 / 3)) * np.array([1, 1, 1])
order = abs(np.exp(1j * x @ k).mean()) ** 2
assert order < 0.01, f"the argon has not melted: order {order:.3f}"
sys.argv = ["inputs.py", peers, out]
from inputs import write

write("liquid_4000", [(x, v, L)])
print(f"order {order:.1e}, {lmp.get_thermo('temp'):.2f} K, {lmp.get_thermo('press'):.0f} bar", file=sys.stderr)
