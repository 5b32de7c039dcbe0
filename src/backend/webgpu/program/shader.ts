/**
 * What a kernel is in WGSL: passes, each a function of an atom, a tile of atoms, a workgroup or a system.
 *
 * @module
 */

/** How a number comes to a shader; of `wide` it has the nearest two float32, `x` and `x_low`. */
export type Word = "f32" | "u32" | "i32" | "wide";

/** What a kernel is given, as far as its shader depends on it. */
export interface ShaderCall {
  /** Whether there is such an argument. */
  has(name: string): boolean;
  /** A number among the arguments. */
  number(name: string): number;
  /** How many numbers a buffer has. */
  length(name: string): number;
  /** What the host wrote to a buffer of integers. Throws a TypeError when it did not. */
  written(name: string): Int32Array;
  /** How many systems there are. */
  readonly systems: number;
  /** How many atoms. */
  readonly atoms: number;
  /** How many tiles: workgroups of atoms, each of one system. */
  readonly tiles: number;
  /** Where the atoms of each system begin. */
  readonly offsets: Int32Array;
}

/** The threads of a workgroup, and the atoms of a tile. */
export const LANES = 64;

/**
 * One dispatch. `code` defines the function that is named by `per`:
 *
 * | per | function | threads | called for |
 * |---|---|---|---|
 * | atom | `fn atom(s: u32, a: u32)` | one per atom | atoms of systems that move |
 * | tile | `fn tile(s: u32, t: u32, a: u32, lane: u32)` | a workgroup per tile | the same; `a` may be past the end |
 * | group | `fn group(s: u32, lane: u32)` | a workgroup per system | systems that move |
 * | system | `fn system(s: u32)` | one per system | systems that move |
 *
 * Arguments, the words of the frame and scratch are there by name; `active` is called `moving`, as WGSL keeps the word.
 */
export interface Pass {
  /** What it is called for. */
  readonly per: "atom" | "tile" | "group" | "system";
  /** WGSL. */
  readonly code: string;
  /**
   * Also for systems at rest.
   *
   * @default false
   */
  readonly always?: boolean;
  /** What it changes of the frame, or of what the kernel declares as optional. */
  readonly changes?: readonly string[];
  /** What it changes as atomics: `control`, `frame`, or scratch. */
  readonly atomic?: readonly string[];
}

/** Memory of one call. */
export interface Scratch {
  /** What it holds. */
  readonly type: "f32" | "u32" | "i32" | "vec2<f32>" | "vec4<f32>";
  /** How many. */
  readonly length: number;
  /** What it begins with. */
  readonly values?: Uint32Array | Int32Array | Float32Array;
}

/** A kernel in WGSL. */
export interface Shader {
  /**
   * How its numbers come.
   *
   * @default "f32" for each
   */
  readonly words?: Readonly<Record<string, Word>>;
  /** More numbers, found when it is made ready. */
  readonly derived?: (call: ShaderCall) => Readonly<Record<string, number>>;
  /** Memory it needs. */
  readonly scratch?: (call: ShaderCall) => Readonly<Record<string, Scratch>>;
  /** What it does, one after the other. */
  readonly passes: (call: ShaderCall) => readonly Pass[];
}
