import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { System } from "../../src/batch/system.ts";
import { openStructures } from "../../src/formats/files.ts";
import type { FormatOptions } from "../../src/formats/format.ts";
import { type ExpectedFrame, FIXTURES, readExpected } from "./fixtures.ts";

/** Options without which a file does not contain its elements. */
function optionsFor(name: string, frames: readonly ExpectedFrame[]): FormatOptions {
  if (!/\.(dcd|xtc)$/.test(name)) {
    return { units: name.endsWith("tilted.data") ? undefined! : "metal" };
  }
  const { symbols, positions } = frames[0]!;
  return { topology: new System({ symbols, positions }) };
}

/** Relative precision of the numbers in the file, or of the arithmetic of the other program. */
function toleranceOf(name: string): number {
  return /\.pdb$|\.xtc$|\.dcd$/.test(name)
    ? 2e-3
    : /\.(data|lammpstrj|npz)$/.test(name)
    ? 1e-6
    : 1e-8;
}

Deno.test("files of ASE, MDAnalysis and NumPy, and awkward ones, are read as those programs read them", async (t) => {
  for (const [name, frames] of Object.entries(await readExpected())) {
    await t.step(name, async () => {
      const { units, ...options } = optionsFor(name, frames);
      await using file = await openStructures(
        `${FIXTURES}${name}`,
        units === undefined ? options : { units, ...options },
      );
      assertEquals(file.length, frames.length);
      for (const [i, expected] of frames.entries()) {
        compare(await file.get(i), expected, toleranceOf(name));
      }
    });
  }
});

function compare(system: System, expected: ExpectedFrame, tolerance: number): void {
  assertEquals(system.symbols, expected.symbols);
  for (const [name, values] of Object.entries(expected)) {
    // Hooke reads the cell of 1 Å in PDB files as "no crystal", as the format defines it; ASE does not.
    const isNoCell = name === "cell" && expected.cell.join() === "1,0,0,0,1,0,0,0,1";
    if (name === "symbols" || isNoCell) continue;
    const read: ArrayLike<number> = name === "energy" ? [system.energy!] : system.get(name);
    const wanted = [values].flat() as number[];
    assertEquals(read.length, wanted.length, name);
    for (let i = 0; i < wanted.length; i++) {
      assertAlmostEquals(read[i]!, wanted[i]!, tolerance, `${name}[${i}]`);
    }
  }
}

Deno.test("contents that ASE does not compare: constraints, velocities, tags, labels and charges", async () => {
  const read = async (name: string) => {
    await using file = await openStructures(`${FIXTURES}${name}`);
    return await Promise.all(Array.from({ length: file.length }, (_, i) => file.get(i)));
  };
  const [fixed] = await read("CONTCAR_fixed");
  assertEquals([...fixed!.get("move_mask")].join(""), "010111111");
  const [, water, again] = await read("mixed.traj");
  assertEquals([...water!.get("tags")], [3, 0, 1]);
  assertEquals([...water!.masses], [18, 2.014, 1.008]);
  assertEquals(water!.info["name"], "water");
  assertEquals([...water!.pbc], [0, 0, 0]);
  assertEquals(again!.has("move_mask"), true);
  const [silicon] = await read("by_hand/CONTCAR");
  assertEquals([...silicon!.get("velocities")], [0.01, -0.02, 0.003, -0.01, 0.02, -0.003]);
  const [slab] = await read("by_hand/POSCAR_scaled");
  assertEquals([...slab!.get("move_mask")], [1, 1, 0, 0, 0, 0, 1, 1, 1]);
  const [tilted] = await read("by_hand/tilted.data");
  assertEquals([...tilted!.get("charges")], [-0.82, 0.41, 0.41]);
  const [peptide] = await read("by_hand/protein.pdb");
  assertEquals(peptide!.info["atomNames"], ["N", "CA", "HB1", "CA"]);
  assert(peptide!.cell.every((x) => x === 0));
});
