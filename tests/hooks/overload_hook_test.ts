/** Overload sets as hooks: matched when they are added, or asked at each call where a guard must be. */
import { assertEquals, assertRejects } from "@std/assert";
import { type BaseContext, EngineHooks, Shared } from "@hooke/hooke/hooks";
import { DynamicsStage, hook, overload } from "@hooke/hooke";
import { any } from "@hooke/hooke/dispatch";
import { work, WorkStage } from "./kit.ts";

const isLate = (ctx: unknown): ctx is BaseContext => (ctx as BaseContext).stepCount >= 2;

Deno.test("a guard that says no leaves a gate open and a pipe's value alone, whatever else the set has", async () => {
  const seen: string[] = [];
  const set = overload()
    .on([isLate, WorkStage.MAY_WORK], () => false)
    .on([isLate, WorkStage.AMOUNT], (ctx) => (ctx as unknown as { value: number }).value * 10)
    .on(WorkStage, (_ctx, stage) => void seen.push(stage))
    .otherwise(() => false);
  const loop = work({ hooks: [hook({ name: "set", on: set })] });
  await loop.run(4);
  assertEquals(loop.context.total, 2); // two steps of 1, then vetoed
  assertEquals(
    new Set(seen),
    new Set(["work/BEFORE", "work/AFTER", "work/ON_FULL", "work/EPOCH_END"]),
  );
});

Deno.test("otherwise never votes, pipes or replaces", async () => {
  const set = overload().on([isLate, WorkStage.BEFORE], () => {}).otherwise(() => false);
  const loop = work({ hooks: [hook({ name: "set", on: set })] });
  await loop.run(3);
  assertEquals(loop.context.total, 3);
});

Deno.test("a claimed stage that no row takes at the call is an error", async () => {
  const set = overload().on([isLate, WorkStage.WORK], () => 5);
  const loop = work({ hooks: [hook({ name: "set", kinds: [WorkStage], on: set })] });
  await assertRejects(() => loop.run(1), TypeError, "no overload accepts these arguments");
});

Deno.test("otherwise is for other kinds: stages that a handled kind leaves out are not covered", () => {
  const set = overload().on("dynamics/AFTER_STEP", () => {}).otherwise(() => {});
  const workflow = { name: "w", stepCount: 0, hooks: undefined as never };
  const engine = new EngineHooks({
    kinds: [DynamicsStage, WorkStage],
    context: { stepCount: 0, shared: new Shared() },
    workflow,
  });
  engine.add(hook({ name: "set", on: set }));
  const [listed] = engine.list();
  assertEquals(listed!.stages, [
    "dynamics/AFTER_STEP",
    "work/BEFORE",
    "work/AFTER",
    "work/ON_FULL",
    "work/EPOCH_END",
  ]);
  assertEquals(listed!.overloads["work/AFTER"], "otherwise");
  assertEquals(listed!.isFallback, false);
});

Deno.test("rows by the class of the context are matched with the engine's own", () => {
  class Context {}
  class Special extends Context {}
  const set = overload()
    .on([Context, WorkStage], () => {})
    .on([Special, WorkStage], () => {})
    .on([any, DynamicsStage], () => {});
  const matched = (context: object) => {
    const workflow = { name: "w", stepCount: 0, hooks: undefined as never };
    const engine = new EngineHooks({ kinds: [WorkStage], context, workflow });
    engine.add(hook({ name: "set", kinds: [WorkStage], on: set }));
    return engine.list()[0]!.overloads["work/BEFORE"];
  };
  assertEquals(matched(new Special()), "(Special, work/*)");
  assertEquals(matched(new Context()), "(Context, work/*)");
});
