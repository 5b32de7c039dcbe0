import { assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { System } from "../../src/batch/system.ts";
import { openStructures, parseStructures, writeStructures } from "../../src/formats/files.ts";
import { formatOfPath, SINK_ENDINGS } from "../../src/formats/registry.ts";
import { SINK_FORMATS } from "../../src/sinks/open_sink.ts";
import { ARGON } from "./systems.ts";

const slab = new System({
  symbols: ["Cu", "Cu"],
  positions: [0, 0, 5, 1.3, 1.3, 6.8],
  cell: [[2.6, 0, 0], [0, 2.6, 0], [0, 0, 20]],
  pbc: [true, true, false],
});
const molecule = new System({ symbols: ["H", "H"], positions: [0, 0, 0, 0.74, 0, 0] });

/** Writes a system, and returns what a reader gets, with the warnings of the writer. */
async function through(
  name: string,
  system: System,
): Promise<{ pbc: number[]; warnings: string[] }> {
  const path = `${await Deno.makeTempDir()}/${name}`, warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  await writeStructures(path, [system, ...(/POSCAR|data/.test(name) ? [] : [system])], {
    onWarning,
  });
  await using file = await openStructures(path, { topology: system });
  return { pbc: [...(await file.get(0)).pbc], warnings };
}

Deno.test("periodicity is kept, or the writer warns once", async () => {
  for (const name of ["a.data", "a.lammpstrj", "a.traj", "a.npz"]) {
    assertEquals(await through(name, slab), { pbc: [1, 1, 0], warnings: [] }, name);
    assertEquals(await through(name, molecule), { pbc: [0, 0, 0], warnings: [] }, name);
  }
  for (const name of ["POSCAR", "XDATCAR", "a.dcd", "a.xtc"]) {
    const { pbc, warnings } = await through(name, slab);
    assertEquals([pbc, warnings.length], [[1, 1, 1], 1], name);
    assertEquals(
      /cannot store the periodicity T T F: .* periodic in three directions/.test(warnings[0]!),
      true,
    );
  }
  const { pbc, warnings } = await through("a.pdb", slab);
  assertEquals([pbc, warnings.length], [[0, 0, 0], 1]);
  for (const name of ["a.pdb", "a.dcd", "a.xtc"]) {
    assertEquals(await through(name, molecule), { pbc: [0, 0, 0], warnings: [] }, name);
  }
});

Deno.test("a file of a sink keeps its format although its name begins with POSCAR", () => {
  assertEquals([...SINK_ENDINGS].sort(), Object.keys(SINK_FORMATS).sort());
  assertEquals(formatOfPath("POSCAR.relaxed.xyz"), undefined);
  assertEquals(typeof formatOfPath("runs/POSCAR.relaxed"), "function");
});

const CELL =
  "_cell_length_a 9\n_cell_length_b 9\n_cell_length_c 9\n_cell_angle_alpha 90\n_cell_angle_beta 90\n_cell_angle_gamma 90\n";
const cif = (more: string, sites: string) =>
  `data_x\n${CELL}${more}loop_\n_atom_site_label\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\n${sites}`;

Deno.test("labels of atoms in CIF files give the element that the letters mean", async () => {
  const group = "_space_group_IT_number 1\n";
  const sites = ["HO1", "Ho1", "CO2", "LI1", "D3", "Cl1"].map((label, i) => `${label} 0 0 0.${i}\n`)
    .join("");
  const [read] = await parseStructures("a.cif", cif(group, sites));
  assertEquals(read!.symbols, ["H", "Ho", "C", "Li", "H", "Cl"]);
  assertAlmostEquals(read!.masses[4]!, 2.014, 1e-3);
  await assertRejects(
    () => parseStructures("a.cif", cif(group, "Wat 0 0 0\n")),
    SyntaxError,
    "Wat must begin with an element",
  );
  await assertRejects(
    () =>
      parseStructures("a.cif", cif("_symmetry_space_group_name_Hall '-F 4 2 3'\n", "Na 0 0 0\n")),
    SyntaxError,
    "the space group is -F 4 2 3, but its operations are not listed",
  );
});

Deno.test("atoms of residues in PDB files have elements of one letter, also if names are aligned at the left", async () => {
  const line = (name: string, residue: string) =>
    `ATOM      1 ${name.padEnd(4)} ${residue} A   1      11.104   6.134  -6.504\n`;
  const [read] = await parseStructures(
    "a.pdb",
    [["CD1", "LEU"], ["NE2", "HIS"], ["HG2", "GLU"], [" CA ", "ALA"], ["CA", " CA"]].map(([a, b]) =>
      line(a!, b!)
    ).join(""),
  );
  assertEquals(read!.symbols, ["C", "N", "H", "C", "Ca"]);
});

Deno.test("units of LAMMPS data files other than metal and real are refused unless the user gives units", async () => {
  const data = (units: string) =>
    `LAMMPS data, units = ${units}\n\n1 atoms\n0 5 xlo xhi\n0 5 ylo yhi\n0 5 zlo zhi\n\nMasses\n\n1 39.948\n\nAtoms # atomic\n\n1 1 0 0 0\n`;
  await assertRejects(
    () => parseStructures("a.data", data("electron")),
    SyntaxError,
    'the units must be metal or real; got "electron"',
  );
  assertEquals(
    (await parseStructures("a.data", data("electron"), { units: "metal" }))[0]!.symbols,
    ["Ar"],
  );
  assertEquals((await parseStructures("a.data", data("real")))[0]!.symbols, ["Ar"]);
});

Deno.test("arrays of NumPy keep a field that only some frames have", async () => {
  const path = `${await Deno.makeTempDir()}/a.npz`;
  const labeled = new System({
    symbols: ["Ar", "Ar"],
    positions: [0, 0, 0, 2.6, 2.6, 0],
    cell: [5.2, 5.2, 5.2],
    energy: -1.5,
  });
  await writeStructures(path, [ARGON, labeled]);
  await using file = await openStructures(path);
  assertEquals([(await file.get(0)).energy, (await file.get(1)).energy], [undefined, -1.5]);
});

Deno.test("a CIF file without operations and without a space group is read with a warning", async () => {
  const text = (group: string) =>
    `data_a\n${group}_cell_length_a 5\n_cell_length_b 5\n_cell_length_c 5\n_cell_angle_alpha 90\n` +
    "_cell_angle_beta 90\n_cell_angle_gamma 90\nloop_\n_atom_site_label\n_atom_site_fract_x\n" +
    "_atom_site_fract_y\n_atom_site_fract_z\nAr1 0 0 0\n";
  const warningsOf = async (group: string) => {
    const warnings: string[] = [];
    const onWarning = (message: string) => void warnings.push(message);
    assertEquals((await parseStructures("a.cif", text(group), { onWarning })).length, 1);
    return warnings;
  };
  assertEquals(await warningsOf("_symmetry_space_group_name_H-M 'P 1'\n"), []);
  const [warning, ...others] = await warningsOf("");
  assertEquals(others, []);
  assertEquals(/data_a has neither symmetry operations nor a space group/.test(warning!), true);
});
