import {
  assert,
  assertEquals,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
} from "@std/assert";
import type { BaseContext, HookWarning, Outcome } from "@hooke/hooke/hooks";
import { collect, Steps, work } from "./kit.ts";

/** The policy of hooks whose first error is not to end the run. */
const WARN = { onError: "warn" } as const;

/** A hook that notes what happens to it. */
function noting(
  name: string,
  log: string[],
  fail: { open?: Error; close?: Error; call?: Error } = {},
) {
  return {
    name,
    stage: "work/AFTER",
    frequency: 1,
    call(ctx: BaseContext): void {
      if (fail.call) throw fail.call;
      log.push(`${name} at ${ctx.stepCount}`);
    },
    open(): void {
      if (fail.open) throw fail.open;
      log.push(`open ${name}`);
    },
    close(outcome: Outcome): void {
      log.push(
        `close ${name} ${outcome.status}${
          outcome.status === "failed" ? ` ${(outcome.error as Error).message}` : ""
        }`,
      );
      if (fail.close) throw fail.close;
    },
  } as const;
}

Deno.test("a throwing observer is counted and reported, and the step goes on", async () => {
  const warnings = collect<HookWarning>(), error = new Error("no");
  const after = new Steps();
  const loop = work({
    onWarning: warnings.push,
    hooks: [{ ...noting("bad", [], { call: error }), ...WARN }, after],
  });
  assertEquals(await loop.run(3), { status: "completed", hookErrors: 3 });
  assertEquals(after.steps, [0, 1, 2]);
  assertEquals(
    warnings.list,
    [0, 1, 2].map((step) => ({
      from: "hook" as const,
      hook: "bad",
      stage: "work/AFTER",
      step,
      error,
      count: step + 1,
    })),
  );
  assertEquals(loop.hooks.list().map(({ errors }) => errors), [3, 0]);
});

Deno.test("without onWarning the first error of each hook is printed, the others only counted", async () => {
  const lines: unknown[][] = [], original = console.warn;
  console.warn = (...args) => void lines.push(args);
  try {
    await work({ hooks: [{ ...noting("bad", [], { call: new Error("no") }), ...WARN }] }).run(3);
    const refused = Object.assign(new Error("Cannot write a.csv: no space"), { code: "ENOSPC" });
    await work({ hooks: [{ ...noting("log", [], { call: refused }), ...WARN }] }).run(3);
  } finally {
    console.warn = original;
  }
  assertEquals(lines.length, 2);
  assertStringIncludes(String(lines[0]![0]), "Hook bad failed at work/AFTER, step 0");
  assertEquals(lines[1], [
    "Hook log failed (hooks.list() counts its further errors):",
    "Cannot write a.csv: no space",
  ]);
});

Deno.test("a throwing onError:throw hook stops the step with the counter unmoved and everything closed with failed and the error", async () => {
  const log: string[] = [], error = new Error("enough");
  const loop = work();
  loop.hooks.add(noting("a", log));
  loop.hooks.add(noting("b", log, { call: error }), { onError: "throw" });
  loop.hooks.add(noting("c", log));
  assertStrictEquals(await assertRejects(() => loop.run(5)), error);
  assertEquals(loop.stepCount, 0);
  assertEquals(log, [
    "open a",
    "open b",
    "open c",
    "a at 0",
    "close c failed enough",
    "close b failed enough",
    "close a failed enough",
  ]);
});

Deno.test("the policy of add beats the hook's own, which beats the role's", async () => {
  const error = new Error("no");
  const own = { ...noting("own", [], { call: error }), onError: "throw" } as const;
  await assertRejects(() => work({ hooks: [own] }).run(1), Error, "no");
  const loop = work({ onWarning: () => {} });
  loop.hooks.add(own, { onError: "warn" });
  assertEquals(await loop.run(1), { status: "completed", hookErrors: 1 });
  const gate = {
    stage: "work/MAY_WORK",
    frequency: 1,
    call: (): boolean => {
      throw error;
    },
  } as const;
  await assertRejects(() => work({ hooks: [gate] }).run(1), Error, "no");
});

