import { assert, assertEquals, assertRejects } from "@std/assert";
import { Batch } from "../../src/batch/batch.ts";
import { fcc, rattle } from "../../src/batch/crystal.ts";
import { FIRE, NVE } from "../../src/dynamics/mod.ts";
import { type BaseContext, Loop, stages } from "../../src/hooks/mod.ts";
import { lennardJones } from "../../src/models/mod.ts";
import { EngineRun } from "../../src/page/feed/engine_run.ts";
import type { WatchedEngine } from "../../src/page/feed/watched_engine.ts";
import type { RunCommand, RunEvent } from "../../src/page/protocol.ts";

const MODEL = { epsilon: 0.0104, sigma: 3.4, cutoff: 5 };
/** Short, so that many steps are shown; every step is due then. */
const EVERY = 1e-9;

const argon = () =>
  Batch.from([0.05, 0.1].map((by, i) => rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), by, i)));

function shown(engine: WatchedEngine, facts: object = {}): { run: EngineRun; said: string[] } {
  const said: string[] = [];
  const run = new EngineRun({
    facts: { name: "argon", kind: "md", steps: 20, dt: 2, ...facts },
    frameSeconds: EVERY,
    scalarSeconds: EVERY,
    onCommand: (text) => said.push(text),
  });
  run.attach(engine);
  return { run, said };
}

/** Collects the events of a run in the background. */
function client(run: EngineRun): { readonly all: RunEvent[]; leave(): Promise<void> } {
  const end = new AbortController(), all: RunEvent[] = [];
  const reading = (async () => {
    for await (const event of run.events(end.signal)) all.push(event);
  })();
  return {
    all,
    async leave() {
      end.abort();
      await reading;
    },
  };
}

const ofType = <T extends RunEvent["type"]>(all: readonly RunEvent[], type: T) =>
  all.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);

const turn = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("a run of dynamics is shown with its scalars, frames and hooks, and has the same bits", async () => {
  const alone = argon(), watched = argon();
  await using first = new NVE({ model: lennardJones(MODEL), dt: 2 });
  await first.run(alone, 20);
  await using engine = new NVE({ model: lennardJones(MODEL), dt: 2 });
  engine.hooks.add({ name: "log", stage: "dynamics/AFTER_STEP", frequency: 7, call() {} });
  const { run } = shown(engine);
  const early = client(run);
  await turn();
  await engine.run(watched, 20);
  await early.leave();
  assertEquals(watched.get("positions"), alone.get("positions"));
  const late = client(run);
  await turn();
  await late.leave();
  for (const { all } of [early, late]) {
    const scalars = ofType(all, "scalars");
    assertEquals(scalars.at(-1)!.rows.at(-1)![0], 20);
    const { names } = scalars[0]!;
    for (const name of ["energy", "fmax", "temperature", "energy/kinetic", "energy/total"]) {
      assert(names.includes(name), name);
    }
    const total = names.indexOf("energy/total") + 1;
    const mean = [...alone.get("energy")].reduce((sum, one) => sum + one, 0) / 2;
    const { [total]: last = 0 } = scalars.at(-1)!.rows.at(-1)!;
    assert(last! > mean, "kinetic energy is added");
    assertEquals(ofType(all, "hooks").at(-1)!.hooks, [
      { name: "log", stages: ["dynamics/AFTER_STEP"], frequency: 7, isEnabled: true },
    ]);
    const { state, step, steps, isControllable } = ofType(all, "info").at(-1)!.run;
    assertEquals([state, step, steps, isControllable], ["completed", 20, 20, false]);
    assertEquals(ofType(all, "frames").at(-1)!.live, 20);
    const curves = new Map(ofType(all, "curve").map((curve) => [curve.name, curve]));
    const drift = curves.get("energy drift")!;
    assertEquals([drift.x.label, drift.x.values.at(-1)], ["time, ps", 0.04]);
    const { y: { values: [, ...changes] } } = drift;
    assert(changes.every((change) => Math.abs(change!) < 1e-3), "NVE keeps the total energy");
    const { x: { values: r }, y: { values: g } } = curves.get("radial distribution")!;
    const peak = r[g.indexOf(Math.max(...g as number[]))]!;
    assert(Math.abs(peak - 5.26 / Math.SQRT2) < 0.3, `nearest neighbors at ${peak} Å`);
    const msd = curves.get("mean squared displacement")!;
    assertEquals(msd.y.values[0], 0);
  }
  const frame = (await run.live())!;
  assertEquals([frame.step, frame.numbers.length, frame.pbc], [20, 32, [true, true, true]]);
  const of = (name: "positions" | "forces") => Float32Array.from(alone.get(name).subarray(0, 96));
  assertEquals([frame.positions, frame.fields!.forces], [of("positions"), of("forces")]);
  const { further, fields } = (await run.live(undefined, 0, ["forces", "no"]))!;
  assertEquals([fields, further], [{ forces: of("forces") }, ["velocities"]]);
});

Deno.test("frames are taken only while there are clients, of the systems that they ask for", async () => {
  await using engine = new NVE({ model: lennardJones(MODEL), dt: 2 });
  const { run } = shown(engine), batch = argon();
  await engine.run(batch, 5);
  assertEquals(await run.live(), undefined);
  const watching = client(run);
  await turn();
  assertEquals(await run.live(undefined, 1), undefined);
  await engine.run(batch, 5);
  const second = (await run.live(undefined, 1))!;
  assertEquals(second.positions, Float32Array.from(batch.get("positions").subarray(96)));
  assertEquals(second.step, 10);
  assertEquals(await run.live(undefined, 7), undefined);
  await watching.leave();
});

