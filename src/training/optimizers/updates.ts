/**
 * Execution of optimizers: kernels that run over the arena with the current rates.
 *
 * @module
 */

import {
  type Backend,
  type Buffer,
  call,
  type KernelCall,
  type Program,
} from "../../backend/backend.ts";
import { clipNorm } from "../../kernels/learn/clip_norm.ts";
import { clipValues } from "../../kernels/learn/clip_values.ts";
import { mix } from "../../kernels/mix.ts";
import { sumSquares } from "../../kernels/learn/sum_squares.ts";
import type { Arena } from "../model/arena.ts";
import type { AssignedOptimizer, Assignment } from "./assigned.ts";
import type { Transform } from "./transform.ts";

/** A buffer with `width` settings of a transform for each parameter, and the function that computes them. */
interface Rows {
  readonly buffer: Buffer<"real">;
  readonly width: number;
  readonly values: Float64Array;
  readonly make: Transform["settings"][string];
}

/** The compiled program of an optimizer, and the buffers with its settings. */
interface Ready {
  readonly program: Program;
  readonly rows: readonly Rows[];
}

/** Runs the steps of all optimizers, and other kernels, over one arena. */
export class Updates {
  readonly #arena: Arena;
  readonly #backend: Backend;
  readonly #optimizers: readonly AssignedOptimizer[];
  readonly #of: readonly Assignment[];
  readonly #ready: readonly Ready[];
  readonly #counts: Int32Array;
  readonly #squares: Buffer<"f64">;
  readonly #limits: { readonly norm: Buffer<"real">; readonly value: Buffer<"real"> };
  readonly #ones: Buffer<"real">;
  readonly #pairs = new Map<string, [keep: Buffer<"real">, take: Buffer<"real">]>();
  readonly #programs = new Map<string, Program>();

  constructor(
    arena: Arena,
    optimizers: readonly AssignedOptimizer[],
    of: readonly Assignment[],
  ) {
    this.#arena = arena;
    this.#backend = arena.backend;
    this.#optimizers = optimizers;
    this.#of = of;
    this.#counts = new Int32Array(of.length);
    this.#squares = this.#backend.alloc("f64", of.length);
    this.#limits = { norm: this.#numbers(1), value: this.#numbers(1) };
    this.#ones = this.#numbers(of.length, 1);
    this.#ready = optimizers.map(({ optimizer }) => this.#prepare(optimizer.transforms));
  }

  /** Number of updates of each parameter so far. */
  get counts(): Int32Array {
    return this.#counts;
  }

