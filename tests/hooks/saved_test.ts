import { assertEquals, assertThrows } from "@std/assert";
import type { BaseContext, HookWarning } from "@hooke/hooke/hooks";
import { collect, Steps, work, type WorkLoop, WorkStage } from "./kit.ts";

/** Asks to stop after some firings; its count is its state. */
class Patience {
  readonly stage = WorkStage.AFTER;
  readonly frequency = 1;
  left = 7;

  call(ctx: BaseContext): void {
    if (--this.left === 0) ctx.stop("out of patience");
  }
  save(): { left: number } {
    return { left: this.left };
  }
  load(state: { left: number }): void {
    this.left = state.left;
  }
}

function make(): { loop: WorkLoop; log: Record<string, number[]> } {
  const once = {
    ...new Steps("work/AFTER"),
    once: true,
    after: 3,
    steps: [] as number[],
    call(ctx: BaseContext) {
      this.steps.push(ctx.stepCount);
    },
  };
  const third = new Steps("work/AFTER", 3), off = new Steps();
  const full = {
    ...new Steps("work/ON_FULL"),
    eventFrequency: 2,
    steps: [] as number[],
    call(ctx: BaseContext) {
      this.steps.push(ctx.stepCount);
    },
  };
  const epochs = {
    ...new Steps("work/EPOCH_END", 2),
    steps: [] as number[],
    call(ctx: BaseContext) {
      this.steps.push(ctx.stepCount);
    },
  };
  const loop = work();
  for (const [name, hook] of Object.entries({ once, third, off, full, epochs })) {
    loop.hooks.add(hook, { name });
  }
  return {
    loop,
    log: {
      once: once.steps,
      third: third.steps,
      off: off.steps,
      full: full.steps,
      epochs: epochs.steps,
    },
  };
}

Deno.test("stopped at any step and resumed through JSON, hooks fire as if they had never stopped", async () => {
  const whole = make();
  await whole.loop.run(5);
  whole.loop.hooks.disable("off");
  await whole.loop.run(21);
  for (let stop = 5; stop <= 25; stop += 4) {
    const before = make(), after = make();
    await before.loop.run(5);
    before.loop.hooks.disable("off");
    await before.loop.run(stop - 5);
    after.loop.load(JSON.parse(JSON.stringify(before.loop.save())));
    assertEquals(after.loop.stepCount, stop);
    await after.loop.run(26 - stop);
    for (const name in whole.log) {
      assertEquals(
        [...before.log[name]!, ...after.log[name]!],
        whole.log[name],
        `${name} stopped at ${stop}`,
      );
    }
  }
});

Deno.test("saved state is keyed by name: patience survives a resume", async () => {
  const first = work({ hooks: [new Patience(), new Patience()] });
  await first.run(4);
  const saved = first.save();
  assertEquals(Object.keys(saved.hooks), ["Patience", "Patience-2"]);
  const second = work({ hooks: [new Patience()] });
  second.load({
    ...saved,
    hooks: { Patience: saved.hooks["Patience"]! },
  });
  assertEquals(await second.run(100), { status: "stopped", reason: "out of patience", step: 6 });
});

Deno.test("state that no hook claims is reported, a hook without saved state is left alone", async () => {
  const warnings = collect<HookWarning>();
  const first = work({ hooks: [new Patience()] });
  await first.run(1);
  const second = work({ onWarning: warnings.push });
  const patience = new Patience();
  second.hooks.add(patience, { name: "other" });
  second.load(first.save());
  assertEquals(warnings.list.map(({ hook, stage }) => [hook, stage]), [["Patience", "load"]]);
  assertEquals(patience.left, 7);
  assertThrows(
    () => second.load(undefined as never),
    TypeError,
    "the state must be a result of save()",
  );
});

Deno.test("a hook that fired once, at step 0, does not fire again after a resume", async () => {
  const once = () => ({
    ...new Steps(),
    once: true,
    steps: [] as number[],
    call(ctx: BaseContext) {
      this.steps.push(ctx.stepCount);
    },
  });
  const [before, after] = [once(), once()];
  const first = work({ hooks: [before] }), second = work({ hooks: [after] });
  await first.run(2);
  second.load(first.save());
  await second.run(2);
  assertEquals([before.steps, after.steps], [[0], []]);
});

Deno.test("loading without a hook that was saved prints one line, and counts no error of a hook", async () => {
  const [saving, loading] = [work(), work()];
  saving.hooks.add({ name: "json_log", stage: "work/AFTER", frequency: 1, call() {} });
  const printed: unknown[][] = [], { warn } = console;
  console.warn = (...words: unknown[]) => void printed.push(words);
  try {
    loading.load(saving.save());
  } finally {
    console.warn = warn;
  }
  assertEquals(printed, [[
    "Cannot restore hook json_log: no hook has that name, so its saved state is ignored",
  ]]);
  assertEquals(await loading.run(1), { status: "completed" });
});