Deno.test("a hook is toggled between steps, and the page cannot disable itself", async () => {
  const calls: number[] = [];
  await using engine = new NVE({ model: lennardJones(MODEL), dt: 2 });
  const { run, said } = shown(engine);
  const toggle = (name: string, enabled: boolean) => run.command({ action: "hook", name, enabled });
  let done: Promise<void> | undefined;
  engine.hooks.add({
    name: "log",
    stage: "dynamics/AFTER_STEP",
    frequency: 1,
    call({ stepCount }: BaseContext) {
      calls.push(stepCount);
      if (stepCount === 3) done = toggle("log", false);
    },
  });
  const watching = client(run);
  await turn();
  await assertRejects(() => toggle("log", false), Error, "it is not going on");
  await engine.run(argon(), 20);
  await done;
  assertEquals(calls, [0, 1, 2, 3]);
  await turn();
  await watching.leave();
  assertEquals(ofType(watching.all, "hooks").at(-1)!.hooks[0]!.isEnabled, false);
  assertEquals(ofType(watching.all, "command").map(({ command, step }) => [command, step]), [
    [{ action: "hook", name: "log", enabled: false }, 4],
  ]);
  assertEquals(said, ["Disabled hook log from the page at step 4"]);
});

Deno.test("a run is paused, resumed and stopped between steps", async () => {
  await using engine = new FIRE({ model: lennardJones(MODEL), dt: 0.1 });
  const { run, said } = shown(engine, { kind: "relax" });
  const did: Promise<unknown>[] = [];
  const at: Record<number, () => void> = {
    2: () => did.push(run.command({ action: "pause" })),
    6: () => did.push(run.command({ action: "stop" })),
    5: () => {
      for (const [name, error] of [["watch", "needs it"], ["none", "no hook"]] as const) {
        const command: RunCommand = { action: "hook", name, enabled: false };
        did.push(assertRejects(() => run.command(command), RangeError, error));
      }
    },
  };
  engine.hooks.add({
    name: "at",
    stage: "dynamics/AFTER_STEP",
    frequency: 1,
    call: ({ stepCount }: BaseContext) => at[stepCount]?.(),
  });
  const running = engine.run(argon(), 20);
  while (said.length === 0) await turn();
  for (let i = 0; i < 5; i++) await turn();
  assertEquals([said, engine.stepCount], [["Paused from the page at step 3"], 3]);
  assertEquals((await run.info()).state, "paused");
  await run.command({ action: "pause" }); // twice is once
  await run.command({ action: "hook", name: "at", enabled: true }); // not stuck behind the pause
  await run.command({ action: "resume" });
  await running;
  await Promise.all(did);
  assertEquals([engine.stepCount, engine.outcome!.status], [7, "stopped"]);
  assertEquals((await run.info()).state, "interrupted");
  for (const action of ["pause", "resume", "stop"] as const) {
    await assertRejects(() => run.command({ action }), Error, "it is not going on");
  }
});

Deno.test("no hook is switched on one of many machines, and a stop that an engine lacks is refused", async () => {
  const run = new EngineRun({ facts: { name: "argon", kind: "md" } });
  await using engine = new NVE({ model: lennardJones(MODEL), dt: 2 });
  const did: Promise<unknown>[] = [];
  engine.hooks.add({
    name: "clip",
    stage: "dynamics/AFTER_STEP",
    frequency: 1,
    call: () =>
      void did.push(
        assertRejects(
          () => run.command({ action: "hook", name: "clip", enabled: false }),
          Error,
          "Cannot toggle clip: the other machines",
        ),
        assertRejects(() => run.command({ action: "stop" }), Error, "Cannot stop NVE"),
      ),
  });
  const { name, hooks } = engine;
  run.attach({
    name,
    hooks,
    get stepCount() {
      return engine.stepCount;
    },
  } as WatchedEngine, true);
  await engine.run(argon(), 2);
  await Promise.all(did);
  assertEquals([did.length, engine.stepCount, engine.hooks.list()[0]!.enabled], [4, 2, true]);
});

Deno.test("a signal ends a pause, so that Ctrl-C is not stuck", async () => {
  const end = new AbortController(), { signal } = end;
  await using engine = new NVE({ model: lennardJones(MODEL), dt: 2, signal });
  const run = new EngineRun({ facts: { name: "argon", kind: "md" }, signal });
  run.attach(engine);
  const running = engine.run(argon(), 1e6);
  while (engine.stepCount === 0) await turn();
  await run.command({ action: "pause" });
  end.abort("SIGINT");
  await running;
  assertEquals((await run.info()).state, "interrupted");
});

Deno.test("a loop of another kind and a run that fails are shown", async () => {
  const WalkStage = stages<BaseContext>()("walk", ["AFTER_STEP"]);
  const loop = new Loop({
    kinds: WalkStage,
    step: (loop) => {
      if (loop.stepCount === 5) throw new Error("the floor ends");
      return loop.fire(WalkStage.AFTER_STEP);
    },
  });
  const { run } = shown(loop, { kind: "run" });
  const watching = client(run);
  await turn();
  await assertRejects(() => loop.run(9), Error, "the floor ends");
  await turn();
  await watching.leave();
  const { state, step } = await run.info();
  assertEquals([state, step], ["failed", 5]);
  assertEquals(ofType(watching.all, "warning").map(({ message }) => message), ["the floor ends"]);
});

Deno.test("checkpoints have the same content with and without the page", async () => {
  const save = async (isWatched: boolean) => {
    await using engine = new NVE({ model: lennardJones(MODEL), dt: 2 });
    if (isWatched) shown(engine);
    await engine.run(argon(), 3);
    return Object.keys((await engine.save()).loop.hooks);
  };
  assertEquals(await save(true), await save(false));
});
