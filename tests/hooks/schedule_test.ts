import { assert, assertEquals, assertGreater, assertLess } from "@std/assert";
import fc from "fast-check";
import { type BaseContext, Loop, type ScheduleOptions, stages } from "@hooke/hooke/hooks";
import { readSchedule, Schedule } from "../../src/hooks/protocol/schedule.ts";
import { Steps, work, type WorkLoop, WorkStage } from "./kit.ts";

const TickStage = stages<BaseContext>()("tick", ["TICK", "TOCK"]);

/** A hook at TICK that notes its steps, with any schedule. */
function ticking(options: ScheduleOptions, stage: "tick/TICK" | "tick/TOCK" = "tick/TICK") {
  const steps: number[] = [];
  return {
    ...options,
    stage,
    frequency: options.frequency ?? 1,
    steps,
    call: (ctx: BaseContext) => void steps.push(ctx.stepCount),
  };
}

/** Two stages a step; with `calls` the loop runs through steps in which nothing is due. */
function ticks(calls?: number[]): Loop<typeof TickStage> {
  return new Loop({
    kinds: TickStage,
    step(loop) {
      loop.fire("tick/TICK");
      loop.fire("tick/TOCK");
    },
    ...(calls && { multiStep: (_loop, n) => void calls.push(n) }),
  });
}

async function stepsOf(options: ScheduleOptions, nSteps: number): Promise<number[]> {
  const loop = ticks(), hook = ticking(options);
  loop.hooks.add(hook);
  await loop.run(nSteps);
  return hook.steps;
}

Deno.test("frequency 1 over 4 steps fires at 0,1,2,3; 2 over 6 at 0,2,4; 3 over 9 at 0,3,6", async () => {
  assertEquals(await stepsOf({ frequency: 1 }, 4), [0, 1, 2, 3]);
  assertEquals(await stepsOf({ frequency: 2 }, 6), [0, 2, 4]);
  assertEquals(await stepsOf({ frequency: 3 }, 9), [0, 3, 6]);
});

Deno.test("a second run continues the phase", async () => {
  const loop = ticks(), hook = ticking({ frequency: 3 });
  loop.hooks.add(hook);
  await loop.run(4);
  await loop.run(4);
  assertEquals(hook.steps, [0, 3, 6]);
});

Deno.test("phase, once, after and until shift and bound the firings", async () => {
  assertEquals(await stepsOf({ frequency: 3, phase: 1 }, 9), [1, 4, 7]);
  assertEquals(await stepsOf({ frequency: 3, once: true }, 9), [0]);
  assertEquals(await stepsOf({ frequency: 2, after: 3 }, 9), [4, 6, 8]);
  assertEquals(await stepsOf({ frequency: 2, after: 4 }, 9), [4, 6, 8]);
  assertEquals(await stepsOf({ frequency: 2, until: 4 }, 9), [0, 2]);
  assertEquals(await stepsOf({ frequency: 2, phase: 1, after: 3, until: 7, once: true }, 9), [3]);
});

Deno.test("atEnd fires once more after the last step, unless it was due there", async () => {
  assertEquals(await stepsOf({ frequency: 4, atEnd: true }, 7), [0, 4, 6]);
  assertEquals(await stepsOf({ frequency: 4, atEnd: true }, 5), [0, 4]);
  assertEquals(await stepsOf({ frequency: 1, atEnd: true }, 3), [0, 1, 2]);
  assertEquals(await stepsOf({ frequency: 4, atEnd: true }, 0), []);
});

Deno.test("atEnd fires at the step at which a hook asked to stop, and not after a failure", async () => {
  const loop = ticks(), hook = ticking({ frequency: 100, atEnd: true });
  loop.hooks.add(hook);
  loop.hooks.add(
    {
      stage: "tick/TOCK",
      frequency: 1,
      call: (ctx: BaseContext) => void (ctx.stepCount === 5 && ctx.stop("enough")),
    } as const,
  );
  await loop.run(50);
  assertEquals(hook.steps, [0, 5]);
  loop.hooks.add(
    {
      stage: "tick/TOCK",
      frequency: 1,
      onError: "throw",
      call: () => {
        throw new Error("no");
      },
    } as const,
  );
  await loop.run(50).catch(() => {});
  assertEquals(hook.steps, [0, 5]);
});

