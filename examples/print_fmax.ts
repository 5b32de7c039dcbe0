/**
 * Adds a custom hook to an engine: it prints the largest force on an atom, step by step.
 *
 * Run: `deno run examples/print_fmax.ts`
 */
import {
  Batch,
  type DynamicsContext,
  DynamicsStage,
  fcc,
  FIRE,
  lennardJones,
  rattle,
} from "@hooke/hooke";

class PrintFmax {
  readonly stage = DynamicsStage.AFTER_STEP;
  readonly frequency = 1;
  readonly reads = ["fmax"] as const;

  call(ctx: DynamicsContext<"fmax">): void {
    console.log(`Step ${ctx.stepCount}: fmax = ${ctx.read.fmax.at(0)!.toFixed(4)} eV/Å`);
  }
}

const crystal = rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1);
await using opt = new FIRE({
  model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
  dt: 0.5,
  nSteps: 5,
  hooks: [new PrintFmax()],
});
await opt.run(Batch.from([crystal]));
