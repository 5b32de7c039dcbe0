// The scenarios of document 004, "Run Logging with Hook Information", and further behavior of the run log.
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { configHash } from "../../src/config/mod.ts";
import {
  gitCommit,
  type RunChange,
  runLog,
  type RunStart,
  versions,
} from "../../src/config/runs/mod.ts";
import { type HookListing, makeHook, stages } from "../../src/hooks/mod.ts";
import { keptLog, observer, parse, walk, WalkStage } from "./walk.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function start(records: readonly unknown[]): RunStart {
  return records[0] as RunStart;
}

function brief(hooks: readonly HookListing[]): [name: string, enabled: boolean][] {
  return hooks.map(({ name, enabled }) => [name, enabled]);
}

Deno.test("Run ID is generated and logged: when a run begins, unique, on its first line", async () => {
  const ids: string[] = [];
  for (let i = 0; i < 2; i++) {
    const { log, records } = keptLog();
    await walk({ hooks: [log] }).run(1);
    assertEquals([start(records()).type, start(records()).id], ["start", log.id]);
    ids.push(log.id);
  }
  assertMatch(ids[0]!, UUID);
  assertNotEquals(ids[0], ids[1]);

  const { log, records } = keptLog({ id: "my-run" });
  await walk({ hooks: [log] }).run(1);
  assertEquals(records().map(({ id }) => id), ["my-run", "my-run"]);
});

Deno.test("Git commit is logged: the one checked out, a placeholder outside a repository, or the one given", async () => {
  const commits: string[] = [];
  for (const commit of [undefined, "unknown", "c0ffee"]) {
    let text = "";
    const given = commit === undefined ? {} : { commit };
    const log = runLog({ ...given, write: (line) => void (text += line) });
    await walk({ hooks: [log] }).run(0);
    commits.push(start(parse(text)).commit);
  }
  assertEquals(commits, [await gitCommit(), "unknown", "c0ffee"]);
});

Deno.test("Config hash is computed and logged: of the config as it is when the run begins", async () => {
  const config = { seed: 7, rate: 1e-3 };
  const { log, records } = keptLog({ config });
  const loop = walk({ hooks: [log] });
  await loop.run(1);
  assertEquals(start(records()).configHash, await configHash({ rate: 0.001, seed: 7 }));
  config.seed = 8;
  await loop.run(1);
  assertEquals((records()[2] as RunStart).configHash, await configHash({ seed: 8, rate: 0.001 }));

  const without = keptLog();
  await walk({ hooks: [without.log] }).run(1);
  assertEquals(start(without.records()).configHash, null);
});

Deno.test("Hook list is logged: names, enabled and disabled, stages, frequency, order, matched overloads", async () => {
  const { log, records } = keptLog();
  const loop = walk();
  loop.hooks.add(log, { order: "first" });
  loop.hooks.add(observer("energies", 10));
  loop.hooks.add(observer("forces"), { enabled: false });
  loop.hooks.add(makeHook<"walk">({ name: "table", on: { walk: { "*"() {} } } }, [WalkStage]));
  await loop.run(1);
  const { hooks } = start(records());
  assertEquals(
    hooks.map((
      hook,
    ) => [hook.name, hook.enabled, hook.stages, hook.frequency, hook.order, hook.overloads]),
    [
      ["runLog", true, [], 1, 0, {}],
      ["energies", true, ["walk/AFTER_STEP"], 10, 1, { "walk/AFTER_STEP": "call" }],
      ["forces", false, ["walk/AFTER_STEP"], 1, 2, { "walk/AFTER_STEP": "call" }],
      [
        "table",
        true,
        ["walk/BEFORE_STEP", "walk/AFTER_STEP"],
        1,
        3,
        { "walk/BEFORE_STEP": "walk.*", "walk/AFTER_STEP": "walk.*" },
      ],
    ],
  );
  assertEquals(hooks, JSON.parse(JSON.stringify(loop.hooks.list())));
});

