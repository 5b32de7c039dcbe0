/**
 * Generates WebAssembly functions that evaluate a pair potential for one cluster of atoms and all its neighbors.
 *
 * @module
 */

import {
  neededFor,
  type PairOperation,
  type PairProgram,
} from "../../kernels/pairs/expression/program.ts";
import { F32, I32, SIMD, V128, WasmCode } from "./wasm_code.ts";

/** A variant of a generated function. */
export interface PairVariant {
  /** True if the function also computes energies. */
  readonly energies: boolean;
  /** True if the parameters differ from pair to pair. */
  readonly types: boolean;
}

/** Indices of the arguments of a generated function, in the order in which wasm/src/pairs/generated.rs passes them. */
const X = 0, OWN = 3, ENTRIES = 4, END = 5, PARAMETERS = 6, COPIES = 7, RATIO = 8;
const SLOPES = 9, ENERGIES = 10;
const ARGUMENTS = [F32, F32, F32, I32, I32, I32, I32, I32, I32, I32, I32];

/**
 * Returns the bytes of a module that exports one function per variant, named by its index. The module imports the
 * memory of the kernels.
 */
export function pairModule(
  program: PairProgram,
  variants: readonly PairVariant[],
): Uint8Array<ArrayBuffer> {
  const bodies = variants.map((variant) => new RowFunction(program, variant).body());
  const list = (items: readonly WasmCode[]) =>
    items.reduce((all, { bytes }) => all.raw(...bytes), new WasmCode().unsigned(items.length));
  const type = new WasmCode().raw(0x60).unsigned(ARGUMENTS.length).raw(...ARGUMENTS, 0);
  const memory = new WasmCode().name("hooke").name("memory").raw(2, 0, 0);
  const module = new WasmCode().raw(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)
    .raw(1).part(list([type]))
    .raw(2).part(list([memory]))
    .raw(3).part(list(bodies.map(() => new WasmCode().raw(0))))
    .raw(7).part(list(bodies.map((_, i) => new WasmCode().name(`${i}`).raw(0).unsigned(i))))
    .raw(10).part(list(bodies.map((body) => new WasmCode().part(body))));
  return Uint8Array.from(module.bytes);
}

/** Generates the function of one variant. */
class RowFunction {
  readonly #program: PairProgram;
  readonly #variant: PairVariant;
  readonly #locals: number[] = [];
  /** Code that runs once, before the loop. */
  readonly #before = new WasmCode();
  /** Code of the loop, which handles four pairs per round. */
  readonly #loop = new WasmCode();
  /**
   * Map from a constant to the local that holds it. Without these locals, V8 would create the vectors of constants in
   * each round.
   */
  readonly #numbers = new Map<number, number>();

  constructor(program: PairProgram, variant: PairVariant) {
    this.#program = program;
    this.#variant = variant;
  }

  /** Returns the code of the function, with the declarations of its locals. */
  body(): WasmCode {
    const { width, operations, energy, slope } = this.#program;
    const coefficients = this.#coefficients();
    const square = this.#local();
    const mask = this.#local();
    this.#loadSquare(square);
    this.#loop.get(square);
    coefficients(width - 2);
    this.#loop.simd(SIMD.F32_LESS).set(mask);
    const results = this.#variant.energies ? [slope, energy] : [slope];
    const places = this.#operations(square, coefficients, neededFor(operations, results));
    this.#loop.get(SLOPES).get(places[slope]!).get(mask).simd(SIMD.AND).store().advance(SLOPES, 16);
    if (this.#variant.energies) {
      this.#loop.get(ENERGIES).get(places[energy]!);
      coefficients(width - 1);
      this.#loop.simd(SIMD.F32_SUBTRACT).get(mask).simd(SIMD.AND).store().advance(ENERGIES, 16);
    }
    return this.#assembled();
  }

