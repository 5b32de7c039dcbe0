/**
 * Reading of a store.
 *
 * @module
 */

import { reasonOf } from "../../base/show.ts";
import { Batch } from "../../batch/batch.ts";
import { atomicMass } from "../../batch/elements.ts";
import {
  BUILT_IN,
  type BuiltInName,
  type Level,
  type NumericArray,
} from "../../batch/fields/fields.ts";
import type { SavedField } from "../../batch/saved/saved_batch.ts";
import type { Info } from "../../batch/store.ts";
import { type Host, readIfExists } from "./files.ts";
import { readInfos } from "./info_text.ts";
import { INFO_TEXT, MASKS, POINTERS } from "./layout.ts";
import { addResiduals } from "./residual.ts";
import { readRoot, type RootMetadata } from "./root_metadata.ts";
import { type RowRange, StoredArray } from "./stored_array.ts";
import { StoredField } from "./stored_field.ts";

/**
 * Rows of some systems at one level: their ranges in the store, and the first row of each system there and in the
 * batch.
 */
interface Rows {
  readonly ranges: readonly RowRange[];
  /** First row in the store of each system. */
  readonly starts: ArrayLike<number>;
  /** First row in the batch of each system, followed by the number of rows. */
  readonly offsets: Int32Array;
}

/** The arrays of a store that are not fields. */
interface Arrays {
  readonly node: StoredArray;
  readonly edge: StoredArray;
  readonly info: StoredArray | undefined;
  readonly text: StoredArray | undefined;
}

/** The content of a store at one moment. Values are read on request. */
export class StoreView {
  readonly root: RootMetadata;
  /** Fields by their names in Hooke. */
  readonly fields: ReadonlyMap<string, StoredField>;
  /** Arrays that are not fields; `undefined` if the store has no systems, because the arrays need not exist then. */
  readonly arrays: Arrays | undefined;
  /** Number of rows at the level of systems, including systems that are marked as deleted. */
  readonly rows: number;
  readonly #path: string;
  /** Row of each system that is not deleted; `undefined` if no system is marked as deleted. */
  readonly #places: Int32Array | undefined;
  readonly #mask: NumericArray;

  private constructor(
    path: string,
    root: RootMetadata,
    { fields, arrays, mask }: {
      readonly fields: ReadonlyMap<string, StoredField>;
      readonly arrays: Arrays | undefined;
      readonly mask: NumericArray;
    },
  ) {
    this.#path = path;
    this.root = root;
    this.fields = fields;
    this.arrays = arrays;
    this.rows = mask.length;
    this.#mask = mask;
    if (mask.includes(0)) {
      this.#places = Int32Array.from(mask, (flag, row) => flag ? row : -1).filter((x) => x !== -1);
    }
  }

  /**
   * Opens the store in a folder. Returns `undefined` if there is no `zarr.json`.
   *
   * @throws {SyntaxError} if the content is damaged or not a store of systems; the message names the file and the key
   * @throws {RangeError} if a newer version wrote the store
   */
  static async open(host: Host, path: string): Promise<StoreView | undefined> {
    const bytes = await readIfExists(host.fs, `${path}/zarr.json`);
    if (bytes === undefined) return undefined;
    const root = await readRoot(host.fs, path, bytes);
    if (root.samples === 0) {
      return new StoreView(path, root, {
        fields: new Map(),
        arrays: undefined,
        mask: new Uint8Array(0),
      });
    }
    const array = async (name: string) => await StoredArray.open(host, `${path}/${name}`);
    const required = async (name: string) => await array(name) ?? missing(path, name);
    const arrays: Arrays = {
      node: await required(POINTERS.node.path),
      edge: await required(POINTERS.edge.path),
      info: root.isOurs ? await array(POINTERS.info.path) : undefined,
      text: root.isOurs ? await array(INFO_TEXT.path) : undefined,
    };
    const masks = await required(MASKS.system.path);
    const mask = await masks.read([[0, root.samples ?? masks.rows]]);
    const fields = new Map<string, StoredField>();
    for (const place of root.fields) {
      const field = new StoredField(await required(`${place.group}/${place.stored}`), place);
      const { name } = field.info;
      if (fields.has(name)) missing(path, `one array for "${name}"`, "several");
      fields.set(name, field);
    }
    for (const name of ["numbers", "positions"]) {
      if (mask.length === 0 || fields.has(name)) continue;
      missing(`${path}/zarr.json`, `${name} among attributes.fields`, [...fields.keys()].join());
    }
    return new StoreView(path, root, { fields, arrays, mask });
  }

  /** Number of systems. */
  get size(): number {
    return this.#places?.length ?? this.rows;
  }

  /**
   * Returns the values of a field that has one number per system, without those of deleted systems; `undefined` if
   * the store has no such field.
   */
  async scalars(name: string): Promise<NumericArray | undefined> {
    const field = this.fields.get(name);
    if (field?.info.level !== "system" || field.info.width !== 1) return undefined;
    const values = await field.read([[0, this.rows]]);
    const exists = (_: number, row: number) => this.#mask[row] !== 0;
    return this.#places === undefined ? values : values.filter(exists);
  }

