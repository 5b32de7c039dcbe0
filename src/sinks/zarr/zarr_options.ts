/**
 * Options of `ZarrSink`.
 *
 * @module
 */

import { REQUIRED_FIELDS } from "../../batch/fields/fields.ts";
import { checkOptions } from "../../base/check_options.ts";
import { show } from "../../base/show.ts";
import type { WriterQueueOptions } from "../files/writer_queue.ts";
import type { ZarrPrecision } from "./layout.ts";
import type { ZarrCompression } from "./metadata.ts";

/**
 * Options of {@linkcode ZarrSink}. `precision`, `compression` and `chunkBytes` apply only to arrays that the sink
 * creates. The default of `mostBytes` is 4194304.
 */
export interface ZarrSinkOptions extends WriterQueueOptions {
  /**
   * Largest number of systems.
   *
   * @default Infinity
   */
  readonly capacity?: number;
  /**
   * Names of the fields to keep. Positions, atomic numbers, cells, steps, times and ids are always kept.
   *
   * @default all fields
   */
  readonly fields?: readonly string[];
  /**
   * Precision of float64 fields. `"auto"` stores positions, velocities and forces of a run in float32 if its engine
   * computes them so, and the missing digits of other values in a second array (`custom/positions_residual`), so that
   * no digit is lost. `"f64"` stores all values in arrays of float64. `"f32"` halves their size and keeps seven digits.
   *
   * @default "auto"
   */
  readonly precision?: ZarrPrecision;
  /**
   * Compression of chunks. With `"none"`, each flush writes the incomplete chunk of each field in its full length of
   * `chunkBytes`. For example, 200 frames of 100 atoms that were flushed one by one took 106 MB, but 19 MB with
   * `chunkBytes: 8192` and 20 MB with `"zstd"`. Flushed once, they took 1.2 MB.
   *
   * @default "zstd"
   */
  readonly compression?: ZarrCompression;
  /**
   * Compression level of zstd, from -7 to 22. Up to 1, chunks that hardly shrink are stored without compression.
   *
   * @default 1
   */
  readonly level?: number;
  /**
   * Approximate size of a chunk in bytes before compression: the smallest unit that is read.
   *
   * @default 131072
   */
  readonly chunkBytes?: number;
}

const KEPT: readonly string[] = [
  ...REQUIRED_FIELDS.filter((name) => name !== "masses"),
  "systemId",
  "sourceId",
  "step",
  "time",
];

type Rest = Required<Omit<ZarrSinkOptions, "fields">>;

const DEFAULTS: Rest = {
  capacity: Infinity,
  precision: "auto",
  compression: "zstd",
  level: 1,
  chunkBytes: 2 ** 17,
  mostBytes: 2 ** 22,
};

/** Returns the checked options with their defaults. */
export function readOptions(
  options: ZarrSinkOptions,
): Rest & { readonly fields?: readonly string[] } {
  checkOptions("make a Zarr sink", options, [...Object.keys(DEFAULTS), "fields"]);
  const { fields, ...rest } = options;
  const all: Rest = { ...DEFAULTS, ...rest };
  if (!["auto", "f64", "f32"].includes(all.precision)) {
    refuse("precision", `"auto", "f64" or "f32"`, all.precision);
  }
  if (!["zstd", "none"].includes(all.compression)) {
    refuse("compression", `"zstd" or "none"`, all.compression);
  }
  checkNumber("capacity", all.capacity, 1, Infinity);
  checkNumber("level", all.level, -7, 22);
  checkNumber("chunkBytes", all.chunkBytes, 64, 2 ** 30);
  checkNumber("mostBytes", all.mostBytes, 1, Infinity);
  if (fields === undefined) return all;
  if (!Array.isArray(fields) || !fields.every((name) => typeof name === "string")) {
    refuse("fields", "a list of names", fields);
  }
  return { ...all, fields: [...KEPT, ...fields] };
}

function checkNumber(key: string, value: unknown, least: number, most: number): void {
  if (typeof value !== "number") refuse(key, "a number", value);
  const isWhole = Number.isSafeInteger(value) || value === most;
  if (isWhole && value >= least && value <= most) return;
  throw new RangeError(
    `Cannot make a Zarr sink: ${key} must be a whole number from ${least} to ${most}; got ${value}`,
  );
}

function refuse(key: string, must: string, value: unknown): never {
  throw new TypeError(
    `Cannot make a Zarr sink: ${key} must be ${must}; got ${show(value)}`,
  );
}
