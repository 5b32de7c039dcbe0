// Content of a profile, with a clock that the test advances.
import { assert, assertAlmostEquals, assertEquals, assertNotEquals } from "@std/assert";
import { DynamicsStage, hook, Loop, TrainingStage } from "@hooke/hooke";
import type { DynamicsBase } from "@hooke/hooke/dynamics";
import { Profiler } from "@hooke/hooke/observe";
import { anyLoop, Clock, counts, PipelineStage, scripted } from "./clocked.ts";

Deno.test("count, mean, std, min and max are those of the durations, in ms", async () => {
  const clock = new Clock(1e6);
  const profiler = new Profiler({ now: clock.now });
  const durations = [2, 4, 4, 4, 5, 5, 7, 9];
  const loop = scripted(clock, (step) => [
    DynamicsStage.BEFORE_COMPUTE,
    durations[step]!,
    DynamicsStage.AFTER_COMPUTE,
    0.5,
  ]);
  loop.hooks.add(profiler, { order: "first" });
  await loop.run(8);
  const row = profiler.summary().find("dynamics/BEFORE_COMPUTE", "dynamics/AFTER_COMPUTE")!;
  assertEquals([row.count, row.mean, row.min, row.max], [8, 5, 2, 9]);
  assertAlmostEquals(row.std, Math.sqrt(32 / 7), 1e-12);
  assertEquals([row.engine, row.domain], ["loop", "dynamics"]);
  const between = profiler.summary().find("dynamics/AFTER_COMPUTE", "dynamics/BEFORE_COMPUTE")!;
  assertEquals([between.count, between.mean, between.std], [7, 0.5, 0]);
});

Deno.test("the spread of short durations late in a long run is not lost to rounding", async () => {
  const clock = new Clock(2 ** 33);
  const profiler = new Profiler({ now: clock.now });
  const loop = scripted(clock, (step) => [
    PipelineStage.BEFORE_PROCESS,
    step % 2 === 0 ? 1000 : 1000 + 2 ** -16,
    PipelineStage.AFTER_PROCESS,
  ]);
  loop.hooks.add(profiler);
  await loop.run(10_000);
  const { std } = profiler.summary().find("pipeline/BEFORE_PROCESS", "pipeline/AFTER_PROCESS")!;
  assertAlmostEquals(std, 2 ** -17 * Math.sqrt(10_000 / 9_999), 1e-10);
});

Deno.test("a stage that some steps skip gives additional transitions, not a gap", async () => {
  const clock = new Clock();
  const profiler = new Profiler({ now: clock.now });
  const loop = scripted(clock, (step) =>
    [
      DynamicsStage.BEFORE_STEP,
      1,
      ...step % 3 === 2 ? [DynamicsStage.AFTER_COMPUTE, 2] as const : [],
      DynamicsStage.AFTER_STEP,
      10,
    ] as const as never);
  loop.hooks.add(profiler);
  await loop.run(6);
  assertEquals(counts(profiler.summary()), [
    "dynamics/BEFORE_STEP→dynamics/AFTER_STEP 4× 1",
    "dynamics/AFTER_STEP→dynamics/BEFORE_STEP 5× 10",
    "dynamics/BEFORE_STEP→dynamics/AFTER_COMPUTE 2× 1",
    "dynamics/AFTER_COMPUTE→dynamics/AFTER_STEP 2× 2",
  ]);
});

Deno.test("every kind has its handler: two by name, any other by otherwise", () => {
  const loop = anyLoop(() => {});
  loop.hooks.add(new Profiler());
  const matched = loop.hooks.list()[0]!.overloads;
  assertEquals(matched["dynamics/AFTER_STEP"], "dynamics.*");
  assertEquals(matched["training/AFTER_LOSS"], "training.*");
  assertEquals(matched["pipeline/AFTER_PROCESS"], "otherwise");
  assertEquals(matched["training/MAY_UPDATE"], undefined); // never a gate
});

Deno.test("a profiler fits engines of each kind alone, by type and at run time", async () => {
  const profiler = new Profiler();
  const step = () => {};
  const loops = [
    new Loop({ kinds: DynamicsStage, context: {} as DynamicsBase, step }, { hooks: [profiler] }),
    new Loop({ kinds: TrainingStage, context: { epoch: 0 }, step }),
    new Loop({ kinds: PipelineStage, step }),
  ] as const;
  loops[1].hooks.add(profiler);
  loops[2].hooks.add(profiler, { order: "first", name: "mine" });
  assertEquals(loops.map(({ hooks }) => hooks.list()[0]!.isFallback), [false, false, true]);
  for (const loop of loops) await loop.run(1);
});

