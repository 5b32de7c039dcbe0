/**
 * Runs a custom loop with stages of two kinds: it picks apples, and sometimes makes juice of them.
 *
 * Run: `deno run examples/own_loop.ts`
 */
import { type BaseContext, hook, Loop, stages } from "@hooke/hooke";

/** Context of the stages of either kind, besides the fields of every context. */
interface Autumn extends BaseContext {
  readonly apples: number;
  readonly litres: number;
}
const OrchardStage = stages<Autumn>()("orchard", ["BEFORE_TREE", "AFTER_TREE", "ON_WORM"]);
const PressStage = stages<Autumn>()("press", ["AFTER_JUICE"]);

/** A class with stage, frequency and handler. It stops the run; the current step is finished. */
class StopWhenFull {
  readonly stage = PressStage.AFTER_JUICE;
  readonly frequency = 1;
  readonly #litres: number;

  constructor(litres: number) {
    this.#litres = litres;
  }

  call(ctx: Autumn): void {
    if (ctx.litres >= this.#litres) ctx.stop(`${ctx.litres} litres`);
  }
}

/** A table: a handler for each relevant stage, "*" for the other observe stages of the kind. */
const log = hook({
  name: "log",
  frequency: 2, // trees 0, 2, 4, …; ON_WORM is an event: it fires each time
  kinds: [OrchardStage, PressStage],
  on: {
    orchard: {
      AFTER_TREE: (ctx) => console.log(`tree ${ctx.stepCount}: ${ctx.apples} apples`),
      "*": (ctx, stage) => console.log(`tree ${ctx.stepCount}: ${stage}`),
    },
    press: { AFTER_JUICE: (ctx) => console.log(`tree ${ctx.stepCount}: ${ctx.litres} l`) },
  },
});

/** Called at its first due count only. */
const start = hook({
  name: "start",
  kinds: [OrchardStage],
  once: true,
  on: { orchard: { BEFORE_TREE: () => console.log("the first tree") } },
});

/** Its condition is evaluated at due counts, and it is called only if the condition holds. */
const third = hook({
  name: "third",
  kinds: [OrchardStage],
  when: (ctx) => ctx.stepCount % 3 === 2,
  on: { orchard: { AFTER_TREE: () => console.log("every third tree is for the birds") } },
});

const loop = new Loop({
  kinds: [OrchardStage, PressStage],
  context: { apples: 0, litres: 0 },
  async step(loop) {
    const { context } = loop;
    await loop.fire(OrchardStage.BEFORE_TREE);
    context.apples += 7;
    if (loop.stepCount === 1) await loop.fire(OrchardStage.ON_WORM);
    await loop.fire(OrchardStage.AFTER_TREE);
    while (context.apples >= 10) {
      context.apples -= 10;
      context.litres++;
      await loop.fire(PressStage.AFTER_JUICE);
    }
  },
}, {
  name: "autumn",
  hooks: [log, start, third, new StopWhenFull(4)],
});
console.log(`${loop.hooks.plan()}\n`);
console.log(await loop.run(100));
