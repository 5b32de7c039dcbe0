/**
 * A hook is any object with the right members: no base class, no registration of types.
 *
 * Run: `deno run -A examples/is_hook.ts`
 */
import { DynamicsStage, hostState, isHook, Loop } from "@hooke/hooke";
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

// The energies of two systems that cool down; a real engine keeps such state on its device.
const energy = new Float64Array([-1, -2]);
const loop = new Loop({
  kinds: DynamicsStage,
  state: hostState({ energy: () => energy }),
  hooks: [new MyHook()],
  step(loop) {
    energy.forEach((e, i) => energy[i] = e * 1.1);
    return loop.fire(DynamicsStage.AFTER_STEP);
  },
});
await loop.run(3);
