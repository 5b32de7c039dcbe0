// Hooks that never answer: once the run is aborted it ends, and names them.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { HookWarning, Outcome, StateSource } from "@hooke/hooke/hooks";
import { AnswerWatch } from "../../src/hooks/run/answer_watch.ts";
import { work, WorkStage } from "./kit.ts";

/** Never settles. */
const NEVER = new Promise<never>(() => {});

/** State that must be fetched first. */
const FAR: StateSource = {
  fields: ["heights"],
  plan: () => ({
    live: false,
    fetch: () => Promise.resolve({ heights: new Float64Array(1) }),
  }),
  writable: () => [0],
};

/** Lets timers go off 400 times as early meanwhile; returns their delays, ms. */
async function hurried(test: () => Promise<unknown>): Promise<number[]> {
  const real = globalThis.setTimeout, delays: number[] = [];
  globalThis.setTimeout = ((call: () => void, delay = 0) => {
    delays.push(delay);
    return real(call, delay / 400);
  }) as typeof setTimeout;
  try {
    await test();
  } finally {
    globalThis.setTimeout = real;
  }
  return delays;
}

interface Hung {
  readonly onError?: "throw" | "warn";
  readonly more?: object;
}

/** A hook that never answers from its second call on, in a run that is aborted then. */
function hung(stage: keyof typeof WorkStage & string, { onError, more }: Hung = {}) {
  const controller = new AbortController(), warnings: HookWarning[] = [];
  let calls = 0;
  const answers: Record<string, unknown> = { AMOUNT: 1, MAY_WORK: true, WORK: 1 };
  const hook = {
    name: "stuck",
    stage: WorkStage[stage],
    frequency: 1,
    ...(onError && { onError }),
    ...more,
    call() {
      if (++calls < 2) return answers[stage];
      setTimeout(() => controller.abort(new Error("enough")), 10);
      return NEVER;
    },
  };
  const loop = work({
    signal: controller.signal,
    onWarning: (warning) => warnings.push(warning),
    state: FAR,
  });
  loop.hooks.add(hook as never);
  return { loop, warnings, controller };
}

for (const stage of ["BEFORE", "AMOUNT", "MAY_WORK", "WORK", "AFTER"] as const) {
  for (const more of [{}, { reads: ["heights"], sync: true }]) {
    const what = `${stage}${"reads" in more ? ", with fields that are fetched" : ""}`;
    Deno.test(`an aborted run ends and names a hook that does not answer at ${what}`, async () => {
      const { loop } = hung(stage, { onError: "throw", more });
      await hurried(async () => {
        const error = await assertRejects(() => loop.run(9), Error, "The run was aborted");
        assertStringIncludes(error.message, `hook stuck did not answer at work/${stage} of step 1`);
        assertEquals((error.cause as Error).message, "enough");
      });
    });
  }
}

for (const more of [{}, { reads: ["heights"] }]) {
  const what = "reads" in more ? "an observer that is called late" : "an observer";
  Deno.test(`an aborted run is stopped, with a warning, if ${what} does not answer`, async () => {
    const { loop, warnings } = hung("AFTER", { more });
    let outcome: Outcome | undefined;
    const delays = await hurried(async () => outcome = await loop.run(100_000));
    // Of a hook that did not answer no other call is waited for.
    assert(delays.filter((delay) => delay >= 800).length === 1, delays.join());
    assertEquals(outcome!.status, "stopped");
    assertEquals([warnings[0]!.hook, warnings[0]!.stage], ["stuck", "work/AFTER"]);
    const { message, cause } = warnings[0]!.error as Error;
    assertStringIncludes(`${message}: ${cause}`, "did not answer at work/AFTER");
  });
}

Deno.test("hooks after one that answers too late are called once, and the step goes on once", async () => {
  const controller = new AbortController(), seen: string[] = [];
  const late = Promise.withResolvers<void>();
  const loop = work({ signal: controller.signal, onWarning: () => {} });
  loop.hooks.add({
    name: "late",
    stage: WorkStage.BEFORE,
    frequency: 1,
    call: () => (controller.abort(), late.promise),
  });
  loop.hooks.add({ stage: WorkStage.BEFORE, frequency: 1, call: () => void seen.push("next") });
  await hurried(() => loop.run(5));
  late.resolve();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals([seen, loop.stepCount], [["next"], 1]);
});

Deno.test("an aborted run waits for hooks that open, store or close", async () => {
  const controller = new AbortController();
  const opening = work({
    signal: controller.signal,
    hooks: [{ name: "slow", stage: WorkStage.AFTER, frequency: 1, open: () => NEVER, call() {} }],
  });
  await hurried(async () => {
    setTimeout(() => controller.abort(), 10);
    const error = await assertRejects(() => opening.run(1), Error, "did not answer at open");
    assertStringIncludes(error.message, "within 0.8 s");
  });
  for (const member of ["flush", "close"] as const) {
    const run = hung(
      "AFTER",
      member === "flush" ? { more: { flush() {} } } : {
        more: { call: () => run.controller.abort(), close: () => NEVER },
      },
    );
    const delays = await hurried(async () => {
      if (member === "flush") return await run.loop.run(9);
      await assertRejects(() => run.loop.run(9), Error, "did not answer at close");
    });
    assert(delays.includes(30_000), `${member}: ${delays}`);
  }
});

Deno.test("an answer in time is taken, and nothing is left behind", async () => {
  const controller = new AbortController();
  const watch = new AnswerWatch(controller.signal, () => 0);
  const call = { hook: "h", stage: "s", isStoring: false };
  assertEquals(await watch.of(Promise.resolve(1), call), 1);
  await assertRejects(
    () => Promise.resolve(watch.of(Promise.reject(new Error("no")), call)),
    Error,
    "no",
  );
  const answer = watch.of(new Promise((resolve) => setTimeout(resolve, 5, 2)), call);
  controller.abort();
  assertEquals(await answer, 2);
  assertEquals(await watch.of(Promise.resolve(3), call), 3);
  const promise = Promise.resolve(4);
  assert(new AnswerWatch(undefined, () => 0).of(promise, call) === promise);
});
