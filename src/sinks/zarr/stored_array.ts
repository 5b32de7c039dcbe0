/**
 * Arrays of a store as they are read: only the requested rows.
 *
 * @module
 */

import { allocate, dtypeOf, type NumericArray } from "../../batch/fields/fields.ts";
import { crc32c } from "../../base/crc32c.ts";
import { type ArrayMetadata, type Decoding, readArrayMetadata } from "./array_metadata.ts";
import { readAt } from "../files/open_file.ts";
import { type Host, type OpenFile, readIfExists } from "./files.ts";
import { swapBytes } from "./value_types.ts";

/** Rows from the first index up to, but not including, the second. */
export type RowRange = readonly [from: number, to: number];

/** The shard that was read last: its open file, which is `undefined` if the file does not exist, and its index. */
interface OpenShard {
  readonly path: string;
  readonly file: OpenFile | undefined;
  readonly index: BigUint64Array;
}

const ABSENT = 0xffffffffffffffffn;

/** An array in a folder. */
export class StoredArray {
  /** Folder of the array. */
  readonly path: string;
  readonly metadata: ArrayMetadata;
  /** Number of values in a row. */
  readonly width: number;
  readonly #host: Host;
  #last: { readonly at: number; readonly values: NumericArray } | undefined;
  #shard: OpenShard | undefined;
  /**
   * Promise that settles when the last read is done. Reads run one after the other, because they share the open
   * shard.
   */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(host: Host, path: string, metadata: ArrayMetadata) {
    this.path = path;
    this.metadata = metadata;
    this.width = metadata.shape.slice(1).reduce((a, b) => a * b, 1);
    this.#host = host;
  }

  /** Opens the array in a folder. Returns `undefined` if there is no `zarr.json`. */
  static async open(host: Host, path: string): Promise<StoredArray | undefined> {
    const file = `${path}/zarr.json`;
    const bytes = await readIfExists(host.fs, file);
    if (bytes === undefined) return undefined;
    return new StoredArray(host, path, readArrayMetadata(file, bytes));
  }

  /** Number of rows. */
  get rows(): number {
    return this.metadata.shape[0]!;
  }

  /** Returns the values of some rows, one range after the other. Throws a SyntaxError if they are damaged. */
  read(ranges: readonly RowRange[]): Promise<NumericArray> {
    const reading = this.#turn.then(() => this.#read(ranges));
    this.#turn = reading.catch(() => {}); // the caller of `read` receives the error
    return reading;
  }

