/**
 * The library HDF5, compiled to WebAssembly in the package h5wasm. It is the only file that imports this package, which
 * is loaded with the first HDF5 file.
 *
 * @module
 */

import { isDeno } from "../../platform/process.ts";

/** Values of a dataset or an attribute. */
export type HdfValue =
  | ArrayLike<number>
  | BigInt64Array
  | BigUint64Array
  | readonly string[]
  | string
  | number
  | bigint
  | null;

/** An attribute. */
export interface HdfAttribute {
  readonly value: HdfValue;
}

/** A dataset or a group. */
interface HdfObject {
  readonly attrs: Readonly<Record<string, HdfAttribute>>;
  create_attribute(
    name: string,
    data: string | readonly string[] | number | Int32Array,
    shape?: readonly number[],
    dtype?: string,
  ): void;
}

/** A dataset. */
export interface HdfDataset extends HdfObject {
  readonly type: "Dataset";
  readonly shape: readonly number[] | null;
  readonly metadata: {
    readonly enum_type?: { readonly members: Readonly<Record<string, number>> };
  };
  readonly value: HdfValue;
  slice(ranges: readonly (readonly number[])[]): HdfValue;
  resize(shape: readonly number[]): number;
  write_slice(ranges: readonly (readonly number[])[], data: unknown): void;
}

/** A group. */
export interface HdfGroup extends HdfObject {
  readonly type: "Group";
  keys(): readonly string[];
  get(path: string): HdfDataset | HdfGroup | { readonly type: string } | null;
  create_group(name: string): HdfGroup;
  create_hard_link(target: string, name: string): number;
  create_dataset(options: {
    readonly name: string;
    readonly data: unknown;
    readonly shape?: readonly number[];
    readonly dtype?: string;
    readonly maxshape?: readonly (number | null)[];
    readonly chunks?: readonly number[];
  }): HdfDataset;
}

/** An open file. */
export interface HdfFile extends HdfGroup {
  flush(): void;
  close(): number;
}

/** Bytes in which a file is stored. Positions and lengths are in bytes. */
export interface HdfBytes {
  /** Number of bytes. */
  size(): number;
  /** Fills `into` with the bytes from a position on. Returns how many there were. */
  read(position: number, into: Uint8Array): number;
  /** Replaces bytes, or adds them at the end; undefined for a file that is only read. */
  readonly write?: (position: number, bytes: Uint8Array) => void;
  /** Sets the number of bytes; undefined for a file that is only read. */
  readonly resize?: (size: number) => void;
}

/** A stream of Emscripten's file system. */
interface Stream {
  readonly position: number;
}

/** A file of Emscripten's file system. Its functions are called by the library. */
interface FsNode {
  readonly id: number;
  readonly mode: number;
  node_ops: object;
  stream_ops: object;
}

interface Library {
  readonly File: new (path: string, mode: "r" | "w") => HdfFile & { readonly file_id: bigint };
  readonly ready: Promise<{
    readonly FS: {
      readonly root: FsNode;
      /** Open streams by their numbers; 2 is the standard error. */
      readonly streams: readonly ({ stream_ops: object } | undefined)[];
      createNode(parent: FsNode, name: string, mode: number, dev: number): FsNode;
      destroyNode(node: FsNode): void;
    };
  }>;
}

/** Opens HDF5 files. */
export interface Hdf {
  /**
   * Opens a file whose bytes are read, and for mode `"w"` written, when the library needs them.
   *
   * @throws {Error} if the bytes are not an HDF5 file; the message is that of the library
   */
  open(bytes: HdfBytes, mode: "r" | "w"): { readonly file: HdfFile; close(): void };
  /**
   * Returns the first cause of an error that the library has reported since the last call; undefined if there is none.
   * Some functions of the package do not throw if the library fails.
   */
  takeFault(): string | undefined;
}

let loaded: Promise<Hdf> | undefined;

/** Version that is tested. Deno downloads it if the program does not have the package. */
const PINNED = "npm:h5wasm@0.10.3";

