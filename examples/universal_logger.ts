/**
 * Uses one hook for several kinds of loop: an overload for dynamics, one for a pipeline, and a fallback for any other
 * kind. The overload is resolved when the hook is added, so it costs nothing in the loop.
 *
 * Run: `deno run examples/universal_logger.ts`
 */
import {
  type BaseContext,
  Batch,
  fcc,
  FIRE,
  hook,
  lennardJones,
  Loop,
  rattle,
  stages,
} from "@hooke/hooke";

interface PipelineContext extends BaseContext {
  readonly items: string[];
}
const PipelineStage = stages<PipelineContext>()("pipeline", ["BEFORE_PROCESS", "AFTER_PROCESS"]);
const GardenStage = stages<BaseContext>()("garden", ["AFTER_RAIN"]);

const logger = hook({
  name: "logger",
  frequency: 10,
  reads: ["fmax"],
  kinds: [PipelineStage],
  on: {
    dynamics: {
      AFTER_STEP: (ctx) => {
        const fmax = ctx.read.fmax.max();
        console.log(`[dynamics] step ${ctx.stepCount}: fmax=${fmax.toFixed(4)}`);
      },
    },
    pipeline: {
      AFTER_PROCESS: (ctx) =>
        console.log(`[pipeline] step ${ctx.stepCount}: processed ${ctx.items.length}`),
    },
  },
  otherwise: (ctx, stage) => console.log(`[custom] step ${ctx.stepCount}: stage=${stage}`),
});

const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
const relaxation = new FIRE({ model, dt: 0.5, hooks: [logger] });

const pipeline = new Loop({
  kinds: PipelineStage,
  context: { items: [] },
  step(loop) {
    loop.context.items.push(`item ${loop.stepCount}`);
    return loop.fire(PipelineStage.AFTER_PROCESS);
  },
}, {
  hooks: [logger],
});

const garden = new Loop({
  kinds: GardenStage,
  step: (loop) => loop.fire(GardenStage.AFTER_RAIN),
}, {
  hooks: [logger],
});

const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
await relaxation.run(Batch.from([rattle(crystal, 0.1, 1), rattle(crystal, 0.1, 2)]), 20);
for (const loop of [pipeline, garden]) await loop.run(20);

const [listed] = garden.hooks.list();
console.log(`in the garden it runs by ${listed?.overloads["garden/AFTER_RAIN"]}`);
