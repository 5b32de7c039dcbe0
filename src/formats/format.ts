/**
 * The interface of a format of structure files.
 *
 * @module
 */

import type { System } from "../batch/system.ts";
import type { StructureSource } from "./source.ts";

/** Options of reading and writing structure files. A format ignores the options that it does not need. */
export interface FormatOptions {
  /**
   * Structure that provides the elements and masses of the atoms, for formats that do not store them: DCD, XTC, and
   * LAMMPS files without elements.
   */
  readonly topology?: System;
  /** Elements of the atom types 1, 2, … of LAMMPS files. @default the element with the mass of the type */
  readonly types?: readonly string[];
  /** Units of LAMMPS files. @default the units that the file names, else `"metal"` */
  readonly units?: "metal" | "real";
  /** Femtoseconds between two frames, for formats that store times. @default 1 */
  readonly frameTime?: number;
  /**
   * What happens with a damaged frame of an extended XYZ file, a LAMMPS dump, an XDATCAR or a PDB file: `"throw"` refuses the file; with
   * `"keep"`, the frame keeps its index, and reading it throws its error. Of other formats, the file is refused.
   *
   * @default "throw"
   */
  readonly damaged?: "throw" | "keep";
  /** Receives a warning about contents that the reader or writer leaves out. @default console.warn */
  readonly onWarning?: (message: string) => void;
}

/** Bytes of a file, and the offset at which they belong. */
export interface Patch {
  /** Offset in the file, in bytes. */
  readonly at: number;
  /** The bytes. */
  readonly bytes: Uint8Array;
}

/** The file that a writer writes, for formats whose writers read and replace what they have written. */
export interface WriteTarget {
  /** Returns the number of bytes of the file. */
  size(): number;
  /** Fills `into` with the bytes from a position on. Returns how many there were. */
  read(position: number, into: Uint8Array): number;
  /** Writes bytes at a position. */
  write(position: number, bytes: Uint8Array): void;
  /** Sets the number of bytes of the file. */
  resize(size: number): void;
}

/** Writer of one file. */
export interface FrameWriter {
  /** Returns the bytes that a system adds at the end of the file. */
  frame(system: System): Uint8Array;
  /** Returns the bytes that complete the file: the end, or numbers in the header that were unknown before. */
  finish(): readonly Patch[];
  /** Releases what the writer holds, also after an error. It may be called after `finish`. */
  close?(): void;
}

/** A format of structure files. */
export interface StructureFormat {
  /** Name in messages, such as `"CIF"`. */
  readonly name: string;
  /** Number of structures that a file can contain. */
  readonly frames: "one" | "many";
  /**
   * Reads the structures of a file one by one.
   *
   * @throws {SyntaxError} if the file is damaged or of another format; the message names the line or the frame
   * @throws {TypeError} if an option that the format needs is missing
   */
  readonly read: (source: StructureSource, options: FormatOptions) => Iterable<System>;
  /**
   * Reads as `read` does, but yields the error of a damaged frame in place of the frame, and goes on with the next one.
   * `undefined` for formats in which the next frame cannot be found.
   */
  readonly readDamaged?: (
    source: StructureSource,
    options: FormatOptions,
  ) => Iterable<System | SyntaxError>;
  /**
   * Creates the writer of a file. `undefined` for formats that are only read. Most writers return all bytes; a writer
   * of a format with `writesInPlace` writes to `target`, and returns none.
   */
  readonly write?: (options: FormatOptions, target?: WriteTarget) => FrameWriter;
  /** True if the writer reads and replaces what it has written, by `target`. @default false */
  readonly writesInPlace?: boolean;
}

/** Creates the writer of a text format from a function that returns the text of one system. */
export function textWriter(text: (system: System, index: number) => string): FrameWriter {
  const encoder = new TextEncoder();
  let index = 0;
  return { frame: (system) => encoder.encode(text(system, index++)), finish: () => [] };
}

/** Yields frames until the first error, which it throws. */
export function* undamaged(frames: Iterable<System | SyntaxError>): Generator<System, void> {
  for (const frame of frames) {
    if (frame instanceof SyntaxError) throw frame;
    yield frame;
  }
}
