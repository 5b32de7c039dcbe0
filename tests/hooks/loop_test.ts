/** Guarantees of a loop: one call at a time, stops of its run, multi-step calls that yield. */
import { assert, assertEquals, assertLess, assertRejects, assertThrows } from "@std/assert";
import { type BaseContext, Loop, type Outcome, type SavedLoop } from "@hooke/hooke/hooks";
import { Steps, work, WorkStage } from "./kit.ts";

const at = (stage: "work/BEFORE" | "work/AFTER") => ({ stage, frequency: 1 }) as const;

Deno.test("multi-step calls grow only when they were not cut short, so that the longest is one of some milliseconds", async () => {
  const calls: number[] = [];
  const loop = new Loop({
    kinds: WorkStage,
    context: { total: 0 },
    step: (loop) => loop.fire("work/AFTER"),
    multiStep: (_loop, n) => void calls.push(n),
  });
  const handle = loop.hooks.add(new Steps("work/AFTER", 2));
  // The clock stands still: on a busy machine a call may take long for no reason of its own.
  Object.defineProperty(performance, "now", { value: () => 0, configurable: true });
  try {
    await loop.run(6000); // three thousand calls of one step each
    handle.remove();
    await loop.run(2 ** 20);
  } finally {
    delete (performance as { now?: unknown }).now;
  }
  assertLess(Math.max(...calls.slice(3000, 3005)), 2 ** 16);
  assertEquals(calls.slice(3000, 3004), [16, 32, 64, 128]);
});

/** Lengths of the multi-step calls of a run of `steps` steps, if the step with this index takes this time in ms. */
async function lengthsOf(
  steps: number,
  duration: (step: number) => number,
  hooks: Steps[] = [],
): Promise<number[]> {
  const calls: number[] = [];
  let now = 0, done = 0;
  const multiStep = (_loop: unknown, n: number) => {
    calls.push(n);
    for (let i = 0; i < n; i++) now += duration(done++);
  };
  const step = (loop: Loop<typeof WorkStage>) => {
    now += duration(done++);
    return loop.fire("work/AFTER");
  };
  const loop = new Loop({ kinds: WorkStage, context: { total: 0 }, step, multiStep }, { hooks });
  Object.defineProperty(performance, "now", { value: () => now, configurable: true });
  try {
    await loop.run(steps);
  } finally {
    delete (performance as { now?: unknown }).now;
  }
  return calls;
}

Deno.test("a multi-step call that takes long is followed by shorter ones, of 50 ms or of up to 16 steps", async () => {
  const lengths = (ms: number) => lengthsOf(1100, () => ms);
  assertEquals((await lengths(1 / 16)).slice(4), [256, 512, 1100 - 1008]); // of 800 steps
  assertEquals((await lengths(1)).slice(0, 4), [16, 32, 50, 50]);
  assertEquals((await lengths(10)).slice(0, 3), [16, 16, 16]);
  assertEquals((await lengths(20)).slice(0, 3), [16, 12, 12]);
  assertEquals((await lengths(100)).slice(0, 3), [16, 2, 2]);
  assertEquals((await lengths(1000)).slice(0, 3), [16, 1, 1]);
  const faster = await lengthsOf(500, (step) => step < 20 ? 100 : 1);
  assertEquals(faster.slice(0, 9), [16, 2, 2, 2, 4, 8, 16, 32, 50]);
});

Deno.test("steps that become slow while a hook keeps the calls short are not followed by a call of seconds", async () => {
  // The hook is due in every 8th step from 4000 to 4400, in which steps become slow.
  const rare = Object.assign(new Steps("work/AFTER", 8), { after: 4000, until: 4400 });
  const calls = await lengthsOf(4800, (step) => step < 4000 ? 0.001 : 20, [rare]);
  assertEquals(calls.filter((n) => n === 7).length, 50 - 1);
  assertLess(1000, Math.max(...calls));
  const free = calls.slice(calls.lastIndexOf(7) + 1);
  assertEquals(free, [...Array(33).fill(12), 4800 - 4393 - 33 * 12]); // 240 ms each
});