  /** Adds the gradients of a further batch of the step, which are in the array `"more"`, to those in `"gradients"`. */
  addMore(): void {
    this.#arena.activate(() => true);
    this.#run("add", () => [
      call(mix, {
        target: this.#arena.array("gradients"),
        source: this.#arena.array("more"),
        keep: this.#ones,
        take: this.#ones,
      }),
    ]);
  }

  /** Multiplies the gradients in the array `target` by a factor. */
  scale(target: "gradients" | "more", factor: number): void {
    this.#arena.activate(() => true);
    // A kernel must not get the same buffer twice, so the second term is another array, times 0.
    this.#blend(target, "parameters", factor, 0);
  }

  /** Computes the sum of squares of the gradient of each used parameter. {@linkcode squares} returns the results. */
  sumSquares(isUsed: (index: number) => boolean): void {
    this.#arena.activate(isUsed);
    this.#run("squares", () => [
      call(sumSquares, { values: this.#arena.array("gradients"), squares: this.#squares }),
    ]);
  }

  /** Returns the results of `sumSquares`, one number for each parameter; a promise if they are on a GPU. */
  squares(): ArrayLike<number> | PromiseLike<ArrayLike<number>> {
    const seen = this.#backend.viewOrRead([this.#squares]);
    return this.#backend.isHost
      ? (seen as readonly [Float64Array])[0]
      : (seen as Promise<readonly [Float64Array]>).then(([squares]) => squares);
  }

  /**
   * Returns the results of `sumSquares`, one number per parameter, when they have arrived from the device. No step
   * waits for them.
   */
  async takeSquares(): Promise<ArrayLike<number>> {
    const [squares] = await this.#backend.readLate([this.#squares]);
    return squares;
  }

  /** Scales all gradients by one factor if their total norm, from `sumSquares`, is above a limit. */
  clipNorm(limit: number): void {
    this.#backend.write(this.#limits.norm, [limit]);
    this.#run("clip norm", () => [
      call(clipNorm, {
        values: this.#arena.array("gradients"),
        squares: this.#squares,
        limit: this.#limits.norm,
      }),
    ]);
  }

  /** Clips each element of the gradients to the range from `-limit` to `limit`. */
  clipValues(limit: number): void {
    this.#arena.activate(() => true);
    this.#backend.write(this.#limits.value, [limit]);
    this.#run("clip values", () => [
      call(clipValues, { values: this.#arena.array("gradients"), limit: this.#limits.value }),
    ]);
  }

  /** Runs one optimizer, which updates its parameters except those that are not used in this step. */
  step(optimizer: number, isUsed: (index: number) => boolean): void {
    const moves = (i: number) => this.#of[i]!.optimizer === optimizer && isUsed(i);
    const { program, rows } = this.#ready[optimizer]!;
    this.#of.forEach((_, i) => {
      if (moves(i)) this.#counts[i]!++;
    });
    this.#arena.activate(moves);
    for (const each of rows) this.#write(each, moves);
    void this.#backend.run(program, 0, 1);
  }

  /** Updates the moving averages of all parameters. `decay` is the fraction of an average that is kept. */
  average(decay: number): void {
    this.#arena.activate(() => true);
    this.#blend("ema", "parameters", decay, 1 - decay);
  }

  /** Copies one array of the arena to another. */
  copy(from: string, to: string): void {
    this.#arena.activate(() => true);
    this.#blend(to, from, 0, 1);
  }

  /** Frees all buffers and programs except those of the arena. */
  free(): void {
    for (const { program, rows } of this.#ready) {
      program.free();
      for (const { buffer } of rows) this.#backend.free(buffer);
    }
    for (const program of this.#programs.values()) program.free();
    const pairs = [...this.#pairs.values()].flat();
    const { norm, value } = this.#limits;
    for (const buffer of [...pairs, norm, value, this.#ones]) this.#backend.free(buffer);
    this.#backend.free(this.#squares);
  }

  #blend(target: string, source: string, keep: number, take: number): void {
    const key = `${target} ${source}`;
    let pair = this.#pairs.get(key);
    if (pair === undefined) {
      const count = this.#of.length;
      this.#pairs.set(key, pair = [this.#numbers(count), this.#numbers(count)]);
    }
    const [keeps, takes] = pair;
    this.#backend.write(keeps, new Float64Array(this.#of.length).fill(keep));
    this.#backend.write(takes, new Float64Array(this.#of.length).fill(take));
    this.#run(key, () => [
      call(mix, {
        target: this.#arena.array(target),
        source: this.#arena.array(source),
        keep: keeps,
        take: takes,
      }),
    ]);
  }

  #run(key: string, calls: () => ReturnType<typeof call>[]): void {
    let program = this.#programs.get(key);
    if (program === undefined) {
      this.#programs.set(key, program = this.#backend.prepare(this.#arena.frame, calls()));
    }
    void this.#backend.run(program, 0, 1);
  }

  #numbers(length: number, value = 0): Buffer<"real"> {
    const buffer = this.#backend.alloc("real", length);
    if (value !== 0) this.#backend.write(buffer, new Float64Array(length).fill(value));
    return buffer;
  }

  #prepare(transforms: readonly Transform[]): Ready {
    const rows: Rows[] = [];
    const usesUpdates = transforms.some((transform) => transform.usesUpdates);
    const calls = transforms.flatMap((transform) => {
      const own = new Map<string, Buffer<"real">>();
      for (const [name, make] of Object.entries(transform.settings)) {
        const row = this.#rowsOf(make);
        own.set(name, row.buffer);
        rows.push(row);
      }
      return transform.calls({
        parameters: this.#arena.array("parameters"),
        gradients: this.#arena.array("gradients"),
        updates: usesUpdates ? this.#arena.array("updates") : this.#arena.array("gradients"),
        state: (name) => this.#stateOf(transform, name),
        settings: (name) => orRefuse(own.get(name), transform, "settings", name),
      });
    });
    const program = (calls: readonly KernelCall[]) =>
      this.#backend.prepare(this.#arena.frame, calls);
    if (!usesUpdates) return { program: program(calls), rows };
    const zeros = this.#rowsOf(() => [0]), ones = this.#rowsOf(() => [1]);
    const begin = call(mix, {
      target: this.#arena.array("updates"),
      source: this.#arena.array("gradients"),
      keep: zeros.buffer,
      take: ones.buffer,
    });
    return { program: program([begin, ...calls]), rows: [...rows, zeros, ones] };
  }

  #stateOf(transform: Transform, name: string): Buffer<"real"> {
    const isKept = transform.keeps?.includes(name) === true;
    return orRefuse(isKept ? this.#arena.array(name) : undefined, transform, "keeps", name);
  }

  #rowsOf(make: Rows["make"]): Rows {
    const { length: width } = make({ count: 1, lr: 0, weightDecay: 0, momentum: 0 });
    const length = width * this.#of.length;
    return { buffer: this.#numbers(length), width, values: new Float64Array(length), make };
  }

  #write({ buffer, width, values, make }: Rows, isMoved: (index: number) => boolean): void {
    let changed = false;
    for (const [i, { group }] of this.#of.entries()) {
      if (!isMoved(i)) continue;
      const { lr, weightDecay, momentum } = group;
      const row = make({ count: this.#counts[i]!, lr, weightDecay, momentum });
      for (let k = 0; k < width; k++) {
        changed ||= values[i * width + k] !== row[k];
        values[i * width + k] = row[k]!;
      }
    }
    if (changed) this.#backend.write(buffer, values);
  }
}

function orRefuse<T>(found: T | undefined, { name }: Transform, member: string, what: string): T {
  if (found !== undefined) return found;
  throw new TypeError(
    `Cannot prepare transform ${name}: its calls use ${
      JSON.stringify(what)
    }, which its ${member} do not name`,
  );
}
