/**
 * Opening and writing of structure files by their names.
 *
 * @module
 */

import { refusal } from "../base/file_refusal.ts";
import { show } from "../base/show.ts";
import type { System } from "../batch/system.ts";
import { findHost } from "../platform/host.ts";
import type { HostFile } from "../platform/host_interface.ts";
import type { FormatOptions, FrameWriter, StructureFormat, WriteTarget } from "./format.ts";
import { FILE_FORMATS, formatOfPath } from "./registry.ts";
import { openSource, sourceOf } from "./source.ts";

/** The systems of a file, read one by one in any order: a dataset for `atomsLoader` and `splitDataset`. */
export interface SystemsFile extends AsyncDisposable {
  /** Number of systems. */
  readonly length: number;
  /**
   * Returns the system with an index, without reading the others. Throws a RangeError if `index` is not an integer
   * from 0 to `length` − 1.
   */
  get(index: number): Promise<System>;
  /**
   * Yields the systems from an index on, one by one, if that is faster than `get` for each. If a system cannot be
   * read, it throws; `each` from the next index goes on.
   */
  each?(from: number): AsyncGenerator<System, void>;
  /** Closes the file. */
  close(): Promise<void>;
}

/**
 * Opens a structure file whose name determines its format, such as `quartz.cif` or `POSCAR`. The whole file is read
 * once to check it and to count its structures. Later reads in ascending order are fast; a step back begins again at
 * the start.
 *
 * @throws {RangeError} if the name does not determine a format
 * @throws {SyntaxError} if the file is damaged or of another format; the message names the line or the frame
 * @throws {TypeError} if the format needs a `topology` that is not given
 * @throws {Error} if the file system refuses, with its `code`
 *
 * @example
 * ```ts
 * import { openStructures, writeStructures } from "@hooke/hooke/formats";
 * import { System } from "@hooke/hooke/batch";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/argon.cif`;
 * await writeStructures(path, [new System({ symbols: ["Ar"], positions: [0, 0, 0], cell: [5, 5, 5] })]);
 * await using file = await openStructures(path);
 * assertEquals([file.length, (await file.get(0)).symbols], [1, ["Ar"]]);
 * ```
 */
export async function openStructures(
  path: string,
  options: FormatOptions = {},
): Promise<SystemsFile> {
  return openAs(await formatFor(path, "read"), path, options);
}

