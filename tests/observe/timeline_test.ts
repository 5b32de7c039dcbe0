// User Timing and spans: calls of the platform.
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { DynamicsStage, TrainingStage } from "@hooke/hooke";
import { Profiler, type ProfileTracer } from "@hooke/hooke/observe";
import { anyLoop, Clock, PipelineStage, scripted } from "./clocked.ts";

Deno.test("userTiming makes a mark of each stage and a measure of each transition", async () => {
  const clock = new Clock(100);
  const profiler = new Profiler({ now: clock.now, userTiming: true, frequency: 2 });
  const loop = scripted(
    clock,
    () => [PipelineStage.BEFORE_PROCESS, 4, PipelineStage.AFTER_PROCESS],
  );
  loop.hooks.add(profiler);
  try {
    await loop.run(3);
    const entries = performance.getEntries().filter(({ name }) => name.startsWith("pipeline/"));
    const shown = (type: string) =>
      entries.filter(({ entryType }) => entryType === type)
        .map(({ name, startTime, duration }) => [name, startTime, duration]);
    const [from, to] = ["pipeline/BEFORE_PROCESS", "pipeline/AFTER_PROCESS"];
    assertEquals(shown("measure"), [[`${from}→${to}`, 100, 4], [`${from}→${to}`, 108, 4]]);
    assertEquals(shown("mark"), [[from, 100, 0], [to, 104, 0], [from, 108, 0], [to, 112, 0]]);
    const details = performance.getEntriesByType("measure").map((each) =>
      (each as PerformanceMeasure).detail
    );
    assertEquals(details, [{ step: 0 }, { step: 2 }]);
  } finally {
    performance.clearMarks();
    performance.clearMeasures();
  }
});

Deno.test("by default nothing is added to the platform's timeline", async () => {
  const loop = anyLoop((loop) => void loop.fire(PipelineStage.BEFORE_PROCESS));
  loop.hooks.add(new Profiler());
  await loop.run(3);
  assertEquals(performance.getEntries().filter(({ name }) => name.startsWith("pipeline/")), []);
});

/** A tracer that keeps its spans, in order of their ends. */
function recorder() {
  const ended: { name: string; start: number; end: number; attributes: unknown }[] = [];
  const tracer: ProfileTracer = {
    startSpan: (name, { startTime, attributes } = {}) => ({
      end: (time) => void ended.push({ name, start: startTime!, end: time!, attributes }),
    }),
  };
  return { tracer, ended };
}

Deno.test("spans are named by domain and transition, at their times since 1970, and that of the run comes last", async () => {
  const clock = new Clock(100);
  const { tracer, ended } = recorder();
  const loop = scripted(clock, () =>
    [
      DynamicsStage.BEFORE_STEP,
      2,
      DynamicsStage.AFTER_STEP,
      3,
      TrainingStage.BATCH_BEGIN,
      1,
      PipelineStage.AFTER_PROCESS,
      0.5,
    ] as never, "walk");
  loop.hooks.add(new Profiler({ now: clock.now, tracer }));
  await loop.run(1);
  assertEquals(ended.map(({ name }) => name), [
    "dynamics BEFORE_STEP→AFTER_STEP",
    "training dynamics/AFTER_STEP→BATCH_BEGIN",
    "pipeline training/BATCH_BEGIN→AFTER_PROCESS",
    "walk",
  ]);
  const times = ended.map(({ start, end }) => [start, end].map((t) => t - performance.timeOrigin));
  const expected = [[100, 102], [102, 105], [105, 106], [100, 106.5]];
  for (const [i, [start, end]] of times.entries()) {
    assertAlmostEquals(start!, expected[i]![0]!, 1e-3); // ms since 1970 have no more digits
    assertAlmostEquals(end!, expected[i]![1]!, 1e-3);
  }
  assertEquals(ended[0]!.attributes, {
    "hooke.engine": "walk",
    "hooke.domain": "dynamics",
    "hooke.step": 0,
  });
});

Deno.test("the span of a run ends with the last run, and every run has one", async () => {
  const { tracer, ended } = recorder();
  const profiler = new Profiler({ tracer });
  const inner = anyLoop((loop) => void loop.fire(PipelineStage.BEFORE_PROCESS), "inner");
  const outer = anyLoop(() => inner.run(2).then(() => {}), "outer");
  for (const loop of [inner, outer]) loop.hooks.add(profiler);
  await outer.run(2);
  assertEquals(ended.map(({ name }) => name).toSorted(), [
    "inner",
    "inner",
    "outer",
    "pipeline BEFORE_PROCESS→BEFORE_PROCESS",
    "pipeline BEFORE_PROCESS→BEFORE_PROCESS",
  ]);
});

Deno.test("the span of a run ends once, whatever runs later", async () => {
  const { tracer, ended } = recorder();
  const loop = anyLoop(() => {});
  loop.hooks.add(new Profiler({ tracer }));
  for (let run = 0; run < 3; run++) await loop.run(1);
  assertEquals(ended.map(({ name }) => name), ["loop", "loop", "loop"]);
});

Deno.test("the registered OpenTelemetry is looked up when a run begins, unless it is turned off", async () => {
  const REGISTRY = Symbol.for("opentelemetry.js.api.1");
  const { tracer, ended } = recorder();
  const before = Reflect.get(globalThis, REGISTRY);
  const loop = anyLoop((loop) => void loop.fire(PipelineStage.BEFORE_PROCESS));
  loop.hooks.add(new Profiler({ name: "asks" }));
  loop.hooks.add(new Profiler({ name: "refuses", tracer: false }));
  try {
    const scopes: string[] = [];
    const getTracer = (name: string) => (scopes.push(name), tracer);
    Reflect.set(globalThis, REGISTRY, { version: "1.9.0", trace: { getTracer } });
    await loop.run(2);
    assertEquals(scopes, ["@hooke/hooke"]);
    assert(ended.some(({ name }) => name === "pipeline BEFORE_PROCESS→BEFORE_PROCESS"));
    assertEquals(ended.length, 2);
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, REGISTRY);
    else Reflect.set(globalThis, REGISTRY, before);
  }
});
