import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type BaseContext, type HookWarning, Loop } from "@hooke/hooke/hooks";
import { hook } from "@hooke/hooke";
import { collect, work, WorkStage } from "./kit.ts";

const on = (table: Parameters<typeof workHook>[1], name: string) => workHook(name, table);

/** A hook for the stages of the kit. */
function workHook(name: string, table: { [stage: string]: (ctx: never, stage: never) => unknown }) {
  return hook({ name, kinds: [WorkStage], on: { work: table as Record<never, never> } });
}

/** Lets later places run in a microtask. */
const later = <T>(value: T): Promise<T> => Promise.resolve(value);

Deno.test("pipes thread the value in order, whether they answer at once or later", async () => {
  for (const wrap of [<T>(x: T) => x, later]) {
    const seen: number[] = [];
    const pipe = (name: string, f: (x: number) => number) =>
      on({ AMOUNT: (ctx: { value: number }) => (seen.push(ctx.value), wrap(f(ctx.value))) }, name);
    const loop = work({
      hooks: [pipe("add", (x) => x + 2), pipe("double", (x) => x * 2), pipe("less", (x) => x - 1)],
    });
    await loop.run(1);
    assertEquals(seen, [1, 3, 6]);
    assertEquals(loop.context.total, 5);
  }
});

Deno.test("a pipe that returns nothing is an error naming it, and so is a gate that does not answer", async () => {
  const pipe = work({ hooks: [on({ AMOUNT: () => undefined }, "forgot")] });
  await assertRejects(
    () => pipe.run(1),
    TypeError,
    "hook forgot: its handler of work/AMOUNT must return",
  );
  const gate = work({ hooks: [on({ MAY_WORK: () => later(1) }, "vague")] });
  await assertRejects(
    () => gate.run(1),
    TypeError,
    "hook vague at work/MAY_WORK: the handler of a gate must return true or false",
  );
});

Deno.test("a failing pipe whose policy is to warn leaves the value as it was", async () => {
  const warnings = collect<HookWarning>();
  for (
    const fail of [() => {
      throw new Error("no");
    }, () => Promise.reject(new Error("no"))]
  ) {
    const loop = work({ onWarning: warnings.push });
    loop.hooks.add(on({ AMOUNT: (ctx: { value: number }) => ctx.value + 4 }, "add"));
    loop.hooks.add(on({ AMOUNT: fail }, "fails"), { onError: "warn" });
    loop.hooks.add(on({ AMOUNT: (ctx: { value: number }) => ctx.value * 2 }, "double"));
    await loop.run(1);
    assertEquals(loop.context.total, 10);
  }
  assertEquals(warnings.list.map(({ hook, stage }) => [hook, stage]), [["fails", "work/AMOUNT"], [
    "fails",
    "work/AMOUNT",
  ]]);
});

Deno.test("any gate vetoes; gates after a veto are asked and see skipping", async () => {
  for (const wrap of [<T>(x: T) => x, later]) {
    const seen: boolean[] = [];
    const gate = (name: string, answer: boolean) =>
      on(
        { MAY_WORK: (ctx: { skipping: boolean }) => (seen.push(ctx.skipping), wrap(answer)) },
        name,
      );
    const vetoed = work({ hooks: [gate("a", true), gate("b", false), gate("c", true)] });
    await vetoed.run(1);
    assertEquals([vetoed.context.total, seen.splice(0)], [0, [false, false, true]]);
    const open = work({ hooks: [gate("a", true), gate("b", true)] });
    await open.run(1);
    assertEquals([open.context.total, seen], [1, [false, false]]);
  }
});

