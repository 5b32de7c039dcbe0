import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type AddOptions, type BaseContext, hostState, type Outcome } from "@hooke/hooke/hooks";
import { hook } from "@hooke/hooke";
import { collect, Steps, work, WorkStage } from "./kit.ts";

const noting = (name: string, log: string[], stage: "work/BEFORE" | "work/AFTER" = "work/AFTER") =>
  ({ name, stage, frequency: 1, call: () => void log.push(name) }) as const;

async function orderOf(hooks: [string, AddOptions?][]): Promise<string[]> {
  const log: string[] = [], loop = work();
  for (const [name, options] of hooks) loop.hooks.add(noting(name, log), options);
  await loop.run(1);
  return log;
}

Deno.test("hooks of one stage in all three bands, in registration order within each", async () => {
  assertEquals(
    await orderOf([["a", { order: "last" }], ["b"], ["c", { order: "first" }], ["d"], ["e", {
      order: "first",
    }], ["f", { order: "last" }]]),
    ["c", "e", "b", "d", "a", "f"],
  );
});

Deno.test("before and after move a hook next to what they name, across bands too", async () => {
  assertEquals(await orderOf([["a"], ["b"], ["c", { before: "a" }]]), ["c", "a", "b"]);
  assertEquals(await orderOf([["a"], ["b", { before: "a" }], ["c", { before: "a" }]]), [
    "b",
    "c",
    "a",
  ]);
  assertEquals(await orderOf([["a"], ["b", { before: "a" }], ["c", { before: "b" }]]), [
    "c",
    "b",
    "a",
  ]);
  assertEquals(await orderOf([["a"], ["c", { before: "b" }], ["b", { before: "a" }]]), [
    "c",
    "b",
    "a",
  ]);
  assertEquals(await orderOf([["a", { before: "b" }], ["b"]]), ["a", "b"]);
  assertEquals(await orderOf([["a", { after: "c" }], ["b"], ["c"]]), ["b", "c", "a"]);
  assertEquals(await orderOf([["a", { after: ["b", "c"] }], ["b"], ["c", { order: "last" }]]), [
    "b",
    "c",
    "a",
  ]);
  assertEquals(await orderOf([["a"], ["b", { order: "last", before: "a" }]]), ["b", "a"]);
});

Deno.test("a cycle is an error that names it, and changes nothing", async () => {
  const log: string[] = [], loop = work({ onWarning: () => {} });
  loop.hooks.add(noting("a", log), { after: "c" });
  loop.hooks.add(noting("b", log), { after: "a" });
  assertThrows(
    () => loop.hooks.add(noting("c", log), { after: "b" }),
    RangeError,
    "must not form a cycle",
  );
  const { message } = assertThrows(
    () => loop.hooks.add(noting("c", log), { after: "b" }),
    RangeError,
  );
  for (const name of ["a", "b", "c"]) assertStringIncludes(message, name);
  await loop.run(1);
  assertEquals(log, ["a", "b"]);
});

Deno.test("a name in before or after that no hook has is reported when the run begins", async () => {
  const warnings = collect<{ hook: string; stage: string; error: unknown }>();
  const loop = work({ onWarning: warnings.push });
  loop.hooks.add(new Steps(), { name: "logger" });
  loop.hooks.add(new Steps(), { name: "b", after: "loger" });
  await loop.run(1);
  assertEquals(warnings.list.map(({ hook, stage }) => [hook, stage]), [["b", "order"]]);
  assertStringIncludes(String(warnings.list[0]!.error), "did you mean logger?");
});

Deno.test("registration order is kept at closing stages too; only close is reversed", async () => {
  const log: string[] = [];
  const make = (name: string) =>
    hook({
      name,
      kinds: [WorkStage],
      on: { work: { EPOCH_END: () => log.push(`end ${name}`) } },
      close: () => void log.push(`close ${name}`),
    });
  await work({ hooks: [make("a"), make("b"), make("c")] }).run(3);
  assertEquals(log, ["end a", "end b", "end c", "close c", "close b", "close a"]);
});

