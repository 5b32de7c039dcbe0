/**
 * The format .traj of trajectories of ASE.
 *
 * @module
 */

import { TIME_UNIT_FS } from "../../kernels/constants.ts";
import { MOVE_MASK } from "../../batch/fields/fields.ts";
import { type System, systemOfData } from "../../batch/system.ts";
import { atomicMass } from "../../batch/elements.ts";
import type { UserField } from "../../batch/system_input.ts";
import { writeJson } from "../../batch/extxyz/python_json.ts";
import { reasonOf, show } from "../../base/show.ts";
import { ByteWriter } from "../bytes.ts";
import type { FormatOptions, FrameWriter, StructureFormat } from "../format.ts";
import type { StructureSource } from "../source.ts";
import { constraintsOf, isConstraints, moveMask, readConstraints } from "./constraints.ts";
import { HEADER_LENGTH, type Item, ITEM_COUNT_AT, itemsOf, MAGIC, VERSION } from "./ulm.ts";

/** ASE's binary trajectories, with energies, forces, stresses, momenta and constraints. */
export const aseTraj: StructureFormat = {
  name: "ASE trajectory",
  frames: "many",
  read: readTraj,
  write: trajWriter,
};

/** Order of six components of a stress: xx, yy, zz, yz, xz, xy, by their places among nine. */
const VOIGT = [0, 4, 8, 5, 2, 1] as const;

function* readTraj(source: StructureSource, _: FormatOptions): Generator<System, void> {
  let header: Item = {}, index = 0;
  for (const item of itemsOf(source)) {
    // Frames with the same atoms share the header of the first frame.
    if (item["numbers"] !== undefined) header = item;
    try {
      yield systemOfItem(item, header);
    } catch (cause) {
      throw new SyntaxError(
        `Cannot read ${source.name}: frame ${index} is not valid: ${reasonOf(cause)}`,
        { cause },
      );
    }
    index++;
  }
}

function systemOfItem(item: Item, header: Item): System {
  const numbers = listOf(header["numbers"], "numbers")!;
  const masses = listOf(item["masses"] ?? header["masses"], "masses");
  const momenta = listOf(item["momenta"], "momenta");
  const results = (item["calculator"] ?? {}) as Item;
  const [forces, stress] = [
    listOf(results["forces"], "forces"),
    listOf(results["stress"], "stress"),
  ];
  const charges = listOf(results["charges"] ?? item["charges"], "charges");
  const energy = results["energy"], info = item["info"];
  const { mask, others } = readConstraints(
    String(item["constraints"] ?? header["constraints"] ?? "[]"),
    numbers.length,
  );
  const massOf = (atom: number) => masses?.[atom] ?? atomicMass(numbers[atom]!);
  return systemOfData({
    numbers,
    positions: listOf(item["positions"], "positions")!,
    cell: listOf(item["cell"], "cell")!,
    pbc: listOf(header["pbc"] ?? item["pbc"], "pbc")!,
    info: { ...info as object | undefined, ...others.length > 0 && { constraints: others } },
    ...masses !== undefined && { masses },
    ...momenta !== undefined && {
      velocities: momenta.map((p, i) => p / (massOf(Math.floor(i / 3)) * TIME_UNIT_FS)),
    },
    ...typeof energy === "number" && { energy },
    ...forces !== undefined && { forces },
    ...stress !== undefined && { stress },
    ...charges !== undefined && { charges },
    fields: fieldsOf(item, header, mask, numbers.length),
  });
}

function fieldsOf(
  item: Item,
  header: Item,
  mask: Uint8Array | undefined,
  atoms: number,
): Record<string, UserField> {
  const tags = listOf(item["tags"] ?? header["tags"], "tags");
  return {
    ...tags !== undefined && { tags: { values: tags, level: "node", dtype: "i32", fill: 0 } },
    ...mask !== undefined && {
      [MOVE_MASK]: {
        values: mask,
        level: "node",
        dtype: "u8",
        width: mask.length / atoms,
        fill: 1,
      },
    },
  };
}

/** Returns a value as a flat list of numbers; `undefined` if it is missing. */
function listOf(value: unknown, name: string): number[] | undefined {
  if (value === undefined || value === null) {
    if (["numbers", "positions", "cell", "pbc"].includes(name)) {
      throw new SyntaxError(`Cannot make a system: ${name} are missing`);
    }
    return undefined;
  }
  const flat: unknown[] = Array.isArray(value) ? value.flat(Infinity) : [value];
  return flat.map((x) => {
    if (typeof x === "number" || typeof x === "boolean") return Number(x);
    throw new SyntaxError(`${name} must be numbers; got ${show(x)}`);
  });
}