Deno.test("onError: disable switches the hook off after its first error", async () => {
  const warnings = collect<HookWarning>();
  for (const neighbors of [[], [new Steps("work/AFTER", 2)]]) { // the unrolled and the scheduled path
    warnings.list.length = 0;
    const after = new Steps();
    const loop = work({ onWarning: warnings.push, hooks: neighbors });
    loop.hooks.add(noting("bad", [], { call: new Error("no") }), { onError: "disable" });
    loop.hooks.add(after);
    await loop.run(3);
    assertEquals(warnings.list.length, 1);
    assertEquals(loop.hooks.list().find(({ name }) => name === "bad")!.enabled, false);
    assertEquals(after.steps, [0, 1, 2]);
  }
});

Deno.test("errors of asynchronous hooks go by the same policies", async () => {
  const warnings = collect<HookWarning>();
  const rejects = {
    name: "late",
    stage: "work/AFTER",
    frequency: 1,
    call: () => Promise.reject(new Error("late")),
  } as const;
  const after = new Steps();
  const loop = work({ onWarning: warnings.push, hooks: [{ ...rejects, ...WARN }, after] });
  await loop.run(2);
  assertEquals(warnings.list.map(({ hook, step }) => [hook, step]), [["late", 0], ["late", 1]]);
  assertEquals(after.steps, [0, 1]);
  const strict = work();
  strict.hooks.add({ ...rejects }, { onError: "throw" });
  await assertRejects(() => strict.run(2), Error, "late");
});

Deno.test("an open that throws unwinds the ones before it", async () => {
  const log: string[] = [], error = new Error("locked");
  const loop = work({
    hooks: [noting("a", log), noting("b", log, { open: error }), noting("c", log)],
  });
  assertStrictEquals(await assertRejects(() => loop.run(1)), error);
  assertEquals(log, ["open a", "close a failed locked"]);
  assertEquals(loop.stepCount, 0);
});

Deno.test("a close that throws does not stop the others nor hide the first error", async () => {
  const log: string[] = [], warnings = collect<HookWarning>();
  const disk = new Error("disk"), net = new Error("net"), first = new Error("first");
  const make =
    () => [noting("a", log), noting("b", log, { close: disk }), noting("c", log, { close: net })];
  const fine = work({ onWarning: warnings.push, hooks: make() });
  assertStrictEquals(await assertRejects(() => fine.run(0)), net);
  assertEquals(log.slice(3), ["close c completed", "close b completed", "close a completed"]);
  assertEquals(warnings.list.map(({ hook, stage, error }) => [hook, stage, error]), [[
    "b",
    "close",
    disk,
  ]]);
  const failed = work({ onWarning: warnings.push, hooks: make() });
  failed.hooks.add(noting("d", [], { call: first }), { onError: "throw" });
  assertStrictEquals(await assertRejects(() => failed.run(1)), first);
  assertEquals(warnings.list.slice(1).map(({ error }) => error), [net, disk]);
});

Deno.test("an unwinding close that throws is reported, and the error of open thrown", async () => {
  const warnings = collect<HookWarning>(), error = new Error("locked");
  const loop = work({
    onWarning: warnings.push,
    hooks: [noting("a", [], { close: new Error("disk") }), noting("b", [], { open: error })],
  });
  assertStrictEquals(await assertRejects(() => loop.run(1)), error);
  assertEquals(warnings.list.map(({ hook, stage }) => [hook, stage]), [["a", "close"]]);
});

Deno.test("a hook added in mid-run is opened at once; when its open throws, it is not added", async () => {
  const log: string[] = [];
  const loop = work({ onWarning: () => {} });
  const adds = { stage: "work/BEFORE", frequency: 1, once: true } as const;
  loop.hooks.add({ ...adds, call: () => void loop.hooks.add(noting("late", log)) });
  let thrown: unknown;
  loop.hooks.add({
    ...adds,
    call() {
      try {
        loop.hooks.add(noting("locked", log, { open: new Error("locked") }));
      } catch (error) {
        thrown = error;
      }
    },
  });
  await loop.run(2);
  assertEquals(log, ["open late", "late at 0", "late at 1", "close late completed"]);
  assert(thrown instanceof Error);
  assertEquals(loop.hooks.has("locked"), false);
});

