import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fcc } from "../../src/batch/mod.ts";
import { writeExtxyz } from "../../src/batch/extxyz/mod.ts";
import { System } from "../../src/batch/system.ts";
import { openSystems } from "../../src/sinks/systems_file.ts";
import { writeStructures } from "../../src/formats/files.ts";
import { hooke, tempFolder } from "./session.ts";

const frames = Array.from(
  { length: 5 },
  (_, i) =>
    new System({ symbols: ["Ar", "Kr"], positions: [0, 0, 0, 3 + i, 0, 0], cell: [20, 20, 20] }),
);

Deno.test("convert goes through any two formats, and selects frames", async () => {
  await using folder = await tempFolder();
  const at = (name: string) => `${folder.path}/${name}`;
  await writeStructures(at("run.traj"), frames);
  // Each file is made from the one before.
  const chain = [
    "run.traj",
    "a.xyz",
    "b.lammpstrj",
    "c.zarr",
    "d.pdb",
    "XDATCAR",
    "e.db",
    "f.npz",
    "g.jsonl",
    "h.cif",
  ];
  for (const [i, to] of chain.slice(1).entries()) {
    const { code, out, err } = await hooke(["convert", at(chain[i]!), at(to)]);
    assertEquals([code, err], [0, ""], to);
    assertEquals(out, `Wrote 5 structures to ${at(to)}`);
  }
  const last = await hooke(["convert", `${at("h.cif")}@-1`, `${at("a.xyz")}@0`, at("two.xyz")]);
  assertEquals(last.out, `Wrote 2 structures to ${at("two.xyz")}`);
  await using file = await openSystems(at("two.xyz"));
  const [x, y] = [(await file.get(0)).positions[3]!, (await file.get(1)).positions[3]!];
  assertEquals([x.toFixed(3), y.toFixed(3)], ["7.000", "3.000"]);
});

Deno.test("convert needs a topology for positions without elements, and says so", async () => {
  await using folder = await tempFolder();
  const at = (name: string) => `${folder.path}/${name}`;
  await writeStructures(at("run.dcd"), frames);
  const without = await hooke(["convert", at("run.dcd"), at("a.xyz")]);
  assertEquals(without.code, 1);
  assertStringIncludes(without.err, "DCD files do not contain the elements of the atoms");
  await writeStructures(at("start.cif"), [frames[0]!]);
  const converted = await hooke([
    "convert",
    at("run.dcd"),
    at("a.xyz"),
    "--topology",
    at("start.cif"),
  ]);
  assertEquals([converted.code, converted.err], [0, ""]);
  assertEquals([...Deno.readDirSync(folder.path)].length, 3);
});

Deno.test("convert refuses wrong names, existing files and too many structures, and leaves nothing behind", async () => {
  await using folder = await tempFolder();
  const at = (name: string) => `${folder.path}/${name}`;
  await writeStructures(at("run.traj"), frames);
  const said = async (...args: string[]) => {
    const { code, err } = await hooke(["convert", ...args]);
    return [code, err] as const;
  };
  assertEquals((await said(at("run.traj")))[0], 2);
  assertMatch(
    (await said(at("run.traj"), at("a.txt")))[1],
    /Cannot write .*a\.txt: its name must end with one of \.xyz/,
  );
  assertMatch((await said(at("table.csv"), at("a.xyz")))[1], /Cannot read .*table\.csv/);
  assertMatch((await said(at("run.traj"), at("POSCAR")))[1], /a POSCAR file holds one structure/);
  assertMatch((await said(`${at("run.traj")}@9`, at("POSCAR")))[1], /the file has 5 frames/);
  assertMatch((await said(at("run.traj"), at("run.traj")))[1], /it exists\. Pass --overwrite/);
  assertEquals([...Deno.readDirSync(folder.path)].map(({ name }) => name), ["run.traj"]);
});

Deno.test("relax reads a CIF and writes a POSCAR, and refuses what a format cannot hold before the run", async () => {
  await using folder = await tempFolder();
  const at = (name: string) => `${folder.path}/${name}`;
  await Deno.writeTextFile(
    at("argon.cif"),
    "data_argon\n_cell_length_a 5.3\n_cell_length_b 5.3\n_cell_length_c 5.3\n_cell_angle_alpha 90\n_cell_angle_beta 90\n" +
      "_cell_angle_gamma 90\nloop_\n_symmetry_equiv_pos_as_xyz\nx,y,z\nx,y+1/2,z+1/2\nx+1/2,y,z+1/2\nx+1/2,y+1/2,z\n" +
      "loop_\n_atom_site_label\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\nAr1 0 0 0\n",
  );
  const relaxed = await hooke(["relax", at("argon.cif"), "--cell", "-o", at("POSCAR")]);
  assertEquals([relaxed.code, relaxed.err], [0, ""]);
  await using file = await openSystems(at("POSCAR"));
  assertEquals((await file.get(0)).nodeCount, 4);
  const two = await hooke(["relax", at("argon.cif"), at("argon.cif"), "-o", at("CONTCAR")]);
  assertEquals([two.code, two.err.includes("holds one structure, and there are 2")], [2, true]);
  await writeStructures(at("pair.xyz.pdb"), [
    new System({ symbols: ["Ar", "Ar"], positions: [0, 0, 0, 4, 0, 0] }),
  ]);
  const open = await hooke(["relax", at("pair.xyz.pdb"), "-o", at("pair.cif")]);
  assertEquals([open.code, open.err.includes("must be periodic in three directions")], [2, true]);
});

Deno.test("a file without elements is refused with the flag that gives them", async () => {
  await using folder = await tempFolder();
  const from = `${folder.path}/a.xyz`, dcd = `${folder.path}/a.dcd`;
  await Deno.writeTextFile(from, writeExtxyz([fcc({ element: "Ar", a: 5.26 })]));
  assertEquals((await hooke(["convert", from, dcd])).code, 0);
  for (const command of [["convert", dcd, `${folder.path}/b.xyz`], ["relax", dcd]]) {
    const { code, err } = await hooke(command);
    assertEquals(code, 1);
    assertStringIncludes(err, "Pass a structure with the same atoms as --topology FILE");
  }
});
