/**
 * Reading of crystals from CIF files.
 *
 * @module
 */

import { printWarning } from "../../base/print_warning.ts";
import { atomicMass } from "../../batch/elements.ts";
import { type System, systemOfData } from "../../batch/system.ts";
import { cellOfParameters, type CellParameters } from "../cell_parameters.ts";
import { elementOf, elementOfLabel, isotopeMass } from "../element.ts";
import type { FormatOptions } from "../format.ts";
import { timesMatrix, toCartesian, toFractional } from "../fractional.ts";
import type { StructureSource } from "../source.ts";
import { TextLines } from "../text_lines.ts";
import { type Block, blocksOf } from "./block.ts";
import { imageOf, type Operation, readOperation } from "./symmetry.ts";
import type { Word } from "./tokens.ts";

/** Images of one site closer than this are the same atom, Å. Files round coordinates such as 1/3 to 3 digits. */
const SAME = 0.02;
/** Images of one site that are farther apart than `SAME` and closer than this are an error, Å. */
const TOO_CLOSE = 0.5;

const CELL = ["length_a", "length_b", "length_c", "angle_alpha", "angle_beta", "angle_gamma"];
const OPERATIONS = [
  "_space_group_symop_operation_xyz",
  "_symmetry_equiv_pos_as_xyz",
  "_space_group_symop_ssg_operation_algebraic",
];
const GROUPS = [
  "_space_group_it_number",
  "_symmetry_int_tables_number",
  "_space_group_name_h-m_alt",
  "_symmetry_space_group_name_h-m",
  "_space_group_name_hall",
  "_symmetry_space_group_name_hall",
];

interface Site {
  readonly label: string;
  readonly number: number;
  readonly mass: number;
  readonly fractional: readonly number[];
}

/** Yields the crystal of each data block that has atoms, with all images of its atoms by the symmetry operations. */
export function* readCif(
  source: StructureSource,
  { onWarning = printWarning }: FormatOptions,
): Generator<System, void> {
  const lines = new TextLines(source, "CIF");
  let count = 0;
  for (const block of blocksOf(lines)) {
    if (!["_atom_site_fract_x", "_atom_site_cartn_x"].some((name) => block.values.has(name))) {
      continue;
    }
    count++;
    yield crystalOf(block, lines, (message) => onWarning(`${source.name}: ${message}`));
  }
  if (count === 0) throw lines.error("a data block must have atoms (_atom_site_fract_x)", null);
}

function crystalOf(block: Block, lines: TextLines, warn: (message: string) => void): System {
  const cell = readCell(block, lines);
  const sites = readSites(block, cell, lines);
  const operations = cell === undefined ? [IDENTITY] : readOperations(block, lines, warn);
  const numbers: number[] = [],
    masses: number[] = [],
    fractional: number[] = [],
    labels: string[] = [];
  for (const site of sites) {
    for (const image of imagesOf(site, operations, cell, lines)) {
      numbers.push(site.number);
      masses.push(site.mass);
      labels.push(site.label);
      fractional.push(...image);
    }
  }
  return systemOfData({
    numbers,
    masses,
    positions: cell === undefined ? fractional : toCartesian(fractional, cell),
    ...cell !== undefined && { cell, pbc: true },
    info: { name: block.name, labels },
  });
}

const IDENTITY: Operation = { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], translation: [0, 0, 0] };

/** Returns the lattice vectors, or `undefined` for a molecule without a cell. */
function readCell(block: Block, lines: TextLines): Float64Array | undefined {
  const words = CELL.map((name) => block.values.get(`_cell_${name}`)?.[0]);
  const missing = CELL.filter((_, i) => words[i] === undefined || isUnknown(words[i]!));
  if (missing.length === 6 && block.values.has("_atom_site_cartn_x")) return undefined;
  if (missing.length > 0) {
    throw lines.error(`data_${block.name} must have _cell_${missing[0]}`, null);
  }
  const parameters = words.map((word) => numberOf(word!, lines)) as unknown as CellParameters;
  const cell = cellOfParameters(parameters);
  if (cell === undefined) {
    throw lines.error(
      `the cell of data_${block.name} must span a volume; got ${parameters.join(" ")}`,
      null,
    );
  }
  return cell;
}

