/**
 * Overload sets that are called directly, against typed-function and against a call of the right handler.
 *
 * @module
 */

import { defineOverload } from "../../src/dispatch/mod.ts";
import { fresh } from "./bodies.ts";
import type { Case } from "./cases.ts";
import type { Typed, TypedModule } from "./peers.ts";
import type { Work } from "./slices.ts";

class Context {
  step = 0;
}

class Stage {}
class DynamicsStage extends Stage {}
class TrainingStage extends Stage {}
/** Has no row of its own: the one for `Stage` takes it. */
class OtherStage extends Stage {}

/** Nine classes more, so that a set has twelve rows. */
const MORE: readonly (new () => Stage)[] = Array.from({ length: 9 }, () => class extends Stage {});

type Handler = (context: Context, stage: Stage) => void;

const STRIDE = 8;
const sums = new Float64Array(12 * STRIDE);

/** Handlers of twelve texts; number `i` adds to sum `i`. */
const HANDLERS: readonly Handler[] = Array.from(
  { length: 12 },
  (_, i) =>
    fresh(["sums"], `return (context, stage) => { sums[${i * STRIDE}] += context.step; };`)(
      sums,
    ) as Handler,
);

/** The classes of the rows, by the number of their handler. */
const ROWS: readonly (new () => Stage)[] = [DynamicsStage, TrainingStage, Stage, ...MORE];

/** An argument for each row. */
const ARGUMENTS: readonly Stage[] = [DynamicsStage, TrainingStage, OtherStage, ...MORE].map((
  cls,
) => new cls());

/** Calls of a dispatcher, or of the handlers themselves, over `n` arguments in turn, written out. */
class Calls implements Work {
  readonly #loop: (n: number) => void;
  readonly #kinds: number;

  constructor(kinds: number, dispatcher: Handler | undefined) {
    const stages = ARGUMENTS.slice(0, kinds), handlers = HANDLERS.slice(0, kinds);
    const names = [...stages.map((_, i) => `s${i}`), ...handlers.map((_, i) => `f${i}`)];
    const calls = stages.map((_, i) => `${dispatcher ? "f" : `f${i}`}(context, s${i});`);
    this.#loop = fresh(
      ["context", "f", ...names],
      `return (n) => { for (let i = 0; i < n; i += ${kinds}) { context.step = i; ${
        calls.join(" ")
      } } };`,
    )(new Context(), dispatcher, ...stages, ...handlers) as (n: number) => void;
    this.#kinds = kinds;
  }

  run(n: number): void {
    this.#loop(n - n % this.#kinds);
  }

  /** Throws unless each handler is called once per round. */
  check(what: string): void {
    const rounds = 10;
    sums.fill(0);
    this.run(rounds * this.#kinds);
    const expected = this.#kinds * rounds * (rounds - 1) / 2;
    for (let i = 0; i < HANDLERS.length; i++) {
      if (sums[i * STRIDE] === (i < this.#kinds ? expected : 0)) continue;
      throw new Error(`Cannot measure ${what}: handler ${i} must be called once per round`);
    }
  }
}

/** Cases by name; the number is that of the signatures and, where it says "all", of the kinds that take turns. */
export const DISPATCH: Readonly<Record<string, () => Promise<Case>>> = {
  "overloads 12": async () => caseOf("overloads 12", 3, await overloadSet()),
  "overloads 12 all": async () => caseOf("overloads 12 all", 12, await overloadSet()),
  "typed-function 3": async () => caseOf("typed-function 3", 3, await typedFunction(3)),
  "typed-function 12": async () => caseOf("typed-function 12", 3, await typedFunction(12)),
  "typed-function 12 all": async () => caseOf("typed-function 12 all", 12, await typedFunction(12)),
};

function caseOf(what: string, kinds: number, dispatcher: Handler): Case {
  const floor = new Calls(kinds, undefined), contender = new Calls(kinds, dispatcher);
  return {
    floor: [floor],
    contender: [contender],
    check: () => {
      floor.check(`the floor of ${what}`);
      contender.check(what);
    },
  };
}

function overloadSet(): Promise<Handler> {
  type Rows = { on(matchers: readonly unknown[], f: Handler): Rows };
  const set = ROWS.reduce(
    (rows, cls, i) => rows.on([Context, cls], HANDLERS[i]!),
    defineOverload() as unknown as Rows,
  );
  return Promise.resolve(set as unknown as Handler);
}

async function typedFunction(signatures: 3 | 12): Promise<Handler> {
  const { default: { create } } = await import("typed-function") as unknown as TypedModule;
  const typed: Typed = create();
  // The first test that holds wins, so the widest class comes last.
  const order = ROWS.slice(0, signatures).map((cls, i) => ({ cls, i })).sort((a, b) =>
    Number(a.cls === Stage) - Number(b.cls === Stage)
  );
  typed.addTypes([
    { name: "Context", test: (x) => x instanceof Context },
    ...order.map(({ cls, i }) => ({ name: `Stage${i}`, test: (x: unknown) => x instanceof cls })),
  ]);
  return typed(
    "handle",
    Object.fromEntries(order.map(({ i }) => [`Context, Stage${i}`, HANDLERS[i]!])),
  ) as Handler;
}