Deno.test("at most one claimant of a replace stage", async () => {
  const loop = work({ hooks: [on({ WORK: () => 7 }, "mine")] });
  assertThrows(
    () => loop.hooks.add(on({ WORK: () => 8 }, "too")),
    TypeError,
    "only one hook can replace work/WORK, and mine does",
  );
  // A disabled claimant still is one: enabling it later must not make two.
  loop.hooks.disable("mine");
  assertThrows(() => loop.hooks.add(on({ WORK: () => 8 }, "too")), TypeError, "and mine does");
  await loop.run(1);
  assertEquals(loop.context.total, 1);
  loop.hooks.enable("mine");
  await loop.run(1);
  assertEquals(loop.context.total, 8);
  loop.hooks.remove("mine");
  loop.hooks.add(on({ WORK: () => later(100) }, "too"));
  await loop.run(1);
  assertEquals(loop.context.total, 108);
});

Deno.test("a claimant that is not due, or fails and may, leaves the work to the engine", async () => {
  const loop = work({ onWarning: () => {} });
  loop.hooks.add({ stage: WorkStage.WORK, frequency: 2, call: () => 10 } as const);
  await loop.run(4);
  assertEquals(loop.context.total, 22);
  const fails = work({ onWarning: () => {} });
  fails.hooks.add(
    {
      stage: WorkStage.WORK,
      frequency: 1,
      call: () => Promise.reject<number>(new Error("no")),
    } as const,
    { onError: "warn" },
  );
  await fails.run(2);
  assertEquals(fails.context.total, 2);
});

Deno.test("an observer on every stage changes nothing", async () => {
  const bare = work();
  await bare.run(9);
  const seen: string[] = [];
  const all = {
    frequency: 1,
    runsOnStage: () => true,
    call: (_ctx: BaseContext, stage: string) => void seen.push(stage),
  };
  const star = hook({
    name: "star",
    kinds: [WorkStage],
    on: { work: { "*": (_ctx, stage) => seen.push(stage) } },
    otherwise: (_ctx, stage) => seen.push(stage),
  });
  const other = hook({ name: "other", on: {}, otherwise: (_ctx, stage) => seen.push(stage) });
  const observed = work({ hooks: [all, star, other] });
  await observed.run(9);
  assertEquals(observed.context.total, bare.context.total);
  assertEquals(observed.stepCount, bare.stepCount);
  assertEquals(
    new Set(seen),
    new Set(["work/BEFORE", "work/AFTER", "work/ON_FULL", "work/EPOCH_END"]),
  );
  assert(observed.hooks.list().every(({ stages }) => !stages.includes("work/WORK")));
});

Deno.test("a row for a whole kind never claims, one that names the stage does", async () => {
  const { overload } = await import("@hooke/hooke");
  const everything = overload().on(WorkStage, () => {});
  const loop = work({ hooks: [hook({ name: "all", kinds: [WorkStage], on: everything })] });
  await loop.run(1);
  assertEquals(loop.context.total, 1);
  const claims = everything.on([(_x: unknown): _x is unknown => true, WorkStage.WORK], () => 5);
  const claimed = work({ hooks: [hook({ name: "one", kinds: [WorkStage], on: claims })] });
  await claimed.run(1);
  assertEquals(claimed.context.total, 5);
});

Deno.test("a stage is reached by its role", () => {
  const loop = work();
  assertThrows(() => loop.fire("work/WORK"), TypeError, "Use loop.replace()");
  assertThrows(() => loop.gate("work/AFTER"), TypeError, "Use loop.fire()");
  assertThrows(
    () => loop.fire("work/AFTR" as "work/AFTER"),
    RangeError,
    "did you mean work/AFTER?",
  );
});

Deno.test("a promise that the step forgets to await is found out", async () => {
  const loop = new Loop({
    kinds: WorkStage,
    context: { total: 0 },
    step(loop) {
      loop.fire("work/BEFORE");
      return loop.fire("work/AFTER");
    },
  }, {
    hooks: [{
      stage: WorkStage.BEFORE,
      frequency: 1,
      call: () => new Promise((resolve) => setTimeout(resolve, 5)),
    }],
  });
  await assertRejects(
    () => loop.run(1),
    Error,
    "an asynchronous hook of work/BEFORE is still running",
  );
  await new Promise((resolve) => setTimeout(resolve, 10));
});
