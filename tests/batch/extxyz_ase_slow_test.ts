import { assertAlmostEquals, assertEquals } from "@std/assert";
import { Batch, fcc, initVelocities, rattle, System } from "../../src/batch/mod.ts";
import { parseExtxyz, writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { TIME_UNIT_FS } from "../../src/kernels/constants.ts";
import { openPython, pythonTest } from "../python.ts";

/** The contents of a file as ASE reads it, in plain numbers. */
interface Seen {
  symbols: string[];
  positions: number[][];
  cell: number[][];
  pbc: boolean[];
  momenta: number[][];
  masses: number[];
  info: Record<string, unknown>;
  arrays: Record<string, unknown>;
  results: Record<string, unknown>;
}

/** Reads a file with ASE and prints a list of {@linkcode Seen}. */
const READ = `
import json, sys
import numpy as np
from ase.io import read

def plain(x):
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    if isinstance(x, np.ndarray):
        return x.tolist()
    return x.item() if isinstance(x, np.generic) else x

print(json.dumps([dict(
    symbols=list(a.symbols), positions=a.positions.tolist(), cell=a.cell.tolist(), pbc=a.pbc.tolist(),
    momenta=a.get_momenta().tolist(), masses=a.get_masses().tolist(), info=plain(a.info),
    arrays=plain({k: v for k, v in a.arrays.items() if k not in ("numbers", "positions", "momenta", "masses")}),
    results=plain(a.calc.results if a.calc else {}),
) for a in read(sys.argv[1], ":", format="extxyz")]))
`;

/** Writes a file with ASE that has a bit of everything. */
const WRITE = `
import sys
import numpy as np
from ase import Atoms
from ase.build import bulk, molecule
from ase.calculators.singlepoint import SinglePointCalculator
from ase.constraints import FixAtoms
from ase.io import write

rng = np.random.default_rng(1)
crystal = bulk("Cu", "fcc", a=3.6) * (2, 1, 3)
crystal.rattle(0.1, seed=2)
crystal.set_momenta(rng.normal(size=(len(crystal), 3)))
crystal.info.update(label="a crystal", quoted='say "hi"', n=3, x=1.5e-7, on=True, flags=np.array([True, False]),
    vector=np.array([1.0, 2.5, -3.0]), matrix=np.arange(4.0).reshape(2, 2), nested={"a": [1, None], "b": "c d"},
    words=["x", "y"], holes=np.array([[np.nan, 1.0], [np.inf, -2.0]]))
crystal.arrays["tag"] = np.arange(len(crystal))
crystal.arrays["vectors"] = rng.normal(size=(len(crystal), 4))
crystal.arrays["flag"] = np.arange(len(crystal)) % 2 == 0
crystal.arrays["name"] = np.array([f"site{i}" for i in range(len(crystal))])
crystal.calc = SinglePointCalculator(crystal, energy=-1.25, forces=rng.normal(size=(len(crystal), 3)),
    stress=np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) / 100, charges=rng.normal(size=len(crystal)))
water = molecule("H2O")
water.set_masses([15.0, 2.0, 3.0])
water.set_constraint(FixAtoms([0]))
slab = Atoms("Al2", positions=[[0, 0, 0], [1, 1, 1]], cell=[[4, 0, 0], [1, 4, 0], [0, 0, 0]], pbc=[True, True, False])
left = Atoms("XeX", positions=[[0, 0, 0], [2, 2, 2]], cell=[[5, 0, 0], [0, 5, 0], [0, 0, -5]], pbc=True)
write(sys.argv[1], [crystal, water, slab, left], format="extxyz")
`;

/** A file, and ASE to read and write it; it is gone afterwards. */
async function withAse(
  body: (python: (program: string, file: string) => Promise<string>, file: string) => Promise<void>,
): Promise<void> {
  const python = await openPython("ase");
  const folder = await Deno.makeTempDir();
  try {
    await body((program, file) => python.run(program, [file]), `${folder}/x.xyz`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const rows = (values: ArrayLike<number>, width: number) =>
  Array.from(
    { length: values.length / width },
    (_, row) => Array.from({ length: width }, (_, i) => values[row * width + i]!),
  );

function ours(): System[] {
  const crystal = Batch.from([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]);
  initVelocities(crystal, 80, { seed: 1 });
  crystal.set("energy", -1 / 3);
  crystal.set("forces", crystal.get("positions").map((x) => Math.sin(x) / 7));
  crystal.set("stress", [1, 2, 3, 2, 4, 5, 3, 5, 6].map((x) => x / 700));
  crystal.set("tag", Array.from({ length: 32 }, (_, i) => i - 7), { level: "node", dtype: "i32" });
  const odd = new System({
    symbols: ["X", "Og", "H"],
    positions: [[0, -0, 1e-300], [1 / 3, 2e22, -7], [0.1, 0.2, 0.3]],
    masses: [1.5, 2.5, 3.5],
    cell: [[3, 0, 0], [1, 4, 0], [0, 2, -5]],
    pbc: [true, false, true],
    info: {
      label: "a b",
      quoted: 'say "hi" \\ there',
      lines: "two\nlines",
      five: "5",
      n: 5,
      x: 1.5e-7,
      on: true,
      flags: [true, false],
      list: [1, 2.5, -3],
      nested: { a: [1, null, NaN], b: "c d" },
      none: "",
      "odd key": 1,
      equals: "a=b",
    },
  });
  return [...crystal.systems(), odd];
}

pythonTest("ASE reads what writeExtxyz() writes, and parseExtxyz() what ASE writes", async (t) => {
  await withAse(async (python, file) => {
    await t.step("ASE reads our files exactly", async () => {
      const systems = ours();
      await Deno.writeTextFile(file, writeExtxyz(systems, { momenta: true }));
      const seen: Seen[] = JSON.parse((await python(READ, file)).replaceAll("NaN", '"NaN"'));
      assertEquals(seen.length, 2);
      for (const [i, { symbols, positions, cell, pbc, masses }] of seen.entries()) {
        const system = systems[i]!;
        assertEquals(symbols, system.symbols);
        assertEquals(positions, rows(system.positions, 3));
        assertEquals(cell, rows(system.cell, 3));
        assertEquals(pbc, Array.from(system.pbc, Boolean));
        assertEquals(masses, [...system.masses]);
      }
      const [crystal, odd] = seen;
      assertEquals(crystal!.results["energy"], -1 / 3);
      assertEquals(crystal!.results["forces"], rows(systems[0]!.get("forces"), 3));
      assertEquals(crystal!.results["stress"], [1, 4, 6, 5, 3, 2].map((x) => x / 700));
      assertEquals(crystal!.arrays["tag"], Array.from({ length: 32 }, (_, i) => i - 7));
      const velocities = systems[0]!.get("velocities");
      for (const [i, p] of crystal!.momenta.flat().entries()) {
        assertAlmostEquals(p, velocities[i]! * 39.948 * TIME_UNIT_FS, 1e-15);
      }
      assertEquals(odd!.info, {
        ...systems[1]!.info,
        nested: { a: [1, null, "NaN"], b: "c d" },
      });
    });

    await t.step("parseExtxyz() reads ASE's as ASE does", async () => {
      await python(WRITE, file);
      const text = await Deno.readTextFile(file);
      const seen: Seen[] = JSON.parse(
        (await python(READ, file)).replaceAll(/-?\b(NaN|Infinity)\b/g, '"$&"'),
      );
      const systems = parseExtxyz(text);
      assertEquals(systems.length, seen.length);
      for (const [i, { symbols, positions, cell, pbc, masses, momenta }] of seen.entries()) {
        const system = systems[i]!;
        assertEquals(system.symbols, symbols);
        assertEquals(rows(system.positions, 3), positions);
        assertEquals(rows(system.cell, 3), cell);
        assertEquals(Array.from(system.pbc, Boolean), pbc);
        assertEquals([...system.masses], masses);
        if (!system.has("velocities")) continue;
        for (const [j, v] of system.get("velocities").entries()) {
          const p = v * masses[Math.floor(j / 3)]! * TIME_UNIT_FS;
          assertAlmostEquals(p, momenta.flat()[j]!, 1e-14);
        }
      }
      const [crystal, water] = systems;
      const { info, arrays, results } = seen[0]!;
      assertEquals(crystal!.has("velocities"), true);
      assertEquals(crystal!.energy, results["energy"]);
      assertEquals(rows(crystal!.get("forces"), 3), results["forces"]);
      assertEquals([...crystal!.get("charges")], results["charges"]);
      const stress = crystal!.get("stress");
      assertEquals([0, 4, 8, 5, 2, 1].map((k) => stress[k]!), results["stress"]);
      assertEquals([...crystal!.get("tag")], arrays["tag"]);
      assertEquals(rows(crystal!.get("vectors"), 4), arrays["vectors"]);
      assertEquals(Array.from(crystal!.get("flag"), Boolean), arrays["flag"]);
      const { name, holes, ...rest } = crystal!.info;
      assertEquals(name, arrays["name"]);
      assertEquals(holes, [[NaN, 1], [Infinity, -2]]);
      assertEquals({ ...rest, holes: [["NaN", 1], ["Infinity", -2]] }, info);
      assertEquals([...water!.get("move_mask")], [0, 1, 1]);
    });
  });
});
