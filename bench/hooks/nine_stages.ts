/**
 * A step as engines have it: nine stages, eight hooks spread over them, fifteen calls.
 *
 * @module
 */

import { type BaseContext, hook, Loop, type StageKind, stages } from "../../mod.ts";
import type { HookInput, StagePoint, Uniform } from "../../src/hook.ts";
import {
  CLASSES,
  fresh,
  FUNCTIONS,
  type StepContext,
  type StepFunction,
  type StepHook,
  type Stepper,
} from "./bodies.ts";

/** The stages of the step. */
type NineName = "S0" | "S1" | "S2" | "S3" | "S4" | "S5" | "S6" | "S7" | "S8";

export const Nine: StageKind<"nine", Uniform<BaseContext, NineName, Record<never, never>>> = stages<
  BaseContext
>()(
  "nine",
  ["S0", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8"],
);

/** The hooks of each stage, by number. */
export const PLAN: readonly (readonly number[])[] = [
  [],
  [0],
  [],
  [1, 2],
  [],
  [3],
  [4, 5, 6],
  [],
  [0, 1, 2, 3, 4, 5, 6, 7],
];

const NAMES = ["S0", "S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8"] as const;
const HOOKS = 8;

/** Numbers 0 to 7, turned: the second engine has its classes in another order than the first. */
function turned(by: number): number[] {
  return Array.from({ length: HOOKS }, (_, i) => (i + by) % HOOKS);
}

function namesOf(hook: number): typeof NAMES[number][] {
  return NAMES.filter((_, stage) => PLAN[stage]!.includes(hook));
}

/** One hook of each class. */
export function classHooks(by: number, frequency = 1): StepHook[] {
  return turned(by).map((cls, i) =>
    new CLASSES[cls]!(namesOf(i).map((name) => Nine[name]), frequency)
  );
}

/** One plain function of each text. */
export function functionHooks(by: number): StepFunction[] {
  return turned(by).map((text) => FUNCTIONS[text]!());
}

/** The same functions as hooks made by `hook()`. */
export function tableHooks(functions: readonly StepFunction[]): HookInput<typeof Nine>[] {
  return functions.map((f, i) =>
    hook({
      name: `f${i}`,
      kinds: [Nine],
      on: { nine: Object.fromEntries(namesOf(i).map((name) => [name, f])) },
    })
  );
}

/** Returns the number of calls of each body per step, by its number. */
export function callsPerStep(by: number): number[] {
  const calls = new Array<number>(HOOKS).fill(0);
  turned(by).forEach((body, i) => calls[body] = namesOf(i).length);
  return calls;
}

/** An engine over those stages, as the library's own are written: a stage is a field, reached in order. */
export class NineStages implements Stepper {
  readonly context: StepContext;
  readonly #s0: StagePoint;
  readonly #s1: StagePoint;
  readonly #s2: StagePoint;
  readonly #s3: StagePoint;
  readonly #s4: StagePoint;
  readonly #s5: StagePoint;
  readonly #s6: StagePoint;
  readonly #s7: StagePoint;
  readonly #s8: StagePoint;

  constructor(hooks: readonly HookInput<typeof Nine>[]) {
    const loop = new Loop({ kinds: Nine, step: () => {} }, { hooks });
    if (loop.hooks.list().length !== hooks.length) {
      throw new Error("Cannot make the engine: it must have all its hooks");
    }
    this.context = loop.context;
    this.#s0 = loop.point(Nine.S0);
    this.#s1 = loop.point(Nine.S1);
    this.#s2 = loop.point(Nine.S2);
    this.#s3 = loop.point(Nine.S3);
    this.#s4 = loop.point(Nine.S4);
    this.#s5 = loop.point(Nine.S5);
    this.#s6 = loop.point(Nine.S6);
    this.#s7 = loop.point(Nine.S7);
    this.#s8 = loop.point(Nine.S8);
  }

  step(_context: StepContext, n: number): PromiseLike<void> | undefined {
    let pending = this.#s0.fire(n);
    if (pending !== undefined) return this.#resume(1, pending, n);
    pending = this.#s1.fire(n);
    if (pending !== undefined) return this.#resume(2, pending, n);
    pending = this.#s2.fire(n);
    if (pending !== undefined) return this.#resume(3, pending, n);
    pending = this.#s3.fire(n);
    if (pending !== undefined) return this.#resume(4, pending, n);
    pending = this.#s4.fire(n);
    if (pending !== undefined) return this.#resume(5, pending, n);
    pending = this.#s5.fire(n);
    if (pending !== undefined) return this.#resume(6, pending, n);
    pending = this.#s6.fire(n);
    if (pending !== undefined) return this.#resume(7, pending, n);
    pending = this.#s7.fire(n);
    if (pending !== undefined) return this.#resume(8, pending, n);
    pending = this.#s8.fire(n);
    return pending;
  }

  /** Goes on asynchronously at stage `next`. */
  async #resume(next: number, pending: PromiseLike<void>, n: number): Promise<void> {
    await pending;
    const points = [
      this.#s0,
      this.#s1,
      this.#s2,
      this.#s3,
      this.#s4,
      this.#s5,
      this.#s6,
      this.#s7,
      this.#s8,
    ];
    for (const point of points.slice(next)) await point.fire(n);
  }
}

/** The floor: the calls of a step, written out by hand. `call` writes one of them. */
export function writtenOut(
  callees: readonly unknown[],
  context: StepContext,
  call: (callee: string, stage: string) => string,
): Stepper {
  const names = callees.map((_, i) => `h${i}`);
  const calls = PLAN.flatMap((hooks, stage) =>
    hooks.map((i) => call(names[i]!, JSON.stringify(Nine[NAMES[stage]!])))
  );
  const make = fresh(names, `return (context) => { ${calls.join(" ")} };`);
  return { context, step: make(...callees) as Stepper["step"] };
}

/** The floor of hooks with a class each. */
export function writtenOutMethods(hooks: readonly StepHook[], context: StepContext): Stepper {
  return writtenOut(hooks, context, (hook, stage) => `${hook}.call(context, ${stage});`);
}

/** The floor of plain functions. */
export function writtenOutFunctions(
  functions: readonly StepFunction[],
  context: StepContext,
): Stepper {
  return writtenOut(functions, context, (f, stage) => `${f}(context, ${stage});`);
}