Deno.test("the first line has the engine, the versions and the time, the last one the outcome", async () => {
  const before = Date.now();
  const { log, records } = keptLog();
  await walk({ hooks: [log] }).run(3);
  const [first, last] = records();
  assertEquals([start([first]).engine, start([first]).versions], ["walk", versions()]);
  assertEquals([first?.step, last?.step, last?.type], [0, 3, "end"]);
  for (const record of records()) {
    const time = Date.parse(record.time);
    assert(time >= before && time <= Date.now(), `${record.time} is not now`);
  }
  assertEquals(last?.type === "end" && last.outcome, { status: "completed" });
});

Deno.test("every change in mid-run is a line with its step and the hooks after it", async () => {
  const { log, records } = keptLog();
  const loop = walk();
  loop.hooks.add(log, { order: "first" });
  const handle = loop.hooks.add(observer("energies"));
  loop.hooks.add(observer("switch", 1, ({ stepCount, workflow }) => {
    if (stepCount === 1) handle.disable();
    if (stepCount === 1) handle.disable(); // no change, so no line
    if (stepCount === 3) workflow.hooks.enable("energies");
    if (stepCount === 4) loop.hooks.add(observer("late"));
    if (stepCount === 6) workflow.hooks.remove("energies");
  }));
  await loop.run(8);
  const changes = records().slice(1, -1) as RunChange[];
  assertEquals(
    changes.map(({ type, step, change, hook }) => [type, step, change, hook]),
    [
      ["change", 1, "disable", "energies"],
      ["change", 3, "enable", "energies"],
      ["change", 4, "add", "late"],
      ["change", 6, "remove", "energies"],
    ],
  );
  assertEquals(brief(changes[0]!.hooks), [["runLog", true], ["energies", false], ["switch", true]]);
  assertEquals(brief(changes[3]!.hooks), [["runLog", true], ["switch", true], ["late", true]]);
});

Deno.test("changes between two runs are not lines: the next start lists the hooks as they are", async () => {
  const { log, records } = keptLog();
  const loop = walk({ hooks: [log] });
  const energies = loop.hooks.add(observer("energies"));
  await loop.run(2);
  energies.disable();
  await loop.run(3);
  assertEquals(records().map(({ type, segment, step, id }) => [type, segment, step, id]), [
    ["start", 0, 0, log.id],
    ["end", 0, 2, log.id],
    ["start", 1, 2, log.id],
    ["end", 1, 5, log.id],
  ]);
  assertEquals(brief(records()[2]!.hooks), [["runLog", true], ["energies", false]]);
});

Deno.test("errors of hooks are counted in the lines, per hook", async () => {
  const { log, records } = keptLog();
  const loop = walk({ hooks: [log], onWarning() {} });
  const fail = () => {
    throw new Error("no");
  };
  loop.hooks.add(observer("often", 1, fail), { onError: "warn" });
  loop.hooks.add(observer("once", 2, fail), { onError: "disable" });
  await loop.run(4);
  const counts = records().map((
    { type, step, hooks },
  ) => [type, step, hooks.map(({ errors }) => errors)]);
  assertEquals(counts, [["start", 0, [0, 0, 0]], ["change", 0, [0, 1, 1]], ["end", 4, [0, 4, 1]]]);
});

Deno.test("runs that fail or are stopped log it: the error with its causes, the reason and the step", async () => {
  const failing = keptLog();
  const circular: { cause?: unknown } = new RangeError("inner");
  circular.cause = circular;
  const error = new TypeError("outer", { cause: circular });
  const loop = walk({ hooks: [failing.log] });
  loop.hooks.add(
    observer("bad", 1, (ctx) => {
      if (ctx.stepCount === 2) throw error;
    }),
    { onError: "throw" },
  );
  await loop.run(5).then(() => assert(false), (thrown) => assertEquals(thrown, error));
  const end = failing.records().at(-1)!;
  assert(end.type === "end" && end.outcome.status === "failed" && end.step === 2);
  const { name, message, cause } = end.outcome.error;
  assertEquals([name, message, cause?.name, cause?.message], [
    "TypeError",
    "outer",
    "RangeError",
    "inner",
  ]);

  const stopping = keptLog();
  const stopped = walk({ hooks: [stopping.log] });
  stopped.hooks.add(observer("fence", 1, (ctx) => ctx.stepCount === 1 && ctx.stop("at the fence")));
  await stopped.run(5);
  const last = stopping.records().at(-1)!;
  assertEquals(last.type === "end" && last.outcome, {
    status: "stopped",
    reason: "at the fence",
    step: 1,
  });
});

