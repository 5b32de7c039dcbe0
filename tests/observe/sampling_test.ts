// With a frequency above 1 most steps are not sampled, and nothing is inferred about them.
import { assert, assertEquals } from "@std/assert";
import { DynamicsStage, Loop, TrainingStage } from "@hooke/hooke";
import { Profiler } from "@hooke/hooke/observe";
import { type AnyLoop, anyLoop, Clock, counts, PipelineStage, scripted } from "./clocked.ts";

Deno.test("each stage of every n-th step is sampled, and there is no transition between two such steps", async () => {
  const clock = new Clock();
  const profiler = new Profiler({ frequency: 3, now: clock.now });
  const loop = scripted(clock, (step) =>
    [
      DynamicsStage.BEFORE_STEP,
      step,
      DynamicsStage.AFTER_COMPUTE,
      1,
      DynamicsStage.AFTER_STEP,
      1,
    ] as never);
  loop.hooks.add(profiler);
  await loop.run(8);
  assertEquals(counts(profiler.summary()), [
    "dynamics/BEFORE_STEP→dynamics/AFTER_COMPUTE 3× 3", // steps 0, 3 and 6
    "dynamics/AFTER_COMPUTE→dynamics/AFTER_STEP 3× 1",
  ]);
});

Deno.test("an event in a step that is not sampled has no transition", async () => {
  const clock = new Clock();
  const profiler = new Profiler({ frequency: 4, now: clock.now });
  const loop = scripted(clock, (step) =>
    [
      DynamicsStage.BEFORE_STEP,
      1,
      DynamicsStage.AFTER_STEP,
      1,
      ...step % 2 === 1 || step === 4 ? [DynamicsStage.ON_ADMIT, 7, DynamicsStage.ON_CONVERGE] : [],
    ] as never);
  loop.hooks.add(profiler);
  await loop.run(9);
  assertEquals(counts(profiler.summary()), [
    "dynamics/BEFORE_STEP→dynamics/AFTER_STEP 3× 1",
    "dynamics/AFTER_STEP→dynamics/ON_ADMIT 1× 1",
    "dynamics/ON_ADMIT→dynamics/ON_CONVERGE 1× 7",
  ]);
});

Deno.test("an engine may run steps that are not sampled in one call", async () => {
  const clock = new Clock();
  const leaps: [number, number][] = [];
  const loop = new Loop({
    kinds: PipelineStage,
    step(loop) {
      loop.fire(PipelineStage.BEFORE_PROCESS);
      clock.tick(2);
      loop.fire(PipelineStage.AFTER_PROCESS);
    },
    multiStep(loop, n) {
      leaps.push([loop.stepCount, n]);
      clock.tick(1000);
    },
  });
  const profiler = new Profiler({ frequency: 5, now: clock.now });
  loop.hooks.add(profiler);
  await loop.run(12);
  assertEquals(leaps, [[1, 4], [6, 4], [11, 1]]);
  assertEquals(counts(profiler.summary()), [
    "pipeline/BEFORE_PROCESS→pipeline/AFTER_PROCESS 3× 2",
  ]);
});

Deno.test("a second run samples the same steps", async () => {
  const clock = new Clock();
  const profiler = new Profiler({ frequency: 3, now: clock.now });
  const loop = scripted(clock, (step) => [
    PipelineStage.BEFORE_PROCESS,
    step,
    PipelineStage.AFTER_PROCESS,
  ]);
  loop.hooks.add(profiler);
  await loop.run(5);
  await loop.run(5);
  const [row] = profiler.summary().transitions;
  assertEquals([row?.count, row?.min, row?.max], [4, 0, 9]); // steps 0, 3, 6, 9
});

/** A step of training over some batches, each with a backward pass of its own. */
function accumulating(clock: Clock, batches: number): AnyLoop {
  return anyLoop((loop) => {
    for (let i = 0; i < batches; i++) {
      for (const name of ["BATCH_BEGIN", "BEFORE_FORWARD", "AFTER_LOSS"] as const) {
        loop.fire(TrainingStage[name]);
        clock.tick(1);
      }
      loop.fire(TrainingStage.BEFORE_BACKWARD);
      clock.tick(10);
      loop.fire(TrainingStage.AFTER_BACKWARD);
      clock.tick(100);
      loop.fire(TrainingStage.BATCH_END);
      clock.tick(1000);
      loop.advance("batch");
    }
    loop.fire(TrainingStage.BEFORE_OPTIMIZER_STEP);
    clock.tick(5);
    loop.fire(TrainingStage.AFTER_OPTIMIZER_STEP);
  });
}

Deno.test("in a sampled step of training the passes and the update have their true durations", async () => {
  const clock = new Clock();
  const profiler = new Profiler({ frequency: 2, now: clock.now });
  const loop = accumulating(clock, 1);
  loop.hooks.add(profiler);
  await loop.run(4);
  assertEquals(counts(profiler.summary()), [
    "training/BATCH_BEGIN→training/BEFORE_FORWARD 2× 1",
    "training/BEFORE_FORWARD→training/AFTER_LOSS 2× 1",
    "training/AFTER_LOSS→training/BEFORE_BACKWARD 2× 1",
    "training/BEFORE_BACKWARD→training/AFTER_BACKWARD 2× 10",
    "training/AFTER_BACKWARD→training/BATCH_END 2× 100",
    "training/BATCH_END→training/BEFORE_OPTIMIZER_STEP 2× 1000",
    "training/BEFORE_OPTIMIZER_STEP→training/AFTER_OPTIMIZER_STEP 2× 5",
  ]);
});

Deno.test("in a sampled step with several optimizers each update is counted", async () => {
  const clock = new Clock();
  const profiler = new Profiler({ frequency: 2, now: clock.now });
  const update = [TrainingStage.BEFORE_OPTIMIZER_STEP, 3, TrainingStage.AFTER_OPTIMIZER_STEP, 1];
  const loop = scripted(clock, () => [...update, ...update] as never);
  loop.hooks.add(profiler);
  await loop.run(3);
  assertEquals(counts(profiler.summary()), [
    "training/BEFORE_OPTIMIZER_STEP→training/AFTER_OPTIMIZER_STEP 4× 3",
    "training/AFTER_OPTIMIZER_STEP→training/BEFORE_OPTIMIZER_STEP 2× 1",
  ]);
});

Deno.test("if batches are sampled apart from steps, a sampled profile is a part of the complete one", async () => {
  for (const batches of [1, 2, 3, 4, 5]) {
    const whole = await profileOf(batches, 1);
    for (const frequency of [2, 3, 4, 5, 7]) {
      const sampled = await profileOf(batches, frequency);
      for (const { from, to, min, max } of sampled) {
        const row = whole.find((row) => row.from === from && row.to === to);
        const label = `${from}→${to} of ${batches} batches, frequency ${frequency}`;
        assertEquals([min, max], [row?.min, row?.max], label);
      }
      assert(sampled.length > 0, `${batches} batches, frequency ${frequency}`);
    }
  }
});

async function profileOf(batches: number, frequency: number) {
  const clock = new Clock();
  const profiler = new Profiler({ frequency, now: clock.now });
  const loop = accumulating(clock, batches);
  // Out of step from the start, as after an epoch whose last step was short of a batch.
  loop.advance("batch");
  loop.hooks.add(profiler);
  await loop.run(40);
  return profiler.summary().transitions;
}
