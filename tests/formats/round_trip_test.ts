import { assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { invertCell } from "../../src/batch/cell.ts";
import { System } from "../../src/batch/system.ts";
import { openStructures, writeStructures } from "../../src/formats/files.ts";
import { ARGON, SLAB } from "./systems.ts";

/** Largest errors of formats, Å and other units, and the fields that they keep besides elements and positions. */
const FORMATS: Readonly<
  Record<string, { readonly error: number; readonly keeps: readonly string[] }>
> = {
  "a.cif": { error: 1e-10, keeps: [] },
  "POSCAR": { error: 0, keeps: ["cell", "velocities", "move_mask"] },
  "XDATCAR_run": { error: 1e-10, keeps: ["cell"] },
  "a.pdb": { error: 6e-3, keeps: [] },
  "a.data": { error: 1e-12, keeps: ["charges"] },
  "a.lammpstrj": { error: 1e-12, keeps: [] },
  "a.traj": {
    error: 1e-12,
    keeps: [
      "cell",
      "pbc",
      "velocities",
      "forces",
      "stress",
      "charges",
      "move_mask",
      "masses",
      "tags",
    ],
  },
  "a.dcd": { error: 1e-5, keeps: [] },
  "a.xtc": { error: 6e-4, keeps: [] },
  "a.npz": {
    error: 0,
    keeps: ["cell", "pbc", "velocities", "forces", "stress", "charges", "masses"],
  },
};

/** Formats that turn the cell, because they hold only lengths and angles, or require a lower triangle. */
const TURNS = /\.(cif|pdb|data|lammpstrj|dcd|xtc)$/;

Deno.test("each format gives back what it is said to hold", async (t) => {
  for (const [name, { error, keeps }] of Object.entries(FORMATS)) {
    await t.step(name, async () => {
      const path = `${await Deno.makeTempDir()}/${name}`;
      const systems = /POSCAR|data/.test(name) ? [SLAB] : [SLAB, moved(SLAB)];
      await writeStructures(path, systems);
      const topology = /dcd|xtc/.test(name) ? { topology: SLAB } : {};
      await using file = await openStructures(path, topology);
      assertEquals(file.length, systems.length);
      for (const [i, system] of systems.entries()) {
        const read = await file.get(i);
        assertEquals(read.symbols, system.symbols);
        close(coordinates(read, name), coordinates(system, name), error, "positions");
        for (const field of keeps) {
          close(read.get(field), system.get(field), Math.max(error, 1e-14), field);
        }
      }
    });
  }
});

/** Positions, or fractional coordinates for formats that turn the cell. */
function coordinates(system: System, name: string): number[] {
  const { positions: r } = system;
  if (!TURNS.test(name)) return [...r];
  const m = invertCell(system.cell);
  return Array.from(r, (_, i) => {
    const at = i - i % 3, k = i % 3;
    return r[at]! * m[k]! + r[at + 1]! * m[3 + k]! + r[at + 2]! * m[6 + k]!;
  });
}

function close(
  read: ArrayLike<number>,
  wanted: ArrayLike<number>,
  error: number,
  name: string,
): void {
  assertEquals(read.length, wanted.length, name);
  for (let i = 0; i < wanted.length; i++) {
    if (error === 0) assertEquals(read[i], wanted[i], `${name}[${i}]`);
    else assertAlmostEquals(read[i]!, wanted[i]!, error, `${name}[${i}]`);
  }
}

function moved(system: System): System {
  const { numbers, cell, pbc } = system,
    field = (name: "velocities" | "forces" | "charges" | "stress") => [
      ...system.get(name),
    ];
  return new System({
    numbers,
    cell,
    pbc,
    masses: system.masses,
    positions: system.positions.map((x, i) => x + 0.01 * i),
    velocities: field("velocities"),
    forces: field("forces"),
    charges: field("charges"),
    stress: field("stress"),
    energy: -2,
    fields: {
      move_mask: { values: system.get("move_mask"), level: "node", dtype: "u8", fill: 1 },
      tags: { values: system.get("tags"), level: "node", dtype: "i32" },
    },
  });
}

Deno.test("systems of different sizes fit into one file of NumPy, ASE or CIF, and into no DCD", async () => {
  const folder = await Deno.makeTempDir();
  for (const name of ["a.npz", "a.traj", "a.cif"]) {
    await writeStructures(`${folder}/${name}`, [SLAB, ARGON]);
    await using file = await openStructures(`${folder}/${name}`);
    assertEquals((await file.get(1)).symbols, ARGON.symbols);
    assertEquals((await file.get(0)).symbols, SLAB.symbols); // a step back
  }
  await assertRejects(
    () => writeStructures(`${folder}/a.dcd`, [SLAB, ARGON]),
    TypeError,
    "frame 1 differs",
  );
  assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [
    "a.cif",
    "a.npz",
    "a.traj",
  ]);
});

Deno.test("a left-handed cell is written as the same crystal, not as its mirror image", async () => {
  const left = new System({
    symbols: ["C", "H", "F", "Cl"],
    positions: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    cell: [[9, 0, 0], [0, 9, 0], [1, 0, -9]],
  });
  for (const name of ["a.cif", "a.pdb", "a.data", "a.dcd"]) {
    const path = `${await Deno.makeTempDir()}/${name}`;
    await writeStructures(path, [left]);
    await using file = await openStructures(path, { topology: left });
    const r = (await file.get(0)).positions.map((x, i, all) => x - all[i % 3]!);
    const handed = r[3]! * (r[7]! * r[11]! - r[8]! * r[10]!) -
      r[4]! * (r[6]! * r[11]! - r[8]! * r[9]!) +
      r[5]! * (r[6]! * r[10]! - r[7]! * r[9]!);
    assertAlmostEquals(handed, 1, 1e-2, name);
  }
});

Deno.test("an existing file stays as it was if a structure cannot be written", async () => {
  const path = `${await Deno.makeTempDir()}/a.cif`;
  await writeStructures(path, [ARGON]);
  const before = await Deno.readTextFile(path);
  const molecule = new System({ symbols: ["H"], positions: [0, 0, 0] });
  await assertRejects(
    () => writeStructures(path, [ARGON, molecule]),
    TypeError,
    "periodic in three directions",
  );
  assertEquals(await Deno.readTextFile(path), before);
  await assertRejects(
    () => writeStructures(path.replace("a.cif", "POSCAR"), [ARGON, ARGON]),
    RangeError,
    "one structure",
  );
});

Deno.test("large files are read in pieces: lines, CR LF and characters across the pieces", async () => {
  const path = `${await Deno.makeTempDir()}/XDATCAR`;
  const many = Array.from(
    { length: 4000 },
    (_, i) => new System({ symbols: ["Ar"], positions: [i / 1000, 0, 0], cell: [9, 9, 9] }),
  );
  await writeStructures(path, many);
  await Deno.writeTextFile(
    path,
    (await Deno.readTextFile(path)).replaceAll("\n", "\r\n").replace("Ar1", "Ä — 1"),
  );
  await using file = await openStructures(path);
  assertEquals(file.length, 4000);
  for (const i of [0, 1234, 3999]) {
    assertAlmostEquals((await file.get(i)).positions[0]!, i / 1000, 1e-9);
  }
});
