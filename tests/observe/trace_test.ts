// The Chrome trace: its content, and writing it to disk.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DynamicsStage, TrainingStage } from "@hooke/hooke";
import { Profiler } from "@hooke/hooke/observe";
import { anyLoop, Clock, PipelineStage, scripted } from "./clocked.ts";
import { readTrace } from "./trace_rules.ts";

/** A temporary folder for a test. */
async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("the trace file has a process per engine, a track per domain and a slice per transition, in µs", async () => {
  await inFolder(async (folder) => {
    const tracePath = `${folder}/trace.json`;
    const clock = new Clock(10);
    const profiler = new Profiler({ now: clock.now, tracePath });
    const walk = scripted(clock, () =>
      [
        DynamicsStage.BEFORE_STEP,
        1.5,
        DynamicsStage.AFTER_STEP,
        0.25,
        TrainingStage.BATCH_BEGIN,
        2,
        TrainingStage.BATCH_END,
        0.125,
      ] as never, "walk");
    const feed = scripted(clock, () => [PipelineStage.BEFORE_PROCESS, 1], "feed");
    for (const loop of [walk, feed]) loop.hooks.add(profiler, { order: "first" });
    await walk.run(2);
    await feed.run(2);
    const [training, dynamics, pipeline] = readTrace(await Deno.readTextFile(tracePath))
      .toSorted((a, b) => b.slices.length - a.slices.length || (a.thread > b.thread ? -1 : 1));
    assertEquals([training!.process, training!.thread], ["walk", "training"]);
    assertEquals([dynamics!.process, dynamics!.thread], ["walk", "dynamics"]);
    assertEquals([pipeline!.process, pipeline!.thread], ["feed", "pipeline"]);
    const [BEFORE, AFTER] = ["dynamics/BEFORE_STEP", "dynamics/AFTER_STEP"];
    assertEquals(dynamics!.slices, [
      { name: `${BEFORE}→${AFTER}`, ts: 10_000, dur: 1500, depth: 0 },
      { name: `training/BATCH_END→${BEFORE}`, ts: 13_750, dur: 125, depth: 0 },
      { name: `${BEFORE}→${AFTER}`, ts: 13_875, dur: 1500, depth: 0 },
    ]);
    assertEquals(training!.slices.map(({ ts, dur }) => [ts, dur]), [
      [11_500, 250],
      [11_750, 2000],
      [15_375, 250],
      [15_625, 2000],
    ]);
    assertEquals(pipeline!.slices.length, 1);
  });
});

Deno.test("with a real clock slices of one track touch and never overlap, for any fractions of the clock", async () => {
  const texts: string[] = [];
  const write = (_path: unknown, text: string) => void texts.push(text);
  const profiler = new Profiler({ tracePath: "x", write });
  const loop = anyLoop((loop) => {
    loop.fire(DynamicsStage.BEFORE_STEP);
    loop.fire(DynamicsStage.AFTER_STEP);
  });
  loop.hooks.add(profiler);
  await loop.run(2000);
  const [track] = readTrace(texts[0]!);
  assertEquals(track!.slices.length, 3999);
  assert(track!.slices.every(({ depth }) => depth === 0));
  for (const [i, { ts }] of track!.slices.entries()) {
    const before = track!.slices[i - 1];
    if (before !== undefined) assertEquals(Math.round((before.ts + before.dur - ts) * 1000), 0);
  }
});

Deno.test("a full buffer keeps the newest transitions and counts the dropped ones", async () => {
  for (const traceCapacity of [1, 7, 1024, 1500]) {
    const clock = new Clock();
    const profiler = new Profiler({ now: clock.now, trace: true, traceCapacity });
    const loop = scripted(clock, (step) => [PipelineStage.BEFORE_PROCESS, step + 1]);
    loop.hooks.add(profiler);
    await loop.run(4001);
    const { traceEvents, otherData } = profiler.trace();
    const slices = traceEvents.filter((event) => event.ph === "X");
    assertEquals(otherData.dropped, 4000 - traceCapacity);
    assertEquals(
      slices.map(({ dur, args }) => [dur, args.step]),
      Array.from({ length: traceCapacity }, (_, i) => {
        const step = 4000 - traceCapacity + i + 1;
        return [step * 1000, step];
      }),
    );
    assertEquals(profiler.summary().transitions[0]!.count, 4000); // the statistics are complete
  }
});

Deno.test("a buffer that is not full has dropped nothing", async () => {
  const profiler = new Profiler({ trace: true, traceCapacity: 5000 });
  const loop = anyLoop((loop) => loop.fire(PipelineStage.BEFORE_PROCESS) as void);
  loop.hooks.add(profiler);
  await loop.run(4001);
  assertEquals(profiler.trace().otherData.dropped, 0);
  assertEquals(profiler.trace().traceEvents.filter(({ ph }) => ph === "X").length, 4000);
});

Deno.test("the trace is written if a run fails, too, and leaves no other file", async () => {
  await inFolder(async (folder) => {
    const profiler = new Profiler({ tracePath: new URL(`file://${folder}/trace.json`) });
    const loop = anyLoop((loop) => {
      loop.fire(PipelineStage.BEFORE_PROCESS);
      loop.fire(PipelineStage.AFTER_PROCESS);
      throw new Error("broken");
    });
    loop.hooks.add(profiler);
    await assertRejects(() => loop.run(1), Error, "broken");
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["trace.json"]);
    assertEquals(readTrace(await Deno.readTextFile(`${folder}/trace.json`))[0]!.slices.length, 1);
  });
});

Deno.test("if writing fails the old file stays, no other file is left, and the run reports the error", async () => {
  await inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/trace.json`); // a file cannot replace a folder
    const loop = anyLoop((loop) => loop.fire(PipelineStage.BEFORE_PROCESS) as void);
    loop.hooks.add(new Profiler({ tracePath: `${folder}/trace.json` }));
    await assertRejects(() => loop.run(1));
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["trace.json"]);
  });
});

Deno.test("writes are queued: of two engines that end at once the later has the whole trace", async () => {
  const log: string[] = [];
  const profiler = new Profiler({
    tracePath: "trace.json",
    async write(path, text) {
      log.push(`begin ${path}`);
      await new Promise((done) => setTimeout(done, 5));
      log.push(`end ${readTrace(text).length}`);
    },
  });
  const loops = ["a", "b"].map((name) =>
    anyLoop((loop) => loop.fire(PipelineStage.BEFORE_PROCESS) as void, name)
  );
  for (const loop of loops) loop.hooks.add(profiler);
  await Promise.all(loops.map((loop) => loop.run(2)));
  assertEquals(log, ["begin trace.json", "end 2", "begin trace.json", "end 2"]);
});

Deno.test("a trace can be written by a call, also after a write that failed", async () => {
  const paths: unknown[] = [];
  const profiler = new Profiler({
    trace: true,
    write(path) {
      paths.push(path);
      if (paths.length === 1) throw new Error("disk full");
    },
  });
  await assertRejects(() => profiler.writeTrace("a.json"), Error, "disk full");
  await profiler.writeTrace("b.json");
  assertEquals(paths, ["a.json", "b.json"]);
});

Deno.test("without a path nothing is written, and without a recorded trace there is an error", async () => {
  const profiler = new Profiler();
  assertThrows(() => profiler.trace(), TypeError, "Pass `trace: true` or a `tracePath`");
  await assertRejects(() => profiler.writeTrace(), TypeError, "path is required");
  await assertRejects(() => profiler.writeTrace("x"), TypeError, "Pass `trace: true`");
});
