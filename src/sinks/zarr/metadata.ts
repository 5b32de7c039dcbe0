/**
 * Metadata of stores as they are written.
 *
 * @module
 */

import { isAsWritten, withSum } from "../text_sum.ts";
import type { FieldInfo } from "../../batch/fields/fields.ts";
import type { ArrayPlan } from "./layout.ts";
import type { WrittenType } from "./value_types.ts";

/** Version of Hooke's additions to the layout. */
export const VERSION = 1;

/**
 * Number of chunks in a shard. With 254 chunks the index (16 bytes each, and 4 for the checksum) fits into
 * one memory page, which is written entirely or not at all.
 */
export const CHUNKS_PER_SHARD = 254;

/** Compression of chunks. */
export type ZarrCompression = "zstd" | "none";

/** Settings that all arrays of a store share. */
export interface Packing {
  readonly compression: ZarrCompression;
  /** Compression level of zstd. */
  readonly level: number;
}

/** Codec that appends a CRC-32C to chunks and indexes, so that readers detect damage. */
const CHECK_SUM = { name: "crc32c" };

const WHOLE: ReadonlySet<WrittenType> = new Set(["uint8", "bool"]);

/** Returns the metadata of an array with `rows` rows, `chunkRows` of them in a chunk. */
export function arrayMetadata(
  plan: ArrayPlan,
  rows: number,
  { chunkRows, packing }: { readonly chunkRows: number; readonly packing?: Packing },
): string {
  const { type, rest, dimensions, field, residual } = plan;
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
    attributes: field === undefined ? { hooke: UNSEALED } : attributesOf(field, residual),
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

/** Returns a number as JSON: as a text if JSON has no number for it. */
export function numberText(value: number): number | string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0" : value;
  return String(value);
}

/** Returns the attributes with the properties of a field that Zarr's own metadata does not have. */
function attributesOf(
  { name, level, dtype, width, unit, fill }: FieldInfo,
  residual: string | undefined,
): unknown {
  return {
    ...unit === "" ? {} : { units: unit },
    hooke: {
      name,
      level,
      dtype,
      width,
      unit,
      ...fill === undefined ? {} : { fill: numberText(fill) },
      ...residual === undefined ? {} : { residual },
      ...UNSEALED,
    },
  };
}

/** Returns the metadata of a group, which has no content but its members. */
export function groupMetadata(): string {
  return sealed({ zarr_format: 3, node_type: "group", attributes: { hooke: UNSEALED } });
}

/** Returns the metadata of the root. Systems are part of the store once its root counts them. */
export function rootMetadata(samples: number, fields: Readonly<Record<string, unknown>>): string {
  return sealed({
    zarr_format: 3,
    node_type: "group",
    attributes: { num_samples: samples, fields, hooke: { version: VERSION, ...UNSEALED } },
  });
}

/** Placeholder for the checksum of a file while it is computed. */
const UNSEALED = { crc32c: "00000000" };
/** Matches a member with a checksum: the text before its digits, and the digits. */
const SEAL = /("crc32c":")([0-9a-f]{8})"/;

/** Returns JSON that contains its own CRC-32C, computed with zeros in place of its digits. */
function sealed(metadata: unknown): string {
  const text = JSON.stringify(metadata);
  const at = placeOfSum(text)!;
  return withSum(text.slice(0, at), text.slice(at + UNSEALED.crc32c.length));
}

/** Returns whether a text matches its checksum; `undefined` if it has no checksum. */
export function isSealed(text: string): boolean | undefined {
  return isAsWritten(text, placeOfSum(text));
}

/** Returns the position of the digits of the checksum; `undefined` if there are no digits. */
function placeOfSum(text: string): number | undefined {
  const found = SEAL.exec(text);
  return found === null ? undefined : found.index + found[1]!.length;
}
