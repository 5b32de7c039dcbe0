/**
 * The format .npz of NumPy.
 *
 * @module
 */

import { printWarning } from "../../base/print_warning.ts";
import { BUILT_IN } from "../../batch/fields/fields.ts";
import { type System, systemOfData } from "../../batch/system.ts";
import { reasonOf } from "../../base/show.ts";
import type { FormatOptions, FrameWriter, StructureFormat } from "../format.ts";
import type { StructureSource } from "../source.ts";
import { KCAL_PER_MOL } from "../lammps/units.ts";
import { type NumpyArray, readNpy, writeNpy } from "./npy.ts";
import { readZip, writeZip } from "./zip.ts";

/**
 * Arrays of NumPy. The names are those of Hooke: `numbers`, `positions`, `cell`, `pbc`, `energy`, `forces`, `stress`,
 * `velocities`, `masses`, `charges`, with one row per frame. If frames differ in their atoms, arrays per atom are
 * joined, and `node_offsets` holds the first row of each frame.
 *
 * Names of other data sets are accepted, too: `R`, `z`, `E`, `F` (sGDML) and `coords`, `nuclear_charges`, `energies`,
 * `forces` (revised MD17).
 */
export const npz: StructureFormat = {
  name: "NumPy arrays",
  frames: "many",
  read: readNpz,
  write: npzWriter,
};

/** Arrays: other names, numbers per row, and whether a row belongs to an atom. */
interface Kind {
  readonly others: readonly string[];
  readonly width: number;
  readonly perAtom: boolean;
  readonly dtype: "<f8" | "<i8" | "|b1";
}

const kinds =
  (perAtom: boolean) =>
  (width: number, others: readonly string[] = [], dtype: Kind["dtype"] = "<f8"): Kind => ({
    others,
    width,
    perAtom,
    dtype,
  });

const node = kinds(true), frame = kinds(false);

const KINDS = {
  numbers: node(1, ["z", "Z", "nuclear_charges", "atomic_numbers"], "<i8"),
  positions: node(3, ["R", "coords", "coordinates"]),
  cell: frame(9, ["lattice"]),
  pbc: frame(3, [], "|b1"),
  energy: frame(1, ["E", "energies"]),
  forces: node(3, ["F"]),
  stress: frame(9),
  velocities: node(3),
  masses: node(1),
  charges: node(1),
} as const;

type Name = keyof typeof KINDS;

const NAMES = Object.keys(KINDS) as Name[];

/** Energy units that a file may name, in eV. */
const ENERGY_UNITS: Readonly<Record<string, number>> = {
  eV: 1,
  "kcal/mol": KCAL_PER_MOL,
  "kJ/mol": 1000 / 6.02214076e23 / 1.602176634e-19,
  Hartree: 27.211386245988,
};

/** Arrays of a file by the names of Hooke. */
interface Arrays {
  readonly values: Map<Name, NumpyArray>;
  /** First row of each frame in the arrays per atom, and the number of rows. */
  readonly offsets: ArrayLike<number>;
  readonly energyUnit: number;
}

function* readNpz(source: StructureSource, options: FormatOptions): Generator<System, void> {
  const arrays = readArrays(source, options);
  for (let i = 0; i + 1 < arrays.offsets.length; i++) {
    try {
      yield systemOfData(inputOf(arrays, i));
    } catch (cause) {
      throw new SyntaxError(
        `Cannot read ${source.name}: frame ${i} is not valid: ${reasonOf(cause)}`,
        { cause },
      );
    }
  }
}

function readArrays(source: StructureSource, options: FormatOptions): Arrays {
  const files = readZip(source), values = new Map<Name, NumpyArray>();
  const read = (name: string) => {
    const file = files.get(`${name}.npy`);
    try {
      return file === undefined ? undefined : readNpy(file(), name);
    } catch (cause) {
      throw new SyntaxError(`Cannot read ${source.name}: ${reasonOf(cause)}`, { cause });
    }
  };
  let isOwn = true;
  for (const name of NAMES) {
    const found = [name, ...KINDS[name].others].find((other) => files.has(`${other}.npy`));
    const array = found === undefined ? undefined : read(found);
    if (typeof array !== "object") continue;
    values.set(name, array);
    if (name === "positions") isOwn = found === name;
  }
  for (const name of ["numbers", "positions"] as const) {
    if (values.has(name)) continue;
    throw new SyntaxError(
      `Cannot read ${source.name}: it must have the array ${name} (or ${
        KINDS[name].others.join(", ")
      }); got ${[...files.keys()].map((file) => file.replace(/\.npy$/, "")).join(", ")}`,
    );
  }
  const energyUnit = unitOf(read("e_unit"), isOwn, values, source, options);
  const lengthUnit = read("r_unit");
  if (typeof lengthUnit === "string" && !/^(ang|angstrom|å)$/i.test(lengthUnit)) {
    throw new SyntaxError(
      `Cannot read ${source.name}: positions must be in Å; got the unit ${lengthUnit}`,
    );
  }
  return { values, offsets: offsetsOf(values, read("node_offsets"), source), energyUnit };
}

