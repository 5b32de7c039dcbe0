import {
  assert,
  assertEquals,
  assertGreater,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  type BaseContext,
  type ContextAt,
  type HookWarning,
  hostState,
  type StateSource,
} from "@hooke/hooke/hooks";
import { hook } from "@hooke/hooke";
import { until } from "../timers.ts";
import { collect, work, WorkStage } from "./kit.ts";

const heights = new Float64Array([1, 2, 3]), depths = new Float64Array([9]);
const host = hostState({ heights: () => heights, depths: () => depths });

/** State on a device that takes its time: every copy arrives some turns after it was asked for. */
class SlowState implements StateSource {
  readonly fields = ["heights", "depths"];
  readonly plans: string[][] = [];
  copies = 0;
  failing = false;
  readonly #values: Record<string, number>;
  readonly #delay: (copy: number) => number;

  constructor(values: Record<string, number>, delay: (copy: number) => number = () => 1) {
    this.#values = values;
    this.#delay = delay;
  }

  plan(fields: readonly string[]) {
    this.plans.push([...fields]);
    return {
      live: false as const,
      fetch: () => {
        const copy = Object.fromEntries(
          fields.map((field) => [field, new Float64Array([this.#values[field]!])]),
        );
        const wait = this.#delay(this.copies++);
        return new Promise<Record<string, Float64Array>>((resolve, reject) =>
          setTimeout(() => this.failing ? reject(new Error("device lost")) : resolve(copy), wait)
        );
      },
    };
  }

  writable(): never {
    throw new Error("not here");
  }
}

type Reads = readonly ["heights"];
type Ctx = ContextAt<typeof WorkStage, "AFTER", Reads>;

Deno.test("a hook gets exactly the fields it declared, as live views", async () => {
  const seen: number[] = [];
  const loop = work({ state: host });
  loop.hooks.add({
    stage: WorkStage.AFTER,
    frequency: 1,
    reads: ["heights"] as const,
    call: (ctx: Ctx) => void seen.push(ctx.read.heights[1]!, Object.keys(ctx.read).length),
  });
  await loop.run(1);
  heights[1] = 5;
  await loop.run(1);
  heights[1] = 2;
  assertEquals(seen, [2, 1, 5, 1]);
});

Deno.test("touching an undeclared field says what to declare", async () => {
  const warnings = collect<HookWarning>();
  // deno-lint-ignore no-explicit-any -- as a JavaScript caller would
  const touch = (f: (ctx: any) => unknown) =>
    ({
      stage: WorkStage.AFTER,
      frequency: 1,
      onError: "warn",
      call: (ctx: unknown) => void f(ctx),
    }) as const;
  const loop = work({ state: host, onWarning: warnings.push });
  loop.hooks.add({ ...touch((ctx) => ctx.read.depths), reads: ["heights"] as const }, {
    name: "some",
  });
  loop.hooks.add(touch((ctx) => ctx.read.depths), { name: "none" });
  loop.hooks.add(touch((ctx) => ctx.write.depths), { name: "writes" });
  await loop.run(1);
  assertEquals(warnings.list.map(({ hook }) => hook), ["some", "none", "writes"]);
  assertStringIncludes(String(warnings.list[0]!.error), 'reads: [..., "depths"]');
  assertStringIncludes(String(warnings.list[1]!.error), "Cannot read depths");
  assertStringIncludes(String(warnings.list[2]!.error), "Cannot write depths");
});

Deno.test("a modifier writes what it declared and nothing else, before the observers of its stage", async () => {
  const own = new Float64Array([1]), other = new Float64Array([1]), seen: number[] = [];
  const loop = work({
    state: hostState({ heights: () => own, depths: () => other }),
    onWarning: () => {},
  });
  loop.hooks.add({
    stage: WorkStage.AFTER,
    frequency: 1,
    reads: ["heights"] as const,
    call: (ctx: Ctx) => void seen.push(ctx.read.heights[0]!),
  });
  const double = hook({
    name: "double",
    kinds: [WorkStage],
    writes: ["heights"],
    on: {
      work: {
        AFTER: (ctx) => {
          ctx.write.heights[0]! *= 2;
          // @ts-expect-error depths is not declared
          ctx.write.depths[0] = 7;
        },
      },
    },
  });
  loop.hooks.add(double, { onError: "warn" });
  await loop.run(2);
  assertEquals(seen, [2, 4]);
  assertEquals([...other], [1]);
  // A modifier is trusted less than an observer: by default, its error stops the run.
  const strict = work({
    state: hostState({ heights: () => own, depths: () => other }),
    hooks: [double],
  });
  await assertRejects(() => strict.run(1), TypeError, 'writes: [..., "depths"]');
});

Deno.test("only observe stages can be written at", () => {
  const loop = work({ state: host });
  const gate = {
    stage: WorkStage.MAY_WORK,
    frequency: 1,
    writes: ["heights"] as const,
    call: () => true,
  };
  assertThrows(() => loop.hooks.add(gate), TypeError, "Only hooks at observe stages can write");
});

Deno.test("deferred observers get their own step's values, in order, and never hold the loop", async () => {
  const values = { heights: 0, depths: 0 };
  // The first copy is the slowest: order must be kept all the same.
  const state = new SlowState(values, (copy) => copy === 0 ? 40 : 1);
  const seen: [string, number, number][] = [];
  const observer = (name: string, frequency: number) => ({
    name,
    stage: WorkStage.AFTER,
    frequency,
    reads: ["heights"] as const,
    call: (ctx: Ctx) => void seen.push([name, ctx.stepCount, ctx.read.heights[0]!]),
  });
  let finished = 0;
  const loop = work({ state, hooks: [observer("a", 1), observer("b", 2)] });
  loop.hooks.add(
    {
      stage: WorkStage.BEFORE,
      frequency: 1,
      call: (ctx: BaseContext) => {
        values.heights = ctx.stepCount * 10;
        if (seen.length === 0) finished = ctx.stepCount;
      },
    } as const,
  );
  await loop.run(6);
  assertEquals(finished, 5); // nothing had been delivered when the last step began
  assertEquals(seen, [
    ["a", 0, 0],
    ["b", 0, 0],
    ["a", 1, 10],
    ["a", 2, 20],
    ["b", 2, 20],
    ["a", 3, 30],
    ["a", 4, 40],
    ["b", 4, 40],
    ["a", 5, 50],
  ]);
  assertEquals(state.copies, 6); // one fused copy per due stage
});

Deno.test("one fused copy serves all hooks of a stage, with the union of their fields", async () => {
  const state = new SlowState({ heights: 1, depths: 2 });
  const loop = work({ state });
  loop.hooks.add({ stage: WorkStage.AFTER, frequency: 1, reads: ["heights"] as const, call() {} });
  loop.hooks.add({
    stage: WorkStage.AFTER,
    frequency: 1,
    reads: ["depths", "heights"] as const,
    call() {},
  });
  await loop.run(3);
  assertEquals(state.plans.at(-1), ["heights", "depths"]);
  assertEquals(state.copies, 3);
});

Deno.test("sync: true waits, so that a decider is exact", async () => {
  const values = { heights: 0, depths: 0 };
  const state = new SlowState(values);
  const loop = work({ state });
  loop.hooks.add(
    {
      stage: WorkStage.BEFORE,
      frequency: 1,
      call: (ctx: BaseContext) => void (values.heights = ctx.stepCount),
    } as const,
  );
  loop.hooks.add({
    stage: WorkStage.AFTER,
    frequency: 1,
    reads: ["heights"] as const,
    sync: true,
    call: (ctx: Ctx) => ctx.read.heights[0] === 3 ? ctx.stop("three") : undefined,
  });
  assertEquals(await loop.run(100), { status: "stopped", reason: "three", step: 3 });
  assertEquals(loop.stepCount, 4);
});

Deno.test("a deferred observer's stop takes effect when delivered, and names its step", async () => {
  const values = { heights: 0, depths: 0 };
  const loop = work({ state: new SlowState(values, () => 5) });
  loop.hooks.add(
    {
      stage: WorkStage.BEFORE,
      frequency: 1,
      call: (
        ctx: BaseContext,
      ) => (values.heights = ctx.stepCount, new Promise((go) => setTimeout(go, 1))),
    } as const,
  );
  loop.hooks.add({
    stage: WorkStage.AFTER,
    frequency: 1,
    reads: ["heights"] as const,
    call: (ctx: Ctx) => ctx.read.heights[0] === 3 ? ctx.stop("three") : undefined,
  });
  assertEquals(await loop.run(1000), { status: "stopped", reason: "three", step: 3 });
  assertGreater(loop.stepCount, 4);
  // Delivered after the last step, it still counts.
  const short = work({ state: new SlowState({ heights: 3, depths: 0 }, () => 20) });
  short.hooks.add({
    stage: WorkStage.AFTER,
    frequency: 2,
    reads: ["heights"] as const,
    call: (ctx: Ctx) => ctx.stop("late"),
  });
  assertEquals(await short.run(1), { status: "stopped", reason: "late", step: 0 });
});

Deno.test("a deferred observer's throw takes effect when delivered, and names its step", async () => {
  const fails = {
    name: "bad",
    stage: WorkStage.AFTER,
    frequency: 2,
    phase: 1,
    reads: ["heights"] as const,
    call: (_ctx: Ctx) => {
      throw new Error("no");
    },
  };
  const warnings = collect<HookWarning>();
  const warned = work({
    state: new SlowState({ heights: 0, depths: 0 }),
    onWarning: warnings.push,
    hooks: [{ ...fails, onError: "warn" }],
  });
  await warned.run(4);
  assertEquals(warnings.list.map(({ hook, step }) => [hook, step]), [["bad", 1], ["bad", 3]]);
  const strict = work({ state: new SlowState({ heights: 0, depths: 0 }) });
  strict.hooks.add({ ...fails }, { onError: "throw" });
  const error = await assertRejects(
    () => strict.run(4),
    Error,
    "hook bad threw at work/AFTER of step 1",
  );
  assertEquals((error.cause as Error).message, "no");
  // Without a policy the first error ends the run, too.
  const plain = work({ state: new SlowState({ heights: 0, depths: 0 }), hooks: [{ ...fails }] });
  await assertRejects(() => plain.run(4), Error, "hook bad threw at work/AFTER of step 1");
});

Deno.test("a copy that fails is an error of the run, not a silence", async () => {
  const state = new SlowState({ heights: 0, depths: 0 });
  state.failing = true;
  const loop = work({ state });
  loop.hooks.add({ stage: WorkStage.AFTER, frequency: 1, reads: ["heights"] as const, call() {} });
  const error = await assertRejects(() => loop.run(2), Error, "work/AFTER of step 0");
  assertEquals((error.cause as Error).message, "device lost");
});

Deno.test("a hook without reads fires on time beside deferred ones", async () => {
  const log: string[] = [];
  const loop = work({ state: new SlowState({ heights: 0, depths: 0 }) });
  loop.hooks.add({
    stage: WorkStage.AFTER,
    frequency: 1,
    reads: ["heights"] as const,
    call: (ctx: Ctx) => void log.push(`late ${ctx.stepCount}`),
  });
  loop.hooks.add(
    {
      stage: WorkStage.AFTER,
      frequency: 1,
      call: (ctx: BaseContext) => void log.push(`now ${ctx.stepCount}`),
    } as const,
  );
  await loop.run(2);
  assertEquals(log, ["now 0", "now 1", "late 0", "late 1"]);
});

Deno.test("too many deliveries under way hold the loop until the oldest has come", async () => {
  const state = new SlowState({ heights: 0, depths: 0 }, () => 10);
  let most = 0, delivered = 0;
  const loop = work({ state });
  loop.hooks.add({
    stage: WorkStage.AFTER,
    frequency: 1,
    reads: ["heights"] as const,
    call: () => void delivered++,
  });
  loop.hooks.add(
    {
      stage: WorkStage.BEFORE,
      frequency: 1,
      call: () => void (most = Math.max(most, state.copies - delivered)),
    } as const,
  );
  await loop.run(300);
  assertEquals(delivered, 300);
  assert(most <= 66, `${most} under way`);
});

Deno.test("reads of a hook for several kinds may be missing on an engine of one of them", async () => {
  const both = hook({
    name: "both",
    kinds: [WorkStage],
    reads: ["fmax"],
    on: { work: { AFTER: () => {} }, dynamics: { AFTER_STEP: (ctx) => void ctx.read.fmax[0] } },
  });
  assertEquals(await work({ hooks: [both] }).run(1), { status: "completed" });
});

Deno.test("a modifier that reads waits for its copy, and still comes before the observers", async () => {
  const log: string[] = [], state = new SlowState({ heights: 1, depths: 2 });
  const loop = work({
    state: { fields: state.fields, plan: state.plan.bind(state), writable: () => [] },
  });
  const both = { reads: ["heights"] as const, writes: ["depths"] as const };
  const at = { stage: WorkStage.AFTER, frequency: 1 };
  loop.hooks.add({ ...at, call: (ctx: BaseContext) => void log.push(`looks ${ctx.stepCount}`) });
  loop.hooks.add({ ...at, ...both, call: (ctx: Ctx) => void log.push(`changes ${ctx.stepCount}`) });
  await loop.run(2);
  assertEquals(log, ["changes 0", "looks 0", "changes 1", "looks 1"]);
});

Deno.test("a deferred observer that takes stop out of its context still names its step", async () => {
  const loop = work({ state: new SlowState({ heights: 0, depths: 0 }, () => 5) });
  const observer = {
    stage: WorkStage.AFTER,
    frequency: 2,
    phase: 1,
    reads: ["heights"] as const,
    call: ({ stop }: Ctx) => stop("taken out"),
  };
  loop.hooks.add(observer);
  assertEquals(await loop.run(6), { status: "stopped", reason: "taken out", step: 1 });
});

Deno.test("a deferred observer with onError disable is not called after its first error", async () => {
  const calls: number[] = [];
  const loop = work({ state: new SlowState({ heights: 0, depths: 0 }), onWarning: () => {} });
  const call = (ctx: Ctx) => {
    calls.push(ctx.stepCount);
    throw new Error("no");
  };
  const reads = ["heights"] as const;
  loop.hooks.add({ stage: WorkStage.AFTER, frequency: 1, reads, call }, { onError: "disable" });
  await loop.run(4);
  assertEquals(calls, [0]);
});

Deno.test("late observers are not lost beside asynchronous ones", async () => {
  const log: string[] = [], loop = work({ state: new SlowState({ heights: 0, depths: 0 }) });
  const at = { stage: WorkStage.AFTER, frequency: 1 };
  const late = {
    ...at,
    reads: ["heights"] as const,
    call: (ctx: Ctx) => void log.push(`late ${ctx.stepCount}`),
  };
  loop.hooks.add(late);
  loop.hooks.add({ ...at, call: () => Promise.resolve() });
  loop.hooks.add({ ...late });
  await loop.run(2);
  assertEquals(log.length, 4);
});

Deno.test("a deferred error stops one run, or one step by hand, and no other", async () => {
  let fails = true;
  const loop = work({ state: new SlowState({ heights: 0, depths: 0 }), onWarning: () => {} });
  const call = (_ctx: Ctx) => {
    if (fails) throw new Error("no");
  };
  const reads = ["heights"] as const;
  loop.hooks.add({ stage: WorkStage.AFTER, frequency: 1, reads, call }, { onError: "throw" });
  await assertRejects(() => loop.run(1), Error, "of step 0");
  fails = false;
  assertEquals(await loop.run(1), { status: "completed" });
  fails = true;
  await loop.step();
  await new Promise((resolve) => setTimeout(resolve, 10));
  await assertRejects(() => loop.step(), Error, "of step 2");
  fails = false;
  await loop.close();
});

Deno.test("a when that reads fetched fields throws, and one that reads live state works", async () => {
  const warnings = collect<HookWarning>(), steps: number[] = [];
  const hook = {
    stage: WorkStage.AFTER,
    frequency: 1,
    reads: ["heights"] as const,
    when: (ctx: Ctx) => ctx.read.heights[0]! > 0,
    call: (ctx: Ctx) => void steps.push(ctx.stepCount),
  };
  const slow = new SlowState({ heights: 1, depths: 0 });
  const warned = { ...hook, onError: "warn" } as const;
  await work({ state: slow, onWarning: warnings.push, hooks: [warned] }).run(1);
  assertStringIncludes(
    String(warnings.list[0]!.error),
    "Cannot read heights in the `when` of hook hook",
  );
  await work({ state: host, hooks: [{ ...hook }] }).run(2);
  assertEquals(steps, [0, 1]);
});

Deno.test("a hook that opens slowly in mid-run holds up no delivery", async () => {
  const log: string[] = [], loop = work({ state: new SlowState({ heights: 0, depths: 0 }) });
  const slow = {
    stage: WorkStage.AFTER,
    frequency: 1,
    open: async () => {
      await until(() => log.length === 3);
      log.push("opened");
    },
    call() {},
  };
  loop.hooks.add({
    stage: WorkStage.BEFORE,
    frequency: 1,
    once: true,
    call: () => void loop.hooks.add(slow),
  });
  loop.hooks.add({
    stage: WorkStage.AFTER,
    frequency: 1,
    reads: ["heights"] as const,
    call: (ctx: Ctx) => void log.push(`${ctx.stepCount}`),
  });
  await loop.run(3);
  assertEquals(log, ["0", "1", "2", "opened"]);
});
