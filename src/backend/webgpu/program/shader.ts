/**
 * WGSL shaders of kernels. A shader is a list of passes, each of which is a function of an atom, a tile of atoms, a
 * system, or a workgroup per system.
 *
 * @module
 */

/**
 * Type of a number in a shader. A number of type `wide` has about 48 bits and is passed as two float32, `x` and
 * `x_low`.
 */
export type Word = "f32" | "u32" | "i32" | "wide";

/** The properties of a call that its shader may depend on. */
export interface ShaderCall {
  /** Returns whether an optional argument was passed. */
  has(name: string): boolean;
  /** Returns the value of a number argument. */
  number(name: string): number;
  /** Returns the length of a buffer argument. */
  length(name: string): number;
  /**
   * Returns the integers that the host wrote to a buffer argument. Throws a TypeError if there are none, because the
   * buffer is not of type `i32` or only kernels write to it.
   */
  written(name: string): Int32Array;
  /** Number of systems. */
  readonly systems: number;
  /** Number of atoms. */
  readonly atoms: number;
  /** Number of tiles. A tile is a workgroup of up to 64 atoms of one system. */
  readonly tiles: number;
  /** Index of the first atom of each system, followed by the number of atoms. */
  readonly offsets: Int32Array;
}

/** Number of threads of a workgroup, and the largest number of atoms of a tile. */
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
  /** The unit for which the function is called; see the table above. */
  readonly per: "atom" | "tile" | "group" | "system";
  /** WGSL code that defines the function, and anything that it uses. */
  readonly code: string;
  /**
   * True if the function is also called for finished systems.
   *
   * @default false
   */
  readonly always?: boolean;
  /**
   * Names of memory that the function changes, in addition to arguments declared as changed: memory of the frame, or
   * optional arguments.
   */
  readonly changes?: readonly string[];
  /** Names of memory that the function accesses as atomics: `control`, `frame`, or scratch memory. */
  readonly atomic?: readonly string[];
}

/** Scratch memory of one call, which all its passes share. */
export interface Scratch {
  /** Type of its elements. */
  readonly type: "f32" | "u32" | "i32" | "vec2<f32>" | "vec4<f32>";
  /** Number of elements. */
  readonly length: number;
  /** Initial values; zeros by default. */
  readonly values?: Uint32Array | Int32Array | Float32Array;
}

/** A kernel as a list of passes in WGSL. */
export interface Shader {
  /**
   * Types of the kernel's number arguments, by name.
   *
   * @default "f32" for each
   */
  readonly words?: Readonly<Record<string, Word>>;
  /** Returns further numbers by name, which are computed when the call is prepared. */
  readonly derived?: (call: ShaderCall) => Readonly<Record<string, number>>;
  /** Returns the scratch memory of a call, by name. */
  readonly scratch?: (call: ShaderCall) => Readonly<Record<string, Scratch>>;
  /** Returns the passes of a call, in the order in which they run. */
  readonly passes: (call: ShaderCall) => readonly Pass[];
}
