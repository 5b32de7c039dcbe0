import { assertEquals, assertRejects } from "@std/assert";
import { openStructures, parseStructures, writeStructures } from "../../src/formats/files.ts";
import type { FormatOptions } from "../../src/formats/format.ts";
import { ARGON } from "./systems.ts";

const CELL =
  "_cell_length_a 5\n_cell_length_b 5\n_cell_length_c 5\n_cell_angle_alpha 90\n_cell_angle_beta 90\n_cell_angle_gamma 90\n";
const SITES =
  "loop_\n_atom_site_label\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\n";

/** Name, contents, and a part of the error's message. */
const CASES: readonly (readonly [name: string, contents: string, message: string])[] = [
  ["a.cif", "", "must have atoms"],
  ["a.cif", "hello", 'line 1: the file must begin with data_; got "hello"'],
  ["a.cif", `data_x\n${SITES}Na 0 0 0\n`, "must have _cell_length_a"],
  [
    "a.cif",
    `data_x\n${CELL}${SITES}Na 0 0\n`,
    "the loop of _atom_site_label has 3 values for 4 names",
  ],
  ["a.cif", `data_x\n${CELL}${SITES}Qq 0 0 0\n`, "line 13: atom Qq must begin with an element"],
  ["a.cif", `data_x\n${CELL}${SITES}Na 0 ? 0\n`, '"?" must be a number'],
  [
    "a.cif",
    `data_x\n${CELL.replace("gamma 90", "gamma 190")}${SITES}Na 0 0 0\n`,
    "must span a volume",
  ],
  ["a.cif", `data_x\n${CELL}_cell_length_a 6\n`, "_cell_length_a must occur once in data_x"],
  [
    "a.cif",
    `data_x\n${CELL}_symmetry_space_group_name_H-M 'F m -3 m'\n${SITES}Na 0 0 0\n`,
    "the space group is F m -3 m, but its operations are not listed",
  ],
  [
    "a.cif",
    `data_x\n${CELL}loop_\n_symmetry_equiv_pos_as_xyz\nx,y,z\nx,y\n${SITES}Na 0 0 0\n`,
    "x,y must be an operation such as -x,y+1/2,z",
  ],
  [
    "a.cif",
    `data_x\n${CELL}loop_\n_symmetry_equiv_pos_as_xyz\nx,y,z\n-x,-y,-z\n${SITES}Na 0.02 0 0\n`,
    "two images of atom Na are 0.200 Å apart",
  ],
  [
    "a.cif",
    `data_x\n${CELL}${SITES.replace("loop_\n", "loop_\n_atom_site_occupancy\n")}0.5 Na 0 0 0\n`,
    "atom Na has the occupancy 0.5. A disordered crystal is not one structure",
  ],
  [
    "POSCAR",
    "x\n1\n1 0 0\n0 1 0\n",
    "line 4: the file ends, but each number of a lattice vector must follow",
  ],
  [
    "POSCAR",
    "x\n1\n1 0 0\n0 1 0\n0 0 1\n1\nDirect\n0 0 0\n",
    "each group of atoms must have an element",
  ],
  ["POSCAR", "H\n1\n1 0 0\n0 1 0\n0 0 1\nH\n1\nSelective\nDirect\n0 0 0\n", "three flags, T or F"],
  [
    "XDATCAR",
    "x\n1\n1 0 0\n0 1 0\n0 0 1\nH\n1\nWhat\n0 0 0\n",
    "Direct configuration= must follow the header",
  ],
  ["a.pdb", "HEADER\n", "the file must have atoms"],
  [
    "a.pdb",
    "ATOM      1  N   ALA A   1      11.104   6.1x4  -6.504",
    'each coordinate must be a number; got "6.1x4"',
  ],
  [
    "a.data",
    "c\n\n1 atoms\n0 5 xlo xhi\n0 5 ylo yhi\n0 5 zlo zhi\n\nAtoms\n\n1 1 0 0 0\n",
    "the atom style must follow the word Atoms",
  ],
  [
    "a.data",
    "c\n\n1 atoms\n0 5 xlo xhi\n0 5 ylo yhi\n0 5 zlo zhi\n\nAtoms # atomic\n\n1 1 0 0 0\n",
    "line 10: the element of type 1 is unknown",
  ],
  [
    "a.data",
    "c\n\n2 atoms\n\nAtoms # atomic\n\n1 1 0 0 0\n",
    "the header declares 2 atoms, but Atoms has 1",
  ],
  ["a.dump", "ITEM: TIMESTEP\n0\n", "the file must have a frame"],
  [
    "a.dump",
    "ITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\nITEM: ATOMS id type x y z\n1 1 0 0 0\n",
    "the dump must have a column element or mass; otherwise pass `types`",
  ],
  ["a.traj", "hello", "byte 5: the file must begin with"],
  ["a.dcd", "hello, this is no trajectory", "the file must begin with a record of 84 bytes"],
  ["a.xtc", "hello", "a frame must begin with 1995 or 2023"],
  ["a.npz", "hello", "the file must end with the directory of a zip archive"],
];