Deno.test("modifiers run before the observers of their stage, in whatever order they were added", async () => {
  const log: string[] = [], heights = new Float64Array([1]);
  const state = hostState({ heights: () => heights });
  const loop = work({ state, hooks: [noting("looks", log)] });
  loop.hooks.add({ ...noting("changes", log), writes: ["heights"] as const });
  loop.hooks.add(noting("first", log), { order: "first" });
  await loop.run(1);
  assertEquals(log, ["changes", "first", "looks"]);
  assertThrows(
    () => loop.hooks.add({ ...noting("early", log) }, { before: "changes" }),
    RangeError,
    "early is ordered before it",
  );
  assertEquals(loop.hooks.list().map(({ name }) => name), ["first", "looks", "changes"]);
});

Deno.test("toggling by name and by handle in mid-run takes effect at the next stage", async () => {
  const a = new Steps(), b = new Steps("work/AFTER", 2);
  const loop = work();
  const handle = loop.hooks.add(a);
  loop.hooks.add(b, { name: "b", enabled: false });
  const script: Record<number, () => void> = {
    2: () => handle.disable(),
    4: () => loop.hooks.enable("b"),
    6: () => handle.enable(),
    8: () => loop.hooks.disable("b"),
  };
  loop.hooks.add(
    {
      stage: "work/BEFORE",
      frequency: 1,
      call: (ctx: BaseContext) => script[ctx.stepCount]?.(),
    } as const,
  );
  await loop.run(10);
  assertEquals(a.steps, [0, 1, 6, 7, 8, 9]);
  assertEquals(b.steps, [4, 6]);
});

Deno.test("removal during dispatch finishes with the hooks it began with, and holds from the next one on", async () => {
  for (const wrap of [<T>(x: T) => x, <T>(x: T) => Promise.resolve(x)]) {
    const log: string[] = [], loop = work();
    const remover = {
      ...noting("a", log),
      call: (ctx: BaseContext) => {
        log.push(`a${ctx.stepCount}`);
        if (ctx.stepCount === 1) {
          loop.hooks.remove("c");
          loop.hooks.remove("a");
          loop.hooks.add({
            ...noting("d", log),
            call: (ctx: BaseContext) => void log.push(`d${ctx.stepCount}`),
          });
        }
        return wrap(undefined);
      },
    };
    loop.hooks.add(remover);
    loop.hooks.add({
      ...noting("b", log),
      call: (ctx: BaseContext) => void log.push(`b${ctx.stepCount}`),
    });
    loop.hooks.add({
      ...noting("c", log),
      call: (ctx: BaseContext) => void log.push(`c${ctx.stepCount}`),
    });
    await loop.run(3);
    assertEquals(log, ["a0", "b0", "c0", "a1", "b1", "c1", "b2", "d2"]);
  }
});

Deno.test("a handle removes its own hook when its scope ends, and removing twice does nothing", async () => {
  const steps = new Steps(), stays = new Steps(), loop = work();
  loop.hooks.add(stays);
  {
    using handle = loop.hooks.add(steps);
    assertEquals(handle.name, "Steps-2");
    await loop.run(1);
  }
  await loop.run(1);
  assertEquals(steps.steps, [0]);
  assertEquals(stays.steps, [0, 1]);
  const handle = loop.hooks.add(steps);
  handle.remove();
  handle.remove();
  handle.enable();
  assertEquals(loop.hooks.list().length, 1);
});

Deno.test("a hook removed in mid-run is closed with the reason", async () => {
  const outcomes: unknown[] = [], loop = work();
  loop.hooks.add({ ...noting("a", []), close: (outcome: Outcome) => void outcomes.push(outcome) });
  loop.hooks.add({
    ...noting("b", [], "work/BEFORE"),
    once: true,
    phase: 1,
    frequency: 2,
    call: () => loop.hooks.remove("a"),
  });
  await loop.run(4);
  assertEquals(outcomes, [{ status: "stopped", reason: "removed", step: 1 }]);
});