/** Returns the unit of energies. Without a unit, energies and forces of other programs are left out. */
function unitOf(
  unit: unknown,
  isOwn: boolean,
  values: Map<Name, NumpyArray>,
  source: StructureSource,
  { onWarning = printWarning }: FormatOptions,
): number {
  if (typeof unit === "string" && Object.hasOwn(ENERGY_UNITS, unit)) return ENERGY_UNITS[unit]!;
  if (isOwn && unit === undefined) return 1;
  const left = (["energy", "forces"] as const).filter((name) => values.delete(name));
  if (left.length > 0) {
    onWarning(
      `${source.name}: ${left.join(" and ")} are not read, because their unit is ${
        unit ?? "not in the file"
      }. ` +
        `Add e_unit to the arrays: one of ${Object.keys(ENERGY_UNITS).join(", ")}`,
    );
  }
  return 1;
}

function offsetsOf(
  values: ReadonlyMap<Name, NumpyArray>,
  offsets: unknown,
  source: StructureSource,
): ArrayLike<number> {
  if (typeof offsets === "object") return (offsets as NumpyArray).values;
  const { shape } = values.get("positions")!;
  const [frames, atoms, width] = shape.length === 2 ? [1, ...shape] : shape;
  if (shape.length > 3 || shape.length < 2 || width !== 3) {
    throw new SyntaxError(
      `Cannot read ${source.name}: positions must have the shape (frames, atoms, 3); got (${
        shape.join(", ")
      })`,
    );
  }
  return Array.from({ length: frames! + 1 }, (_, i) => i * atoms!);
}

function inputOf(
  { values, offsets, energyUnit }: Arrays,
  index: number,
): ConstructorParameters<typeof System>[0] {
  const [from, to] = [offsets[index]!, offsets[index + 1]!], frames = offsets.length - 1;
  const rows = (name: Name): Float64Array | undefined => {
    const array = values.get(name), { width, perAtom } = KINDS[name];
    if (array === undefined) return undefined;
    const all = array.values;
    const total = perAtom ? offsets[frames]! * width : frames * width;
    const one = (perAtom ? to - from : 1) * width;
    // An array of one frame holds for all frames: the elements of a molecule, for example.
    if (all.length === total) {
      return perAtom
        ? all.slice(from * width, to * width)
        : all.slice(index * width, (index + 1) * width);
    }
    if (all.length === one) return all;
    throw new SyntaxError(`${name} must have ${total} or ${one} numbers; got ${all.length}`);
  };
  const [cell, pbc, energy, forces, stress] = [
    rows("cell"),
    rows("pbc"),
    rows("energy"),
    rows("forces"),
    rows("stress"),
  ];
  const [velocities, masses, charges] = [rows("velocities"), rows("masses"), rows("charges")];
  return {
    numbers: rows("numbers")!,
    positions: rows("positions")!,
    ...cell !== undefined && { cell },
    ...pbc !== undefined && { pbc },
    ...energy !== undefined && { energy: energy[0]! * energyUnit },
    ...forces !== undefined && { forces: forces.map((x) => x * energyUnit) },
    ...stress !== undefined && { stress },
    ...velocities !== undefined && { velocities },
    ...masses !== undefined && { masses },
    ...charges !== undefined && { charges },
  };
}

function npzWriter(): FrameWriter {
  const systems: System[] = [];
  return {
    frame(system) {
      systems.push(system);
      return new Uint8Array(0);
    },
    finish: () => [{ at: 0, bytes: writeZip(filesOf(systems)) }],
  };
}

function filesOf(systems: readonly System[]): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const counts = systems.map(({ nodeCount }) => nodeCount), isEven = new Set(counts).size === 1;
  for (const name of NAMES) {
    if (!systems.some((system) => system.has(name))) continue;
    const { width, perAtom, dtype } = KINDS[name], fill = BUILT_IN.get(name)!.fill!;
    // A field that only some frames have is filled as in a batch: energies and forces by NaN.
    const values = Float64Array.from(
      systems.flatMap((system) =>
        system.has(name)
          ? Array.from<number>(system.get(name))
          : Array<number>((perAtom ? system.nodeCount : 1) * width).fill(fill)
      ),
    );
    const rows = !perAtom
      ? [systems.length]
      : isEven
      ? [systems.length, counts[0]!]
      : [values.length / width];
    const tail = width === 9 ? [3, 3] : width === 1 ? [] : [width];
    files.set(`${name}.npy`, writeNpy({ shape: [...rows, ...tail], values }, dtype));
  }
  if (!isEven) {
    const offsets = [0];
    for (const count of counts) offsets.push(offsets.at(-1)! + count);
    files.set(
      "node_offsets.npy",
      writeNpy({ shape: [offsets.length], values: Float64Array.from(offsets) }, "<i8"),
    );
  }
  return files;
}