  async #read(ranges: readonly RowRange[]): Promise<NumericArray> {
    const rows = ranges.reduce((sum, [from, to]) => sum + to - from, 0);
    const { width } = this, [along] = this.metadata.chunk as readonly [number];
    const values = allocate(dtypeOf(this.metadata.value.decode(new Uint8Array(0)))!, rows * width);
    let done = 0;
    try {
      for (const [from, to] of ranges) {
        if (to > this.rows) this.#refuse(`${to} rows or more`, `${this.rows}`);
        for (let row = from; row < to;) {
          const chunk = Math.floor(row / along), end = Math.min(to, (chunk + 1) * along);
          const band = await this.#band(chunk);
          const first = (row - chunk * along) * width;
          values.set(band.subarray(first, first + (end - row) * width), done);
          done += (end - row) * width;
          row = end;
        }
      }
    } finally {
      await this.#closeShard();
    }
    return values;
  }

  /** Returns the values of all rows. */
  readAll(): Promise<NumericArray> {
    return this.read([[0, this.rows]]);
  }

  /** Returns the decompressed bytes of a chunk of whole rows, or `undefined` if it was never written. */
  async readChunk(chunk: number): Promise<Uint8Array | undefined> {
    try {
      return await this.#bytesOf([chunk, ...this.metadata.shape.slice(1).map(() => 0)]);
    } finally {
      await this.#closeShard();
    }
  }

  /**
   * Returns the values of all rows in the chunks whose index along the first dimension is `at`. The last result is
   * kept for the next call.
   */
  async #band(at: number): Promise<NumericArray> {
    if (this.#last?.at === at) return this.#last.values;
    const { chunk, shape } = this.metadata;
    const isWhole = chunk.every((size, i) => i === 0 || size === shape[i]);
    const counts = shape.map((size, i) => i === 0 ? 1 : Math.ceil(size / chunk[i]!));
    const parts = isWhole ? [[at]] : placesIn(counts).map(([_, ...rest]) => [at, ...rest]);
    let values: NumericArray | undefined;
    for (const part of parts) {
      const place = shape.map((_, i) => part[i] ?? 0);
      const bytes = await this.#bytesOf(place);
      if (bytes === undefined && this.#isOurs) this.refuseMissing(at);
      const own = bytes === undefined ? this.#filled() : this.metadata.value.decode(bytes);
      if (isWhole) values = own;
      else values = this.#paste(values, own, place);
    }
    this.#last = { at, values: values! };
    return values!;
  }

  /** Throws a SyntaxError for a missing chunk. */
  refuseMissing(chunk: number): never {
    throw new SyntaxError(
      `Cannot read ${this.path}: its chunk ${chunk} is missing, because a file was removed`,
    );
  }

  /** True if Hooke wrote the array and it is not a mask. All chunks of such an array exist. */
  get #isOurs(): boolean {
    const { attributes: { hooke }, sharding } = this.metadata;
    return sharding !== undefined &&
      (hooke as { crc32c?: unknown } | undefined)?.crc32c !== undefined;
  }

  #filled(): NumericArray {
    const { value, chunk, fill } = this.metadata;
    const values = value.decode(new Uint8Array(chunk.reduce((a, b) => a * b, value.size)));
    return fill === 0 ? values : values.fill(fill);
  }

  /**
   * Copies the part of a chunk that lies within the array's shape to its position in a band of rows, and returns the
   * band, which is created if it is `undefined`.
   */
  #paste(
    band: NumericArray | undefined,
    own: NumericArray,
    place: readonly number[],
  ): NumericArray {
    const { chunk, shape } = this.metadata;
    const all = band ?? allocate(dtypeOf(own)!, chunk[0]! * this.width);
    for (const inner of placesIn(chunk)) {
      const to = inner.map((x, i) => i === 0 ? x : x + place[i]! * chunk[i]!);
      if (to.every((x, i) => i === 0 || x < shape[i]!)) {
        all[flat(to, shape)] = own[flat(inner, chunk)]!;
      }
    }
    return all;
  }

  /** Returns the decompressed bytes of a chunk; `undefined` if the chunk does not exist. */
  async #bytesOf(place: readonly number[]): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { chunk, sharding, decoding, value, fileOf } = this.metadata;
    const size = chunk.reduce((a, b) => a * b, value.size);
    if (sharding !== undefined) {
      const shard = place.map((x, i) => Math.floor(x / sharding.chunks[i]!));
      const within = flat(place.map((x, i) => x % sharding.chunks[i]!), sharding.chunks);
      const packed = await this.#packedIn(`${this.path}/${fileOf(shard)}`, within);
      return packed && this.#unpack(packed, decoding, size);
    }
    const packed = await readIfExists(this.#host.fs, `${this.path}/${fileOf(place)}`);
    return packed && this.#unpack(packed, decoding, size);
  }

  async #packedIn(path: string, within: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (this.#shard?.path !== path) {
      await this.#closeShard();
      this.#shard = await this.#openShard(path);
    }
    const { file, index } = this.#shard!;
    const from = index[2 * within]!, length = index[2 * within + 1]!;
    if (file === undefined || from === ABSENT && length === ABSENT) return undefined;
    const { size } = await file.stat();
    if (Number(from) + Number(length) > size) {
      this.#refuse(`chunk ${within} within ${path} of ${size} bytes`, `${from} + ${length}`);
    }
    return await readAt(file, Number(from), Number(length));
  }

  async #openShard(path: string): Promise<OpenShard> {
    const { chunks, index, isIndexAtEnd } = this.metadata.sharding!;
    let file: OpenFile;
    try {
      file = await this.#host.fs.open(path, "r");
    } catch (error) {
      if ((error as { code?: unknown }).code !== "ENOENT") throw error;
      return {
        path,
        file: undefined,
        index: new BigUint64Array(chunks.reduce((a, b) => a * b, 2)),
      };
    }
    try {
      const plain = chunks.reduce((a, b) => a * b, 16);
      const packed = plain + 4 * index.unpack.length;
      const { size } = await file.stat();
      const bytes = await readAt(file, isIndexAtEnd ? Math.max(0, size - packed) : 0, packed);
      const places = this.#unpack(bytes, index, plain, 8);
      return { path, file, index: new BigUint64Array(places.buffer, 0, plain / 8) };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async #closeShard(): Promise<void> {
    const shard = this.#shard;
    this.#shard = undefined;
    await shard?.file?.close();
  }

  /** Returns decompressed bytes of the given size in a new buffer, in the byte order of this machine. */
  #unpack(
    packed: Uint8Array,
    { unpack, isBigEndian }: Decoding,
    size: number,
    valueSize: number = this.metadata.value.size,
  ): Uint8Array<ArrayBuffer> {
    let bytes = packed;
    for (const [i, name] of unpack.entries()) {
      // The checksums that are undone later are still part of the bytes; 64 is a margin.
      const most = size + 4 * (unpack.length - i) + 64;
      bytes = name === "crc32c" ? this.#checked(bytes) : this.#inflated(name, bytes, most);
    }
    if (bytes.length !== size) this.#refuse(`chunks of ${size} bytes`, `${bytes.length}`);
    const own = Uint8Array.from(bytes);
    if (isBigEndian) swapBytes(own, valueSize);
    return own;
  }

  #checked(bytes: Uint8Array): Uint8Array {
    const end = bytes.length - 4, body = bytes.subarray(0, Math.max(end, 0));
    const sum = end < 0 ? -1 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(end, true);
    if (sum !== crc32c(body)) this.#refuse("chunks that match their checksums", "a damaged one");
    return body;
  }

  #inflated(name: string, bytes: Uint8Array, maxOutputLength: number): Uint8Array {
    const { gunzipSync, zstdDecompressSync } = this.#host.zlib;
    try {
      return (name === "gzip" ? gunzipSync : zstdDecompressSync)(bytes, { maxOutputLength });
    } catch (cause) {
      throw new SyntaxError(
        `Cannot read ${this.path}: a chunk cannot be decompressed with ${name}; the file may be damaged. ${cause}`,
        { cause },
      );
    }
  }

  #refuse(must: string, current: string): never {
    throw new SyntaxError(
      `Cannot read ${this.path}: it must have ${must}; got ${current}`,
    );
  }
}

/** Returns all positions in a box of `counts` elements along each dimension; the last number runs fastest. */
function placesIn(counts: readonly number[]): number[][] {
  const total = counts.reduce((a, b) => a * b, 1);
  return Array.from({ length: total }, (_, n) => {
    const place = new Array<number>(counts.length);
    for (let i = counts.length - 1; i >= 0; i--) {
      place[i] = n % counts[i]!;
      n = Math.floor(n / counts[i]!);
    }
    return place;
  });
}

function flat(place: readonly number[], shape: readonly number[]): number {
  return place.reduce((sum, x, i) => sum * shape[i]! + x, 0);
}
