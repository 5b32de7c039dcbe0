import { assert, assertEquals } from "@std/assert";
import {
  Batch,
  ConvergenceHook,
  DynamicsStage,
  fcc,
  FIRE,
  lennardJones,
  rattle,
} from "@hooke/hooke";

Deno.test("measures and energies of systems at rest stay those of their last step, however it was done", async () => {
  const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
  const rattled = [0.05, 0.1, 0.15, 0.2].map((far, seed) => rattle(crystal, far, seed));
  const model = lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 });
  const seen: { step: number; fmax: number[]; energy: number[] }[] = [];
  const look = {
    stage: DynamicsStage.AFTER_STEP,
    frequency: 7, // most steps are leapt over
    reads: ["fmax", "energy"] as const,
    call: (
      ctx: {
        readonly stepCount: number;
        readonly read: { readonly fmax: Iterable<number>; readonly energy: Iterable<number> };
      },
    ) =>
      void seen.push({
        step: ctx.stepCount,
        fmax: [...ctx.read.fmax],
        energy: [...ctx.read.energy],
      }),
  } as const;
  const rested = new Map<number, { step: number; fmax: number; energy: number }>();
  const note = {
    stage: DynamicsStage.ON_CONVERGE,
    frequency: 1,
    reads: ["fmax", "energy"] as const,
    call: (
      ctx: {
        readonly stepCount: number;
        readonly convergedMask: ArrayLike<number>;
        readonly read: { readonly fmax: ArrayLike<number>; readonly energy: ArrayLike<number> };
      },
    ) => {
      for (let s = 0; s < 4; s++) {
        if (ctx.convergedMask[s] === 0) continue;
        rested.set(s, {
          step: ctx.stepCount,
          fmax: ctx.read.fmax[s]!,
          energy: ctx.read.energy[s]!,
        });
      }
    },
  } as const;
  // By the norms of forces, so that only the observer needs fmax.
  await using opt = new FIRE({
    model,
    dt: 0.5,
    hooks: [ConvergenceHook.fromForces(0.01), look, note],
  });
  const batch = await opt.run(Batch.from(rattled), 500);
  assertEquals(rested.size, 4);
  let looks = 0;
  for (const { step, fmax, energy } of seen) {
    for (const [s, last] of rested) {
      if (step <= last.step) continue;
      assertEquals([fmax[s], energy[s]], [last.fmax, last.energy]);
      assert(fmax[s]! <= 0.01);
      looks++;
    }
  }
  assert(looks > 2);
  assertEquals(
    [...batch.get("energy")],
    [...rested.keys()].sort().map((s) => rested.get(s)!.energy),
  );
});