function readSites(block: Block, cell: Float64Array | undefined, lines: TextLines): Site[] {
  const column = (name: string) => block.values.get(`_atom_site_${name}`);
  const isFractional = column("fract_x") !== undefined && cell !== undefined;
  const axes = ["x", "y", "z"].map((axis) => {
    const words = column(`${isFractional ? "fract" : "cartn"}_${axis}`);
    if (words === undefined) {
      throw lines.error(`data_${block.name} must have coordinates along ${axis}`, null);
    }
    return words;
  });
  const [labels, symbols] = [column("label") ?? column("id"), column("type_symbol")];
  const sites: Site[] = [];
  for (let i = 0; i < axes[0]!.length; i++) {
    const name = (symbols ?? labels)?.[i];
    const number = name === undefined
      ? undefined
      : symbols === undefined
      ? elementOfLabel(name.text)
      : elementOf(name.text);
    const label = labels?.[i]?.text ?? name?.text ?? `${i + 1}`;
    if (number === undefined) {
      throw at(lines, axes[0]![i]!, `atom ${label} must begin with an element`);
    }
    checkOccupancy(column("occupancy")?.[i], label, lines);
    const coordinates = axes.map((axis) => numberOf(axis[i]!, lines));
    const fractional = isFractional || cell === undefined
      ? coordinates
      : Array.from(toFractional(coordinates, cell));
    sites.push({ label, number, mass: isotopeMass(name!.text) ?? atomicMass(number), fractional });
  }
  return sites;
}

function checkOccupancy(word: Word | undefined, label: string, lines: TextLines): void {
  if (word === undefined || isUnknown(word)) return;
  const occupancy = numberOf(word, lines);
  if (Math.abs(occupancy - 1) < 1e-3) return;
  throw at(
    lines,
    word,
    `atom ${label} has the occupancy ${occupancy}. A disordered crystal is not one structure: ` +
      `write one ordered structure (a supercell, for example) to a file, and pass that file`,
  );
}

function readOperations(
  block: Block,
  lines: TextLines,
  warn: (message: string) => void,
): Operation[] {
  const words = OPERATIONS.map((name) => block.values.get(name)).find((list) => list !== undefined);
  if (words === undefined) {
    checkGroup(block, lines, warn);
    return [IDENTITY];
  }
  return words.map((word) => {
    const operation = readOperation(word.text);
    if (operation === undefined) {
      throw at(lines, word, `${word.text} must be an operation such as -x,y+1/2,z`);
    }
    return operation;
  });
}

/**
 * Throws if the file names a space group other than P1 but does not list its operations. Warns if it does not even name
 * a group.
 */
function checkGroup(block: Block, lines: TextLines, warn: (message: string) => void): void {
  const group = GROUPS.map((name) => block.values.get(name)?.[0])
    .find((word) => word !== undefined && !isUnknown(word));
  if (group === undefined) {
    return warn(
      `data_${block.name} has neither symmetry operations nor a space group; only the listed atoms are read, as in ` +
        "P 1. If the crystal has a symmetry, atoms are missing: add the loop _space_group_symop_operation_xyz",
    );
  }
  if (/^(1|p\s*1)$/i.test(group.text.trim())) return;
  throw at(
    lines,
    group,
    `the space group is ${group.text}, but its operations are not listed. Add the loop ` +
      `_space_group_symop_operation_xyz, or write all atoms of the cell with the group P 1`,
  );
}

/** Returns the images of a site by all operations, each once. */
function imagesOf(
  site: Site,
  operations: readonly Operation[],
  cell: Float64Array | undefined,
  lines: TextLines,
): number[][] {
  if (cell === undefined) return [[...site.fractional]];
  const images: number[][] = [];
  for (const operation of operations) {
    const image = operation === operations[0] && isIdentity(operation)
      ? [...site.fractional] // as in the file, so that atoms do not jump between the frames of a trajectory
      : imageOf(operation, site.fractional);
    const nearest = Math.min(...images.map((other) => distance(image, other, cell)));
    if (nearest < SAME) continue;
    if (nearest < TOO_CLOSE) {
      throw lines.error(
        `two images of atom ${site.label} are ${nearest.toFixed(3)} Å apart: ` +
          `it is near a symmetry element, but not on it`,
        null,
      );
    }
    images.push(image);
  }
  return images;
}

function isIdentity({ rotation, translation }: Operation): boolean {
  return rotation.join() === IDENTITY.rotation.join() && translation.every((x) => x === 0);
}

/** Returns the distance of two fractional positions, Å. Right for distances much shorter than the cell. */
function distance(a: readonly number[], b: readonly number[], cell: ArrayLike<number>): number {
  const d = a.map((x, k) => x - b[k]! - Math.round(x - b[k]!));
  return Math.hypot(...timesMatrix(d, cell));
}

/** Returns a number without its standard uncertainty: 1.234(5) is 1.234. */
function numberOf(word: Word, lines: TextLines): number {
  const text = word.text.replace(/\(\d+\)$/, "");
  const value = text === "" ? NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw at(lines, word, `${JSON.stringify(word.text)} must be a number`);
}

function isUnknown({ text, quoted }: Word): boolean {
  return !quoted && (text === "?" || text === ".");
}

/** Returns an error that names the line of a word. */
function at(lines: TextLines, word: Word, requirement: string): SyntaxError {
  lines.number = word.line;
  return lines.error(requirement, null);
}
