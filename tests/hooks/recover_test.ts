// A loop that goes on from before when something of a run has failed.
import { assertEquals, assertRejects } from "@std/assert";
import type {
  BaseContext,
  ContextAt,
  FieldValues,
  ReadPlan,
  StateSource,
} from "@hooke/hooke/hooks";
import { work, type WorkLoop, WorkStage } from "./kit.ts";

/** State far away, of which one copy fails to come; those after it come. */
class BreakingState implements StateSource {
  readonly fields = ["heights"];
  broken = -1;
  #copies = 0;

  plan(): ReadPlan {
    const fetch = async (): Promise<FieldValues> => {
      const copy = this.#copies++;
      await new Promise((resolve) => setTimeout(resolve, copy === this.broken ? 5 : 1));
      if (copy === this.broken) throw new Error("gone");
      return { heights: copy };
    };
    return { live: false, fetch };
  }

  writable(): never {
    throw new Error("not here");
  }
}

type Read = ContextAt<typeof WorkStage, "AFTER", readonly ["heights"]>;

function reading(seen: number[], more: object = {}) {
  return {
    name: "reading",
    stage: WorkStage.AFTER,
    frequency: 1,
    reads: ["heights"] as const,
    call: ({ stepCount }: Read) => void seen.push(stepCount),
    ...more,
  };
}

/** A loop that goes back to step 4, when it has been kept, as often as it is asked to. */
function recovering(state: StateSource): { loop: WorkLoop; done: number[]; asked: unknown[] } {
  const done: number[] = [], asked: unknown[] = [];
  let marks: ReturnType<WorkLoop["hooks"]["marks"]> | undefined;
  const loop: WorkLoop = work({
    state,
    step: (loop) => {
      if (loop.stepCount === 4) marks ??= loop.hooks.marks();
      done.push(loop.stepCount);
      return loop.fire("work/AFTER");
    },
    recover: async (error) => {
      asked.push(error);
      if (marks === undefined) return undefined;
      await loop.hooks.drop();
      loop.hooks.goBack(marks);
      return 4;
    },
  });
  loop.hooks.track(true);
  return { loop, done, asked };
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

Deno.test("a copy that fails cuts all that would have come after it: done again, all is in order", async () => {
  const state = new BreakingState();
  const { loop, done, asked } = recovering(state);
  const seen: number[] = [], often: number[] = [];
  loop.hooks.add(reading(seen));
  loop.hooks.add(
    {
      ...reading(often),
      reads: [],
      name: "often",
      call: ({ stepCount }: Read) => void often.push(stepCount),
    } as never,
  );
  state.broken = 8;
  await loop.run(12);
  assertEquals([asked.length, loop.stepCount, loop.context.stepCount], [1, 12, 11]);
  assertEquals([seen, often], [upTo(12), upTo(12)]);
  const again = done.indexOf(4, 5); // what failed came a while after it was asked for
  assertEquals(done, [...upTo(again), ...upTo(12).slice(4)]);
});

Deno.test("without anything to go on from the error is that of the run, and the next run is whole", async () => {
  const state = new BreakingState();
  const { loop, asked } = recovering(state);
  const seen: number[] = [];
  loop.hooks.add(reading(seen));
  state.broken = 1;
  await assertRejects(() => loop.run(3), Error, "Cannot fetch the fields that reading reads");
  assertEquals([asked.length, seen], [1, [0]]);
  const before = loop.stepCount;
  await loop.run(2);
  assertEquals(seen, [0, before, before + 1]);
});

Deno.test("an error that is no hook's doing ends the run, whatever the hook's policy", async () => {
  const gone = new Error("gone");
  const seen: number[] = [];
  const loop = work({
    isFatal: (error) => error === gone,
    step: (loop) => loop.fire("work/AFTER"),
  });
  loop.hooks.add({
    name: "watches",
    stage: WorkStage.AFTER,
    frequency: 1,
    onError: "warn" as const,
    call: ({ stepCount }: BaseContext) => {
      if (stepCount === 3) throw gone;
      seen.push(stepCount);
    },
  });
  const error = await assertRejects(() => loop.run(9), Error, "gone");
  assertEquals([error, seen, loop.hooks.list()[0]!.errors], [gone, [0, 1, 2], 0]);
});
