/**
 * The cases that measure the hook core against code without one.
 *
 * @module
 */

import { type BaseContext, Loop, stages } from "../../mod.ts";
import type { HookInput } from "../../src/hook.ts";
import {
  ADDER,
  checkCalls,
  type StepContext,
  type StepHook,
  type StepLoop,
  stepLoop,
  type Stepper,
  Steps,
} from "./bodies.ts";
import {
  callsPerStep,
  classHooks,
  functionHooks,
  type Nine,
  NineStages,
  tableHooks,
  writtenOutFunctions,
  writtenOutMethods,
} from "./nine_stages.ts";
import type { Work } from "./slices.ts";

/** A case, ready to be timed. */
export interface Case {
  readonly floor: readonly Work[];
  readonly contender: readonly Work[];
  /** Throws unless floor and contender call what they should; asked before and after the timing. */
  check(): void;
  /** Checks results that are known only after all events. */
  finish?(): void;
}

/** A case both of whose sides do steps. */
interface StepsCase extends Case {
  readonly floor: readonly Steps[];
  readonly contender: readonly Steps[];
}

/** The turns of the class order of the two engines. */
export const TURNS = [0, 3] as const;

// Later than any step a benchmark gets to.
const NOT_DUE = 1_000_000_000;

type NineInput = HookInput<typeof Nine>;

const One = stages<BaseContext>()("one", ["S"]);

/** A stage without hooks, against an iteration of a loop that does nothing else. */
export function emptyStage(): Case {
  const { context, steps } = oneStage([]);
  const floor: StepLoop = (_stepper, from, to) => {
    for (let i = from; i < to; i++) context.stepCount = i;
  };
  return {
    floor: [new Steps(NO_STEPPER, floor)],
    contender: [steps],
    check: () => checkCalls(steps, () => [0], "a stage without hooks"),
  };
}

// The loops over one stage hold all that they use themselves.
const NO_STEPPER: Stepper = { context: { stepCount: 0 }, step: () => undefined };

function oneStage(hooks: readonly StepHook[]): { context: StepContext; steps: Steps } {
  const loop = new Loop({
    kinds: One,
    step: () => {},
  }, {
    hooks: hooks as readonly HookInput<typeof One>[],
  });
  const point = loop.point(One.S);
  const context: StepContext = loop.context;
  const reach: StepLoop = (_stepper, from, to) => {
    for (let i = from; i < to; i++) {
      context.stepCount = i;
      if (point.fire(i) !== undefined) throw new Error("Cannot time a stage: it must not wait");
    }
  };
  return { context, steps: new Steps(NO_STEPPER, reach) };
}

/** Nine stages with eight hooks, none of them due, against nine stages without hooks. */
export function noneDue(): Case {
  const [loop, floorLoop] = [stepLoop(), stepLoop()];
  const contender = TURNS.map((by) =>
    new Steps(new NineStages(classHooks(by, NOT_DUE) as readonly NineInput[]), loop)
  );
  const floor = TURNS.map(() => new Steps(new NineStages([]), floorLoop));
  const what = "hooks that are not due";
  return {
    floor,
    contender,
    check: () => contender.forEach((steps) => checkCalls(steps, () => NONE, what)),
    // They were there all the time: when their step comes they do fire.
    finish: () =>
      contender.forEach((steps, i) => {
        steps.skipTo(NOT_DUE - 1);
        const calls = callsPerStep(TURNS[i]!);
        checkCalls(steps, (step) => step === NOT_DUE ? calls : NONE, what);
      }),
  };
}

/** Eight hooks of one class at one stage, against the eight calls written out. */
export function oneShape(): Case {
  const adders = () => EIGHT.map((i) => new ADDER([One.S], i));
  const { context, steps } = oneStage(adders());
  const [a, b, c, d, e, f, g, h] = adders() as Tuple8<StepHook>;
  const stage = One.S;
  const floor: StepLoop = (_stepper, from, to) => {
    for (let i = from; i < to; i++) {
      context.stepCount = i;
      a.call(context, stage);
      b.call(context, stage);
      c.call(context, stage);
      d.call(context, stage);
      e.call(context, stage);
      f.call(context, stage);
      g.call(context, stage);
      h.call(context, stage);
    }
  };
  const each = EIGHT.map(() => 1);
  return checked([new Steps(NO_STEPPER, floor)], [steps], [each], "eight hooks of one shape");
}

const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7];
const NONE = EIGHT.map(() => 0);
type Tuple8<T> = [T, T, T, T, T, T, T, T];

/** Nine stages, eight classes, fifteen calls, two engines, against the calls written out. */
export function classes(): Case {
  const engines = TURNS.map((by) => new NineStages(classHooks(by) as readonly NineInput[]));
  return twoEngines(
    engines,
    engines.map(({ context }, i) => writtenOutMethods(classHooks(TURNS[i]!), context)),
    "hooks of eight classes",
  );
}

/** The same with plain functions, made hooks by `hook()`. */
export function functions(): Case {
  const engines = TURNS.map((by) => new NineStages(tableHooks(functionHooks(by))));
  return twoEngines(
    engines,
    engines.map(({ context }, i) => writtenOutFunctions(functionHooks(TURNS[i]!), context)),
    "eight plain functions",
  );
}

/** The classes with every other hook due at each tenth step: what the scheduled path costs. */
export function everyTenth(): Case {
  const isTenth = (i: number) => i % 2 === 1;
  const engines = TURNS.map((by) => {
    const tenth = classHooks(by, 10);
    const hooks = classHooks(by).map((hook, i) => isTenth(i) ? tenth[i]! : hook);
    return new NineStages(hooks as readonly NineInput[]);
  });
  const floors = engines.map(({ context }, i) => writtenOutMethods(classHooks(TURNS[i]!), context));
  const { floor, contender } = twoEngines(engines, floors, "");
  return {
    floor,
    contender,
    check: () =>
      contender.forEach((steps, i) => {
        const by = TURNS[i]!, all = callsPerStep(by);
        const others = all.map((calls, body) => isTenth((body - by + 8) % 8) ? 0 : calls);
        checkCalls(steps, (step) => step % 10 === 0 ? all : others, "hooks of every tenth step");
      }),
  };
}

function twoEngines(
  engines: readonly Stepper[],
  floors: readonly Stepper[],
  what: string,
): StepsCase {
  const loop = stepLoop(), floorLoop = stepLoop();
  return checked(
    floors.map((stepper) => new Steps(stepper, floorLoop)),
    engines.map((stepper) => new Steps(stepper, loop)),
    TURNS.map(callsPerStep),
    what,
  );
}

/** A case whose two sides are called alike. */
export function checked(
  floor: readonly Steps[],
  contender: readonly Steps[],
  calls: readonly (readonly number[])[],
  what: string,
): StepsCase {
  return {
    floor,
    contender,
    check: () => {
      floor.forEach((steps, i) => checkCalls(steps, () => calls[i]!, `the floor of ${what}`));
      contender.forEach((steps, i) => checkCalls(steps, () => calls[i]!, what));
    },
  };
}