Deno.test("a hook added in mid-run whose open takes time runs once it has opened; one that fails stops the run", async () => {
  const steps = new Steps(), opened = Promise.withResolvers<void>();
  const slow = {
    stage: "work/AFTER",
    frequency: 1,
    open: () => opened.promise,
    call: (ctx: BaseContext) => steps.call(ctx),
  } as const;
  const pace = {
    stage: "work/BEFORE",
    frequency: 1,
    call({ stepCount }: BaseContext) {
      if (stepCount === 4) opened.resolve();
      return new Promise<void>((go) => setTimeout(go, 1));
    },
  } as const;
  const loop = work({ hooks: [pace] });
  const starts = { stage: "work/BEFORE", frequency: 1, once: true } as const;
  loop.hooks.add({ ...starts, call: () => void loop.hooks.add(slow) });
  await loop.run(12);
  assert(steps.steps.length > 0 && steps.steps[0]! >= 4, `fired at ${steps.steps}`);
  const fails = work({ hooks: [pace] });
  fails.hooks.add({
    ...starts,
    call: () => void fails.hooks.add({ ...slow, open: () => Promise.reject(new Error("locked")) }),
  });
  await assertRejects(() => fails.run(12), Error, "locked");
});

Deno.test("a hook with onError warn does not stop a run when it cannot open or close; it is not called", async () => {
  const log: string[] = [], warnings = collect<HookWarning>();
  const loop = work({ onWarning: warnings.push });
  loop.hooks.add(noting("a", log));
  loop.hooks.add(noting("b", log, { open: new Error("locked") }), { onError: "warn" });
  loop.hooks.add(noting("c", log, { close: new Error("disk") }), { onError: "disable" });
  assertEquals(await loop.run(1), { status: "completed", hookErrors: 1 });
  assertEquals(log, [
    "open a",
    "open c",
    "a at 0",
    "c at 0",
    "close c completed",
    "close a completed",
  ]);
  assertEquals(warnings.list.map(({ hook, stage }) => [hook, stage]), [["b", "open"], [
    "c",
    "close",
  ]]);
});

Deno.test("a hook removed while it is still opening is closed as soon as it is open", async () => {
  const log: string[] = [], loop = work();
  const slow = { ...noting("slow", log), open: () => new Promise<void>((go) => setTimeout(go, 5)) };
  const starts = { stage: "work/BEFORE", frequency: 1, once: true } as const;
  loop.hooks.add({ ...starts, call: () => void loop.hooks.add(slow) });
  loop.hooks.add({ ...starts, call: () => void loop.hooks.remove("slow") });
  await loop.run(2);
  assertEquals(log, ["close slow stopped"]);
});

Deno.test("a listener that throws is reported, and all other listeners receive the change", () => {
  const warnings = collect<HookWarning>(), heard = collect<unknown>();
  const loop = work({ onWarning: warnings.push });
  loop.hooks.subscribe(() => {
    throw new Error("no");
  });
  loop.hooks.subscribe(heard.push);
  loop.hooks.add(new Steps());
  assertEquals(heard.list.length, 1);
  assertEquals(warnings.list.map(({ hook, stage }) => [hook, stage]), [["Steps", "listener"]]);
});

Deno.test("a hook removed during a dispatch is closed when no dispatch can still call it", async () => {
  for (const wrap of [<T>(x: T) => x, <T>(x: T) => Promise.resolve(x)]) {
    const log: string[] = [], loop = work();
    const removes = { stage: "work/AFTER", frequency: 1, phase: 0, once: true } as const;
    loop.hooks.add({ ...removes, after: 1, call: () => wrap(loop.hooks.remove("b")) });
    loop.hooks.add(noting("b", log));
    await loop.run(3);
    assertEquals(log, ["open b", "b at 0", "b at 1", "close b stopped"]);
  }
});

Deno.test("hooks added or removed in another's open are opened, or not opened at all", async () => {
  const log: string[] = [], loop = work();
  const opens = {
    ...noting("a", log),
    open: () => {
      loop.hooks.add(noting("late", log));
      loop.hooks.remove("c");
    },
  };
  for (const hook of [opens, noting("b", log), noting("c", log)]) loop.hooks.add(hook);
  await loop.run(1);
  assertEquals(log, [
    "open b",
    "open late",
    "a at 0",
    "b at 0",
    "late at 0",
    "close late completed",
    "close b completed",
    "close a completed",
  ]);
});

