/**
 * Adds a hook to several stages: it is asked about each one once, when it is added.
 *
 * Run: `deno run examples/step_timer.ts`
 */
import { Batch, DynamicsStage, fcc, initVelocities, lennardJones, NVE } from "@hooke/hooke";
import type { DynamicsContext } from "@hooke/hooke";

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
    console.log(`Step ${ctx.stepCount}: ${milliseconds.toFixed(2)} ms`);
  }
}

const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 8 })]); // 2048 atoms
initVelocities(batch, 40, { seed: 1 });
const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
const timer = new StepTimer();
await using md = new NVE({ model, dt: 2, hooks: [timer] });
await md.run(batch, 3);
console.log(`${timer.times.length} steps, fastest ${Math.min(...timer.times).toFixed(2)} ms`);
