/**
 * The container of ASE's trajectories, "ulm": items of JSON whose large arrays are stored before them.
 *
 * @module
 */

import { readJson } from "../../batch/extxyz/python_json.ts";
import { ByteReader } from "../bytes.ts";
import type { StructureSource } from "../source.ts";

/** Bytes that begin a file: 8 of the container and 16 of the kind. */
export const MAGIC: string = "- of UlmASE-Trajectory  ";

/** Offset of the number of items in the header, and length of the header, in bytes. */
export const ITEM_COUNT_AT = 32, HEADER_LENGTH = 48;

/** Version of the container that is written. */
export const VERSION = 3;

/** An item, with arrays as flat lists of numbers. */
export type Item = Readonly<Record<string, unknown>>;

/** Reads numbers of a dtype of NumPy from bytes. */
const DTYPES: Readonly<Record<string, (view: DataView, at: number) => number>> = {
  bool: (view, at) => view.getUint8(at),
  uint8: (view, at) => view.getUint8(at),
  int32: (view, at) => view.getInt32(at, true),
  int64: (view, at) => Number(view.getBigInt64(at, true)),
  float32: (view, at) => view.getFloat32(at, true),
  float64: (view, at) => view.getFloat64(at, true),
};

const BYTES: Readonly<Record<string, number>> = {
  bool: 1,
  uint8: 1,
  int32: 4,
  int64: 8,
  float32: 4,
  float64: 8,
};

/** Yields the items of a file. */
export function* itemsOf(source: StructureSource): Generator<Item, void> {
  const reader = new ByteReader(source, "an ASE trajectory", { littleEndian: true });
  const magic = new TextDecoder().decode(reader.take(Math.min(24, source.size)));
  if (!/^(- of Ulm|AFFormat)ASE-Trajectory/.test(magic)) {
    throw reader.error('the file must begin with "- of UlmASE-Trajectory"');
  }
  reader.i64(); // the version
  const count = reader.i64();
  reader.at = reader.i64();
  if (!(count > 0)) throw reader.error("the file has no frames");
  const offsets = Array.from(reader.take(8 * count));
  const view = new DataView(Uint8Array.from(offsets).buffer);
  for (let i = 0; i < count; i++) {
    reader.at = Number(view.getBigInt64(8 * i, true));
    yield readItem(reader, i);
  }
}

function readItem(reader: ByteReader, index: number): Item {
  const length = reader.i64();
  const text = new TextDecoder().decode(reader.take(length));
  let item: unknown;
  try {
    item = readJson(text);
  } catch (cause) {
    throw Object.assign(reader.error(`frame ${index} must be JSON`), { cause });
  }
  if (typeof item !== "object" || item === null) {
    throw reader.error(`frame ${index} must be an object`);
  }
  if ((item as Item)["_little_endian"] === false) {
    throw reader.error("a file of a big-endian machine is not supported");
  }
  return resolve(item as Item, reader);
}

/** Replaces references to arrays (keys that end with a dot) by their numbers. */
function resolve(item: Item, reader: ByteReader): Item {
  const entries = Object.entries(item).map(([key, value]): [string, unknown] => {
    if (!key.endsWith(".") || typeof value !== "object" || value === null) return [key, value];
    const name = key.slice(0, -1), reference = (value as Item)["ndarray"];
    return [
      name,
      reference === undefined ? resolve(value as Item, reader) : readArray(reference, name, reader),
    ];
  });
  return Object.fromEntries(entries);
}

function readArray(reference: unknown, name: string, reader: ByteReader): number[] | undefined {
  const [shape, dtype, offset] = Array.isArray(reference) ? reference : [];
  const sizes = Array.isArray(shape) ? shape as unknown[] : [undefined];
  const isShape = sizes.every((size) =>
    typeof size === "number" && Number.isSafeInteger(size) && size >= 0
  );
  if (!isShape || typeof dtype !== "string" || !Number.isSafeInteger(offset)) {
    throw reader.error(`the array ${name} is damaged`);
  }
  const read = DTYPES[dtype];
  if (read === undefined) return undefined; // complex numbers, for example, which no field of Hooke has
  const count = (sizes as number[]).reduce((product, size) => product * size, 1),
    width = BYTES[dtype]!;
  reader.at = offset;
  const bytes = reader.take(count * width), view = new DataView(bytes.buffer);
  return Array.from({ length: count }, (_, i) => read(view, i * width));
}
