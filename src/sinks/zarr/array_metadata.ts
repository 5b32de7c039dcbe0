/**
 * Metadata of arrays as they are read, from any program that writes Zarr.
 *
 * @module
 */

import { integersFrom } from "../../base/check_number.ts";
import { show } from "../../base/show.ts";
import { VALUE_TYPES, type ValueType } from "./value_types.ts";

/**
 * Decoding of the bytes of a chunk: the codecs in the order in which they are undone, so the last applied
 * comes first.
 */
export interface Decoding {
  /** Codecs that follow the conversion to bytes: `"gzip"`, `"zstd"` or `"crc32c"`. */
  readonly unpack: readonly string[];
  readonly isBigEndian: boolean;
}

/** Layout of shards: several chunks in one file. */
export interface Sharding {
  /** Number of chunks along each dimension. */
  readonly chunks: readonly number[];
  readonly isIndexAtEnd: boolean;
  readonly index: Decoding;
}

/** Metadata of an array. */
export interface ArrayMetadata {
  readonly shape: readonly number[];
  readonly type: string;
  readonly value: ValueType;
  /**
   * Shape of the unit that is decoded at once: an inner chunk of a shard, or a chunk if there are no shards.
   */
  readonly chunk: readonly number[];
  readonly sharding: Sharding | undefined;
  readonly decoding: Decoding;
  /**
   * Returns the path of the file of a chunk, or of a shard if there are shards, relative to the array's
   * folder.
   */
  fileOf(chunk: readonly number[]): string;
  readonly fill: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/**
 * Largest accepted chunk in bytes. A larger size is taken for damaged metadata: allocating it would end the
 * process.
 */
const MOST_BYTES = 2 ** 31;

/** Reads JSON metadata and throws errors that name the file and the key. */
export class JsonReader {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns the JSON value in the bytes of a file. */
  parse(bytes: Uint8Array): unknown {
    try {
      return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch (cause) {
      throw new SyntaxError(`Cannot read ${this.#file}: it must be JSON. ${cause}`, { cause });
    }
  }

  /** Throws a SyntaxError that names the key. */
  refuse(key: string, must: string, value: unknown): never {
    throw new SyntaxError(
      `Cannot read ${this.#file}: ${key} must be ${must}; got ${show(value)}`,
    );
  }

  /** Returns the value if it is an object. Its members are not checked. */
  object(key: string, value: unknown): Readonly<Record<string, unknown>> {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, unknown>>;
    }
    this.refuse(key, "an object", value);
  }

  /** Returns the value if it is a list. */
  list(key: string, value: unknown): readonly unknown[] {
    return Array.isArray(value) ? value : this.refuse(key, "a list", value);
  }

  /** Returns the value if it is a whole number that is not below `least`. */
  count(key: string, value: unknown, least: number): number {
    if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
    this.refuse(key, integersFrom(least), value);
  }

  /** Returns the value if it is one of `values`. */
  oneOf<T>(key: string, value: unknown, values: readonly T[]): T {
    if (values.includes(value as T)) return value as T;
    this.refuse(key, values.map(show).join(" or "), value);
  }

