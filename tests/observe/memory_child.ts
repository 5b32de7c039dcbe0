// Prints how many bytes a recorded stage leaves on the heap. It runs in a separate process with a nursery so large
// that no garbage is collected. See memory_test.ts.
import { DynamicsStage, Loop } from "@hooke/hooke";
import type { DynamicsBase } from "@hooke/hooke/dynamics";
import { Profiler } from "@hooke/hooke/observe";

const STAGES = [DynamicsStage.BEFORE_STEP, DynamicsStage.AFTER_COMPUTE, DynamicsStage.AFTER_STEP];

async function bytesPerStage(profiler: Profiler | undefined): Promise<number> {
  const loop = new Loop({
    kinds: DynamicsStage,
    context: {} as DynamicsBase, // no hook here reads a batch
    step(loop) {
      for (let i = 0; i < STAGES.length; i++) loop.fire(STAGES[i]!);
    },
  });
  if (profiler !== undefined) loop.hooks.add(profiler);
  await loop.run(100_000); // until it is compiled
  const bytesOf = async (steps: number): Promise<number> => {
    const before = Deno.memoryUsage().heapUsed;
    await loop.run(steps);
    return Deno.memoryUsage().heapUsed - before;
  };
  const found: number[] = [];
  for (let i = 0; i < 15; i++) {
    // The constant cost of opening and closing a run is not measured.
    const short = await bytesOf(1000);
    found.push((await bytesOf(9000) - short) / 8000 / STAGES.length);
  }
  return found.toSorted((a, b) => a - b)[7]!;
}

if (import.meta.main) {
  // The clock returns a small integer: a fraction takes 16 bytes, which the clock itself would allocate.
  const now = () => 7;
  const floor = await bytesPerStage(undefined);
  const plain = await bytesPerStage(new Profiler({ now }));
  const traced = await bytesPerStage(new Profiler({ now, trace: true }));
  console.log(JSON.stringify({ plain: plain - floor, traced: traced - floor }));
}