Deno.test("an error of closing a hook that another's close removed belongs to this run, not to the next", async () => {
  const loop = work();
  loop.hooks.add(noting("b", [], { close: new Error("disk") }));
  loop.hooks.add({
    ...noting("c", []),
    close: () => {
      if (loop.hooks.has("b")) loop.hooks.remove("b");
    },
  });
  await assertRejects(() => loop.run(1), Error, "disk");
  assertEquals(await loop.run(1), { status: "completed" });
});

Deno.test("onWarning may throw: every hook is still closed, and the first error kept", async () => {
  const log: string[] = [], printed: unknown[][] = [], original = console.warn;
  console.warn = (...args) => void printed.push(args);
  try {
    const onWarning = () => {
      throw new Error("W");
    };
    const loop = work({ onWarning });
    loop.hooks.add(noting("a", log));
    loop.hooks.add(noting("b", log, { close: new Error("disk") }));
    loop.hooks.add(noting("c", [], { call: new Error("first") }), { onError: "throw" });
    await assertRejects(() => loop.run(1), Error, "first");
  } finally {
    console.warn = original;
  }
  assertEquals(log.slice(-1), ["close a failed first"]);
  assertEquals(printed.map(([text]) => String(text).split(" ")[1]), ["b", "onWarning"]);
});

Deno.test("a hook with onError warn that cannot open in mid-run is reported, and the run goes on", async () => {
  for (
    const open of [() => {
      throw new Error("no disk");
    }, () => Promise.reject(new Error("no disk"))]
  ) {
    const warnings = collect<HookWarning>(), loop = work({ onWarning: warnings.push });
    const late = { ...noting("late", []), onError: "warn" as const, open };
    loop.hooks.add(
      {
        stage: "work/BEFORE",
        frequency: 1,
        once: true,
        call: () => void loop.hooks.add(late),
      } as const,
    );
    assertEquals(await loop.run(3), { status: "completed", hookErrors: 1 });
    assertEquals(warnings.list.map(({ hook, stage }) => [hook, stage]), [["late", "open"]]);
  }
});

Deno.test("an error that stops the run is counted, too", async () => {
  const loop = work();
  loop.hooks.add(noting("a", [], { call: new Error("no") }), { onError: "throw" });
  await assertRejects(() => loop.run(1));
  assertEquals(loop.hooks.list()[0]!.errors, 1);
});

Deno.test("of several removed hooks that fail to close, the first error is thrown and the others reported", async () => {
  const warnings = collect<HookWarning>(), loop = work({ onWarning: warnings.push });
  const names = ["x", "y", "z"];
  for (const name of names) loop.hooks.add(noting(name, [], { close: new Error(`close ${name}`) }));
  const remove = () => names.forEach((name) => loop.hooks.remove(name));
  loop.hooks.add({ stage: "work/BEFORE", frequency: 1, once: true, call: remove } as const);
  await assertRejects(() => loop.run(5), Error, "close x");
  assertEquals(warnings.list.map(({ hook, stage }) => [hook, stage]), [["y", "close"], [
    "z",
    "close",
  ]]);
});

Deno.test("an object that was removed in this step cannot be added again before it is closed", async () => {
  const log: string[] = [], loop = work({ onWarning: () => {} });
  const hook = noting("again", log);
  loop.hooks.add(hook);
  const at = { stage: "work/AFTER", frequency: 1, once: true } as const;
  let refused = "";
  const swap = () => {
    loop.hooks.remove("again");
    try {
      loop.hooks.add(hook);
    } catch (error) {
      refused = (error as Error).message;
    }
  };
  loop.hooks.add({ ...at, call: swap });
  loop.hooks.add({ ...at, after: 2, call: () => void loop.hooks.add(hook) });
  await loop.run(4);
  assertEquals(refused.includes("is not closed yet"), true);
  assertEquals(log, [
    "open again",
    "again at 0",
    "close again stopped",
    "open again",
    "again at 3",
    "close again completed",
  ]);
});