/**
 * Loads the library once.
 *
 * @throws {TypeError} if the package is not installed
 */
export function loadHdf(): Promise<Hdf> {
  return loaded ??= load();
}

/** Imports the package. Bundlers and Deno's download of dependencies ignore imports whose specifier is a variable. */
async function importPackage(): Promise<Library> {
  let specifier = "h5wasm";
  try {
    return await import(specifier) as Library;
  } catch (first) {
    if (isDeno()) {
      specifier = PINNED;
      const pinned = await import(specifier).catch(() => undefined) as Library | undefined;
      if (pinned !== undefined) return pinned;
    }
    throw new TypeError(
      "Cannot use HDF5 files: the npm package h5wasm cannot be loaded. Install h5wasm@0.10.3, or convert the file " +
        "to another format, such as .xyz",
      { cause: first },
    );
  }
}

async function load(): Promise<Hdf> {
  const library = await importPackage();
  const { FS: fs } = await library.ready;
  let opened = 0, said = "";
  // The library prints its errors. They are collected instead, to become part of a message.
  const decoder = new TextDecoder();
  fs.streams[2]!.stream_ops = {
    write: (_: Stream, memory: Int8Array, at: number, length: number) => {
      said += decoder.decode(part(memory, at, length).slice());
      return length;
    },
  };
  const takeFault = () => {
    // The innermost function comes last: "  #006: FILE line N in FUNCTION(): reason".
    const reasons = Array.from(
      said.matchAll(/^ *#\d+: .*? in \S+\(\): (.*)$/gm),
      ([, one]) => one!,
    );
    const fault = said === "" ? undefined : reasons.at(-1) ?? said.trim().split("\n")[0]!;
    said = "";
    return fault;
  };
  return {
    takeFault,
    open(bytes, mode) {
      const name = `hooke-${opened++}.h5`;
      // 0o100666: a plain file that may be read and written.
      const node = fs.createNode(fs.root, name, 0o100666, 0);
      node.node_ops = nodeOperations(node, bytes);
      node.stream_ops = streamOperations(bytes);
      let file: HdfFile | undefined;
      const close = () => {
        try {
          file?.close();
        } finally {
          file = undefined;
          fs.destroyNode(node);
        }
      };
      try {
        const opened = new library.File(`/${name}`, mode);
        file = opened;
        if (opened.file_id < 0n) throw new Error(takeFault() ?? "it is not an HDF5 file");
        return { file, close };
      } catch (error) {
        file = undefined;
        fs.destroyNode(node);
        throw error;
      }
    },
  };
}

function nodeOperations(node: FsNode, bytes: HdfBytes): object {
  const date = new Date(0);
  return {
    getattr: () => ({
      dev: 1,
      ino: node.id,
      mode: node.mode,
      nlink: 1,
      uid: 0,
      gid: 0,
      rdev: 0,
      size: bytes.size(),
      atime: date,
      mtime: date,
      ctime: date,
      blksize: 4096,
      blocks: Math.ceil(bytes.size() / 4096),
    }),
    setattr: (_node: FsNode, { size }: { readonly size?: number }) => {
      if (size !== undefined) bytes.resize?.(size);
    },
  };
}

function streamOperations(bytes: HdfBytes): object {
  const bases = (stream: Stream) => [0, stream.position, bytes.size()];
  return {
    llseek: (stream: Stream, offset: number, whence: number) => bases(stream)[whence]! + offset,
    read: (_: Stream, memory: Int8Array, at: number, length: number, position: number) => {
      const wanted = Math.max(0, Math.min(length, bytes.size() - position));
      return bytes.read(position, part(memory, at, wanted));
    },
    write: (_: Stream, memory: Int8Array, at: number, length: number, position: number) => {
      // A view of the library's memory, which may move: the receiver copies or writes it at once.
      bytes.write!(position, part(memory, at, length));
      return length;
    },
  };
}

function part(memory: Int8Array, at: number, length: number): Uint8Array {
  return new Uint8Array(memory.buffer, memory.byteOffset + at, length);
}
