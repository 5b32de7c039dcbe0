/** H5MD: files of other programs, round trips, reading by parts, and files that are refused. */

import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import "h5wasm"; // so that Deno fetches it with the other packages
import { Batch } from "../../src/batch/mod.ts";
import { System } from "../../src/batch/system.ts";
import { openStructures, parseStructures, writeStructures } from "../../src/formats/files.ts";
import { loadHdf } from "../../src/formats/h5md/library.ts";
import { readH5md } from "../../src/formats/h5md/read.ts";
import { unitFactor } from "../../src/formats/h5md/units.ts";
import { sourceOf } from "../../src/formats/source.ts";
import { hooke, tempFolder } from "../cli/session.ts";
import { FIXTURES } from "./fixtures.ts";
import { ARGON, SLAB } from "./systems.ts";

const FOLDER = `${FIXTURES}h5md/`;

/** A frame as fixtures/h5md/make.py has written it. */
interface Expected {
  readonly symbols: string[];
  readonly pbc: number[];
  readonly step: number;
  readonly time_ps?: number;
  readonly positions: number[];
  readonly cell: number[];
  readonly velocities?: number[];
  readonly forces?: number[];
}

Deno.test("files of h5py and MDAnalysis have the frames that were written, in the units of Hooke", async () => {
  const all: Record<string, Expected[]> = JSON.parse(
    await Deno.readTextFile(`${FOLDER}expected.json`),
  );
  assertEquals(Object.keys(all).length, 3);
  for (const [name, frames] of Object.entries(all)) {
    const { symbols, positions } = frames[0]!;
    const options = name.startsWith("mda")
      ? { topology: new System({ symbols, positions }) }
      : { types: ["Na", "Cl"] };
    const warnings: string[] = [];
    const onWarning = (message: string) => void warnings.push(message);
    await using file = await openStructures(`${FOLDER}${name}`, { ...options, onWarning });
    assertEquals([file.length, warnings], [frames.length, []], name);
    for (const i of [2, 0, 1]) { // a step back begins again
      const read = await file.get(i), wanted = frames[i]!;
      assertEquals([read.symbols, [...read.pbc]], [wanted.symbols, wanted.pbc], name);
      assertEquals(read.get("stepsDone")[0], wanted.step);
      if (wanted.time_ps !== undefined) {
        assertAlmostEquals(Number(read.info.time_ps), wanted.time_ps, 1e-6);
      }
      for (const field of ["positions", "cell", "velocities", "forces"] as const) {
        const values = wanted[field];
        assertEquals(read.has(field), values !== undefined, `${name} ${field} ${i}`);
        values?.forEach((x, k) => assertAlmostEquals(read.get(field)[k]!, x, 1e-6, field));
      }
    }
  }
});

Deno.test("a round trip keeps positions, cells, velocities, forces, masses, steps and times", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/a.h5md`;
  const moved = (amount: number) => {
    const batch = Batch.from([SLAB]);
    batch.set("positions", SLAB.positions.map((x) => x + amount));
    return batch.system(0);
  };
  const systems = [SLAB, moved(0.1), moved(0.2)];
  await writeStructures(path, systems, { frameTime: 2 });
  await using file = await openStructures(path);
  assertEquals(file.length, 3);
  for (const [i, system] of systems.entries()) {
    const read = await file.get(i);
    for (const field of ["positions", "cell", "velocities", "masses", "pbc", "numbers"]) {
      assertEquals([...read.get(field)], [...system.get(field)], field);
    }
    read.get("forces").forEach((x, k) => assertAlmostEquals(x, SLAB.get("forces")[k]!, 1e-14));
    assertEquals([read.get("stepsDone")[0], read.info.time_ps], [i, i * 0.002]);
  }
  const ran = Batch.from([ARGON]);
  ran.set("step", [70], { level: "system", dtype: "i32" });
  ran.set("time", [140.5], { level: "system" });
  const other = `${folder.path}/b.h5`;
  await writeStructures(other, [ran.system(0)]);
  await using run = await openStructures(other);
  const frame = await run.get(0);
  assertEquals([frame.get("stepsDone")[0], frame.info.time_ps], [70, 0.1405]);
  await assertRejects(
    () => writeStructures(other, [SLAB, ARGON]),
    TypeError,
    "all frames must have the same elements, boundaries and fields; frame 1 differs",
  );
  assertEquals([...Deno.readDirSync(folder.path)].map(({ name }) => name).sort(), [
    "a.h5md",
    "b.h5",
  ]);
});

Deno.test("only the frames that are needed are read, so a file may be larger than the memory", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/a.h5`, atoms = 3000;
  const system = new System({
    symbols: new Array(atoms).fill("Ar"),
    positions: Float64Array.from({ length: 3 * atoms }, (_, i) => i),
  });
  await writeStructures(path, new Array(20).fill(system));
  const bytes = await Deno.readFile(path), source = sourceOf(bytes, path);
  let count = 0;
  const counted = {
    ...source,
    bytes(offset: number, length: number) {
      count += length;
      return source.bytes(offset, length);
    },
  };
  const frames = readH5md(await loadHdf(), counted, {});
  assertEquals(frames.next().value?.positions[8999], 8999);
  assert(count < bytes.length / 4, `${count} of ${bytes.length} bytes`);
  frames.return();
});

