/**
 * Frames of structure files that are read as a whole: XYZ, CIF, POSCAR, XDATCAR, PDB, LAMMPS and ASE.
 *
 * @module
 */

import { reasonOf } from "../../../base/show.ts";
import { readExtxyz } from "../../../batch/extxyz/read.ts";
import { aseTraj } from "../../../formats/ase/traj.ts";
import { cif } from "../../../formats/cif/cif.ts";
import type { StructureFormat } from "../../../formats/format.ts";
import { lammpsData } from "../../../formats/lammps/data.ts";
import { lammpsDump } from "../../../formats/lammps/dump.ts";
import { pdb } from "../../../formats/pdb/pdb.ts";
import { sourceOf } from "../../../formats/source.ts";
import { poscar } from "../../../formats/vasp/poscar.ts";
import { xdatcar } from "../../../formats/vasp/xdatcar.ts";
import type { FrameSource } from "../../protocol.ts";
import { frameOf } from "../../feed/frame_of.ts";
import { frameSource, sourceOfFrames } from "./frame_source.ts";

/** Formats by the endings of names. The formats that need large libraries are not among them. */
const FORMATS: Readonly<Record<string, StructureFormat>> = {
  cif,
  mmcif: cif,
  vasp: poscar,
  poscar,
  xdatcar,
  pdb,
  data: lammpsData,
  lmp: lammpsData,
  dump: lammpsDump,
  lammpstrj: lammpsDump,
  traj: aseTraj,
};

/** Names of files of VASP, which have no ending. */
const VASP: Readonly<Record<string, StructureFormat>> = {
  POSCAR: poscar,
  CONTCAR: poscar,
  XDATCAR: xdatcar,
};

/** Endings of the names of files that the viewer reads. */
export const VIEWER_ENDINGS: readonly string[] = ["xyz", "extxyz", ...Object.keys(FORMATS), "zarr"];

/**
 * Reads the contents of a structure file.
 *
 * @param name name of the file, which determines the format
 * @throws {RangeError} if the name does not determine a format
 * @throws {SyntaxError} if the contents are damaged or of another format
 */
export function framesOfFile(name: string, contents: Uint8Array<ArrayBuffer>): FrameSource {
  const base = name.replace(/^.*[/\\]/, ""),
    ending = /\.([^.]*)$/.exec(base)?.[1]?.toLowerCase() ?? "";
  if (ending === "xyz" || ending === "extxyz") return xyzFrames(name, contents);
  const word = /^(POSCAR|CONTCAR|XDATCAR)(?:[._-].*)?$/.exec(base)?.[1] ?? "";
  const format = (Object.hasOwn(FORMATS, ending) ? FORMATS[ending] : undefined) ?? VASP[word];
  if (format === undefined) {
    throw new RangeError(
      `Cannot read ${name}: its name must be POSCAR, CONTCAR or XDATCAR, or end with one of ${
        VIEWER_ENDINGS.map((each) => `.${each}`).join(", ")
      }`,
    );
  }
  return sourceOfFrames(name, Array.from(format.read(sourceOf(contents, name), {}), frameOf));
}

/** Finds the frames of an XYZ file, each of which is read when it is asked for. */
function xyzFrames(name: string, contents: Uint8Array<ArrayBuffer>): FrameSource {
  const text = new TextDecoder().decode(contents);
  const starts: number[] = [];
  let at = 0;
  const endOfLine = () => {
    const end = text.indexOf("\n", at);
    return end === -1 ? text.length : end + 1;
  };
  while (at < text.length) {
    const line = text.slice(at, endOfLine()).trim();
    if (line !== "") {
      starts.push(at);
      const count = /^\d+$/.test(line) ? Number(line) + 1 : Infinity; // a damaged frame reaches to the end
      for (let k = 0; k < count && at < text.length; k++) at = endOfLine();
    }
    at = endOfLine();
  }
  if (starts.length === 0) throw new SyntaxError(`Cannot read ${name}: there are no frames`);
  return frameSource(name, starts.length, (index) => {
    try {
      const [system] = readExtxyz(text.slice(starts[index], starts[index + 1]));
      return frameOf(system!);
    } catch (cause) {
      throw new SyntaxError(`Cannot read frame ${index} of ${name}: ${reasonOf(cause)}`, { cause });
    }
  });
}
