// A hook may have other times at some of its stages.
import { assertEquals, assertThrows } from "@std/assert";
import { type BaseContext, Loop, type ScheduleOptions, stages } from "@hooke/hooke/hooks";

const TickStage = stages<BaseContext>()("tick", ["TICK", "TOCK"]);

function ticking(stageTimes: Readonly<Record<string, ScheduleOptions>>, frequency = 1) {
  const seen: string[] = [];
  const loop = new Loop({
    kinds: TickStage,
    step(loop) {
      loop.fire(TickStage.TICK);
      loop.fire(TickStage.TOCK);
    },
  });
  loop.hooks.add({
    name: "ticker",
    stageTimes,
    frequency,
    onTick: (ctx: BaseContext) => void seen.push(`tick ${ctx.stepCount}`),
    onTock: (ctx: BaseContext) => void seen.push(`tock ${ctx.stepCount}`),
  });
  return { loop, seen };
}

Deno.test("times of a stage hold there, those of the hook everywhere else", async () => {
  const { loop, seen } = ticking({ TICK: { frequency: 3, after: 1 } }, 2);
  await loop.run(7);
  assertEquals(seen, ["tock 0", "tock 2", "tick 3", "tock 4", "tick 6", "tock 6"]);
  const plan = [...loop.hooks.plan().stages.values()].map(([step]) => step!.when);
  assertEquals(plan, ["every 3 steps, from 1", "every 2 steps"]);
});

Deno.test("times of a stage at which the hook does not run, or that cannot be, are refused", () => {
  assertThrows(
    () => ticking({ TOK: { frequency: 3 } }),
    TypeError,
    'its stageTimes must name stages at which it runs (TICK, TOCK); got "TOK"; did you mean',
  );
  assertThrows(() => ticking({ TICK: { frequency: 0 } }), RangeError, "ticker at TICK");
  assertThrows(() => ticking(3 as never), TypeError, "stageTimes must be an object");
});

Deno.test("a hook for engines of several kinds may name stages of a kind that this one does not have", async () => {
  const TockStage = stages<BaseContext>()("tock", ["TOCK", "TUCK"]);
  const seen: number[] = [];
  const both = {
    name: "both",
    kinds: [TickStage, TockStage],
    frequency: 2,
    on: { tick: { TICK: (ctx: BaseContext) => void seen.push(ctx.stepCount) }, tock: {} },
    otherwise: () => {},
  };
  const loop = () => new Loop({ kinds: TickStage, step: (loop) => loop.fire(TickStage.TICK) });
  const fits = loop();
  fits.hooks.add({ ...both, stageTimes: { TUCK: { frequency: 1 } } } as never);
  await fits.run(4);
  assertEquals(seen, [0, 2]);
  const misspelt = { ...both, stageTimes: { TUCKK: { frequency: 1 } } };
  assertThrows(() => loop().hooks.add(misspelt as never), TypeError, 'got "TUCKK"');
});