Deno.test("when is asked at due counts only, and skips the hook when it answers false", async () => {
  const asked: number[] = [];
  const loop = ticks(), hook = ticking({ frequency: 2 });
  loop.hooks.add({
    ...hook,
    when: (ctx: BaseContext) => {
      asked.push(ctx.stepCount);
      return ctx.stepCount > 3;
    },
  });
  await loop.run(8);
  assertEquals(asked, [0, 2, 4, 6]);
  assertEquals(hook.steps, [4, 6]);
});

Deno.test("sample fires at its fraction of due counts, at the same ones in every run", async () => {
  const first = await stepsOf({ sample: 0.25 }, 10_000);
  assertGreater(first.length, 2300); // 2500, standard deviation 43
  assertLess(first.length, 2700);
  assertEquals(await stepsOf({ sample: 0.25 }, 10_000), first);
  const other = await stepsOf({ sample: 0.25, sampleSeed: 1 }, 10_000);
  const common = other.filter((step) => first.includes(step)).length;
  assertGreater(common, 500); // independent: 625
  assertLess(common, 750);
  assert((await stepsOf({ frequency: 5, sample: 0.5 }, 1000)).every((step) => step % 5 === 0));
});

Deno.test("everySeconds fires when so much time has passed, and rarely asks the clock", async () => {
  const hook = ticking({ everySeconds: 0.05 });
  const calls: number[] = [];
  const loop = ticks(calls);
  loop.hooks.add(hook);
  const begin = performance.now();
  loop.hooks.add(
    {
      stage: "tick/TOCK",
      frequency: 1,
      everySeconds: 0.27,
      call: (ctx: BaseContext) => void (hook.steps.length > 1 && ctx.stop("time")),
    } as const,
  );
  await loop.run();
  const elapsed = (performance.now() - begin) / 1000;
  assertGreater(elapsed, 0.26);
  assertGreater(hook.steps.length, 1);
  assertLess(hook.steps.length, elapsed / 0.05 + 1);
  assertGreater(calls.length, 0); // the clock does not hold the horizon at one step
});

Deno.test("everySeconds asks the clock twice per firing at a steady pace, and is a little late if steps become slow", () => {
  const schedule = new Schedule(readSchedule("x", { everySeconds: 0.1 }), false);
  let time = 0, readings = 0;
  Object.assign(performance, { now: () => (readings++, time) });
  /** Runs steps that each take `perStep` ms, and returns the times of the firings. */
  const run = (from: number, steps: number, perStep: number) => {
    const fired: number[] = [];
    for (let count = from; count < from + steps; count++) {
      if (schedule.next(count) === count && schedule.fires(count, count)) fired.push(time);
      time += perStep;
    }
    return fired;
  };
  try {
    schedule.start(0);
    run(0, 1000, 0.5);
    readings = 0;
    const times = run(1000, 10_000, 0.5);
    assertGreater(times.length, 45);
    assertLess(readings, 2.2 * times.length);
    assert(times.every((at, i) => i === 0 || at - times[i - 1]! >= 100));
    const late = run(11_000, 1000, 2);
    assertLess(late[0]! - times.at(-1)!, 450);
    assertLess(late[2]! - late[1]!, 110);
  } finally {
    delete (performance as { now?: unknown }).now;
  }
});

Deno.test("each stage goes by its own counter", async () => {
  const loop = work();
  const epochs: number[] = [];
  loop.hooks.add(
    {
      stage: "work/EPOCH_END",
      frequency: 2,
      call: (ctx: BaseContext) => void epochs.push(ctx.stepCount),
    } as const,
  );
  await loop.run(15); // epochs 0 … 4 end at steps 2, 5, 8, 11, 14
  assertEquals(epochs, [2, 8, 14]);
});