  /**
   * Reads the systems with the given indices among those that are not deleted, in this order. Throws a SyntaxError if
   * their data is damaged.
   */
  async select(places: readonly number[]): Promise<Batch> {
    if (this.arrays === undefined) missing(this.#path, "systems");
    const at = places.map((place) => this.#places?.[place] ?? place);
    const system: Rows = {
      ranges: at.reduce<[number, number][]>(joinRows, []),
      starts: at,
      offsets: new Int32Array(0),
    };
    const { node, edge } = this.arrays;
    const rows = { system, node: await rowsOf(node, system), edge: await rowsOf(edge, system) };
    const fields = await this.#readFields(rows);
    const infos = await infosOf(this.arrays, system);
    try {
      return Batch.load({
        nodeOffsets: rows.node.offsets,
        edgeOffsets: rows.edge.offsets,
        infos,
        fields: withEssentials(fields, rows.node.offsets),
        nextSystemId: 0,
      });
    } catch (cause) {
      throw new SyntaxError(
        `Cannot read ${this.#path}: its systems are not valid: ${reasonOf(cause)}`,
        {
          cause,
        },
      );
    }
  }

  async #readFields(rows: Readonly<Record<Level, Rows>>): Promise<SavedField[]> {
    const all = await Promise.all(
      Array.from(this.fields.values(), (field) => readField(field, rows)),
    );
    const residuals = new Map<string, NumericArray>();
    for (const { name } of all) {
      const residual = this.fields.get(name)!.residual;
      const found = residual && all.find((field) => field.name === residual);
      if (residual && found) residuals.set(residual, found.values);
    }
    for (const { name, values } of all) {
      const residual = residuals.get(this.fields.get(name)!.residual ?? "");
      if (residual !== undefined) addResiduals(values, residual);
    }
    return all.filter(({ name }) => !residuals.has(name));
  }
}

async function infosOf({ info, text }: Arrays, system: Rows): Promise<Info[]> {
  if (info === undefined || text === undefined) return Array.from(system.starts, () => ({}));
  const { ranges, offsets } = await rowsOf(info, system);
  return readInfos(text.path, await text.read(ranges) as Uint8Array, offsets);
}

function missing(path: string, what: string, current?: string): never {
  const reason = current === undefined
    ? `it has no ${what}`
    : `it must have ${what}; got ${current}`;
  throw new SyntaxError(`Cannot read ${path}: ${reason}`);
}

function joinRows(ranges: [number, number][], row: number): [number, number][] {
  const last = ranges.at(-1);
  if (last?.[1] === row) last[1]++;
  else ranges.push([row, row + 1]);
  return ranges;
}

/**
 * Returns the rows of systems at the level of `pointers`: atoms, edges or bytes of text, of which a system may have
 * several.
 */
async function rowsOf(pointers: StoredArray, { ranges, starts }: Rows): Promise<Rows> {
  // A range of n systems needs n + 1 pointers.
  const bounds = await pointers.read(ranges.map(([from, to]) => [from, to + 1] as const));
  const first = new Float64Array(starts.length), offsets = new Int32Array(starts.length + 1);
  const own: [number, number][] = [];
  let at = 0, system = 0;
  for (const [from, to] of ranges) {
    for (let row = from; row < to; row++, at++, system++) {
      const start = bounds[at]!, count = bounds[at + 1]! - start;
      const total = offsets[system]! + count;
      if (start < 0 || count < 0 || total > 2147483647) {
        missing(
          pointers.path,
          `increasing offsets at row ${row}`,
          `${start}, then ${bounds[at + 1]}`,
        );
      }
      first[system] = start;
      offsets[system + 1] = total;
    }
    own.push([bounds[at - (to - from)]!, bounds[at]!]);
    at++;
  }
  return { ranges: own.filter(([from, to]) => to > from), starts: first, offsets };
}

async function readField(
  field: StoredField,
  rows: Readonly<Record<Level, Rows>>,
): Promise<SavedField> {
  const { fill, ...info } = field.info;
  const stored = await field.array.read(rows[info.level].ranges);
  if (info.name === "edges") countInBatch(stored, rows);
  const values = field.convert(stored);
  return { ...info, ...fill === undefined ? {} : { fill }, values };
}

/** Converts the atom indices of edges, in place, from indices in the store to indices in the batch. */
function countInBatch(nodes: NumericArray, { node, edge }: Readonly<Record<Level, Rows>>): void {
  for (let system = 0; system + 1 < edge.offsets.length; system++) {
    const moved = node.offsets[system]! - node.starts[system]!;
    for (let i = 2 * edge.offsets[system]!; i < 2 * edge.offsets[system + 1]!; i++) {
      nodes[i] = nodes[i]! + moved;
    }
  }
}

/** Returns the fields, with default values for the fields `masses`, `cell` and `pbc` if the store lacks them. */
function withEssentials(fields: readonly SavedField[], offsets: Int32Array): SavedField[] {
  const all = [...fields], size = offsets.length - 1;
  const add = (name: BuiltInName, values: () => NumericArray) => {
    if (all.some((field) => field.name === name)) return;
    const { fill, ...info } = BUILT_IN.get(name)!;
    all.push({ ...info, ...fill === undefined ? {} : { fill }, values: values() });
  };
  const numbers = fields.find(({ name }) => name === "numbers")!.values;
  add("masses", () => Float64Array.from(numbers, atomicMass));
  add("cell", () => new Float64Array(9 * size));
  add("pbc", () => new Uint8Array(3 * size));
  return all;
}