function trajWriter(): FrameWriter {
  const offsets: number[] = [];
  let length = 0;
  return {
    frame(system) {
      const out = new ByteWriter({ littleEndian: true });
      if (length === 0) writeHeader(out);
      offsets.push(length + writeItem(out, system, length, offsets.length === 0));
      length += out.length;
      return out.all();
    },
    finish() {
      const end = new ByteWriter({ littleEndian: true }),
        header = new ByteWriter({ littleEndian: true });
      // ASE appends to a file only if the number of reserved offsets is a power of 42.
      let reserved = 1;
      while (reserved < offsets.length) reserved *= 42;
      end.bytes(new Uint8Array((8 - length % 8) % 8));
      header.i64(offsets.length);
      header.i64(length + end.length);
      for (let i = 0; i < reserved; i++) end.i64(offsets[i] ?? 0);
      return [{ at: length, bytes: end.all() }, { at: ITEM_COUNT_AT, bytes: header.all() }];
    },
  };
}

function writeHeader(out: ByteWriter): void {
  out.ascii(MAGIC);
  out.i64(VERSION);
  out.i64(0); // number of items, written at the end, as is the offset of their offsets
  out.i64(HEADER_LENGTH);
}

/** Writes arrays and then the JSON that refers to them. Returns the offset of the JSON in `out`. */
function writeItem(out: ByteWriter, system: System, start: number, isFirst: boolean): number {
  const array = (
    shape: readonly number[],
    values: ArrayLike<number>,
    dtype: "float64" | "int64" = "float64",
  ) => {
    out.bytes(new Uint8Array((8 - (start + out.length) % 8) % 8));
    const at = start + out.length;
    if (dtype === "float64") out.f64s(values);
    else for (let i = 0; i < values.length; i++) out.i64(values[i]!);
    return { ndarray: [shape, dtype, at] };
  };
  const n = system.nodeCount, mask = moveMask(system), own = system.info["constraints"];
  const constraints = [
    ...mask === undefined ? [] : constraintsOf(mask, n),
    ...isConstraints(own) ? own : [],
  ];
  const { constraints: _, ...info } = system.info;
  const item: Record<string, unknown> = {
    ...isFirst && { version: 1, ase_version: "3.23.0" },
    // A header in each frame lets frames have different atoms.
    pbc: Array.from(system.pbc, (flag) => flag === 1),
    "numbers.": array([n], system.numbers, "int64"),
    "masses.": array([n], system.masses),
    ...constraints.length > 0 && { constraints: writeJson(constraints) },
    "positions.": array([n, 3], system.positions),
    cell: [0, 3, 6].map((at) => Array.from(system.cell.subarray(at, at + 3))),
    ...system.has("velocities") && { "momenta.": array([n, 3], momentaOf(system)) },
    ...system.has("tags") && { "tags.": array([n], system.get("tags"), "int64") },
    ...resultsOf(system, array),
    ...Object.keys(info).length > 0 && writeJson(info) !== undefined && { info },
  };
  const text = new TextEncoder().encode(writeJson(item)!), at = out.length;
  out.i64(text.length);
  out.bytes(text);
  return at;
}

function momentaOf(system: System): Float64Array {
  return system.get("velocities").map((v, i) =>
    v * system.masses[Math.floor(i / 3)]! * TIME_UNIT_FS
  );
}

function resultsOf(
  system: System,
  array: (shape: readonly number[], values: ArrayLike<number>) => unknown,
): Item {
  const forces = system.has("forces") ? system.get("forces") : undefined;
  const stress = system.has("stress") ? system.get("stress") : undefined;
  const results = {
    ...system.energy !== undefined && { energy: system.energy },
    ...forces?.every((x) => !Number.isNaN(x)) &&
      { "forces.": array([system.nodeCount, 3], forces) },
    ...stress?.every((x) => !Number.isNaN(x)) && { stress: VOIGT.map((k) => stress[k]!) },
    ...system.has("charges") && { "charges.": array([system.nodeCount], system.get("charges")) },
  };
  return Object.keys(results).length === 0 ? {} : { "calculator.": { name: "hooke", ...results } };
}
