/**
 * A hook is any object with the right members: no base class, no registration of types.
 *
 * Run: `deno run examples/is_hook.ts`
 */
import { Batch, DynamicsStage, fcc, FIRE, isHook, lennardJones, rattle } from "@hooke/hooke";
import type { DynamicsContext } from "@hooke/hooke";

class MyHook {
  readonly stage = DynamicsStage.AFTER_STEP;
  readonly frequency = 1;
  readonly reads = ["energy"] as const;

  call(ctx: DynamicsContext<"energy">): void {
    const { energy } = ctx.read;
    let sum = 0;
    for (const e of energy) sum += e;
    console.log(`Step ${ctx.stepCount}: energy = ${(sum / energy.length).toFixed(4)}`);
  }
}

console.log("isHook(new MyHook()):", isHook(new MyHook()));
console.log("isHook({ stage }):", isHook({ stage: DynamicsStage.AFTER_STEP }));

// Two argon crystals of 32 atoms, each rattled differently, are relaxed together.
const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
const batch = Batch.from([rattle(crystal, 0.1, 1), rattle(crystal, 0.1, 2)]);
const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
await using opt = new FIRE({ model, dt: 0.5, hooks: [new MyHook()] });
await opt.run(batch, 3);