Deno.test("a hook removed while its late open fails is reported, and the run goes on", async () => {
  const warnings = collect<HookWarning>(), loop = work({ onWarning: warnings.push });
  const late = { ...noting("late", []), open: () => Promise.reject(new Error("nope")) };
  const at = { stage: "work/BEFORE", frequency: 1, once: true } as const;
  loop.hooks.add({ ...at, call: () => void loop.hooks.add(late) });
  loop.hooks.add({ ...at, call: () => void loop.hooks.remove("late") });
  assertEquals(await loop.run(3), { status: "completed", hookErrors: 1 });
  assertEquals(warnings.list.map(({ hook, stage }) => [hook, stage]), [["late", "open"]]);
});

Deno.test("no stage reaches a hook before all are open", async () => {
  const log: string[] = [], loop = work();
  loop.hooks.add({ ...noting("a", log), open: () => void loop.fire("work/AFTER") });
  loop.hooks.add(noting("b", log));
  await loop.run(1);
  assertEquals(log.slice(0, 3), ["open b", "a at 0", "b at 0"]);
});

Deno.test("of several hooks that cannot open in mid-run, the first error is thrown and the others reported", async () => {
  const warnings = collect<HookWarning>(), loop = work({ onWarning: warnings.push });
  const add = () => {
    for (const name of ["x", "y"]) {
      loop.hooks.add({
        ...noting(name, []),
        open: () => Promise.reject(new Error(`open ${name}`)),
      });
    }
  };
  loop.hooks.add({ stage: "work/BEFORE", frequency: 1, once: true, call: add } as const);
  await assertRejects(() => loop.run(5), Error, "open x");
  assertEquals(warnings.list.map(({ hook, stage }) => [hook, stage]), [["y", "open"]]);
});

Deno.test("the outcome says how many errors of hooks did not stop the run, of that run alone", async () => {
  const loop = work({ onWarning: () => {} });
  let isBroken = true;
  loop.hooks.add({
    stage: "work/AFTER",
    frequency: 1,
    onError: "warn",
    call: () => {
      if (isBroken) throw new Error("on purpose");
    },
  });
  assertEquals(await loop.run(3), { status: "completed", hookErrors: 3 });
  isBroken = false;
  assertEquals(await loop.run(3), { status: "completed" });
});

Deno.test("the first error of a hook in its first firing ends the run; once it has worked, errors are warnings", async () => {
  const failing = (steps: readonly number[], more: object = {}) => ({
    stage: "work/AFTER" as const,
    frequency: 1,
    ...more,
    call: ({ stepCount }: BaseContext) => {
      if (steps.includes(stepCount)) throw new Error(`at ${stepCount}`);
    },
  });
  const ran = async (hook: object, nSteps = 4) => {
    const loop = work({ onWarning: () => {} });
    loop.hooks.add(hook as never, { name: "hook" });
    const outcome = await loop.run(nSteps).catch(({ message }) => message);
    return [outcome, loop.hooks.list()[0]!.errors] as const;
  };
  assertEquals(await ran(failing([0])), ["at 0", 1]);
  assertEquals(await ran(failing([2, 3], { phase: 2, frequency: 10 })), ["at 2", 1]);
  assertEquals(await ran(failing([1, 2])), [{ status: "completed", hookErrors: 2 }, 2]);
  // A policy that is given holds from the beginning.
  assertEquals(await ran(failing([0], { onError: "warn" })), [
    { status: "completed", hookErrors: 1 },
    1,
  ]);
  assertEquals(await ran(failing([0, 1], { onError: "disable" })), [
    { status: "completed", hookErrors: 1 },
    1,
  ]);
  // A hook that has worked at one stage is known to work.
  const twoStages = {
    stages: ["work/AFTER", "work/EPOCH_END"],
    frequency: 1,
    call: (_: BaseContext, stage: string) => {
      if (stage === "work/EPOCH_END") throw new Error("after");
    },
  };
  assertEquals(await ran(twoStages, 6), [{ status: "completed", hookErrors: 2 }, 2]);
});

Deno.test("a run that goes on after the first error of a hook warns of the next ones", async () => {
  const loop = work({ onWarning: () => {} });
  const { call } = noting("bad", [], { call: new Error("no") });
  loop.hooks.add({ name: "bad", stage: "work/AFTER", frequency: 1, call });
  await assertRejects(() => loop.run(3), Error, "no");
  assertEquals(await loop.run(3), { status: "completed", hookErrors: 3 });
});