Deno.test("an invalid file is refused with its name, the line or byte, and the cause", async (t) => {
  for (const [name, contents, message] of CASES) {
    await t.step(`${name}: ${message}`, async () => {
      const error = await assertRejects(
        () => parseStructures(name, contents),
        SyntaxError,
        message,
      );
      assertEquals(error.message.startsWith(`Cannot read ${name}`), true, error.message);
    });
  }
});

Deno.test("options supply what files lack: elements of types, of VASP 4, and of DCD", async () => {
  const read = async (name: string, contents: string, options: FormatOptions) =>
    (await parseStructures(name, contents, options))[0]!.symbols;
  const dump =
    "ITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\nITEM: ATOMS id type x y z\n1 2 0 0 0\n";
  assertEquals(await read("a.dump", dump, { types: ["H", "Kr"] }), ["Kr"]);
  const topology =
    (await parseStructures("POSCAR", "x\n1\n1 0 0\n0 1 0\n0 0 1\nXe\n1\nDirect\n0 0 0\n"))[0]!;
  assertEquals(await read("a.dump", dump, { topology }), ["Xe"]);
  await assertRejects(
    () => read("a.dump", dump, { topology: ARGON }),
    SyntaxError,
    "the topology has 2",
  );
  const old = "x\n1\n1 0 0\n0 1 0\n0 0 1\n1\nDirect\n0 0 0\n";
  assertEquals(await read("POSCAR", old, { types: ["Ge"] }), ["Ge"]);
  await assertRejects(() => read("a.dump", dump, { types: ["H", "Qq"] }), TypeError, 'got "Qq"');
  const folder = await Deno.makeTempDir();
  await writeStructures(`${folder}/a.dcd`, [ARGON]);
  await assertRejects(
    () => openStructures(`${folder}/a.dcd`),
    TypeError,
    "Pass a structure with the same atoms as `topology`",
  );
  await assertRejects(
    () => openStructures(`${folder}/a.dcd`, { topology }),
    RangeError,
    "have 2 atoms, but the topology has 1",
  );
});

Deno.test("units of LAMMPS files change velocities and forces", async () => {
  const dump = (units: string) =>
    `${units}ITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\nITEM: ATOMS id element x y z vx vy vz fx fy fz\n1 H 0 0 0 2 0 0 1 0 0\n`;
  const read = async (text: string, options: FormatOptions = {}) => {
    const [system] = await parseStructures("a.dump", text, options);
    return [system!.get("velocities")[0], system!.get("forces")[0]];
  };
  assertEquals(await read(dump("")), [0.002, 1]);
  const [velocity, force] = await read(dump(""), { units: "real" });
  assertEquals([velocity, force!.toFixed(6)], [2, "0.043364"]);
  assertEquals((await read(dump("ITEM: UNITS\nreal\n")))[0], 2);
  await assertRejects(
    () => read(dump("ITEM: UNITS\nlj\n")),
    SyntaxError,
    'the units must be metal or real; got "lj"',
  );
});

Deno.test("an unknown name, a missing file and an empty list are refused", async () => {
  const folder = await Deno.makeTempDir();
  await assertRejects(
    () => openStructures("notes.txt"),
    RangeError,
    "its name must be POSCAR, CONTCAR or XDATCAR, or end with one of .cif",
  );
  await assertRejects(
    () => openStructures("/nonexistent/a.cif"),
    Error,
    "Cannot open /nonexistent/a.cif: there is no such file or folder",
  );
  await assertRejects(
    () => writeStructures(`${folder}/a.cif`, []),
    RangeError,
    "there are no structures",
  );
  await assertRejects(
    () => writeStructures("/nonexistent/a.cif", [ARGON]),
    Error,
    "Cannot write /nonexistent/a.cif: there is no such file or folder",
  );
});
