/**
 * Kernels in WGSL. A kernel is a list of passes, each a function of an atom, a tile of atoms, a
 * workgroup or a system.
 *
 * @module
 */

/** Type of a number in a shader. A `wide` number is passed as two float32, `x` and `x_low`. */
export type Word = "f32" | "u32" | "i32" | "wide";

/** Description of a call, as far as its shader depends on it. */
export interface ShaderCall {
  /** Returns whether an argument is given. */
  has(name: string): boolean;
  /** Returns a number argument. */
  number(name: string): number;
  /** Returns the length of a buffer. */
  length(name: string): number;
  /**
   * Returns the integers that the host wrote to a buffer. Throws a TypeError if it has not written
   * any.
   */
  written(name: string): Int32Array;
  /** Number of systems. */
  readonly systems: number;
  /** Number of atoms. */
  readonly atoms: number;
  /** Number of tiles: workgroups of atoms, each of one system. */
  readonly tiles: number;
  /** First atom of each system. */
  readonly offsets: Int32Array;
}

/** Threads of a workgroup, and atoms of a tile. */
export const LANES = 64;

/**
 * One dispatch. `code` defines the function that is named by `per`:
 *
 * | per | function | threads | called for |
 * |---|---|---|---|
 * | atom | `fn atom(s: u32, a: u32)` | one per atom | atoms of active systems |
 * | tile | `fn tile(s: u32, t: u32, a: u32, lane: u32)` | a workgroup per tile | atoms of active systems; `a` may be past the end |
 * | group | `fn group(s: u32, lane: u32)` | a workgroup per system | active systems |
 * | system | `fn system(s: u32)` | one per system | active systems |
 *
 * Arguments, the words of the frame and scratch memory are available by name. `active` is named
 * `moving`, because WGSL reserves the word.
 */
export interface Pass {
  /** Domain of the function. */
  readonly per: "atom" | "tile" | "group" | "system";
  /** WGSL code that defines the function. */
  readonly code: string;
  /**
   * True if it also runs for finished systems.
   *
   * @default false
   */
  readonly always?: boolean;
  /** Names that it changes: of the frame, or of optional arguments. */
  readonly changes?: readonly string[];
  /** Names that it changes as atomics: `control`, `frame`, or scratch. */
  readonly atomic?: readonly string[];
}

/** Memory of one call. */
export interface Scratch {
  /** Type of its elements. */
  readonly type: "f32" | "u32" | "i32" | "vec2<f32>" | "vec4<f32>";
  /** Number of elements. */
  readonly length: number;
  /** Initial values. */
  readonly values?: Uint32Array | Int32Array | Float32Array;
}

/** A kernel as passes in WGSL. */
export interface Shader {
  /**
   * Types of its numbers.
   *
   * @default "f32" for each
   */
  readonly words?: Readonly<Record<string, Word>>;
  /** Further numbers, computed when the call is prepared. */
  readonly derived?: (call: ShaderCall) => Readonly<Record<string, number>>;
  /** Scratch memory. */
  readonly scratch?: (call: ShaderCall) => Readonly<Record<string, Scratch>>;
  /** Passes, in order. */
  readonly passes: (call: ShaderCall) => readonly Pass[];
}
