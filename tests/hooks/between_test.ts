// Work between two steps of a loop.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { type BaseContext, Loop, stages } from "@hooke/hooke/hooks";

const WalkStage = stages<BaseContext>()("walk", ["BEFORE_STEP", "AFTER_STEP"]);

/** A loop that writes down what happens; its hook asks for work in some steps. */
function walk(askIn: readonly number[], work: () => unknown = () => {}, fails?: number) {
  const seen: string[] = [], asked: Promise<unknown>[] = [];
  const loop = new Loop({
    kinds: WalkStage,
    step(loop) {
      seen.push(`step ${loop.stepCount}`);
      if (loop.stepCount === fails) throw new Error("fell");
      return loop.fire(WalkStage.AFTER_STEP);
    },
  }, {
    name: "walk",
  });
  loop.hooks.add({
    name: "asker",
    stage: WalkStage.AFTER_STEP,
    frequency: 1,
    call({ stepCount }: BaseContext) {
      if (!askIn.includes(stepCount)) return;
      asked.push(loop.betweenSteps(async () => {
        seen.push(`work at ${loop.stepCount}`);
        await new Promise((done) => setTimeout(done, 2));
        return work();
      }));
      asked.at(-1)!.catch(() => {});
    },
    close: () => void seen.push("closed"),
  });
  return { loop, seen, asked };
}

Deno.test("work is done when the step is done, before the next; after the last, before hooks are closed", async () => {
  const { loop, seen, asked } = walk([0, 2], () => "done");
  await loop.run(3);
  assertEquals(seen, ["step 0", "work at 1", "step 1", "step 2", "work at 3", "closed"]);
  assertEquals(await Promise.all(asked), ["done", "done"]);
});

Deno.test("steps by hand wait for it, too, and where nothing is under way it is done at once", async () => {
  const { loop, seen } = walk([0]);
  await loop.step();
  assertEquals(seen, ["step 0", "work at 1"]);
  assertEquals(await loop.betweenSteps(() => loop.stepCount), 1);
});

Deno.test("its errors go to the caller, and the run goes on", async () => {
  const { loop, seen, asked } = walk([0, 1], () => {
    throw new Error("no room");
  });
  assertEquals((await loop.run(3)).status, "completed");
  for (const one of asked) await assertRejects(() => one, Error, "no room");
  assert(seen.includes("step 2"));
});

Deno.test("if the run fails before, the work is not done, and its promise rejects when hooks are closed", async () => {
  const { loop, asked, seen } = walk([1]);
  let told: unknown;
  loop.hooks.add({
    name: "falls",
    stage: WalkStage.AFTER_STEP,
    frequency: 1,
    onError: "throw",
    call({ stepCount }: BaseContext) {
      if (stepCount === 1) throw new Error("fell");
    },
    close: async () => void (told = await asked[0]!.catch((error) => error)),
  });
  await assertRejects(() => loop.run(3), Error, "fell");
  assertEquals(
    (told as Error).message,
    "Cannot work between two steps of walk: its run is over",
  );
  assertEquals(((told as Error).cause as Error).message, "fell");
  assert(!seen.includes("work at 2"));
});

Deno.test("what is asked for as hooks are closed is not done", async () => {
  const { loop, asked } = walk([]);
  loop.hooks.add({
    name: "late",
    stage: WalkStage.AFTER_STEP,
    frequency: 1,
    call() {},
    close: () => void asked.push(loop.betweenSteps(() => "never")),
  });
  await Promise.all([loop.run(1), Promise.resolve()]);
  await assertRejects(() => asked[0]!, Error, ": its run is over");
});
