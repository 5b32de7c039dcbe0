// State that has moved to where it must be fetched, modifiers of it, and news that come late.
import { assertEquals, assertRejects } from "@std/assert";
import type {
  BaseContext,
  ContextAt,
  FieldValues,
  ReadPlan,
  StateSource,
} from "@hooke/hooke/hooks";
import { work, WorkStage } from "./kit.ts";

/** State that may be here or far away. */
class MovingState implements StateSource {
  readonly fields = ["heights", "depths"];
  readonly values: Record<string, Float64Array> = {
    heights: new Float64Array([1]),
    depths: new Float64Array([9]),
  };
  isFar = false;
  readonly asked: string[] = [];
  /** From this copy on what is fetched is of no step. */
  lost = Infinity;
  #copies = 0;

  plan(fields: readonly string[]): ReadPlan {
    if (!this.isFar) return { live: true, value: (field) => this.values[field] };
    return {
      live: false,
      fetch: async (isAwaited) => {
        const copy = Object.fromEntries(
          fields.map((field) => [field, this.values[field]!.slice()]),
        );
        this.asked.push(`${[...fields].sort().join()}${isAwaited ? " now" : ""}`);
        const isLost = this.#copies++ >= this.lost;
        await new Promise((resolve) => setTimeout(resolve, 1));
        return isLost ? undefined : copy;
      },
      writeBack: (values: FieldValues) => {
        this.asked.push(`back ${Object.keys(values).join()}`);
        Object.assign(this.values, values);
      },
    };
  }

  writable(field: string): Float64Array {
    return this.values[field]!;
  }
}

type Read = ContextAt<typeof WorkStage, "AFTER", readonly ["heights"]>;
type Write = ContextAt<typeof WorkStage, "AFTER", readonly ["depths"], readonly ["heights"]>;

/** Adds the depths to the heights, but in steps that are multiples of three. */
const grow = {
  name: "grow",
  stage: WorkStage.AFTER,
  frequency: 1,
  reads: ["depths"] as const,
  writes: ["heights"] as const,
  call(ctx: Write): void {
    if (ctx.stepCount % 3 !== 0) ctx.write.heights[0]! += ctx.read.depths[0]!;
  },
};

/** Notes the heights. */
function noting(seen: number[][]) {
  return {
    name: "noting",
    stage: WorkStage.AFTER,
    frequency: 1,
    reads: ["heights"] as const,
    call: (ctx: Read) => void seen.push([ctx.stepCount, ctx.read.heights[0]!]),
  };
}

Deno.test("a modifier of state that is far away is handed it, and what it has changed goes back", async () => {
  const all: number[][][] = [];
  for (const isFar of [false, true]) {
    const state = new MovingState(), seen: number[][] = [];
    state.isFar = isFar;
    const loop = work({ state });
    loop.hooks.add({ ...noting(seen) });
    loop.hooks.add({ ...grow });
    await loop.run(5);
    all.push(seen);
    assertEquals(state.values.heights![0], 28);
    if (!isFar) continue;
    const step = ["depths,heights now", "back heights", "heights"];
    const idle = ["depths,heights now", "heights"];
    assertEquals(state.asked, [...idle, ...step, ...step, ...idle, ...step]);
  }
  assertEquals(all[0], [[0, 1], [1, 10], [2, 19], [3, 19], [4, 28]]);
  assertEquals(all[1], all[0]);
});

Deno.test("state that can only be fetched refuses what a hook would write, by its name", async () => {
  const state = new MovingState();
  state.isFar = true;
  const plan = (fields: readonly string[]): ReadPlan => {
    const { fetch } = state.plan(fields) as Extract<ReadPlan, { live: false }>;
    return { live: false, fetch };
  };
  const loop = work({ state: { fields: state.fields, plan, writable: () => [] } });
  loop.hooks.add({ ...grow, frequency: 2, phase: 1 });
  await assertRejects(() => loop.run(3), TypeError, "Cannot write heights in hook grow");
});

Deno.test("state moves in the middle of a run, away and back: hooks find it, and none is lost", async () => {
  const state = new MovingState(), seen: number[][] = [];
  const loop = work({ state });
  loop.hooks.add(noting(seen));
  loop.hooks.add({ ...grow });
  loop.hooks.add({
    stage: WorkStage.BEFORE,
    frequency: 1,
    call: async ({ stepCount }: BaseContext) => {
      if (stepCount % 2 !== 0) return;
      await loop.hooks.soFar;
      state.isFar = !state.isFar;
      loop.hooks.replan();
    },
  });
  await loop.run(6);
  assertEquals(seen, [[0, 1], [1, 10], [2, 19], [3, 19], [4, 28], [5, 37]]);
  assertEquals(state.asked.filter((one) => one === "heights").length, 4);
});