Deno.test("event stages fire at every event whatever the frequency, unless eventFrequency says otherwise", async () => {
  const every = new Steps("work/ON_FULL", 100);
  const second = {
    ...new Steps("work/ON_FULL"),
    eventFrequency: 2,
    steps: [] as number[],
    call(ctx: BaseContext) {
      this.steps.push(ctx.stepCount);
    },
  };
  const late = {
    ...new Steps("work/ON_FULL"),
    after: 8,
    steps: [] as number[],
    call(ctx: BaseContext) {
      this.steps.push(ctx.stepCount);
    },
  };
  const loop = work({ hooks: [every, second, late] });
  await loop.run(20);
  assertEquals(every.steps, [3, 7, 11, 15, 19]);
  assertEquals(second.steps, [3, 11, 19]);
  assertEquals(late.steps, [11, 15, 19]);
});

Deno.test("a stage reached twice at one count fires its due hooks twice", async () => {
  const hook = ticking({ frequency: 2 });
  const loop = new Loop({
    kinds: TickStage,
    step: (loop) => void [loop.fire("tick/TICK"), loop.fire("tick/TICK")],
  }, {
    hooks: [hook],
  });
  await loop.run(3);
  assertEquals(hook.steps, [0, 0, 2, 2]);
});

const schedules = fc.array(
  fc.record({
    frequency: fc.integer({ min: 1, max: 12 }),
    part: fc.double({ min: 0, max: 0.999, noNaN: true }),
    after: fc.integer({ min: 0, max: 40 }),
    length: fc.integer({ min: 0, max: 60 }),
    once: fc.boolean(),
    atEnd: fc.boolean(),
    sample: fc.constantFrom(1, 1, 0.5, 0.05),
    tock: fc.boolean(),
  }),
  { maxLength: 6 },
);