Deno.test("step, run, close and load are refused while another call is in progress", async () => {
  const refused: string[] = [];
  const tries = async (action: () => unknown) => {
    try {
      await action();
    } catch (error) {
      refused.push((error as Error).message);
    }
  };
  const loop = work();
  const saved = loop.save();
  loop.hooks.add({
    ...at("work/BEFORE"),
    once: true,
    call: () =>
      Promise.all([
        tries(() => loop.step()),
        tries(() => loop.run(1)),
        tries(() => loop.close()),
        tries(() => loop.load(saved)),
      ]) as unknown as Promise<void>,
  });
  await loop.run(2);
  assertEquals(loop.stepCount, 2);
  assertEquals(refused.length, 4);
  assert(
    refused.every((message) => message.includes("its run is not finished. Await it first")),
  );
  const first = loop.step();
  await assertRejects(() => loop.step(), Error, "its step is not finished. Await it first");
  await first;
});

Deno.test("a step by hand that throws closes everything at once, and the next begins afresh", async () => {
  const outcomes: Outcome[] = [], error = new Error("no");
  let fails = true;
  const loop = work();
  const hook = {
    ...at("work/AFTER"),
    call: () => {
      if (fails) throw error;
    },
    close: (outcome: Outcome) => void outcomes.push(outcome),
  };
  loop.hooks.add(hook, { onError: "throw" });
  await assertRejects(() => loop.step(), Error, "no");
  assertEquals(outcomes, [{ status: "failed", error }]);
  fails = false;
  await loop.step();
  await loop.close();
  assertEquals(outcomes[1], { status: "completed" });
  assertEquals(loop.stepCount, 1);
});

Deno.test("a stop holds for the run under way, and for the steps by hand until they are closed", async () => {
  const outcomes: Outcome[] = [];
  const loop = work();
  loop.hooks.add({
    ...at("work/AFTER"),
    call: (ctx: BaseContext) => void (ctx.stepCount === 1 && ctx.stop("enough")),
    close: (outcome: Outcome) => void outcomes.push(outcome),
  });
  assertEquals((await loop.run(10)).status, "stopped");
  await loop.step();
  await loop.close();
  assertEquals(outcomes.map(({ status }) => status), ["stopped", "completed"]);
});

Deno.test("await using closes at the end of the block, not after the run in it", async () => {
  const log: string[] = [];
  {
    await using loop = work();
    loop.hooks.add({ ...at("work/AFTER"), call() {}, close: () => void log.push("close") });
    await loop.step();
    await loop.run(1);
    log.push("after run");
  }
  assertEquals(log, ["after run", "close"]);
});

Deno.test("a promise forgotten at the end of a step is found out, and its failure is not lost", async () => {
  const unhandled: unknown[] = [];
  const listener = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    unhandled.push(event.reason);
  };
  globalThis.addEventListener("unhandledrejection", listener);
  try {
    const loop = new Loop({
      kinds: WorkStage,
      context: { total: 0 },
      step: (loop) => void loop.fire("work/AFTER"),
    });
    const failing = { ...at("work/AFTER"), call: () => Promise.reject(new Error("lost")) };
    loop.hooks.add(failing, { onError: "throw" });
    await assertRejects(() => loop.run(1), Error, 'await loop.fire("work/AFTER")');
    await new Promise((resolve) => setTimeout(resolve, 5));
    assertEquals(unhandled.map(String), ["Error: lost"]);
  } finally {
    globalThis.removeEventListener("unhandledrejection", listener);
  }
});

Deno.test("a loop leaves no listener on its signal", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const counting = {
    aborted: false,
    addEventListener: () => void listeners++,
    removeEventListener: () => void listeners--,
  };
  await work({ signal: counting as unknown as AbortSignal }).run(1);
  assertEquals([listeners, signal.aborted], [0, false]);
});

Deno.test("a signal that was aborted for no given reason says so in words", async () => {
  assertEquals(await work({ signal: AbortSignal.abort() }).run(3), {
    status: "stopped",
    reason: "The signal has been aborted",
    step: 0,
  });
});

Deno.test("load refuses what save did not give, and then changes nothing", () => {
  const loop = work({ hooks: [new Steps()] });
  const saved = loop.save();
  const wrong: unknown[] = [
    undefined,
    {},
    { hooks: {} },
    { ...saved, stepCount: "7" },
    { ...saved, stepCount: -1 },
    { ...saved, counts: { epoch: 0.5 } },
    { ...saved, counts: { epcoh: 1 } },
    { ...saved, counts: { step: 3 } },
    { ...saved, counts: [] },
    { ...saved, hooks: [] },
    { ...saved, hooks: { Steps: { enabled: true, fired: { "work/AFTER": -7 }, events: {} } } },
    { ...saved, stepCount: 1n },
    { ...saved, hooks: { Steps: { enabled: true, fired: { "work/AFTER": "x" }, events: {} } } },
  ];
  for (const state of wrong) {
    assertThrows(() => loop.load(state as SavedLoop), TypeError, "must be a result of save()");
    assertEquals(loop.save(), saved);
  }
});