  /** Returns the value if it is a list of whole numbers that are not below `least`, one per dimension. */
  shape(key: string, value: unknown, least: number, dimensions?: number): readonly number[] {
    const list = this.list(key, value).map((one, i) => this.count(`${key}[${i}]`, one, least));
    if (dimensions === undefined || list.length === dimensions) return list;
    this.refuse(key, `a list of ${dimensions}, one for each dimension`, value);
  }
}

/** Reads the metadata of an array. If a value is not valid, throws a SyntaxError that names the file and the key. */
export function readArrayMetadata(file: string, bytes: Uint8Array): ArrayMetadata {
  const json = new JsonReader(file);
  const meta = json.object("its content", json.parse(bytes));
  json.oneOf("zarr_format", meta.zarr_format, [3]);
  json.oneOf("node_type", meta.node_type, ["array"]);
  const shape = json.shape("shape", meta.shape, 0);
  if (shape.length === 0) json.refuse("shape", "a list of at least one number", meta.shape);
  const type = json.oneOf("data_type", meta.data_type, [...VALUE_TYPES.keys()]);
  const value = VALUE_TYPES.get(type)!;
  const grid = json.object("chunk_grid", meta.chunk_grid);
  json.oneOf("chunk_grid.name", grid.name, ["regular"]);
  const { chunk_shape } = json.object("chunk_grid.configuration", grid.configuration);
  const outer = json.shape(
    "chunk_grid.configuration.chunk_shape",
    chunk_shape,
    1,
    shape.length,
  );
  const packing = readCodecs(json, meta.codecs, outer);
  const bytesOfChunk = packing.chunk.reduce((a, b) => a * b, value.size);
  if (bytesOfChunk > MOST_BYTES) {
    json.refuse("chunk_shape", "at most 2³¹ bytes", bytesOfChunk);
  }
  return {
    shape,
    type,
    value,
    ...packing,
    fileOf: readKeys(json, meta.chunk_key_encoding),
    fill: readFill(json, meta.fill_value, type),
    attributes: json.object("attributes", meta.attributes ?? {}),
  };
}

type Packing = Pick<ArrayMetadata, "chunk" | "sharding" | "decoding">;

function readCodecs(json: JsonReader, value: unknown, outer: readonly number[]): Packing {
  const list = json.list("codecs", value).map((one, i) => json.object(`codecs[${i}]`, one));
  if (list[0]?.name !== "sharding_indexed") {
    return { chunk: outer, sharding: undefined, decoding: readDecoding(json, "codecs", list) };
  }
  if (list.length > 1) json.refuse("codecs[1]", "absent after sharding_indexed", list[1]!.name);
  const key = "codecs[0].configuration";
  const config = json.object(key, list[0].configuration);
  const chunk = json.shape(`${key}.chunk_shape`, config.chunk_shape, 1, outer.length);
  const chunks = outer.map((size, i) => size / chunk[i]!);
  if (!chunks.every(Number.isInteger)) {
    json.refuse(`${key}.chunk_shape`, `divisors of the shards' ${show(outer)}`, chunk);
  }
  if (chunks.reduce((a, b) => a * b, 16) > MOST_BYTES) {
    json.refuse(
      `${key}.chunk_shape`,
      "so large that the index of a shard has at most 2³¹ bytes",
      chunk,
    );
  }
  const location = config.index_location ?? "end";
  const inner = (name: string) =>
    readDecoding(
      json,
      `${key}.${name}`,
      json.list(`${key}.${name}`, config[name]).map((one, i) =>
        json.object(`${key}.${name}[${i}]`, one)
      ),
    );
  return {
    chunk,
    decoding: inner("codecs"),
    sharding: {
      chunks,
      index: readIndexCodecs(json, `${key}.index_codecs`, inner("index_codecs")),
      isIndexAtEnd: json.oneOf(`${key}.index_location`, location, ["start", "end"]) === "end",
    },
  };
}

/**
 * Returns the decoding of an index. Only codecs that keep the size are accepted, because the size of an index must be
 * known before the index is read.
 */
function readIndexCodecs(json: JsonReader, key: string, decoding: Decoding): Decoding {
  const packed = decoding.unpack.find((name) => name !== "crc32c");
  return packed === undefined ? decoding : json.refuse(key, "bytes and crc32c", packed);
}

function readDecoding(
  json: JsonReader,
  key: string,
  [first, ...others]: readonly Readonly<Record<string, unknown>>[],
): Decoding {
  json.oneOf(`${key}[0].name`, first?.name, ["bytes"]);
  const config = json.object(`${key}[0].configuration`, first!.configuration ?? {});
  const endian = config.endian ?? "little"; // may be missing for values of one byte
  const unpack = others.map(({ name }, i) =>
    json.oneOf(`${key}[${i + 1}].name`, name, ["gzip", "zstd", "crc32c"])
  );
  return {
    isBigEndian: json.oneOf(`${key}[0].configuration.endian`, endian, ["little", "big"]) === "big",
    unpack: unpack.reverse(),
  };
}

function readKeys(json: JsonReader, value: unknown): ArrayMetadata["fileOf"] {
  const encoding = json.object("chunk_key_encoding", value);
  const name = json.oneOf("chunk_key_encoding.name", encoding.name, ["default", "v2"]);
  const config = json.object("chunk_key_encoding.configuration", encoding.configuration ?? {});
  const separator = json.oneOf(
    "chunk_key_encoding.configuration.separator",
    config.separator ?? (name === "default" ? "/" : "."),
    ["/", "."],
  );
  return (chunk) => (name === "default" ? ["c", ...chunk] : chunk).join(separator);
}

function readFill(json: JsonReader, value: unknown, type: string): number {
  if (type === "bool" && typeof value === "boolean") return Number(value);
  const isFloat = type.startsWith("float");
  if (isFloat && typeof value === "string") {
    if (value === "NaN" || /^-?Infinity$/.test(value)) return Number(value);
    if (/^0x7ff8000000000000$|^0x7fc00000$/.test(value)) return NaN;
  }
  if (typeof value === "number" && (isFloat || Number.isInteger(value))) return value;
  json.refuse("fill_value", `a value of type ${type}`, value);
}
