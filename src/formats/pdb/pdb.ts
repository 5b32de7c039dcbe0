/**
 * The format PDB of molecules and proteins.
 *
 * @module
 */

import { printWarning } from "../../base/print_warning.ts";
import { atomicMass } from "../../batch/elements.ts";
import { type System, systemOfData } from "../../batch/system.ts";
import { cellOfParameters, type CellParameters, parametersOfCell } from "../cell_parameters.ts";
import { elementOf, isotopeMass, symbolNumber } from "../element.ts";
import {
  type FormatOptions,
  type FrameWriter,
  type StructureFormat,
  textWriter,
  undamaged,
} from "../format.ts";
import { orientationOf } from "../orientation.ts";
import { periodicityCheck } from "../periodicity.ts";
import type { StructureSource } from "../source.ts";
import { TextLines } from "../text_lines.ts";

/**
 * Protein Data Bank files. Names of atoms and residues are in `info`. Of alternative locations only the first is
 * read, with a warning.
 */
export const pdb: StructureFormat = {
  name: "PDB",
  frames: "many",
  read: (source, options) => undamaged(readPdb(source, options)),
  readDamaged: readPdb,
  write: pdbWriter,
};

/** Columns of CRYST1 by number: a, b, c, alpha, beta, gamma. */
const CRYST1: readonly (readonly [from: number, to: number])[] = [
  [6, 15],
  [15, 24],
  [24, 33],
  [33, 40],
  [40, 47],
  [47, 54],
];

/** Residues whose atoms have elements of one letter: amino acids, nucleotides and water. */
const RESIDUES: ReadonlySet<string> = new Set(
  ("ALA ARG ASN ASP CYS GLN GLU GLY HIS HID HIE HIP ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL ACE NME " +
    "A C G U DA DC DG DT HOH WAT SOL TIP TP3").split(" "),
);

/** Atoms of the model that is being read. */
class Model {
  readonly numbers: number[] = [];
  readonly masses: number[] = [];
  readonly positions: number[] = [];
  readonly names: string[] = [];
  readonly residues: string[] = [];
  readonly residueNumbers: number[] = [];
  readonly chains: string[] = [];
  /** The first error in its atoms. */
  damage: SyntaxError | undefined;

  /** True if no atom was found. */
  get isEmpty(): boolean {
    return this.numbers.length === 0 && this.damage === undefined;
  }
}

function* readPdb(
  source: StructureSource,
  { onWarning = printWarning }: FormatOptions,
): Generator<System | SyntaxError, void> {
  const lines = new TextLines(source, "PDB");
  let cell: Float64Array | undefined, model = new Model(), count = 0, skipped = 0;
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    const record = line.slice(0, 6).trimEnd();
    if (record === "CRYST1") cell = readCell(line, lines);
    else if (record === "ATOM" || record === "HETATM") {
      if (/[ A1]/.test(line[16] ?? " ")) addAtom(model, line, lines);
      else skipped++;
    } else if ((record === "ENDMDL" || record === "END") && !model.isEmpty) {
      count++;
      yield model.damage ?? systemOf(model, cell);
      model = new Model();
    }
  }
  if (!model.isEmpty) {
    count++;
    yield model.damage ?? systemOf(model, cell);
  }
  if (skipped > 0) {
    onWarning(`${source.name}: ${skipped} atoms at alternative locations were not read`);
  }
  if (count === 0) throw lines.error("the file must have atoms (ATOM or HETATM)", null);
}

/** Returns the lattice vectors; `undefined` for the cell of 1 Å that means "no crystal". */
function readCell(line: string, lines: TextLines): Float64Array | undefined {
  const parameters = CRYST1.map(([from, to]) =>
    lines.parse(line.slice(from, to).trim(), "each length and angle of CRYST1")
  ) as unknown as CellParameters;
  if (parameters.slice(0, 3).every((length) => length <= 1)) return undefined;
  const cell = cellOfParameters(parameters);
  if (cell === undefined) throw lines.error("the cell must span a volume");
  return cell;
}

/** Adds an atom to a model. A line that is no atom damages the model. */
function addAtom(model: Model, line: string, lines: TextLines): void {
  try {
    readAtom(model, line, lines);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    model.damage ??= error;
  }
}

