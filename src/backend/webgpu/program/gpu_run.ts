import type { GpuProgram } from "./gpu_program.ts";

/** A run of a program, from when it is asked for until it is known how it ended. */
export class GpuRun implements PromiseLike<number> {
  readonly program: GpuProgram;
  readonly first: number;
  readonly steps: number;
  /** Which one it is of its frame, from 1; 0 before it was handed to the device. */
  number = 0;
  /** How many steps it did, once known. */
  done: number | undefined;
  readonly #settle: (run: GpuRun) => Promise<number>;
  #promise: Promise<number> | undefined;

  /** `settle` finds out how it ended. */
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

  /** Only who asks how many steps were done waits for the device, and has it asked. */
  then<A = number, B = never>(
    onDone?: ((done: number) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): PromiseLike<A | B> {
    this.#promise ??= this.#settle(this);
    return this.#promise.then(onDone, onError);
  }
}
