/**
 * Bodies of the hooks of all cases. Each body adds the step to a separate sum, so that V8 cannot remove it and every
 * call can be counted. `new Function` makes classes, functions and loops with separate source texts, because hooks
 * from different modules do not share inline caches either. The floors are written in the same way.
 *
 * @module
 */

import type { Work } from "./slices.ts";

/** The part of a context that the bodies read. */
export interface StepContext {
  /** The step. */
  stepCount: number;
}

/** A hook of the class protocol. */
export interface StepHook {
  readonly stages: readonly string[];
  readonly frequency: number;
  call(context: StepContext, stage: string): void;
}

/** Makes a hook of one class. */
export type StepHookClass = new (stages: readonly string[], frequency: number) => StepHook;

/** A plain function as a hook. */
export type StepFunction = (context: StepContext) => void;

let texts = 0;

/** A function of the text, and of that text only once: V8 hands out the same code for the same text. */
export function fresh(
  names: readonly string[],
  text: string,
): (...args: readonly unknown[]) => unknown {
  return new Function(...names, `/* ${texts++} */ ${text}`) as (
    ...args: readonly unknown[]
  ) => unknown;
}

const COUNT = 8;
// One sum per cache line.
const STRIDE = 8;

/** The sums, eight numbers apart. */
export const sums: Float64Array = new Float64Array((COUNT + 1) * STRIDE);

/** Eight classes of different shapes; number `i` adds to sum `i`. */
export const CLASSES: readonly StepHookClass[] = Array.from(
  { length: COUNT },
  (_, i) =>
    new Function(
      "sums",
      `return class Hook${i} {
        constructor(stages, frequency) { this.stages = stages; this.frequency = frequency; this.enabled = true; }
        call(context, stage) { sums[${i * STRIDE}] += context.stepCount; }
      }`,
    )(sums),
);

/** Makes plain functions of eight different texts; those of number `i` add to sum `i`. */
export const FUNCTIONS: readonly (() => StepFunction)[] = Array.from(
  { length: COUNT },
  (_, i) =>
    new Function(
      "sums",
      `return () => (context) => { sums[${i * STRIDE}] += context.stepCount; };`,
    )(sums),
);

/** Makes a hook of the one class whose instances add to the sum they are given. */
export const ADDER: StepHookClass = new Function(
  "sums",
  `return class Adder {
    constructor(stages, i) { this.stages = stages; this.frequency = 1; this.at = i * ${STRIDE}; }
    call(context, stage) { sums[this.at] += context.stepCount; }
  }`,
)(sums) as StepHookClass;

/** An object that does one step: an engine, or the calls written out. */
export interface Stepper {
  /** The context its hooks are given. */
  readonly context: StepContext;
  /** Does one step; the answer must be `undefined`, as no hook here is asynchronous. */
  step(context: StepContext, n: number): unknown;
}

/** Does the steps from one number to before another. */
export type StepLoop = (stepper: Stepper, from: number, to: number) => void;

/** A step loop with a text of its own; works of one side share one, the floor never shares the contender's. */
export function stepLoop(): StepLoop {
  return fresh(
    [],
    `return (stepper, from, to) => {
    const context = stepper.context;
    for (let i = from; i < to; i++) {
      context.stepCount = i;
      if (stepper.step(context, i) !== undefined) throw new Error("Cannot time a step: it must be synchronous");
    }
  };`,
  )() as StepLoop;
}

/** Steps of one stepper. They are never done twice, as hooks count on steps that only grow. */
export class Steps implements Work {
  readonly #stepper: Stepper;
  readonly #loop: StepLoop;
  // Where hooks that are due at 0 must not fire, they do not.
  #next = 1;

  constructor(stepper: Stepper, loop: StepLoop) {
    this.#stepper = stepper;
    this.#loop = loop;
  }

  run(n: number): void {
    const to = this.#next + n;
    this.#loop(this.#stepper, this.#next, to);
    this.#next = to;
  }

  /** Goes on at a later step. */
  skipTo(step: number): void {
    this.#next = Math.max(this.#next, step);
  }

  /** The number of the next step. */
  get next(): number {
    return this.#next;
  }
}

// Ten, so that what is due at each tenth step is due once.
const CHECKED_STEPS = 10;

/** Returns the number of calls of each body in a step, by its number. */
export type CallsAt = (step: number) => readonly number[];

/** Does a few steps and throws unless each body was called in each as often as it should be. */
export function checkCalls(steps: Steps, callsAt: CallsAt, what: string): void {
  const expected = callsAt(steps.next).map(() => 0);
  for (let step = steps.next; step < steps.next + CHECKED_STEPS; step++) {
    callsAt(step).forEach((calls, i) => expected[i]! += calls * step);
  }
  sums.fill(0);
  steps.run(CHECKED_STEPS);
  const seen = expected.map((_, i) => sums[i * STRIDE]!);
  if (seen.join() === expected.join()) return;
  throw new Error(
    `Cannot measure ${what}: the steps its hooks saw must add up to ${expected.join()}: ` +
      `current values are ${seen.join()}`,
  );
}