/** Opens a structure file of a format, as {@linkcode openStructures} does. */
export function openAs(
  format: StructureFormat,
  path: string,
  options: FormatOptions = {},
): SystemsFile {
  const source = openSource(path);
  const systems = new SystemCursor(() =>
    (options.damaged === "keep" ? format.readDamaged : undefined)?.(source, options) ??
      format.read(source, options)
  );
  const close = () => {
    systems.stop();
    return Promise.resolve(source.close());
  };
  try {
    const length = systems.count();
    return {
      length,
      async get(index) {
        if (Number.isInteger(index) && index >= 0 && index < length) {
          return await systems.get(index);
        }
        throw new RangeError(
          `Cannot read ${path}: the index must be a whole number below ${length}; got ${index}`,
        );
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    source.close();
    throw error;
  }
}

/** Reads systems by index from a generator, which it starts again for a step back. */
class SystemCursor {
  readonly #read: () => Iterable<System | SyntaxError>;
  #frames: Iterator<System | SyntaxError> | undefined;
  #last: System | SyntaxError | undefined;
  #next = 0;

  constructor(read: () => Iterable<System | SyntaxError>) {
    this.#read = read;
  }

  /** Reads all systems and returns their number. Throws the first error if all of them are damaged. */
  count(): number {
    let first: SyntaxError | undefined, whole = 0;
    while (this.#advance()) {
      if (this.#last instanceof SyntaxError) first ??= this.#last;
      else whole++;
    }
    if (first !== undefined && whole === 0) throw first;
    return this.#next;
  }

  get(index: number): System {
    if (index < this.#next - 1) this.stop();
    while (this.#next <= index) {
      if (!this.#advance()) {
        throw new RangeError(`Cannot read system ${index}: the file became shorter`);
      }
    }
    if (this.#last instanceof SyntaxError) throw this.#last;
    return this.#last!;
  }

  /** Ends reading, so that the reader closes what it has opened. The next `get` begins again at the start. */
  stop(): void {
    this.#frames?.return?.();
    [this.#frames, this.#next] = [undefined, 0];
  }

  #advance(): boolean {
    this.#frames ??= this.#read()[Symbol.iterator]();
    const { done, value } = this.#frames.next();
    if (done) return false;
    this.#last = value;
    this.#next++;
    return true;
  }
}

/**
 * Reads all structures of a text or of bytes, in a format of `FILE_FORMATS`.
 *
 * @param name name of a file, which determines the format; it need not exist
 * @throws {RangeError} if the name does not determine a format
 * @throws {SyntaxError} if the contents are damaged or of another format
 *
 * @example
 * ```ts
 * import { parseStructures } from "@hooke/hooke/formats";
 * import { assertEquals } from "@std/assert";
 *
 * const poscar = "copper\n3.6\n1 0 0\n0 1 0\n0 0 1\nCu\n1\nDirect\n0 0 0\n";
 * const [copper] = await parseStructures("POSCAR", poscar);
 * assertEquals(copper!.cell[0], 3.6);
 * ```
 */
export async function parseStructures(
  name: string,
  contents: string | Uint8Array,
  options: FormatOptions = {},
): Promise<System[]> {
  const format = await formatFor(name, "read");
  return [...format.read(sourceOf(contents, name), options)];
}

/**
 * Writes structures to a file in the format that its name determines. An existing file is replaced once the new one
 * is complete.
 *
 * @throws {RangeError} if the name does not determine a format, or the format holds one structure and there are more
 * @throws {TypeError} if the format cannot represent a structure
 * @throws {Error} if the file system refuses, with its `code`
 * @example
 * ```ts
 * import { writeStructures } from "@hooke/hooke/formats";
 * import { System } from "@hooke/hooke/batch";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/POSCAR`;
 * await writeStructures(path, [new System({ symbols: ["Cu"], positions: [0, 0, 0], cell: [3.6, 3.6, 3.6] })]);
 * assertStringIncludes(await Deno.readTextFile(path), "Cartesian");
 * ```
 */
export async function writeStructures(
  path: string,
  systems: Iterable<System> | AsyncIterable<System>,
  options: FormatOptions = {},
): Promise<void> {
  const format = await formatFor(path, "write"), host = findHost();
  if (host === undefined) {
    throw new TypeError(`Cannot write ${path}: there is no file system, as in a web page`);
  }
  const part = `${path}.${crypto.randomUUID()}.part`;
  const file = refused(
    path,
    () =>
      host.openSync(part, { read: format.writesInPlace === true, write: true, createNew: true }),
  );
  try {
    try {
      await writeAll(file, { path, format, systems, options });
    } finally {
      file.close();
    }
    await host.rename(part, path).catch((cause: unknown) => {
      throw refusal(`Cannot write ${path}`, cause);
    });
  } catch (error) {
    await host.remove(part).catch(() => {}); // the first error is more important
    throw error;
  }
}

async function writeAll(
  file: HostFile,
  { path, format, systems, options }: {
    readonly path: string;
    readonly format: StructureFormat;
    readonly systems: Iterable<System> | AsyncIterable<System>;
    readonly options: FormatOptions;
  },
): Promise<void> {
  const target = targetOf(file);
  const writer = refused(path, () => format.write!(options, target), TypeError, RangeError);
  try {
    await writeFrames(writer, file, { path, format, systems });
  } finally {
    writer.close?.();
  }
}

/** Returns a file as the target of a writer. */
function targetOf(file: HostFile): WriteTarget {
  return {
    size: () => file.statSync().size,
    read(position, into) {
      // The bytes may be in the memory of a WebAssembly module, into which a file system need not read.
      const bytes = new Uint8Array(into.length);
      file.seekSync(position, 0);
      let filled = 0;
      while (filled < bytes.length) {
        const count = file.readSync(bytes.subarray(filled));
        if (count === null || count === 0) break;
        filled += count;
      }
      into.set(bytes.subarray(0, filled));
      return filled;
    },
    write(position, bytes) {
      file.seekSync(position, 0);
      writeBytes(file, bytes.slice());
    },
    resize: (size) => file.truncateSync(size),
  };
}

async function writeFrames(
  writer: FrameWriter,
  file: HostFile,
  { path, format, systems }: {
    readonly path: string;
    readonly format: StructureFormat;
    readonly systems: Iterable<System> | AsyncIterable<System>;
  },
): Promise<void> {
  let count = 0;
  for await (const system of systems) {
    if (++count > 1 && format.frames === "one") {
      throw new RangeError(
        `Cannot write ${path}: a ${format.name} file holds one structure. Pass one, such as FILE@-1 to hooke convert, or use .xyz`,
      );
    }
    refused(path, () => writeBytes(file, writer.frame(system)), TypeError, RangeError);
  }
  if (count === 0) throw new RangeError(`Cannot write ${path}: there are no structures`);
  for (const { at, bytes } of refused(path, () => writer.finish())) {
    refused(path, () => {
      file.seekSync(at, 0);
      writeBytes(file, bytes);
    });
  }
}

function writeBytes(file: HostFile, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
}

/** Calls a function; errors of the file system get the path and a plain cause. Errors of `own` classes are kept. */
function refused<T>(path: string, call: () => T, ...own: readonly (new () => Error)[]): T {
  try {
    return call();
  } catch (cause) {
    if (own.some((kind) => cause instanceof kind)) throw cause;
    throw refusal(`Cannot write ${path}`, cause);
  }
}

async function formatFor(path: string, action: "read" | "write"): Promise<StructureFormat> {
  const load = formatOfPath(path);
  if (load === undefined) {
    throw new RangeError(
      `Cannot ${action} ${
        show(path)
      }: its name must be POSCAR, CONTCAR or XDATCAR, or end with one of ${
        Object.keys(FILE_FORMATS).join(", ")
      }`,
    );
  }
  const format = await load();
  if (action === "read" || format.write !== undefined) return format;
  throw new RangeError(`Cannot write ${show(path)}: ${format.name} files are only read`);
}
