import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type BaseContext, type DeviceWorker, EngineHooks, hostState } from "@hooke/hooke/hooks";
import { Loop } from "@hooke/hooke/hooks";
import { work, WorkStage } from "./kit.ts";

const state = hostState({ heights: () => new Float64Array(1), depths: () => new Float64Array(1) });

/** A modifier that gives kernels; the engines of these tests take any value for one. */
function device(name: string, options: object = {}) {
  return {
    name,
    stage: WorkStage.AFTER,
    frequency: 1,
    writes: ["heights"] as const,
    kernels: () => [`kernel of ${name}`],
    ...options,
  } as const;
}

/** Writes down what it is asked to do. */
function worker(): DeviceWorker & { readonly done: string[]; changes: number } {
  const done: string[] = [];
  return {
    done,
    changes: 0,
    work: (hook, stage) => void done.push(`${(hook as { name: string }).name} at ${stage}`),
    changed() {
      this.changes++;
    },
  };
}

Deno.test("an engine that runs no kernels refuses a hook that gives some", () => {
  const loop = work({ state });
  assertThrows(
    () => loop.hooks.add(device("freeze")),
    TypeError,
    "Cannot register hook freeze: it has kernels, and this engine does not run kernels",
  );
  assertEquals(loop.hooks.list(), []);
});

Deno.test("a hook that gives kernels says what they change, and has no handler besides", () => {
  const loop = work({ state, worker: worker() });
  assertThrows(
    () => loop.hooks.add(device("a", { writes: [] })),
    TypeError,
    "writes must be a non-empty array of the fields that its kernels change",
  );
  assertThrows(
    () => loop.hooks.add(device("b", { call() {} })),
    TypeError,
    "it has both call and kernels",
  );
  assertThrows(
    () => loop.hooks.add({ ...device("c"), kernels: 3 } as never),
    TypeError,
    "kernels must be a function",
  );
});

Deno.test("kernels with a plain schedule are the engine's to run, and need no visit", async () => {
  const own = worker();
  const loop = work({ state, worker: own });
  loop.hooks.add(device("clamp", { frequency: 3, phase: 1 }));
  assertEquals(
    loop.hooks.work(WorkStage.AFTER).map(({ name, frequency, phase }) => [name, frequency, phase]),
    [
      ["clamp", 3, 1],
    ],
  );
  assertEquals(loop.hooks.work(WorkStage.BEFORE), []);
  assertEquals(loop.hooks.horizon(0), Infinity);
  await loop.run(4);
  assertEquals(own.done, []); // a loop that does not look at work() leaves it undone
});

Deno.test("kernels run at a stage by its stageTimes, as plan() shows", () => {
  const loop = work({ state, worker: worker() });
  loop.hooks.add({
    ...device("both"),
    stage: undefined,
    stages: [WorkStage.BEFORE, WorkStage.AFTER],
    phase: 0,
    stageTimes: { AFTER: { frequency: 10, phase: 3 } },
  } as never);
  const times = (stage: typeof WorkStage.BEFORE | typeof WorkStage.AFTER) =>
    loop.hooks.work(stage).map(({ frequency, phase }) => [frequency, phase]);
  assertEquals(times(WorkStage.BEFORE), [[1, 0]]);
  assertEquals(times(WorkStage.AFTER), [[10, 3]]);
  const plan = [...loop.hooks.plan().stages.values()].flat().map(({ when }) => when);
  assertEquals(plan, ["every step", "every 10 steps, phase 3"]);
});

Deno.test("kernels with more of a schedule are run by a visit, when due", async () => {
  const own = worker();
  const loop = work({ state, worker: own });
  loop.hooks.add(device("once", { once: true, after: 2 }));
  loop.hooks.add(device("asked", { when: (ctx: BaseContext) => ctx.stepCount % 2 === 1 }));
  assertEquals(loop.hooks.work(WorkStage.AFTER), []);
  await loop.run(4);
  assertEquals(own.done, [
    "asked at work/AFTER",
    "once at work/AFTER",
    "asked at work/AFTER",
  ]);
});