Deno.test("domains are the names of kinds, and nested stages of another kind are not a gap", async () => {
  const clock = new Clock();
  const profiler = new Profiler({ now: clock.now });
  const loop = scripted(clock, () =>
    [
      DynamicsStage.BEFORE_STEP,
      1,
      TrainingStage.BATCH_BEGIN,
      2,
      TrainingStage.BATCH_END,
      3,
      PipelineStage.AFTER_PROCESS,
      4,
      DynamicsStage.AFTER_STEP,
    ] as never);
  loop.hooks.add(profiler);
  await loop.run(1);
  assertEquals(profiler.summary().transitions.map((row) => row.domain), [
    "training",
    "training",
    "pipeline",
    "dynamics",
  ]);
  assertEquals(counts(profiler.summary()), [
    "dynamics/BEFORE_STEP→training/BATCH_BEGIN 1× 1",
    "training/BATCH_BEGIN→training/BATCH_END 1× 2",
    "training/BATCH_END→pipeline/AFTER_PROCESS 1× 3",
    "pipeline/AFTER_PROCESS→dynamics/AFTER_STEP 1× 4",
  ]);
});

Deno.test("a stage that is fired within a hook of another stage comes after it, and before the next one", async () => {
  const clock = new Clock();
  const profiler = new Profiler({ now: clock.now });
  const loop = scripted(clock, () => [DynamicsStage.AFTER_STEP, 5, DynamicsStage.ON_CONVERGE]);
  loop.hooks.add(profiler, { order: "first" });
  const refill = () => {
    clock.tick(1);
    loop.fire(PipelineStage.ON_REFILL);
  };
  loop.hooks.add(hook({ name: "refill", on: { dynamics: { AFTER_STEP: refill } } }));
  await loop.run(1);
  assertEquals(counts(profiler.summary()), [
    "dynamics/AFTER_STEP→pipeline/ON_REFILL 1× 1",
    "pipeline/ON_REFILL→dynamics/ON_CONVERGE 1× 5",
  ]);
});

Deno.test("added first, the time of other hooks belongs to the transition that begins at their stage; added last, to the one that ends there", async () => {
  for (const [order, expected] of [["first", [3, 1]], ["last", [1, 3]]] as const) {
    const clock = new Clock();
    const profiler = new Profiler({ now: clock.now });
    const loop = scripted(clock, () =>
      [
        DynamicsStage.BEFORE_STEP,
        1,
        DynamicsStage.AFTER_COMPUTE,
        1,
        DynamicsStage.AFTER_STEP,
      ] as never);
    const slow = () => clock.tick(2);
    loop.hooks.add(hook({ name: "slow", on: { dynamics: { AFTER_COMPUTE: slow } } }));
    loop.hooks.add(profiler, { order });
    await loop.run(1);
    const means = profiler.summary().transitions.map(({ mean }) => mean);
    assertEquals(means.toReversed(), [...expected], order);
  }
});

Deno.test("a second run adds to the first, and the time between runs does not count", async () => {
  const clock = new Clock();
  const profiler = new Profiler({ now: clock.now });
  const loop = scripted(
    clock,
    () => [PipelineStage.BEFORE_PROCESS, 1, PipelineStage.AFTER_PROCESS],
  );
  loop.hooks.add(profiler);
  await loop.run(1);
  clock.tick(1000);
  await loop.run(1);
  assertEquals(counts(profiler.summary()), [
    "pipeline/BEFORE_PROCESS→pipeline/AFTER_PROCESS 2× 1",
  ]);
});

Deno.test("after a step that threw, the next run starts a new chain", async () => {
  const clock = new Clock();
  const profiler = new Profiler({ now: clock.now });
  let isBroken = true;
  const loop = anyLoop((loop) => {
    loop.fire(PipelineStage.BEFORE_PROCESS);
    clock.tick(1);
    if (isBroken) throw new Error("broken");
    loop.fire(PipelineStage.AFTER_PROCESS);
  });
  loop.hooks.add(profiler);
  await loop.run(1).catch(() => {});
  isBroken = false;
  await loop.run(1);
  assertEquals(counts(profiler.summary()), [
    "pipeline/BEFORE_PROCESS→pipeline/AFTER_PROCESS 1× 1",
  ]);
});

