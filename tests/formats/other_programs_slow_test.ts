import "h5wasm"; // so that Deno fetches it with the other packages
import { assertEquals } from "@std/assert";
import { writeStructures } from "../../src/formats/files.ts";
import { openPython, pythonTest } from "../python.ts";
import { SLAB } from "./systems.ts";

/** Reads files with ASE or MDAnalysis, and prints invariant quantities: elements, distances, and results. */
const READER = `
import json, sys, warnings
import numpy as np
warnings.filterwarnings("ignore")
folder = sys.argv[1]
from ase import Atoms, io, units
import MDAnalysis
import h5py
found = {}
def note(name, atoms, **more):
    d = atoms.get_all_distances(mic=bool(atoms.pbc.any()))
    found[name] = {"symbols": "".join(atoms.get_chemical_symbols()), "volume": atoms.get_volume() if atoms.pbc.any() else 0,
        "distances": float(d.sum()), **more}
def frames(name, **options):
    return io.read(f"{folder}/{name}", index=":", **options)
for name, options in {"a.cif": {}, "POSCAR": {"format": "vasp"}, "XDATCAR": {"format": "vasp-xdatcar"}, "a.pdb": {},
        "a.data": {"format": "lammps-data", "atom_style": "charge", "units": "metal"},
        "a.lammpstrj": {"format": "lammps-dump-text", "units": "metal"}, "a.traj": {}}.items():
    images = frames(name, **options)
    a = images[-1]
    more = {"frames": len(images)}
    if name in ("a.data", "a.lammpstrj", "a.traj"):
        more["speed"] = float(np.abs(np.linalg.norm(a.get_velocities(), axis=1) * units.fs).sum())
    if name in ("a.lammpstrj", "a.traj"):
        more["force"] = float(np.linalg.norm(a.get_forces(apply_constraint=False), axis=1).sum())
    if name == "a.traj":
        more["energy"], more["fixed"] = a.get_potential_energy(), a.constraints[0].index.tolist()
        more["stress"] = a.get_stress(voigt=False).ravel().tolist()
    if name == "POSCAR":
        more["fixed"] = a.constraints[0].index.tolist()
    if name == "a.data":
        more["charge"] = float(np.abs(a.get_initial_charges()).sum())
    note(name, a, **more)
for name in ("a.dcd", "a.xtc"):
    u = MDAnalysis.Universe.empty(12, trajectory=False)
    u.load_new(f"{folder}/{name}")
    u.trajectory[-1]
    note(name, Atoms("FeOH" * 4, positions=u.atoms.positions, cell=u.dimensions, pbc=True), frames=len(u.trajectory))
u = MDAnalysis.Universe.empty(12, trajectory=False)
u.load_new(f"{folder}/a.h5md", format="H5MD")
u.trajectory[-1]
# MDAnalysis takes the lengths and angles of the cell, and not its orientation.
edges = h5py.File(f"{folder}/a.h5md")["particles/all/box/edges/value"][-1]
note("a.h5md", Atoms("FeOH" * 4, positions=u.atoms.positions, cell=edges, pbc=True), frames=len(u.trajectory),
    speed=float(np.linalg.norm(u.atoms.velocities, axis=1).sum()) / 1000,
    force=float(np.linalg.norm(u.atoms.forces, axis=1).sum()), time=float(u.trajectory.time))
z = np.load(f"{folder}/a.npz")
note("a.npz", Atoms(z["numbers"][-1], positions=z["positions"][-1], cell=z["cell"][-1], pbc=z["pbc"][-1]),
    frames=len(z["energy"]), energy=float(z["energy"][-1]))
print(json.dumps(found))
`;

pythonTest("ASE, MDAnalysis and NumPy read the files that Hooke writes", async () => {
  const folder = await Deno.makeTempDir();
  const many = [
    "a.cif",
    "XDATCAR",
    "a.pdb",
    "a.lammpstrj",
    "a.traj",
    "a.dcd",
    "a.xtc",
    "a.npz",
    "a.h5md",
  ];
  for (const name of many) await writeStructures(`${folder}/${name}`, [SLAB, SLAB]);
  for (const name of ["POSCAR", "a.data"]) await writeStructures(`${folder}/${name}`, [SLAB]);
  const { run } = await openPython("formats");
  const found = JSON.parse(await run(READER, [folder])) as Record<
    string,
    Record<string, number | string>
  >;
  const { distances, volume } = found["a.npz"]!;
  const norms = (values: Float64Array) =>
    Array.from({ length: 12 }, (_, i) => Math.hypot(...values.subarray(3 * i, 3 * i + 3))).reduce(
      (a, b) => a + b,
      0,
    );
  const near = (value: unknown, wanted: unknown, error = 1e-6, name = "") =>
    assertEquals(
      Math.abs(Number(value) - Number(wanted)) < error * Math.abs(Number(wanted)),
      true,
      `${name} ${value} ${wanted}`,
    );
  for (const name of [...many, "POSCAR", "a.data"]) {
    const read = found[name]!;
    assertEquals(read["symbols"], "FeOH".repeat(4), name);
    assertEquals(read["frames"], many.includes(name) ? 2 : 1, name);
    near(read["volume"], volume, 2e-3, name);
    near(read["distances"], distances, 2e-3, name);
  }
  for (const name of ["a.data", "a.lammpstrj", "a.traj"]) {
    near(found[name]!["speed"], norms(SLAB.get("velocities")));
  }
  for (const name of ["a.lammpstrj", "a.traj"]) {
    near(found[name]!["force"], norms(SLAB.get("forces")));
  }
  const h5md = found["a.h5md"]!;
  near(h5md["speed"], norms(SLAB.get("velocities")), 1e-5);
  near(Number(h5md["force"]) / 96.48533212, norms(SLAB.get("forces")), 1e-5);
  near(h5md["time"], 0.001);
  near(found["a.data"]!["charge"], SLAB.get("charges").reduce((sum, q) => sum + Math.abs(q), 0));
  for (const name of ["a.traj", "a.npz"]) near(found[name]!["energy"], SLAB.energy, 1e-14);
  for (const name of ["a.traj", "POSCAR"]) {
    assertEquals(found[name]!["fixed"] as unknown, [0, 4, 8]);
  }
  assertEquals(found["a.traj"]!["stress"] as unknown, [...SLAB.get("stress")]);
});