  /**
   * Generates the code that finds the parameters: it loads them before the loop, or, if they differ from pair to
   * pair, finds their row within the loop. Returns a function that adds code to the loop which pushes the parameter
   * with an index.
   */
  #coefficients(): (index: number) => void {
    const { width } = this.#program;
    if (!this.#variant.types) {
      const places = Array.from({ length: width }, (_, k) => {
        const place = this.#local();
        this.#before.get(PARAMETERS).load(16 * k).set(place);
        return place;
      });
      return (index) => this.#loop.get(places[index]!);
    }
    // Each copy of the atoms has its own row of parameters, at the offset of the copy times a ratio.
    const row = this.#local(I32);
    this.#loop.get(OWN).get(COPIES).raw(0x6b).get(RATIO).raw(0x6c).get(PARAMETERS).raw(0x6a)
      .set(row);
    return (index) => this.#loop.get(row).load(16 * index);
  }

  #loadSquare(square: number): void {
    const places = [0, 1, 2].map((axis) => {
      const [own, along] = [this.#local(), this.#local()];
      this.#before.get(X + axis).simd(SIMD.F32_SPLAT).set(own);
      this.#loop.get(own).get(OWN).load(16 * axis).simd(SIMD.F32_SUBTRACT).set(along);
      return along;
    });
    for (const [axis, along] of places.entries()) {
      this.#loop.get(along).get(along).simd(SIMD.F32_MULTIPLY);
      if (axis > 0) this.#loop.simd(SIMD.F32_ADD);
    }
    this.#loop.set(square);
  }

  /**
   * Generates the operations of the pair program, as far as they are needed. Returns the locals that hold their
   * results.
   */
  #operations(
    square: number,
    coefficients: (index: number) => void,
    isNeeded: readonly boolean[],
  ): number[] {
    const { operations } = this.#program;
    const places: number[] = [];
    const push = (at: number) => {
      const operation = operations[at]!;
      if (operation.op === "coefficient") coefficients(operation.index);
      else if (operation.op === "number") this.#number(operation.value);
      else this.#loop.get(places[at]!);
    };
    for (const [i, operation] of operations.entries()) {
      if (!isNeeded[i] || operation.op === "coefficient" || operation.op === "number") continue;
      if (operation.op === "square") {
        places[i] = square;
        continue;
      }
      push(operation.a);
      if ("b" in operation) push(operation.b);
      this.#operate(operation.op);
      places[i] = this.#local();
      this.#loop.set(places[i]!);
    }
    return places;
  }

  #operate(operation: Exclude<PairOperation["op"], "square" | "coefficient" | "number">): void {
    switch (operation) {
      case "exp2":
        return this.#exp2();
      case "log2":
        return this.#log2();
      default:
        this.#loop.simd(INSTRUCTIONS[operation]);
    }
  }

  /**
   * Replaces x on the stack by 2ˣ = 2ⁿ 2ᵍ, with n an integer and |g| ≤ ½. 2ᵍ is a minimax polynomial with a relative
   * error of 3e-9, and n is added to its exponent. Adding 1.5 · 2²³ rounds x to n, which is then in the low bits.
   */
  #exp2(): void {
    const [x, shifted, g] = [this.#local(), this.#local(), this.#local()];
    const loop = this.#loop;
    this.#number(127);
    loop.simd(SIMD.F32_LESSER);
    this.#number(-126);
    loop.simd(SIMD.F32_GREATER).set(x).get(x);
    this.#number(ROUNDER);
    loop.simd(SIMD.F32_ADD).set(shifted).get(x).get(shifted);
    this.#number(ROUNDER);
    loop.simd(SIMD.F32_SUBTRACT).simd(SIMD.F32_SUBTRACT).set(g);
    this.#polynomial(g, POWERS_OF_2);
    loop.get(shifted).small(23).simd(SIMD.I32_SHIFT_LEFT).simd(SIMD.I32_ADD);
  }

  /**
   * Replaces x on the stack by log₂ x = n + log₂(1 + f), with 1 + f from √½ to √2. n comes from the exponent bits of
   * x. The polynomial is that of logf in the Cephes library.
   */
  #log2(): void {
    const [x, n, f] = [this.#local(), this.#local(), this.#local()];
    const loop = this.#loop;
    loop.set(x).get(x);
    this.#number(SQRT_HALF);
    loop.simd(SIMD.I32_SUBTRACT).small(23).simd(SIMD.I32_SHIFT_RIGHT).set(n);
    loop.get(x).get(n).small(23).simd(SIMD.I32_SHIFT_LEFT).simd(SIMD.I32_SUBTRACT);
    this.#number(1);
    loop.simd(SIMD.F32_SUBTRACT).set(f);
    // log(1 + f) = f + f² (f P(f) − ½)
    this.#polynomial(f, LOGARITHM);
    loop.get(f).simd(SIMD.F32_MULTIPLY).get(f).simd(SIMD.F32_MULTIPLY).get(f).simd(SIMD.F32_ADD);
    this.#number(Math.LOG2E);
    loop.simd(SIMD.F32_MULTIPLY).get(n).simd(SIMD.I32_TO_F32).simd(SIMD.F32_ADD);
  }

  /** Pushes the value of a polynomial in the local `x`. The highest coefficient comes first. */
  #polynomial(x: number, coefficients: readonly number[]): void {
    for (const [i, coefficient] of coefficients.entries()) {
      if (i > 0) this.#loop.get(x).simd(SIMD.F32_MULTIPLY);
      this.#number(coefficient);
      if (i > 0) this.#loop.simd(SIMD.F32_ADD);
    }
  }

  /** Pushes a vector of four equal constants. */
  #number(value: number): void {
    let place = this.#numbers.get(value);
    if (place === undefined) {
      place = this.#local();
      this.#numbers.set(value, place);
      this.#before.splat(value).set(place);
    }
    this.#loop.get(place);
  }

  #local(type = V128): number {
    return ARGUMENTS.length + this.#locals.push(type) - 1;
  }

  /**
   * Assembles the function. The first four pairs are within the cluster itself; the entries of the cluster's row
   * follow.
   */
  #assembled(): WasmCode {
    const next = new WasmCode().get(ENTRIES).get(END).raw(0x47, 0x04, 0x40)
      .get(ENTRIES).raw(0x28, 2, 0).set(OWN).advance(ENTRIES, 4).raw(0x0c, 1, 0x0b);
    const locals = this.#locals.reduce(
      (all, type) => all.unsigned(1).raw(type),
      new WasmCode().unsigned(this.#locals.length),
    );
    return locals.raw(...this.#before.bytes)
      .raw(0x03, 0x40, ...this.#loop.bytes, ...next.bytes, 0x0b, 0x0b);
  }
}

const INSTRUCTIONS = {
  add: SIMD.F32_ADD,
  subtract: SIMD.F32_SUBTRACT,
  multiply: SIMD.F32_MULTIPLY,
  divide: SIMD.F32_DIVIDE,
  negate: SIMD.F32_NEGATE,
  sqrt: SIMD.F32_SQRT,
} as const;

const ROUNDER = 1.5 * 2 ** 23;

const SQRT_HALF = Math.SQRT1_2;

const POWERS_OF_2 = [
  1.5594677824987e-4,
  1.3406643411144614e-3,
  9.617692790925503e-3,
  5.5503103882074356e-2,
  0.24022652208805084,
  0.6931472420692444,
  1,
];

const LOGARITHM = [
  7.0376836292e-2,
  -1.1514610310e-1,
  1.1676998740e-1,
  -1.2420140846e-1,
  1.4249322787e-1,
  -1.6668057665e-1,
  2.0000714765e-1,
  -2.4999993993e-1,
  3.3333331174e-1,
  -0.5,
];
