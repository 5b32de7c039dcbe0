"""GROMACS NVE from an input file, one thread: {"input", "short", "long"}.

A turn runs two lengths from the same state. Its cost is the difference, without the start and the end of the program.
GROMACS computes in single precision, chooses the radius of its list for `nstlist = 40`, and computes energies in every
hundredth step.
"""
import json, os, re, resource, subprocess, tempfile, time
from turns import serve

NM, NM_PER_PS, KJ_PER_MOL = 0.1, 100, 96.48533212331  # of Å, Å/fs and eV

MDP = """integrator = md
dt = 0.001
nsteps = -1
cutoff-scheme = Verlet
nstlist = 40
rvdw = {cutoff}
rcoulomb = {cutoff}
coulombtype = cut-off
vdwtype = cut-off
vdw-modifier = potential-shift
nstenergy = 0
nstcalcenergy = 100
nstlog = 0
nstxout-compressed = 0
comm-mode = None
pbc = xyz
"""

TOP = """[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
AR 18 {mass} 0.0 A {sigma} {epsilon}
[ moleculetype ]
AR 1
[ atoms ]
1 AR 1 AR AR 1 0.0 {mass}
[ system ]
argon
[ molecules ]
AR {n}
"""


def write_inputs(given, folder):
    """Writes coordinates, topology and parameters; returns the number of atoms."""
    system, = given["systems"]
    n, x, v = system["n"], system["positions"], system["velocities"]
    with open(f"{folder}/conf.gro", "w") as file:
        file.write(f"argon\n{n}\n")
        for i in range(n):
            place = "".join(f"{value * NM:11.6f}" for value in x[3 * i:3 * i + 3])
            speed = "".join(f"{value * NM_PER_PS:11.6f}" for value in v[3 * i:3 * i + 3])
            number = (i + 1) % 100000
            file.write(f"{number:5d}AR      AR{number:5d}{place}{speed}\n")
        file.write(" ".join(f"{system['cell'][4 * k] * NM:.6f}" for k in range(3)) + "\n")
    with open(f"{folder}/topol.top", "w") as file:
        file.write(TOP.format(mass=given["mass_amu"], sigma=given["sigma_A"] * NM,
                              epsilon=given["epsilon_eV"] * KJ_PER_MOL, n=n))
    with open(f"{folder}/grompp.mdp", "w") as file:
        file.write(MDP.format(cutoff=given["cutoff_A"] * NM))
    return n


def gmx(folder, *args):
    done = subprocess.run(["gmx", "-quiet", *args], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"gmx {args[0]} failed: {done.stderr[-2000:]}")


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(folder, steps):
    """Runs this number of steps. Returns CPU and wall seconds."""
    wall, cpu = time.perf_counter(), children()
    gmx(folder, "mdrun", "-s", "topol.tpr", "-nsteps", str(steps), "-ntmpi", "1", "-ntomp", "1", "-pin", "off",
        "-noconfout", "-nb", "cpu", "-g", "md.log")
    return children() - cpu, time.perf_counter() - wall


def log_of(folder):
    """Returns the version, the instructions, the list and the temperature that the log reports."""
    with open(f"{folder}/md.log") as file:
        text = file.read()
    one = lambda pattern: re.findall(pattern, text)[-1].strip()
    lines = text.splitlines()
    row = max(i for i, line in enumerate(lines) if "Temperature" in line)
    at = lines[row].index("Temperature") // 15
    return dict(version=one(r"GROMACS version: *(.*)"), simd=one(r"SIMD instructions: *(.*)"),
                precision=one(r"Precision: *(.*)"), nstlist=one(r"nstlist *= *(\d+)"),
                kelvin=float(lines[row + 1].split()[at]))


def make(a):
    with open(a["input"]) as file:
        given = json.load(file)
    place = tempfile.TemporaryDirectory()
    folder = place.name
    n = write_inputs(given, folder)
    gmx(folder, "grompp", "-o", "topol.tpr", "-maxwarn", "2")
    run(folder, a["short"])
    about = log_of(folder)

    def turn():
        place  # keeps the folder
        short, long = run(folder, a["short"]), run(folder, a["long"])
        cost = dict(cpu_s=long[0] - short[0], wall_s=long[1] - short[1])
        return n * (a["long"] - a["short"]), dict(**cost, kelvin=log_of(folder)["kelvin"])

    return dict(peer=f"gromacs {about['version']}", dtype="float32", **about), turn


serve(make)