Deno.test("files without elements, of other kinds, or damaged are refused in words", async () => {
  const tilted = await Deno.readFile(`${FOLDER}tilted.h5`);
  const refusal = async (bytes: Uint8Array, options = {}) => {
    try {
      await parseStructures("x.h5", bytes, options);
      return "";
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`;
    }
  };
  const noGroup = tilted.slice(), name = new TextEncoder().encode("h5md");
  for (let i = 0; i < noGroup.length - 4; i++) {
    if (name.every((byte, k) => noGroup[i + k] === byte)) noGroup[i] = 0x67;
  }
  const [types, cut, garbage, topology] = [
    await refusal(tilted, { types: ["Na"] }),
    await refusal(tilted.slice(0, 3000), { types: ["Na", "Cl"] }),
    await refusal(new Uint8Array(100)),
    await refusal(tilted),
  ];
  assertEquals(
    types,
    "SyntaxError: Cannot read x.h5: `types` must have an element for each species; it has none for 2",
  );
  assert(cut.startsWith("SyntaxError: Cannot read x.h5: the HDF5 library reports: truncated"), cut);
  assertEquals(garbage, "SyntaxError: Cannot read x.h5: an HDF5 file must begin with \\x89HDF");
  assert(topology.startsWith("TypeError: Cannot read x.h5: H5MD files do not contain"), topology);
  assert(/^SyntaxError: Cannot read x.h5: /.test(await refusal(noGroup)));
  const [system] = await parseStructures("x.h5", tilted, { topology: ARGON });
  assertEquals(system!.symbols, ["Ar", "Ar"]); // the library still works
});

Deno.test("units of the module units are converted", () => {
  assertEquals(
    ["Angstrom", "nm", "nm ps-1", "Angstrom fs-1", "ps", "eV Angstrom-1", "m", "1"].map(unitFactor),
    [1, 10, 0.01, 1, 1000, 1, undefined, undefined],
  );
  assertAlmostEquals(unitFactor("kJ mol-1 nm-1")!, 0.0010364269656262, 1e-15);
  assertAlmostEquals(unitFactor("kcal/mol/A")!, 0.0433641043, 1e-9);
});

Deno.test("convert reads and writes H5MD, and md names the formats that a run can append to", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/a.xyz`, to = `${folder.path}/run.h5`;
  const args = ["convert", `${FOLDER}nanometers.h5@0:4:2`, to];
  const { code, out, err } = await hooke(args);
  assertEquals([code, out, err], [0, `Wrote 2 structures to ${to}`, ""]);
  assertEquals((await hooke(["convert", `${to}@-1`, path])).code, 0);
  const md = await hooke(["md", path, "--traj", "traj.h5", "--steps", "1"]);
  assertEquals(md.code, 2);
  assert(md.err.includes("hooke convert makes other formats of it"), md.err);
});
