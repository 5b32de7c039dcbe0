// ASE reads files of Hooke, and Hooke reads files of ASE.
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { Batch, type System } from "../../src/batch/mod.ts";
import { TIME_UNIT_FS } from "../../src/kernels/constants.ts";
import { AseDatabaseSink, ExtxyzSink, type StoredSink } from "../../src/sinks/mod.ts";
import { openPython, pythonTest } from "../python.ts";

const PLAIN = `
import json, sys
import numpy as np

def plain(x):
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    if isinstance(x, np.ndarray):
        return plain(x.tolist())
    if isinstance(x, np.generic):
        return plain(x.item())
    return str(x) if isinstance(x, float) and not np.isfinite(x) else x

def seen(a):
    return dict(symbols=list(a.symbols), positions=plain(a.positions), cell=plain(a.cell.array), pbc=plain(a.pbc),
        momenta=plain(a.get_momenta()), masses=plain(a.get_masses()), charges=plain(a.get_initial_charges()),
        tags=plain(a.get_tags()), magmoms=plain(a.get_initial_magnetic_moments()), info=plain(a.info),
        constraints=[plain(c.todict()) for c in a.constraints], results=plain(a.calc.results if a.calc else {}))
`;

const READ_XYZ = `${PLAIN}
from ase.io import read
print(json.dumps([seen(a) for a in read(sys.argv[1], ":")]))
`;

const READ_DB = `${PLAIN}
import ase.db
db = ase.db.connect(sys.argv[1])
rows = list(db.select())
print(json.dumps(dict(
    rows=[dict(atoms=seen(r.toatoms()), pairs=plain(r.key_value_pairs), data=plain(dict(r.data)), user=r.user,
        fmax=plain(r.get("fmax")), smax=plain(r.get("smax")), volume=plain(r.get("volume")), mass=plain(r.mass),
        charge=plain(r.charge), natoms=r.natoms, formula=r.formula, age=plain(r.mtime - r.ctime)) for r in rows],
    found={q: [r.id for r in db.select(q)] for q in sys.argv[2:]},
    ages=[0 <= ase.db.core.now() - r.ctime < 1e-3 for r in rows], unique=len({r.unique_id for r in rows}),
)))
`;

/** A crystal with all kinds of values, and a molecule with custom masses, written by ASE. */
const STRUCTURES = `
import sys
import numpy as np
from ase import Atoms
from ase.build import bulk, molecule
from ase.calculators.singlepoint import SinglePointCalculator
from ase.constraints import FixAtoms, FixBondLength, FixCartesian
rng = np.random.default_rng(1)
crystal = bulk("Cu", "fcc", a=3.6) * (2, 1, 3)
crystal.rattle(0.1, seed=2)
crystal.set_momenta(rng.normal(size=(len(crystal), 3)))
crystal.set_tags(range(len(crystal)))
crystal.set_constraint([FixAtoms([0, -1]), FixBondLength(1, 2)])
crystal.calc = SinglePointCalculator(crystal, energy=-1.25, free_energy=-1.5, forces=rng.normal(size=(len(crystal), 3)),
    stress=np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) / 100, charges=rng.normal(size=len(crystal)),
    magmoms=rng.normal(size=len(crystal)), dipole=np.array([0.1, 0.2, 0.3]))
water = molecule("H2O")
water.set_masses([15.0, 2.0, 3.0])
water.set_initial_charges([-0.8, 0.4, 0.4])
water.set_initial_magnetic_moments([0, 1, -1])
water.set_constraint(FixCartesian([1], mask=[True, False, True]))
left = Atoms("XeX", positions=[[0, 0, 0], [2, 2, 2]], cell=[[5, 0, 0], [0, 5, 0], [0, 0, -5]], pbc=[True, False, True])
`;

const WRITE_DB = `${STRUCTURES}
import ase.db
db = ase.db.connect(sys.argv[1])
db.write(crystal, label="a crystal", n=3, x=1.5e-7, on=True, data=dict(vector=np.arange(3.0), n64=np.arange(4),
    matrix=np.array([[True, False], [False, True]]), nested={"a": [1, None], "b": "c d"}, hole=float("nan")))
db.write(water, step=7)
db.write(left)
db.update(1, n=4)
`;