Deno.test("a thrown value that is not an error, even without text, does not prevent the last line", async () => {
  for (const thrown of ["plain text", Object.create(null), undefined]) {
    const { log, records } = keptLog();
    const step = () => {
      throw thrown;
    };
    await walk({ hooks: [log], step }).run(1).catch(() => {});
    assertEquals(records().map(({ type }) => type), ["start", "end"]);
  }
});

Deno.test("a log added in mid-run begins there, and one removed in mid-run ends there", async () => {
  const { log, records } = keptLog({ config: {} });
  const loop = walk();
  loop.hooks.add(observer("switch", 1, async (ctx) => {
    if (ctx.stepCount === 2) loop.hooks.add(log);
    while (ctx.stepCount === 3 && records().length === 0) await new Promise((go) => setTimeout(go));
    if (ctx.stepCount === 5) ctx.workflow.hooks.remove("runLog");
  }));
  await loop.run(8);
  const [start, change, end] = records();
  assert(start!.step === 2 || start!.step === 3, "it begins once the config is hashed");
  assertEquals(brief(start!.hooks), [["switch", true], ["runLog", true]]);
  assertEquals([change!.type, change!.step, end!.type, end!.step], ["change", 5, "end", 6]);
  assertEquals(end!.type === "end" && end!.outcome, {
    status: "stopped",
    reason: "removed",
    step: 5,
  });
  assertEquals(records().length, 3);
});

Deno.test("a log removed while it is being opened ends at once, and may be used again", async () => {
  const { log, records } = keptLog({ config: {} });
  const loop = walk({ hooks: [log] });
  const run = loop.run(2);
  loop.hooks.remove("runLog");
  await run;
  assertEquals(records().map(({ type, hooks }) => [type, hooks.length]), [["start", 0], [
    "end",
    0,
  ]]);
  loop.hooks.add(log);
  await loop.run(2);
  assertEquals(records().slice(2).map(({ type, step }) => [type, step]), [["start", 2], [
    "end",
    4,
  ]]);
});

Deno.test("a disabled log still writes lines, and has no stage", async () => {
  const { log, records } = keptLog({ name: "provenance" });
  const loop = walk({ hooks: [log] });
  loop.hooks.disable("provenance");
  await loop.run(2);
  assertEquals(records().map(({ type }) => type), ["start", "end"]);
  assertEquals(loop.hooks.horizon(loop.stepCount), Infinity);
  assertEquals(brief(records()[0]!.hooks), [["provenance", false]]);
});

Deno.test("a log fits engines of any kind, and of several kinds", async () => {
  const Other = stages()("other", ["TICK"]);
  const { log, records } = keptLog();
  const { Loop } = await import("../../src/hooks/mod.ts");
  const loop = new Loop({
    kinds: [WalkStage, Other],
    step: (loop) => loop.fire(Other.TICK),
  });
  loop.hooks.add(log);
  await loop.run(1);
  assertEquals(records().length, 2);
});

Deno.test("a run resumed from a checkpoint keeps its id and begins the next segment; a log with another id does not", async () => {
  const first = keptLog();
  const before = walk({ hooks: [first.log] });
  await before.run(2);
  const saved = structuredClone(before.save());

  const second = keptLog();
  const after = walk({ hooks: [second.log] });
  after.load(saved);
  await after.run(1);
  assertEquals(second.records().map(({ id, segment }) => [id, segment]), [[first.log.id, 1], [
    first.log.id,
    1,
  ]]);
  assertEquals(second.log.id, first.log.id);

  const third = keptLog({ id: "fork" });
  const fork = walk({ hooks: [third.log] });
  fork.load(saved);
  await fork.run(1);
  assertEquals([third.records()[0]!.id, third.records()[0]!.segment], ["fork", 0]);
});