Deno.test("the same firings, with the horizon on and off, for random sets of frequencies and phases", async () => {
  await fc.assert(
    fc.asyncProperty(
      schedules,
      fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 4 }),
      async (all, runs) => {
        const make = () =>
          all.map(({ part, length, tock, ...rest }) =>
            ticking({
              ...rest,
              phase: Math.floor(part * rest.frequency),
              until: rest.after + length,
            }, tock ? "tick/TOCK" : "tick/TICK")
          );
        const [one, many, calls] = [make(), make(), [] as number[]];
        const plain = ticks(), batched = ticks(calls);
        one.forEach((hook) => plain.hooks.add(hook));
        many.forEach((hook) => batched.hooks.add(hook));
        for (const n of runs) {
          await plain.run(n);
          await batched.run(n);
        }
        assertEquals(many.map(({ steps }) => steps), one.map(({ steps }) => steps));
        assertEquals(batched.stepCount, plain.stepCount);
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("nothing due within a run is one multi-step call; a due step ends it", async () => {
  const calls: number[] = [];
  const loop = ticks(calls);
  await loop.run(4000); // calls begin with 16 steps, and become longer
  calls.length = 0;
  await loop.run(100);
  assertEquals(calls, [100]);
  loop.hooks.add(ticking({ frequency: 40 }));
  await loop.run(100); // due at 4120 and 4160
  assertEquals(calls, [100, 20, 39, 39]);
  assertEquals(loop.hooks.horizon(loop.stepCount), 0);
  assertEquals(loop.hooks.horizon(4201), 39);
});

Deno.test("hooks beyond the thousand-millionth step are still due when they should be", () => {
  const loop = ticks(), hook = ticking({ frequency: 1000 });
  loop.hooks.add(hook);
  const point = loop.point("tick/TICK");
  for (const count of [2 ** 30 - 24, 2 ** 30 + 900, 2 ** 31, 2 ** 40]) {
    const due = Math.ceil(count / 1000) * 1000;
    for (const step of [due - 1, due, due + 1]) {
      loop.context.stepCount = step;
      point.fire(step);
    }
    assertEquals(hook.steps.splice(0), [due]);
  }
});

Deno.test("the firings of a hook do not depend on its neighbors", async () => {
  const alone = new Steps("work/AFTER", 3);
  await work({ hooks: [alone] }).run(12);
  const among = new Steps("work/AFTER", 3);
  const loop: WorkLoop = work({
    hooks: [
      new Steps("work/AFTER", 1),
      among,
      new Steps("work/AFTER", 5),
      new Steps("work/BEFORE", 2),
    ],
  });
  await loop.run(12);
  assertEquals(among.steps, alone.steps);
  assertEquals(WorkStage.AFTER, "work/AFTER");
});

Deno.test("atEnd obeys once, after and until, fires once however often the run ends there, and asks when", async () => {
  assertEquals(await stepsOf({ frequency: 4, once: true, atEnd: true }, 7), [0]);
  assertEquals(await stepsOf({ frequency: 4, after: 100, atEnd: true }, 7), []);
  assertEquals(await stepsOf({ frequency: 4, until: 2, atEnd: true }, 7), [0]);
  const loop = ticks(), hook = ticking({ frequency: 3, atEnd: true });
  loop.hooks.add(hook);
  await loop.run(5);
  await loop.run(0);
  assertEquals(hook.steps, [0, 3, 4]);
  const choosy = ticking({ frequency: 3, atEnd: true }), other = ticks();
  other.hooks.add({ ...choosy, when: (ctx: BaseContext) => ctx.stepCount < 4 });
  await other.run(5);
  assertEquals(choosy.steps, [0, 3]);
});

Deno.test("a stop asked for at the end still names how the run ended", async () => {
  const loop = ticks();
  const call = (ctx: BaseContext) => void (ctx.stepCount === 4 && ctx.stop("at the end"));
  loop.hooks.add({ stage: "tick/TICK", frequency: 3, atEnd: true, call } as const);
  assertEquals(await loop.run(5), { status: "stopped", reason: "at the end", step: 4 });
});

Deno.test("when must answer true or false", async () => {
  for (const answer of [undefined, 0, "no", Promise.resolve(true)]) {
    const errors: unknown[] = [];
    const loop = new Loop({
      kinds: TickStage,
      step: (loop) => loop.fire("tick/TICK"),
    }, {
      onWarning: ({ error }) => void errors.push(error),
    });
    const hook = ticking({});
    const when = () => answer as unknown as boolean;
    loop.hooks.add({ ...hook, when }, { onError: "warn" });
    await loop.run(1);
    assertEquals([hook.steps, String(errors[0]).includes("`when` must return true or false")], [
      [],
      true,
    ]);
  }
});

Deno.test("once leaves the horizon free after its firing", async () => {
  const calls: number[] = [], loop = ticks(calls);
  await loop.run(4000); // calls begin with 16 steps, and become longer
  calls.length = 0;
  loop.hooks.add(ticking({ once: true }));
  await loop.run(50);
  assertEquals(calls, [49]);
});

Deno.test("an always-due hook beside scheduled ones fires at each step, and they when they are due, in order", async () => {
  const log: string[] = [], loop = ticks();
  for (const [name, frequency] of [["a", 3], ["b", 1], ["c", 4], ["d", 1]] as const) {
    loop.hooks.add(
      {
        stage: "tick/TICK",
        frequency,
        call: (ctx: BaseContext) => void log.push(`${name}${ctx.stepCount}`),
      } as const,
      { name },
    );
  }
  await loop.run(5);
  assertEquals(log, [
    "a0",
    "b0",
    "c0",
    "d0",
    "b1",
    "d1",
    "b2",
    "d2",
    "a3",
    "b3",
    "d3",
    "b4",
    "c4",
    "d4",
  ]);
});

Deno.test("until bounds events by the step, phase does not concern them", async () => {
  const hook = {
    stage: "work/ON_FULL",
    frequency: 5,
    phase: 3,
    until: 11,
    steps: [] as number[],
    call: (ctx: BaseContext) => void hook.steps.push(ctx.stepCount),
  } as const;
  const loop = work();
  loop.hooks.add(hook);
  await loop.run(16);
  assertEquals(hook.steps, [3, 7]);
});

Deno.test("rare samples are found however far they lie ahead, with the horizon on and off", async () => {
  const plain = await stepsOf({ sample: 1e-4, sampleSeed: 3 }, 60_000);
  assertGreater(plain.length, 0);
  assertLess(plain.length, 20);
  const loop = ticks([]), hook = ticking({ sample: 1e-4, sampleSeed: 3 });
  loop.hooks.add(hook);
  await loop.run(60_000);
  assertEquals(hook.steps, plain);
});

Deno.test("samples depend on all bits of count and seed", () => {
  const sampled = (from: number, sampleSeed: number) => {
    const schedule = new Schedule(readSchedule("x", { sample: 0.5, sampleSeed }), false);
    return Array.from({ length: 64 }, (_, i) => schedule.fires(from + i, 0)).join("");
  };
  const all = [[0, 0], [2 ** 32, 0], [0, 1], [0, 2 ** 32], [2 ** 40, 2 ** 33]].map(([a, b]) =>
    sampled(a!, b!)
  );
  assertEquals(new Set(all).size, all.length);
});

Deno.test("when is asked at every step of a hook that is always due, as a method of the hook", async () => {
  class Every {
    readonly stage = TickStage.TICK;
    readonly frequency = 1;
    readonly steps: number[] = [];
    readonly wanted = [1, 3];
    when(ctx: BaseContext): boolean {
      return this.wanted.includes(ctx.stepCount);
    }
    call(ctx: BaseContext): void {
      this.steps.push(ctx.stepCount);
    }
  }
  const every = new Every(), loop = ticks();
  loop.hooks.add(every);
  await loop.run(5);
  assertEquals(every.steps, [1, 3]);
});

Deno.test("the clock of everySeconds begins with the run", async () => {
  const hook = ticking({ everySeconds: 0.05 }), loop = ticks();
  loop.hooks.add(hook);
  let time = 1e6;
  Object.assign(performance, { now: () => time });
  try {
    await loop.run(3);
    time += 60;
    await loop.run(3);
    assertEquals(hook.steps, []);
    loop.hooks.add({ ...ticking({}), name: "clock", call: () => void (time += 60) });
    await loop.run(3);
    assertGreater(hook.steps.length, 0);
  } finally {
    delete (performance as { now?: unknown }).now;
  }
});

Deno.test("only observers of stages that recur fire at the end", async () => {
  const calls: string[] = [], loop = work();
  const note = (stage: "work/ON_FULL" | "work/EPOCH_END") =>
    ({ stage, frequency: 50, phase: 49, atEnd: true, call: () => void calls.push(stage) }) as const;
  loop.hooks.add(
    {
      stage: "work/AMOUNT",
      frequency: 50,
      phase: 49,
      atEnd: true,
      call: (ctx: { value: number }) => (calls.push("pipe"), ctx.value),
    } as const,
  );
  loop.hooks.add(note("work/ON_FULL"));
  loop.hooks.add(note("work/EPOCH_END"));
  await loop.run(3);
  assertEquals(calls, ["work/EPOCH_END"]);
});

Deno.test("events and other counters leave the horizon free", () => {
  const loop = work({ hooks: [new Steps("work/ON_FULL"), new Steps("work/EPOCH_END")] });
  assertEquals(loop.hooks.horizon(0), Infinity);
  loop.hooks.add(new Steps("work/AFTER", 7));
  assertEquals(loop.hooks.horizon(1), 6);
});

Deno.test("everySeconds goes on in a hook added in mid-run, and after a load", async () => {
  const busy = (loop: Loop<typeof TickStage>) => {
    for (const end = performance.now() + 1; performance.now() < end;);
    return loop.fire("tick/TICK");
  };
  const make = () => ({
    loop: new Loop({ kinds: TickStage, step: busy }),
    hook: ticking({ everySeconds: 0.01 }),
  });
  const late = make(), loaded = make();
  late.loop.hooks.add({
    ...ticking({ once: true, after: 20 }),
    call: () => void late.loop.hooks.add(late.hook),
  });
  await late.loop.run(150);
  assertGreater(late.hook.steps.length, 5);
  loaded.loop.hooks.add(loaded.hook);
  await loaded.loop.run(40);
  const saved = loaded.loop.save();
  loaded.loop.load({ ...saved, stepCount: 0 });
  loaded.hook.steps.length = 0;
  await loaded.loop.step();
  for (let i = 0; i < 60; i++) await loaded.loop.step();
  await loaded.loop.close();
  assertGreater(loaded.hook.steps.length, 2);
});
