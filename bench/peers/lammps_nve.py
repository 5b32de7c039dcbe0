"""LAMMPS NVE from an input file, one instance per system, run one after another."""
import json
from turns import load_bench, serve


def make(a):
    bench = load_bench(a["peers"], "lammps")
    with open(a["input"]) as file:
        given = json.load(file)["systems"]
    suffix = None if a["style"] == "plain" else a["style"]
    runs = [bench.mk(s["n"], suffix=suffix, x=bench.np.array(s["positions"]).reshape(-1, 3),
                     v=bench.np.array(s["velocities"]) / bench.FS, L=s["cell"][0]) for s in given]
    atoms = sum(s["n"] for s in given)
    for lmp in runs:
        lmp.command(f"run {a['warm']}")

    built = [0]

    def turn():
        for lmp in runs:
            lmp.command(f"run {a['steps']} pre no post no")
        # LAMMPS counts list builds of the first system since its first run.
        before, built[0] = built[0], runs[0].get_thermo("nbuild")
        return atoms * a["steps"], dict(builds=built[0] - before, kelvin=runs[0].get_thermo("temp"))

    return dict(peer=f"lammps-{runs[0].version()}", style=a["style"], dtype="float64"), turn


serve(make)
