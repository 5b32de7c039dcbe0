/**
 * The metadata of stores as they are written.
 *
 * @module
 */

import { isAsWritten, withSum } from "../text_sum.ts";
import type { FieldInfo } from "../../batch/fields/fields.ts";
import type { ArrayPlan } from "./layout.ts";
import type { WrittenType } from "./value_types.ts";

/** The version of what we add to the layout. */
export const VERSION = 1;

/** Chunks of a shard: so many that the index, 16 bytes for each and 4 in all, fits into one page of memory. */
export const CHUNKS_PER_SHARD = 254;

/** How chunks are packed. */
export type ZarrCompression = "zstd" | "none";

/** What is the same for all arrays of a store. */
export interface Packing {
  readonly compression: ZarrCompression;
  /** Of zstd. */
  readonly level: number;
}

/** Ends chunks and indices with a CRC-32C, by which readers find damage. */
const CHECK_SUM = { name: "crc32c" };

const WHOLE: ReadonlySet<WrittenType> = new Set(["uint8", "bool"]);

/** The metadata of an array with these rows, `chunkRows` of them in a chunk. */
export function arrayMetadata(
  plan: ArrayPlan,
  rows: number,
  { chunkRows, packing }: { readonly chunkRows: number; readonly packing?: Packing },
): string {
  const { type, rest, dimensions, field } = plan;
  const bytes = bytesCodec(type);
  const codecs = packing === undefined ? [bytes] : [sharding([chunkRows, ...rest], bytes, packing)];
  const along = packing === undefined ? chunkRows : chunkRows * CHUNKS_PER_SHARD;
  return sealed({
    zarr_format: 3,
    node_type: "array",
    shape: [rows, ...rest],
    data_type: type,
    chunk_grid: { name: "regular", configuration: { chunk_shape: [along, ...rest] } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    fill_value: fillValue(type, plan.fill),
    codecs,
    attributes: field === undefined ? { hooke: UNSEALED } : attributesOf(field),
    dimension_names: dimensions,
    storage_transformers: [],
  });
}

function bytesCodec(type: WrittenType): unknown {
  return WHOLE.has(type)
    ? { name: "bytes" }
    : { name: "bytes", configuration: { endian: "little" } };
}

function sharding(
  chunk_shape: readonly number[],
  bytes: unknown,
  { compression, level }: Packing,
): unknown {
  const zstd = { name: "zstd", configuration: { level, checksum: false } };
  return {
    name: "sharding_indexed",
    configuration: {
      chunk_shape,
      codecs: [bytes, ...compression === "zstd" ? [zstd] : [], CHECK_SUM],
      index_codecs: [{ name: "bytes", configuration: { endian: "little" } }, CHECK_SUM],
      index_location: "end",
    },
  };
}

function fillValue(type: WrittenType, fill: number): unknown {
  if (type === "bool") return fill !== 0;
  return Number.isFinite(fill) ? fill : String(fill);
}

/** JSON has no numbers for these. */
export function numberText(value: number): number | string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : value;
  return String(value);
}

/** What we know of a field and Zarr has no place for. */
function attributesOf({ name, level, dtype, width, unit, fill }: FieldInfo): unknown {
  return {
    ...unit === "" ? {} : { units: unit },
    hooke: {
      name,
      level,
      dtype,
      width,
      unit,
      ...fill === undefined ? {} : { fill: numberText(fill) },
      ...UNSEALED,
    },
  };
}

/** The metadata of a group that holds nothing but its members. */
export function groupMetadata(): string {
  return sealed({ zarr_format: 3, node_type: "group", attributes: { hooke: UNSEALED } });
}

/** The metadata of a store with these systems: what makes them part of it. */
export function rootMetadata(samples: number, fields: Readonly<Record<string, unknown>>): string {
  return sealed({
    zarr_format: 3,
    node_type: "group",
    attributes: { num_samples: samples, fields, hooke: { version: VERSION, ...UNSEALED } },
  });
}

/** Placeholder for the check sum of a file while it is computed. */
const UNSEALED = { crc32c: "00000000" };
/** Text of a member with a check sum, up to its digits, and those. */
const SEAL = /("crc32c":")([0-9a-f]{8})"/;

/** Returns JSON with its own CRC-32C in it: that of the text with zeros in its place. */
function sealed(metadata: unknown): string {
  const text = JSON.stringify(metadata);
  const at = placeOfSum(text)!;
  return withSum(text.slice(0, at), text.slice(at + UNSEALED.crc32c.length));
}

/** Returns whether a text is as it was sealed; `undefined` if it has no check sum. */
export function isSealed(text: string): boolean | undefined {
  return isAsWritten(text, placeOfSum(text));
}

/** Returns where the digits of the check sum are; `undefined` if there are none. */
function placeOfSum(text: string): number | undefined {
  const found = SEAL.exec(text);
  return found === null ? undefined : found.index + found[1]!.length;
}
