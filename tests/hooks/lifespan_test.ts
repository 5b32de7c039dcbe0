import { assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { type BaseContext, Loop, type Outcome, slot } from "@hooke/hooke/hooks";
import { hook } from "@hooke/hooke";
import { Steps, work, WorkStage } from "./kit.ts";

/** A file-like hook: its calls, and whether it is open. */
class Resource {
  readonly stage = WorkStage.AFTER;
  readonly frequency = 1;
  readonly log: string[] = [];

  open(): void {
    this.log.push("open");
  }
  call(ctx: BaseContext): void {
    this.log.push(`${ctx.stepCount}`);
  }
  close(outcome: Outcome): void {
    this.log.push(outcome.status);
  }
}

Deno.test("run opens and closes; a second run does so again", async () => {
  const resource = new Resource(), loop = work({ hooks: [resource] });
  await loop.run(2);
  await loop.run(1);
  assertEquals(resource.log, ["open", "0", "1", "completed", "open", "2", "completed"]);
});

Deno.test("await using closes what steps by hand have opened", async () => {
  const resource = new Resource();
  {
    await using loop = work({ hooks: [resource] });
    await loop.step();
    await loop.step();
    assertEquals(loop.stepCount, 2);
  }
  assertEquals(resource.log, ["open", "0", "1", "completed"]);
});

Deno.test("run inside await using closes once, and steps before it stay in one opening", async () => {
  const resource = new Resource();
  {
    await using loop = work({ hooks: [resource] });
    await loop.run(1);
  }
  assertEquals(resource.log.splice(0), ["open", "0", "completed"]);
  {
    await using loop = work({ hooks: [resource] });
    await loop.step();
    await loop.run(2);
  }
  assertEquals(resource.log, ["open", "0", "1", "2", "completed"]);
});

Deno.test("a step by hand that throws closes with failed and the error", async () => {
  const outcomes: Outcome[] = [], error = new Error("no");
  const thrown = await assertRejects(async () => {
    await using loop = work();
    loop.hooks.add({
      stage: WorkStage.AFTER,
      frequency: 1,
      call() {
        throw error;
      },
      close: (outcome: Outcome) => void outcomes.push(outcome),
    }, { onError: "throw" });
    await loop.step();
  });
  assertStrictEquals(thrown, error);
  assertEquals(outcomes, [{ status: "failed", error }]);
});

Deno.test("open gets the engine, close the outcome; both may take time", async () => {
  const log: unknown[] = [];
  const wait = () => new Promise<void>((go) => setTimeout(go, 5));
  const slow = hook({
    name: "slow",
    on: {},
    open: async (engine) => {
      await wait();
      log.push(engine.name, engine.hooks.list().length, engine.stepCount);
    },
    close: async (outcome) => {
      await wait();
      log.push(outcome);
    },
  });
  await work({ name: "mine", hooks: [slow] }).run(1);
  assertEquals(log, ["mine", 1, 0, { status: "completed" }]);
});

Deno.test("any hook may ask to stop; the step is finished, the first reason kept", async () => {
  const after = new Steps(), loop = work({ hooks: [after] });
  const asks = (stage: "work/BEFORE" | "work/AFTER", reason: string) =>
    ({ stage, frequency: 5, phase: 3, call: (ctx: BaseContext) => ctx.stop(reason) }) as const;
  loop.hooks.add(asks("work/BEFORE", "first"));
  loop.hooks.add(asks("work/AFTER", "second"));
  const outcome = await loop.run(100);
  assertEquals(outcome, { status: "stopped", reason: "first", step: 3 });
  assertEquals(after.steps, [0, 1, 2, 3]);
  assertEquals(await loop.run(2), { status: "completed" }); // a stop holds for its run only
});

Deno.test("an abort signal stops the loop after the step under way", async () => {
  const controller = new AbortController();
  const loop = work({ signal: controller.signal });
  loop.hooks.add(
    {
      stage: WorkStage.BEFORE,
      frequency: 10,
      phase: 4,
      call: () => controller.abort("ctrl-c"),
    } as const,
  );
  assertEquals(await loop.run(100), { status: "stopped", reason: "ctrl-c", step: 4 });
  assertEquals(loop.stepCount, 5);
  assertEquals(await loop.run(100), { status: "stopped", reason: "ctrl-c", step: 5 });
});

Deno.test("a loop of synchronous steps gives way, so that timers and signals come through", async () => {
  for (
    const multiStep of [undefined, (_loop: unknown, n: number) => {
      for (const until = performance.now() + n / 1e5; performance.now() < until;);
    }]
  ) {
    const controller = new AbortController();
    const TickStage = WorkStage;
    const loop = new Loop({
      kinds: TickStage,
      context: { total: 0 },
      step: () => {},
      ...(multiStep && { multiStep }),
    }, {
      signal: controller.signal,
    });
    setTimeout(() => controller.abort("timer"), 20);
    const outcome = await loop.run();
    assertEquals(outcome.status, "stopped");
  }
});

Deno.test("running twice at once is an error, and so is an invalid number of steps", async () => {
  const loop = work();
  const first = loop.run(3);
  await assertRejects(() => loop.run(1), Error, "is not finished. Await it first");
  await first;
  for (const n of [-1, 1.5, NaN]) {
    await assertRejects(() => loop.run(n), RangeError, `got ${n}`);
  }
  assertThrows(() => new Loop({ kinds: WorkStage } as never), TypeError, "step must be a function");
});

Deno.test("producer and consumer hooks meet in a shared slot", async () => {
  const metric = slot<number>("metric"),
    best = slot("best", Infinity),
    seen: (number | undefined)[] = [];
  const loop = work();
  const produce = {
    stage: WorkStage.BEFORE,
    frequency: 2,
    call: (ctx: BaseContext) => ctx.shared.set(metric, ctx.stepCount * 10),
  } as const;
  loop.hooks.add(
    {
      stage: WorkStage.AFTER,
      frequency: 1,
      call: (ctx: BaseContext) => void seen.push(ctx.shared.get(metric), ctx.shared.get(best)),
    } as const,
  );
  loop.hooks.add(produce);
  await loop.run(3);
  assertEquals(seen, [0, Infinity, 0, Infinity, 20, Infinity]);
  assertEquals(loop.context.shared.get(slot<number>("metric")), undefined); // another slot, though of the same name
});

Deno.test("sync until something is thenable: a loop of synchronous hooks makes no promise per step", async () => {
  let hops = 0, stepping = true;
  const loop = new Loop({
    kinds: WorkStage,
    context: { total: 0 },
    step: (loop) => {
      queueMicrotask(() => stepping && hops++);
      if (loop.stepCount === 99) stepping = false;
      return loop.fire("work/AFTER");
    },
  }, {
    hooks: [new Steps()],
  });
  await loop.run(100);
  assertEquals(hops, 0); // no microtask got a turn between the first step and the last
});

Deno.test("an engine of several kinds fires each, with one context", async () => {
  const { DynamicsStage } = await import("@hooke/hooke");
  const seen: string[] = [];
  const loop = new Loop({
    kinds: [WorkStage, DynamicsStage] as const,
    context: {} as never,
    step: async (loop) => {
      await loop.fire("dynamics/BEFORE_STEP");
      await loop.fire("work/AFTER");
    },
  });
  loop.hooks.add(
    hook({
      name: "both",
      kinds: [WorkStage],
      on: {
        work: { AFTER: (_ctx, stage) => seen.push(stage) },
        dynamics: { BEFORE_STEP: (_ctx, stage) => seen.push(stage) },
      },
    }),
  );
  await loop.run(1);
  assertEquals(seen, ["dynamics/BEFORE_STEP", "work/AFTER"]);
});

Deno.test("a hook without stages is no fallback, and acts at open and close", async () => {
  const log: string[] = [], loop = work();
  loop.hooks.add(
    hook({
      name: "ends",
      on: {},
      open: () => void log.push("open"),
      close: () => void log.push("close"),
    }),
  );
  assertEquals(loop.hooks.list().map(({ stages, isFallback }) => [stages, isFallback]), [[
    [],
    false,
  ]]);
  await loop.run(1);
  assertEquals(log, ["open", "close"]);
});