function readAtom(model: Model, line: string, lines: TextLines): void {
  for (const from of [30, 38, 46]) {
    model.positions.push(lines.parse(line.slice(from, from + 8).trim(), "each coordinate"));
  }
  const number = readElement(line, lines);
  model.numbers.push(number);
  model.masses.push(isotopeMass(line.slice(76, 78).trim()) ?? atomicMass(number));
  model.names.push(line.slice(12, 16).trim());
  model.residues.push(line.slice(17, 20).trim());
  model.residueNumbers.push(Number.parseInt(line.slice(22, 26), 10) || 0);
  model.chains.push(line.slice(21, 22).trim());
}

/** Reads columns 77 and 78. Files without them have the element in the name, right-aligned in its first two columns. */
function readElement(line: string, lines: TextLines): number {
  const element = line.slice(76, 78).trim();
  const name = line.slice(12, 16);
  const number = element !== ""
    ? symbolNumber(element) ?? elementOf(element)
    : /^[ \d]/.test(name)
    ? elementOf(name.replace(/^[ \d]+/, "").slice(0, 1))
    : name.trim().length === 4
    ? elementOf(name.slice(0, 1)) // four characters, such as HG11, leave no room for the alignment
    : RESIDUES.has(line.slice(17, 20).trim()) // some programs align the names of these at the left
    ? elementOf(name.slice(0, 1))
    : elementOf(name.slice(0, 2));
  if (number === undefined) throw lines.error("the element must be in columns 77 and 78");
  return number;
}

function systemOf(model: Model, cell: Float64Array | undefined): System {
  const { numbers, masses, positions, names, residues, residueNumbers, chains } = model;
  return systemOfData({
    numbers,
    masses,
    positions,
    ...cell !== undefined && { cell, pbc: true },
    info: {
      atomNames: names,
      ...residues.some((name) => name !== "") && { residues, residueNumbers },
      ...chains.some((name) => name !== "") && { chains },
    },
  });
}

function pdbWriter(options: FormatOptions): FrameWriter {
  const check = periodicityCheck("PDB", "not periodic", options);
  // The record END is left out: ASE reads a structure without atoms from it.
  return textWriter((system, index) => {
    check(system);
    const { positions, cell } = orient(system);
    const cryst = cell === undefined ? "" : crystText(cell);
    const rows = system.symbols.map((symbol, atom) => atomText(system, symbol, atom, positions));
    return `${cryst}MODEL     ${String(index + 1).padStart(4)}\n${rows.join("")}ENDMDL\n`;
  });
}

/** Turns the system such that a is along x and b in the xy plane, because PDB files have only lengths and angles. */
function orient(
  system: System,
): { readonly positions: ArrayLike<number>; readonly cell: Float64Array | undefined } {
  const { cell, positions } = system;
  if (!system.pbc.every((flag) => flag === 1)) return { positions, cell: undefined };
  const orientation = orientationOf(cell)!;
  return { cell: orientation.cell, positions: orientation.turn(positions) };
}

function crystText(cell: ArrayLike<number>): string {
  const [a, b, c, ...angles] = parametersOfCell(cell);
  return `CRYST1${[a, b, c].map((x) => x!.toFixed(3).padStart(9)).join("")}${
    angles.map((x) => x.toFixed(2).padStart(7)).join("")
  } P 1           1\n`;
}

function atomText(
  system: System,
  symbol: string,
  atom: number,
  positions: ArrayLike<number>,
): string {
  const at = [0, 1, 2].map((k) => {
    const text = positions[3 * atom + k]!.toFixed(3);
    if (text.length <= 8) return text.padStart(8);
    throw new RangeError(
      `Cannot write PDB: coordinates must be between -999.999 and 9999.999 Å; got ${text} at atom ${atom}. ` +
        "Write the structure as .xyz instead",
    );
  });
  const name = String(listed(system, "atomNames", atom) ?? symbol).slice(0, 4);
  const shown = (name.length < 4 && symbol.length === 1 ? ` ${name}` : name).padEnd(4);
  const residue = String(listed(system, "residues", atom) ?? "MOL").slice(0, 3).padStart(3);
  const number = String(Number(listed(system, "residueNumbers", atom) ?? 1) % 10000).padStart(4);
  const chain = String(listed(system, "chains", atom) ?? " ").padEnd(1)[0];
  const serial = String((atom + 1) % 100000).padStart(5);
  return `HETATM${serial} ${shown} ${residue} ${chain}${number}    ${
    at.join("")
  }  1.00  0.00          ${symbol.padStart(2)}\n`;
}

/** Returns the entry of an atom in a list of `info`, if the list has one entry per atom. */
function listed(system: System, name: string, atom: number): unknown {
  const list = system.info[name];
  return Array.isArray(list) && list.length === system.nodeCount ? list[atom] : undefined;
}