Deno.test("a result that turns out to belong to no step is dropped, and has not fired", async () => {
  const state = new MovingState(), seen: number[][] = [], ends: number[] = [];
  state.isFar = true;
  state.lost = 3;
  const loop = work({ state });
  loop.hooks.add({ ...noting(seen), atEnd: true });
  const once = { ...noting([]), name: "once", stage: WorkStage.BEFORE, once: true, after: 4 };
  loop.hooks.add({ ...once, call: (ctx: Read) => void ends.push(ctx.stepCount) });
  await loop.run(6);
  assertEquals(seen, [[0, 1], [1, 1], [2, 1]]);
  state.lost = Infinity;
  await loop.run(2);
  assertEquals(ends, [6]); // not at step 4, of which it learned nothing
});

Deno.test("late news end a run where it was over: later steps count for nothing", async () => {
  const state = new MovingState(), seen: number[][] = [], end: number[] = [], waited: number[] = [];
  state.isFar = true;
  const late = async (step: number) => {
    await new Promise((resolve) => setTimeout(resolve, 3));
    return step;
  };
  const loop = work({
    state,
    step: (loop) => {
      const { stepCount } = loop;
      const fired = loop.fire("work/AFTER");
      const tell = () =>
        loop.defer(late(stepCount), (step) => void (step === 4 && loop.done(step + 1)));
      return fired === undefined ? tell() : fired.then(() => tell());
    },
  });
  loop.hooks.add(noting(seen));
  loop.hooks.add({
    ...noting([]),
    name: "end",
    frequency: 3,
    atEnd: true,
    call: (ctx: Read) => void end.push(ctx.stepCount),
  });
  loop.hooks.add({
    ...noting([]),
    name: "waits",
    sync: true,
    frequency: 20,
    phase: 2,
    call: (ctx: Read) => void waited.push(ctx.stepCount),
  });
  loop.hooks.add({
    name: "stops",
    stage: WorkStage.AFTER,
    frequency: 1,
    after: 7,
    call: (ctx: BaseContext) => ctx.stop("too late to count"),
  });
  assertEquals(await loop.run(1000), { status: "completed" });
  assertEquals([loop.stepCount, loop.context.stepCount], [5, 4]);
  assertEquals(seen.map(([step]) => step), [0, 1, 2, 3, 4]);
  assertEquals([end, waited], [[0, 3, 4], [2]]);
  await loop.run(1);
  assertEquals([loop.stepCount, seen.at(-1)![0]], [6, 5]);
});

Deno.test("observers receive pending fields with their own step, in order, and the engine does not wait", async () => {
  const seen: string[] = [], waited: number[] = [];
  const later = new Map<number, (fields: object) => void>();
  const loop = work({
    coming: (stage) => {
      if (stage !== "work/AFTER") return undefined;
      const step = loop.stepCount;
      return new Promise((done) => later.set(step, done));
    },
    step: async (loop) => {
      await loop.fire("work/BEFORE");
      await loop.fire("work/AFTER");
      waited.push(later.size);
    },
  });
  const tell = (name: string) => (ctx: BaseContext) => {
    const { loss } = ctx as BaseContext & { readonly loss?: number };
    seen.push(`${name} ${ctx.stepCount} ${loss}`);
  };
  loop.hooks.add({ name: "now", stage: WorkStage.BEFORE, frequency: 1, call: tell("now") });
  loop.hooks.add({ name: "late", stage: WorkStage.AFTER, frequency: 1, call: tell("late") });
  const running = loop.run(3);
  while (later.size < 3) await new Promise((resolve) => setTimeout(resolve, 1));
  assertEquals(seen, ["now 0 undefined", "now 1 undefined", "now 2 undefined"]);
  for (const step of [2, 0, 1]) later.get(step)!({ loss: 10 * step }); // in no order
  await running;
  assertEquals(seen.slice(3), ["late 0 0", "late 1 10", "late 2 20"]);
  assertEquals(waited, [1, 2, 3]);
});

Deno.test("a hook that must know at once is waited for, and one that is handed nothing is not called", async () => {
  const seen: string[] = [];
  const loop = work({
    coming: (stage) => {
      if (stage !== "work/AFTER") return undefined;
      const { stepCount } = loop;
      return Promise.resolve(stepCount === 1 ? undefined : { loss: stepCount });
    },
    step: async (loop) => {
      await loop.fire("work/AFTER");
      seen.push(`end of ${loop.stepCount}`);
    },
  });
  loop.hooks.add({
    name: "exact",
    stage: WorkStage.AFTER,
    frequency: 1,
    sync: true,
    call: (ctx: BaseContext & { readonly loss?: number }) =>
      void seen.push(`${ctx.stepCount} ${ctx.loss}`),
  });
  await loop.run(3);
  assertEquals(seen, ["0 0", "end of 0", "end of 1", "2 2", "end of 2"]);
});