Deno.test("an unknown name is an error that names the nearest", () => {
  const loop = work({ hooks: [new Steps()] });
  for (const verb of ["enable", "disable", "remove"] as const) {
    assertThrows(() => loop.hooks[verb]("Step"), RangeError, `Cannot ${verb} hook "Step"`);
  }
  assertThrows(() => loop.hooks.remove("Step"), RangeError, "did you mean Steps?");
});

Deno.test("a hook may switch others through ctx.workflow.hooks", async () => {
  const a = new Steps(), loop = work({ hooks: [a] });
  loop.hooks.add(
    {
      stage: "work/BEFORE",
      frequency: 1,
      call: (ctx: BaseContext) =>
        ctx.stepCount === 2 && ctx.workflow.hooks.disable("Steps") ? undefined : undefined,
    } as const,
  );
  await loop.run(4);
  assertEquals(a.steps, [0, 1]);
});

Deno.test("subscribers hear of every change with its step", async () => {
  const changes = collect<unknown>(), loop = work();
  const end = loop.hooks.subscribe(changes.push);
  const handle = loop.hooks.add(new Steps());
  loop.hooks.add(
    {
      stage: "work/BEFORE",
      frequency: 1,
      once: true,
      phase: 0,
      after: 2,
      call: () => handle.disable(),
    } as const,
    { name: "switch" },
  );
  await loop.run(4);
  handle.disable(); // no change, no call
  handle.remove();
  end();
  loop.hooks.remove("switch");
  assertEquals(changes.list, [
    { type: "add", name: "Steps", step: 0 },
    { type: "add", name: "switch", step: 0 },
    { type: "disable", name: "Steps", step: 2 },
    { type: "remove", name: "Steps", step: 4 },
  ]);
});

Deno.test("plan() shows stage, hooks in order, when, and the matched overload", () => {
  const loop = work({ state: hostState({ heights: () => new Float64Array(1) }) });
  loop.hooks.add(new Steps("work/AFTER", 10));
  loop.hooks.add(
    hook({
      name: "star",
      kinds: [WorkStage],
      on: { work: { "*": (_ctx, _stage) => {}, WORK: () => 1 } },
    }),
    { enabled: false },
  );
  loop.hooks.add({ onEpochEnd() {} }, { name: "method", order: "first" });
  loop.hooks.add(
    hook({
      name: "any",
      phase: 1,
      frequency: 2,
      once: true,
      atEnd: true,
      sample: 0.5,
      on: {},
      otherwise: () => {},
    }),
  );
  const plan = loop.hooks.plan();
  assertEquals([...plan.stages.keys()], Object.keys(WorkStage.roles).map((name) => `work/${name}`));
  assertEquals(plan.stages.get("work/AFTER"), [
    { hook: "Steps", matched: "call", when: "every 10 steps", enabled: true },
    { hook: "star", matched: "work.*", when: "every step", enabled: false },
    {
      hook: "any",
      matched: "otherwise",
      when: "every 2 steps, phase 1, once, sampled 0.5, at end",
      enabled: true,
    },
  ]);
  assertEquals(plan.stages.get("work/EPOCH_END")![0], {
    hook: "method",
    matched: "onEpochEnd",
    when: "every epoch",
    enabled: true,
  });
  assertEquals(plan.stages.get("work/ON_FULL")![0]!.when, "every event");
  const lines = String(plan).split("\n");
  assert(
    lines.some((line) =>
      /^work\/WORK \(replace\)\s+star\s+every step\s+work\.WORK \(disabled\)$/.test(line)
    ),
    String(plan),
  );
  assert(lines.some((line) => /^work\/AMOUNT \(pipe\)\s+-$/.test(line)));
});

Deno.test("a handle of a removed hook does nothing, and reports nothing", () => {
  const changes = collect<unknown>(), loop = work();
  const handle = loop.hooks.add(new Steps());
  handle.remove();
  loop.hooks.subscribe(changes.push);
  handle.disable();
  handle.enable();
  handle.remove();
  assertEquals(changes.list, []);
});