const WRITE_XYZ = `${STRUCTURES}
from ase.io import write
crystal.set_constraint(FixAtoms([0, 3]))
water.set_constraint(FixAtoms([1]))
crystal.info.update(label="a crystal", step=7, time=3.5)
write(sys.argv[1], [crystal, water], format="extxyz")
`;

interface Seen {
  symbols: string[];
  positions: number[][];
  cell: number[][];
  pbc: boolean[];
  momenta: number[][];
  masses: number[];
  charges: number[];
  tags: number[];
  magmoms: number[];
  info: Record<string, unknown>;
  constraints: unknown[];
  results: Record<string, unknown>;
}

interface SeenRow {
  atoms: Seen;
  pairs: Record<string, unknown>;
  data: Record<string, unknown>;
  user: string | null;
  fmax: number | null;
  smax: number | null;
  volume: number | null;
  mass: number;
  charge: number;
  natoms: number;
  formula: string;
}

type Run = (program: string, args?: readonly string[]) => Promise<string>;

async function withAse(name: string, body: (run: Run, path: string) => Promise<void>) {
  const python = await openPython("ase");
  const folder = await Deno.makeTempDir();
  const path = `${folder}/${name}`;
  try {
    await body((program, args = []) => python.run(program, [path, ...args]), path);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const rows = (values: ArrayLike<number>, width: number) =>
  Array.from(
    { length: values.length / width },
    (_, row) => Array.from({ length: width }, (_, i) => values[row * width + i]!),
  );

const FORCES = [[0.1, 0.2, -0.2], [3, 0, 4], [0, 0, 0.5]];

/** Two frames: one of a periodic run with fixed atoms, one of a molecule without results. */
function ours(): Batch {
  const batch = Batch.from([
    {
      symbols: ["O", "H", "H"],
      positions: [[0, 0, 1 / 3], [0, 0.7, -0.4], [0, -0.7, -0.4]],
      cell: [[6, 0, 0], [1, 7, 0], [0, 0, 8]],
      pbc: [true, false, true],
      velocities: [[1e-3, 0, 0], [0, 2e-3, 0], [0, 0, -3e-3]],
      charges: [-0.8, 0.5, 0.4],
      energy: -4.25,
      forces: FORCES,
      stress: [1, 2, 3, 4, 5, -6].map((x) => x / 70),
      info: { label: "a b", ok: true, five: "5", nested: { a: [1, null], b: "c" }, list: [1, 2.5] },
    },
    { symbols: ["Ar"], positions: [0, 0, -0.5], masses: [36] },
  ]);
  const system = { level: "system" } as const;
  batch.set("step", [10, 20], { ...system, dtype: "i32", fill: -1 });
  batch.set("time", [2.5, 5], { ...system, unit: "fs", fill: NaN });
  batch.set("pressure", [0.5, NaN], system);
  batch.set("move_mask", [1, 0, 1, 1], { level: "node", dtype: "u8", fill: 1 });
  batch.set("tags", [3, 4, 5, 0], { level: "node", dtype: "i32", fill: 0 });
  batch.set("magmoms", [1, 0.5, 0.25, 0], { level: "node" });
  batch.set("mine", [1, 2, 3, 4, 5, 6, 7, 8].map((x) => x / 8), { level: "node", dtype: "f32" });
  return batch;
}

async function write(sink: StoredSink): Promise<void> {
  await sink.write(ours());
  await sink.close();
}

function assertAtoms(seen: Seen, system: System): void {
  assertEquals(seen.symbols, system.symbols);
  assertEquals(seen.positions, rows(system.positions, 3));
  assertEquals(seen.cell, rows(system.cell, 3));
  assertEquals(seen.pbc, Array.from(system.pbc, Boolean));
  assertEquals(seen.masses, [...system.masses]);
  for (const [i, v] of system.get("velocities").entries()) {
    const momentum = v * system.masses[Math.floor(i / 3)]! * TIME_UNIT_FS;
    assertAlmostEquals(seen.momenta.flat()[i]!, momentum, 1e-14);
  }
}

pythonTest(
  "ASE reads energy, forces, stress, info and fixed atoms from an ExtxyzSink",
  async () => {
    await withAse("x.xyz", async (run, path) => {
      await write(new ExtxyzSink(path));
      const [water, argon, ...none]: Seen[] = JSON.parse(await run(READ_XYZ));
      assertEquals(none, []);
      const [first, second] = ours().systems();
      assertAtoms(water!, first!);
      assertAtoms(argon!, second!);
      assertEquals(water!.results["energy"], -4.25);
      assertEquals(water!.results["forces"], FORCES);
      assertEquals(water!.results["stress"], [1, 2, 3, 4, 5, -6].map((x) => x / 70));
      assertEquals(argon!.results, { charges: [0], magmoms: [0] });
      assertEquals(water!.constraints, [{ name: "FixAtoms", kwargs: { indices: [1] } }]);
      assertEquals(argon!.constraints, [{ name: "FixAtoms", kwargs: { indices: [] } }]);
      const { hooke_fields, hooke_crc32c, hooke_sums_from, ...info } = water!.info;
      assertEquals([typeof hooke_fields, typeof hooke_crc32c], ["string", "string"]);
      assertEquals(hooke_sums_from, 0);
      const known = { systemId: 0, step: 10, time: 2.5, pressure: 0.5 };
      assertEquals(info, { ...first!.info, ...known });
    });
  },
);

pythonTest("ASE selects rows of an AseDatabaseSink, and reads them as they are", async () => {
  await withAse("x.db", async (run, path) => {
    await write(new AseDatabaseSink(path, { username: "robert" }));
    const queries = [
      "step=10",
      "time>3",
      "label=a b",
      "O=1,H>1",
      "energy<-4",
      "fmax<1",
      "Ar",
      "ok",
    ];
    const { rows: [water, argon, ...none], found, ages, unique } = JSON.parse(
      await run(READ_DB, queries),
    ) as {
      rows: SeenRow[];
      found: Record<string, number[]>;
      ages: boolean[];
      unique: number;
    };
    assertEquals(none, []);
    assertEquals([unique, ...ages], [2, true, true]);
    assertEquals(found, {
      "step=10": [1],
      "time>3": [2],
      "label=a b": [1],
      "O=1,H>1": [1],
      "energy<-4": [1],
      "fmax<1": [1], // the largest force is on the fixed atom
      "Ar": [2],
      "ok": [1],
    });
    const [first, second] = ours().systems();
    assertAtoms(water!.atoms, first!);
    assertAtoms(argon!.atoms, second!);
    const { atoms, pairs, data, ...more } = water!;
    assertEquals(atoms.charges, [-0.8, 0.5, 0.4]);
    assertEquals(atoms.tags, [3, 4, 5]);
    assertEquals(atoms.constraints, [{ name: "FixAtoms", kwargs: { indices: [1] } }]);
    const stress = [1, 2, 3, 4, 5, -6].map((x) => x / 70);
    assertEquals(atoms.results, {
      energy: -4.25,
      forces: [[0.1, 0.2, -0.2], FORCES[1]!, FORCES[2]!],
      stress,
      charges: [-0.8, 0.5, 0.4],
      magmoms: [1, 0.5, 0.25],
    });
    const known = { systemId: 0, step: 10, time: 2.5, pressure: 0.5 };
    assertEquals(pairs, { ...known, label: "a b", ok: true });
    assertEquals(argon!.pairs, { systemId: 1, step: 20, time: 5, pressure: "nan" });
    assertEquals(data["nested"], first!.info["nested"]);
    assertEquals(data["five"], "5");
    assertEquals(data["mine"], [[0.125, 0.25], [0.375, 0.5], [0.625, 0.75]]);
    assertAlmostEquals(more.charge, 0.1, 1e-15);
    assertAlmostEquals(more.mass, 18.015, 1e-9);
    assertAlmostEquals(more.volume!, 336, 1e-9);
    assertAlmostEquals(more.fmax!, 0.5, 1e-12);
    assertEquals([more.smax, more.natoms, more.user, more.formula], [6 / 70, 3, "robert", "H2O"]);
    assertEquals([argon!.fmax, argon!.volume, argon!.mass], [null, null, 36]);
  });
});

pythonTest(
  "a sink reads a database of ASE and adds to it, and ASE reads the result",
  async () => {
    await withAse("x.db", async (run, path) => {
      await run(WRITE_DB);
      const seen: SeenRow[] = JSON.parse(await run(READ_DB)).rows;
      const sink = new AseDatabaseSink(path);
      const systems: System[] = [];
      for await (const system of sink.frames()) systems.push(system);
      assertEquals(systems.length, 3);
      for (const [i, { atoms }] of seen.entries()) {
        const system = systems[i]!;
        assertEquals(system.symbols, atoms.symbols);
        assertEquals(rows(system.positions, 3), atoms.positions);
        assertEquals(rows(system.cell, 3), atoms.cell);
        assertEquals(Array.from(system.pbc, Boolean), atoms.pbc);
      }
      const [crystal, water, left] = systems;
      const { results, momenta, masses, tags } = seen[0]!.atoms;
      for (const [i, v] of crystal!.get("velocities").entries()) {
        const momentum = v * masses[Math.floor(i / 3)]! * TIME_UNIT_FS;
        assertAlmostEquals(momentum, momenta.flat()[i]!, 1e-14);
      }
      assertEquals(crystal!.energy, -1.25);
      assertEquals([...crystal!.get("free_energy")], [-1.5]);
      assertEquals(rows(crystal!.get("forces"), 3), results["forces"]);
      const stress = crystal!.get("stress");
      assertEquals([0, 4, 8, 5, 2, 1].map((k) => stress[k]!), results["stress"]);
      assertEquals([...crystal!.get("charges")], results["charges"]);
      assertEquals([...crystal!.get("magmoms")], results["magmoms"]);
      assertEquals([...crystal!.get("dipole")], results["dipole"]);
      assertEquals([...crystal!.get("tags")], tags);
      assertEquals([...crystal!.get("move_mask")], [0, 1, 1, 1, 1, 0]);
      const { constraints, ...info } = crystal!.info;
      assertEquals((constraints as { name: string }[]).map(({ name }) => name), ["FixBondLengths"]);
      assertEquals(info, {
        calculator: "unknown",
        label: "a crystal",
        n: 4,
        x: 1.5e-7,
        on: true,
        vector: [0, 1, 2],
        n64: [0, 1, 2, 3],
        matrix: [[1, 0], [0, 1]],
        hole: NaN,
        nested: { a: [1, null], b: "c d" },
      });
      assertEquals([...water!.masses], [15, 2, 3]);
      assertEquals([...water!.get("charges")], [-0.8, 0.4, 0.4]);
      assertEquals([...water!.get("initial_magmoms")], [0, 1, -1]);
      assertEquals([...water!.get("move_mask")], [1, 1, 1, 0, 1, 0, 1, 1, 1]);
      assertEquals(water!.info, { step: 7 });
      assertEquals((await sink.slice({ steps: [7, 7] })).nodeCount, 3);
      assertEquals(left!.info, {});

      await sink.write(Batch.from(water!));
      await sink.close();
      assertEquals(sink.length, 4);
      const after: SeenRow[] = JSON.parse(await run(READ_DB)).rows;
      assertEquals(after.length, 4);
      assertEquals(after.slice(0, 3), seen);
      assertEquals(after[3]!.atoms, seen[1]!.atoms);
    });
  },
);

pythonTest(
  "a sink reads an extxyz file of ASE and adds to it, and ASE reads the result",
  async () => {
    await withAse("x.xyz", async (run, path) => {
      await run(WRITE_XYZ);
      const seen: Seen[] = JSON.parse(await run(READ_XYZ));
      await using sink = new ExtxyzSink(path);
      const [crystal] = (await sink.slice({ time: [3, 4] })).systems();
      assertEquals(crystal!.energy, -1.25);
      assertEquals(rows(crystal!.get("forces"), 3), seen[0]!.results["forces"]);
      assertEquals([...crystal!.get("move_mask")], [0, 1, 1, 0, 1, 1]);
      assertEquals(crystal!.info["label"], "a crystal");
      await sink.write(ours());
      await sink.flush();
      const after: Seen[] = JSON.parse(await run(READ_XYZ));
      assertEquals(after.slice(0, 2), seen);
      assertEquals(after.length, 4);
      assert(after.at(-1)!.symbols.includes("Ar"));
    });
  },
);
