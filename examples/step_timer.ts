/**
 * A hook at several stages: it answers for each, once, when it is added.
 *
 * Run: `deno run -A examples/step_timer.ts`
 */
import { type DynamicsContext, DynamicsStage, Loop } from "@hooke/hooke";

class StepTimer {
  readonly stage = DynamicsStage.BEFORE_STEP; // the primary one; runsOnStage decides
  readonly frequency = 1;
  readonly times: number[] = [];
  #begun = 0;

  runsOnStage(stage: DynamicsStage): boolean {
    return stage === DynamicsStage.BEFORE_STEP || stage === DynamicsStage.AFTER_STEP;
  }

  call(ctx: DynamicsContext, stage: DynamicsStage): void {
    if (stage === DynamicsStage.BEFORE_STEP) {
      this.#begun = performance.now();
      return;
    }
    const milliseconds = performance.now() - this.#begun;
    this.times.push(milliseconds);
    console.log(`Step ${ctx.stepCount}: ${milliseconds.toFixed(1)} ms`);
  }
}

const timer = new StepTimer();
const loop = new Loop({
  kinds: DynamicsStage,
  hooks: [timer],
  async step(loop) {
    await loop.fire(DynamicsStage.BEFORE_STEP);
    await new Promise((resolve) => setTimeout(resolve, 5)); // the work
    await loop.fire(DynamicsStage.AFTER_STEP);
  },
});
await loop.run(3);
console.log(`${timer.times.length} steps, fastest ${Math.min(...timer.times).toFixed(1)} ms`);