Deno.test("a modifier behind one that needs a visit is visited, too, so that the order stays", async () => {
  const own = worker();
  const loop = work({ state, worker: own });
  loop.hooks.add(device("first"));
  loop.hooks.add(
    {
      name: "hand",
      stage: WorkStage.AFTER,
      frequency: 1,
      writes: ["heights"] as const,
      call: () => void own.done.push("hand"),
    } as const,
  );
  loop.hooks.add(device("last"));
  assertEquals(loop.hooks.work(WorkStage.AFTER).map(({ name }) => name), ["first"]);
  await loop.run(1);
  assertEquals(own.done, ["hand", "last at work/AFTER"]);
  assertEquals([...loop.hooks.writes()], ["heights"]);
  loop.hooks.disable("hand");
  assertEquals(loop.hooks.work(WorkStage.AFTER).map(({ name }) => name), ["first", "last"]);
  assertEquals([...loop.hooks.writes()], []);
});

Deno.test("the engine is notified whenever its work may have changed", () => {
  const own = worker();
  const loop = work({ state, worker: own });
  const handle = loop.hooks.add(device("a"));
  const added = own.changes;
  handle.disable();
  const disabled = own.changes;
  handle.remove();
  assertEquals([added > 0, disabled > added, own.changes > disabled], [true, true, true]);
  assertEquals(loop.hooks.work(WorkStage.AFTER), []);
});

Deno.test("modify() runs only the due modifiers of a stage, and counts no firing", async () => {
  const seen: string[] = [];
  const registry = new EngineHooks({
    kinds: [WorkStage],
    context: {},
    workflow: { name: "test", hooks: {} as never, stepCount: 0 },
    state,
  });
  const note = (name: string, options: object) =>
    ({
      name,
      stage: WorkStage.AFTER,
      frequency: 1,
      call: () => void seen.push(name),
      ...options,
    }) as const;
  registry.add(note("observer", {}) as never);
  registry.add(note("modifier", { writes: ["heights"], once: true }) as never);
  registry.add(note("later", { writes: ["heights"], frequency: 4, phase: 3 }) as never);
  const point = registry.point(WorkStage.AFTER);
  await point.modify(0);
  assertEquals(seen, ["modifier"]);
  point.fire(0);
  assertEquals(seen, ["modifier", "modifier", "observer"]);
});

Deno.test("a multi-step call says how many steps it did; done() ends the run as completed", async () => {
  const calls: number[] = [];
  const loop = new Loop({
    kinds: WorkStage,
    context: { total: 0 },
    step() {},
    multiStep(loop, n) {
      calls.push(n);
      if (loop.stepCount >= 6) loop.done();
      return Math.min(n, 3);
    },
  });
  assertEquals(await loop.run(100), { status: "completed" });
  assertEquals([loop.stepCount, calls[0]], [9, 16]);
  assertEquals(await loop.run(1), { status: "completed" });
  assertEquals(loop.stepCount, 10); // another run begins anew
});

Deno.test("begin is called when the hooks are open, before the first step; what it throws closes them", async () => {
  const order: string[] = [];
  const options = {
    kinds: WorkStage,
    context: { total: 0 },
    step: () => void order.push("step"),
  };
  const loop = new Loop({ ...options, begin: () => void order.push("begin") });
  loop.hooks.add({
    stage: WorkStage.AFTER,
    frequency: 1,
    open: () => void order.push("open"),
    close: () => void order.push("close"),
    call() {},
  });
  await loop.run(1);
  assertEquals(order, ["open", "begin", "step", "close"]);
  const failing = new Loop({
    ...options,
    begin: () => {
      throw new Error("no batch");
    },
  });
  order.length = 0;
  await assertRejects(() => failing.run(1), Error, "no batch");
  assertEquals(order, []);
});

Deno.test("a hook whose work comes last is not visited, whatever stands before it", () => {
  const hand = worker();
  const hooks = new EngineHooks({
    kinds: [WorkStage],
    context: {},
    workflow: { name: "test", stepCount: 0, stop() {} } as never,
    state,
    worker: hand,
  });
  hooks.add({ stage: WorkStage.AFTER, frequency: 1, writes: ["heights"], call() {} });
  hooks.add(device("next") as never);
  hooks.add(device("last", { isLast: true, frequency: 3 }) as never);
  assertEquals(hooks.work(WorkStage.AFTER).map(({ name }) => name), ["last"]);
  hooks.point(WorkStage.AFTER).fire(0);
  assertEquals(hand.done, ["next at work/AFTER"]);
  for (const schedule of [{ once: true }, { when: () => true }, { after: 2 }]) {
    assertThrows(
      () => hooks.add(device("other", { isLast: true, ...schedule }) as never),
      TypeError,
      "Cannot register hook other: its schedule can have only frequency and phase",
    );
  }
});