Deno.test("after a load to an earlier step everything is due as it was then", async () => {
  const seen: Record<string, number[]> = { pipe: [], gate: [], late: [], scheduled: [] };
  const loop = work();
  const note = (name: string, ctx: BaseContext) => void seen[name]!.push(ctx.stepCount);
  loop.hooks.add({
    stage: WorkStage.AMOUNT,
    frequency: 2,
    call: (ctx: BaseContext & { readonly value: number }) => {
      note("pipe", ctx);
      return ctx.value;
    },
  });
  loop.hooks.add({
    stage: WorkStage.MAY_WORK,
    frequency: 1,
    call: (ctx: BaseContext) => {
      note("gate", ctx);
      return true;
    },
  });
  loop.hooks.add({ ...at("work/AFTER"), call: () => Promise.resolve() });
  loop.hooks.add({ ...at("work/AFTER"), call: (ctx: BaseContext) => note("late", ctx) });
  loop.hooks.add({
    ...at("work/BEFORE"),
    frequency: 3,
    call: (ctx: BaseContext) => note("scheduled", ctx),
  });
  const start = loop.save();
  await loop.run(5);
  const first = structuredClone(seen);
  for (const list of Object.values(seen)) list.length = 0;
  loop.load(start);
  await loop.run(5);
  assertEquals(seen, first);
  assertEquals(first, {
    pipe: [0, 2, 4],
    gate: [0, 1, 2, 3, 4],
    late: [0, 1, 2, 3, 4],
    scheduled: [0, 3],
  });
});

Deno.test("only a counter of the kinds can be advanced", () => {
  const loop = work();
  assertThrows(() => loop.advance("epcoh"), RangeError, "did you mean epoch?");
});

Deno.test("a stop asked for while hooks open is kept, by run as by step", async () => {
  const make = () => {
    const loop = work();
    loop.hooks.add({ ...at("work/AFTER"), call() {}, open: () => loop.stop("no licence") });
    return loop;
  };
  const loop = make();
  assertEquals(await loop.run(3), { status: "stopped", reason: "no licence", step: 0 });
  assertEquals(loop.stepCount, 0);
});

Deno.test("changes by a load are reported with the loaded step; unknown hooks begin afresh", async () => {
  const steps = new Steps(), changes: unknown[] = [];
  const once = { ...at("work/AFTER"), once: true, calls: 0, call: () => void once.calls++ };
  const loop = work({ hooks: [steps], onWarning: () => {} });
  loop.hooks.add(once, { name: "once" });
  await loop.run(2);
  const saved = loop.save();
  loop.hooks.disable("Steps");
  await loop.run(5);
  loop.hooks.subscribe((change) => changes.push(change));
  loop.load({ ...saved, hooks: { Steps: saved.hooks["Steps"]! } });
  assertEquals(changes, [{ type: "enable", name: "Steps", step: 2 }]);
  await loop.run(1);
  assertEquals([steps.steps, once.calls], [[0, 1, 2], 2]);
});

Deno.test("timers and signals arrive during a run whose steps never wait, also after steps became slow", async () => {
  const seen = { slowSteps: 0, timer: NaN, signal: NaN };
  const begun = performance.now();
  const busy = (ms: number) => {
    for (const until = performance.now() + ms; performance.now() < until;);
  };
  const onSignal = () => void (seen.signal = seen.slowSteps);
  Deno.addSignalListener("SIGWINCH", onSignal); // a signal that ends no process
  const timer = setTimeout(() => {
    seen.timer = seen.slowSteps;
    Deno.kill(Deno.pid, "SIGWINCH");
  }, 100);
  try {
    // Steps of microseconds, then steps of 20 ms: the loop must notice the change.
    const loop = new Loop({
      kinds: WorkStage,
      context: { total: 0 },
      step(loop) {
        if (!Number.isNaN(seen.signal) || seen.slowSteps > 500) loop.stop("seen");
        if (performance.now() - begun < 50) return;
        seen.slowSteps++;
        busy(20);
      },
    });
    await loop.run(1e9);
  } finally {
    clearTimeout(timer);
    Deno.removeSignalListener("SIGWINCH", onSignal);
  }
  // Counted in steps of at least 20 ms, as a machine that stalls delays all of this.
  assert(seen.timer < 75, `timer after ${seen.timer} steps`);
  assert(seen.signal < 125, `signal after ${seen.signal} steps`);
});
