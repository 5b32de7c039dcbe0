import type { GpuProgram } from "./gpu_program.ts";

/**
 * A run of a program, from the call until the host knows the number of steps done. It is a thenable instead of a
 * promise, because asking the device for that number costs a copy. A step loop that does not await its runs needs no
 * copies.
 */
export class GpuRun implements PromiseLike<number> {
  readonly program: GpuProgram;
  readonly first: number;
  readonly steps: number;
  /** Number of the run among the runs of its frame, from 1; 0 until the run is encoded. */
  number = 0;
  /** Number of steps done; `undefined` until the host knows it. */
  done: number | undefined;
  readonly #settle: (run: GpuRun) => Promise<number>;
  #promise: Promise<number> | undefined;

  /**
   * Creates a run of `steps` steps, the first of which has the number `first`. `settle` asks the device for the
   * number of steps done.
   */
  constructor(
    program: GpuProgram,
    first: number,
    steps: number,
    settle: (run: GpuRun) => Promise<number>,
  ) {
    this.program = program;
    this.first = first;
    this.steps = steps;
    this.#settle = settle;
  }

  /** Asks the device for the number of steps done. It is called only if the run is awaited. */
  then<A = number, B = never>(
    onDone?: ((done: number) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): PromiseLike<A | B> {
    this.#promise ??= this.#settle(this);
    return this.#promise.then(onDone, onError);
  }
}
