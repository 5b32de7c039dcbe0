import { assert, assertEquals, assertNotEquals } from "@std/assert";
import {
  type BaseContext,
  type HookWarning,
  hostState,
  ObserverMutationError,
} from "@hooke/hooke/hooks";
import { fingerprint } from "../../src/hooks/run/verify.ts";
import { collect, work, WorkStage } from "./kit.ts";

function verified() {
  const heights = new Float64Array([1, 2]), warnings = collect<HookWarning>();
  const loop = work({
    verify: true,
    onWarning: warnings.push,
    state: hostState({ heights: () => heights }),
  });
  return { loop, heights, warnings };
}

// deno-lint-ignore no-explicit-any -- as a JavaScript caller would
const observe = (f: (ctx: any) => unknown) => ({
  stage: WorkStage.AFTER,
  frequency: 1,
  reads: ["heights"] as const,
  call: (ctx: unknown) => f(ctx) as void,
});

Deno.test("verify reports an observer that changed what it was handed, and names it", async () => {
  const { loop, warnings } = verified();
  loop.hooks.add(observe((ctx) => ctx.read.heights[1] = -0), { name: "writes" });
  loop.hooks.add(observe((ctx) => void (ctx.total = 99)), { name: "assigns" });
  loop.hooks.add(observe((ctx) => void (ctx.note = "hello")), { name: "adds" });
  await loop.run(1);
  assertEquals(
    warnings.list.map(({ hook, error }) => [hook, (error as ObserverMutationError).changed]),
    [
      ["writes", ["heights"]],
      ["assigns", ["ctx.total"]],
      ["adds", ["ctx.note"]],
    ],
  );
  assert(warnings.list.every(({ error }) => error instanceof ObserverMutationError));
});

Deno.test("verify finds a change made after an await, and a plain one that returns a promise", async () => {
  const { loop, warnings } = verified();
  loop.hooks.add(observe(async (ctx) => {
    await Promise.resolve();
    ctx.read.heights[0] = 7;
  }));
  await loop.run(1);
  assertEquals(warnings.list.length, 1);
});

Deno.test("verify reports nothing of observers that only look, of modifiers, and of shared slots", async () => {
  const { loop, heights, warnings } = verified();
  const { slot } = await import("@hooke/hooke/hooks");
  const last = slot<number>("last");
  loop.hooks.add(observe((ctx) => ctx.shared.set(last, ctx.read.heights[0])));
  loop.hooks.add({
    stage: WorkStage.AFTER,
    frequency: 1,
    writes: ["heights"] as const,
    call: (ctx: BaseContext & { write: { heights: Float64Array } }) =>
      void (ctx.write.heights[0]! += 1),
  });
  await loop.run(3);
  assertEquals(warnings.list, []);
  assertEquals(heights[0], 4);
});

Deno.test("without verify the same observer goes unnoticed: it is a mode for tests", async () => {
  const warnings = collect<HookWarning>(), heights = new Float64Array([1]);
  const loop = work({ onWarning: warnings.push, state: hostState({ heights: () => heights }) });
  loop.hooks.add(observe((ctx) => ctx.read.heights[0] = 5));
  await loop.run(1);
  assertEquals([warnings.list.length, heights[0]], [0, 5]);
});

Deno.test("verifying changes no firing and no result", async () => {
  const results = await Promise.all([false, true].map(async (verify) => {
    const seen: number[] = [], loop = work({ verify });
    loop.hooks.add(
      {
        stage: WorkStage.AFTER,
        frequency: 2,
        call: (ctx: BaseContext) => void seen.push(ctx.stepCount),
      } as const,
    );
    loop.hooks.add(
      {
        stage: WorkStage.AMOUNT,
        frequency: 1,
        call: (ctx: { value: number }) => ctx.value * 3,
      } as const,
    );
    await loop.run(7);
    return [seen, loop.context.total];
  }));
  assertEquals(results[0], results[1]);
});

Deno.test("a fingerprint tells apart what differs in one bit, key, order or length", () => {
  const cyclic: Record<string, unknown> = { a: 1 };
  cyclic.self = cyclic;
  const values = [
    0,
    -0,
    NaN,
    1,
    "1",
    true,
    null,
    undefined,
    [],
    {},
    [0],
    [[0]],
    [0, 0],
    { a: 1 },
    { b: 1 },
    { a: 1, b: 2 },
    { b: 2, a: 1 },
    new Float32Array(2),
    new Float64Array(1),
    new Float64Array(2),
    new Map([[1, 2]]),
    new Map([[2, 1]]),
    new Set([1]),
    new Date(0),
    new Date(1),
    new Uint8Array([1]).buffer,
    new Uint8Array([2]).buffer,
    cyclic,
  ];
  const prints = values.map(fingerprint);
  for (const [i, a] of prints.entries()) {
    for (const [j, b] of prints.entries()) {
      if (i < j) assertNotEquals(a, b, `${i} and ${j} have one fingerprint`);
    }
  }
  assertEquals(
    fingerprint({ x: new Float32Array([1, 2]) }),
    fingerprint({ x: new Float32Array([1, 2]) }),
  );
});

Deno.test("verify looks at observers only: pipes and gates may keep notes on the context", async () => {
  const { loop, warnings } = verified();
  const call = (ctx: BaseContext & { note?: number }) => {
    ctx.note = ctx.stepCount;
    return true;
  };
  loop.hooks.add({ stage: WorkStage.MAY_WORK, frequency: 1, call });
  await loop.run(2);
  assertEquals(warnings.list, []);
});
