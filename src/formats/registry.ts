/**
 * Formats of structure files by the names of files.
 *
 * @module
 */

import type { StructureFormat } from "./format.ts";

/** Function that loads a format. The code of a format is loaded when it is used. */
export type LoadFormat = () => Promise<StructureFormat>;

/** Names of files of VASP have no ending, but a word: `POSCAR`, `CONTCAR.relaxed`, `POSCAR_slab`. */
const poscar: LoadFormat = async () => (await import("./vasp/poscar.ts")).poscar;
const xdatcar: LoadFormat = async () => (await import("./vasp/xdatcar.ts")).xdatcar;
const cif: LoadFormat = async () => (await import("./cif/cif.ts")).cif;
const pdb: LoadFormat = async () => (await import("./pdb/pdb.ts")).pdb;
const lammpsData: LoadFormat = async () => (await import("./lammps/data.ts")).lammpsData;
const lammpsDump: LoadFormat = async () => (await import("./lammps/dump.ts")).lammpsDump;
const aseTraj: LoadFormat = async () => (await import("./ase/traj.ts")).aseTraj;
const dcd: LoadFormat = async () => (await import("./dcd/dcd.ts")).dcd;
const npz: LoadFormat = async () => (await import("./npz/npz.ts")).npz;
const xtc: LoadFormat = async () => (await import("./xtc/xtc.ts")).xtc;
const h5md: LoadFormat = async () => {
  const { loadHdf } = await import("./h5md/library.ts");
  return (await import("./h5md/h5md.ts")).h5md(await loadHdf());
};

/**
 * Formats of structure files by the endings of their names, besides those of `openSink`.
 *
 * @example
 * ```ts
 * import { FILE_FORMATS } from "@hooke/hooke/formats";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals((await FILE_FORMATS[".cif"]!()).name, "CIF");
 * ```
 */
export const FILE_FORMATS: Readonly<Record<string, LoadFormat>> = Object.freeze({
  ".cif": cif,
  ".mmcif": cif,
  ".vasp": poscar,
  ".poscar": poscar,
  ".xdatcar": xdatcar,
  ".pdb": pdb,
  ".data": lammpsData,
  ".lmp": lammpsData,
  ".dump": lammpsDump,
  ".lammpstrj": lammpsDump,
  ".traj": aseTraj,
  ".dcd": dcd,
  ".xtc": xtc,
  ".npz": npz,
  ".h5md": h5md,
  ".h5": h5md,
  ".hdf5": h5md,
});

const VASP: Readonly<Record<string, LoadFormat>> = {
  POSCAR: poscar,
  CONTCAR: poscar,
  XDATCAR: xdatcar,
};

/** Endings that `openSink` handles. A file of such a name is never a file of VASP: `POSCAR.relaxed.xyz`. */
export const SINK_ENDINGS: readonly string[] = [
  ".xyz",
  ".extxyz",
  ".jsonl",
  ".csv",
  ".db",
  ".zarr",
];

/** Returns the ending of a path in lower case, with its dot; an empty string if it has none. */
export function endingOf(path: string): string {
  return /\.[^./\\]*(?=[/\\]*$)/.exec(path)?.[0].toLowerCase() ?? "";
}

/**
 * Returns the function that loads the format of a path; `undefined` if the name does not determine a format.
 *
 * @example
 * ```ts
 * import { formatOfPath } from "@hooke/hooke/formats";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals((await formatOfPath("runs/CONTCAR_2")!()).name, "POSCAR");
 * assertEquals(formatOfPath("notes.txt"), undefined);
 * ```
 */
export function formatOfPath(path: string): LoadFormat | undefined {
  const ending = endingOf(path);
  if (Object.hasOwn(FILE_FORMATS, ending)) return FILE_FORMATS[ending];
  if (SINK_ENDINGS.includes(ending)) return undefined;
  const word = /(?:^|[/\\])(POSCAR|CONTCAR|XDATCAR)(?:[._-][^/\\]*)?$/.exec(path)?.[1];
  return word === undefined ? undefined : VASP[word];
}