Deno.test("the time in which the profiler was disabled is not a transition", async () => {
  const clock = new Clock();
  const profiler = new Profiler({ now: clock.now });
  const loop = scripted(
    clock,
    () => [PipelineStage.BEFORE_PROCESS, 1, PipelineStage.AFTER_PROCESS],
  );
  const handle = loop.hooks.add(profiler);
  loop.hooks.add(hook({
    name: "switch",
    kinds: [PipelineStage],
    on: {
      pipeline: {
        BEFORE_PROCESS: () => void (loop.stepCount === 2 && handle.disable()),
        AFTER_PROCESS: () => void (loop.stepCount === 3 && handle.enable()),
      },
    },
  }));
  await loop.run(6);
  // Complete: steps 0, 1, 4 and 5; step 2 up to its first stage.
  assertEquals(counts(profiler.summary()), [
    "pipeline/BEFORE_PROCESS→pipeline/AFTER_PROCESS 4× 1",
    "pipeline/AFTER_PROCESS→pipeline/BEFORE_PROCESS 3× 0",
  ]);
});

Deno.test("two engines at once are separate, interleaved or nested, also if they share a name", async () => {
  const clock = new Clock();
  const profiler = new Profiler({ now: clock.now });
  const make = (ms: number) =>
    anyLoop(async (loop) => {
      loop.fire(PipelineStage.BEFORE_PROCESS);
      await Promise.resolve();
      clock.tick(ms);
      await Promise.resolve();
      loop.fire(PipelineStage.AFTER_PROCESS);
    });
  const loops = [make(1), make(1)] as const;
  for (const loop of loops) loop.hooks.add(profiler);
  await Promise.all(loops.map((loop) => loop.run(3)));
  const rows = profiler.summary().transitions;
  assertEquals(rows.map(({ engine, count }) => [engine, count]).toSorted(), [
    ["loop", 2],
    ["loop", 3],
    ["loop-2", 2],
    ["loop-2", 3],
  ]);
  const [from, to] = ["pipeline/BEFORE_PROCESS", "pipeline/AFTER_PROCESS"] as const;
  assertEquals(profiler.summary().find(from, to, "loop-2")?.mean, 2); // both clocks' ticks pass in it
  assertEquals(profiler.summary().find(from, to, "loop-3"), undefined);
  assertEquals(String(profiler.summary()).split("\n")[0]!.startsWith("engine"), true);
});

Deno.test("an engine that runs inside a stage of another does not split its transitions", async () => {
  const clock = new Clock();
  const profiler = new Profiler({ now: clock.now });
  const inner = scripted(clock, () => [PipelineStage.BEFORE_PROCESS, 1], "inner");
  inner.hooks.add(profiler);
  const outer = anyLoop(async (loop) => {
    loop.fire(DynamicsStage.BEFORE_STEP);
    await inner.run(3);
    loop.fire(DynamicsStage.AFTER_STEP);
  }, "outer");
  outer.hooks.add(profiler);
  await outer.run(2);
  const rows = profiler.summary().transitions;
  assertEquals(rows.map(({ engine }) => engine), ["inner", "outer", "outer"]);
  assertEquals(counts(profiler.summary()), [
    "pipeline/BEFORE_PROCESS→pipeline/BEFORE_PROCESS 4× 1",
    "dynamics/BEFORE_STEP→dynamics/AFTER_STEP 2× 3",
    "dynamics/AFTER_STEP→dynamics/BEFORE_STEP 1× 0",
  ]);
});

Deno.test("a summary is a copy, and prints as a table", async () => {
  const clock = new Clock();
  const profiler = new Profiler({ now: clock.now });
  const loop = scripted(
    clock,
    () => [PipelineStage.BEFORE_PROCESS, 1.5, PipelineStage.AFTER_PROCESS],
  );
  loop.hooks.add(profiler);
  assertEquals(profiler.summary().transitions, []);
  await loop.run(1);
  const before = profiler.summary();
  assertEquals(
    String(before),
    "transition                                      count  mean/ms  std/ms  min/ms  max/ms\n" +
      "pipeline/BEFORE_PROCESS→pipeline/AFTER_PROCESS      1   1.5000  0.0000  1.5000  1.5000",
  );
  await loop.run(1);
  assertNotEquals(String(profiler.summary()), String(before));
});

Deno.test("with a real clock a wait has its true duration", async () => {
  const profiler = new Profiler();
  const loop = anyLoop(async (loop) => {
    loop.fire(PipelineStage.BEFORE_PROCESS);
    await new Promise((done) => setTimeout(done, 20));
    loop.fire(PipelineStage.AFTER_PROCESS);
  });
  loop.hooks.add(profiler);
  const begin = performance.now();
  await loop.run(1);
  const { mean } = profiler.summary().transitions[0]!;
  assert(mean >= 19 && mean <= performance.now() - begin, `${mean} ms`);
});
