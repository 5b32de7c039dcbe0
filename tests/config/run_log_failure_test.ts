import { assert, assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import { runLog, type RunLogOptions } from "../../src/config/runs/mod.ts";
import { keptLog, observer, parse, walk } from "./walk.ts";

/** A log whose writer fails at these lines, counted from 0; and the written lines. */
function failingLog(failing: readonly number[], isAsync: boolean) {
  const lines: string[] = [];
  let n = 0;
  const put = (line: string) => {
    if (failing.includes(n++)) throw new Error(`disk full at ${n - 1}`);
    lines.push(line);
  };
  const later = async (line: string) => {
    await new Promise((done) => setTimeout(done, 2));
    put(line);
  };
  const log = runLog({ commit: "c0ffee", write: isAsync ? later : put });
  return { log, types: () => lines.map((line) => JSON.parse(line).type) };
}

/** A loop in which a hook is disabled in step 1 and enabled again in step 2. */
function toggling(log: ReturnType<typeof runLog>, onWarning: (name: string) => void = () => {}) {
  const loop = walk({ hooks: [log], onWarning: ({ hook }) => onWarning(hook) });
  loop.hooks.add(observer("energies"));
  loop.hooks.add(
    observer("switch", 1, ({ stepCount, workflow }) => {
      if (stepCount === 1) workflow.hooks.disable("energies");
      if (stepCount === 2) workflow.hooks.enable("energies");
    }),
    { onError: "throw" },
  );
  return loop;
}

for (const isAsync of [false, true]) {
  const kind = isAsync ? "asynchronous" : "synchronous";

  Deno.test(`a failing ${kind} writer prevents the run if it fails at the first line`, async () => {
    const { log, types } = failingLog([0], isAsync);
    const loop = toggling(log);
    const error = await assertRejects(
      () => loop.run(4),
      Error,
      "1 of 1 lines could not be written",
    );
    assert(error.cause instanceof Error && error.cause.message === "disk full at 0");
    assertEquals([loop.stepCount, types()], [0, []]);
    await loop.run(4); // the disk has space again, and the first attempt left nothing
    assertEquals(types(), ["start", "change", "change", "end"]);
  });

  Deno.test(`a failing ${kind} writer in mid-run does not affect hooks; the run does all steps, then rejects`, async () => {
    const { log, types } = failingLog([1], isAsync);
    const loop = toggling(log);
    const error = await assertRejects(
      () => loop.run(4),
      Error,
      "The run log is incomplete: 1 of 3 lines could not be written. First error: disk full at 1",
    );
    assert(error.cause instanceof Error && error.cause.message === "disk full at 1");
    assertEquals([loop.stepCount, types()], [4, ["start", "change", "end"]]);
  });

  Deno.test(`a failing ${kind} writer reports all its errors`, async () => {
    const { log, types } = failingLog([1, 3], isAsync);
    const error = await assertRejects(
      () => toggling(log).run(4),
      Error,
      "2 of 3 lines could not be written",
    );
    assertInstanceOf(error.cause, AggregateError);
    assertEquals(error.cause.errors.map(({ message }) => message), [
      "disk full at 1",
      "disk full at 3",
    ]);
    assertEquals(types(), ["start", "change"]);
  });

  Deno.test(`a failing ${kind} writer does not hide the reason why a run failed: its error becomes a warning`, async () => {
    const { log } = failingLog([1], isAsync);
    const warnings: string[] = [];
    const loop = toggling(log, (name) => warnings.push(name));
    loop.hooks.add(
      observer("bad", 1, (ctx) => {
        if (ctx.stepCount === 3) throw new RangeError("diverged");
      }),
      { onError: "throw" },
    );
    await assertRejects(() => loop.run(9), RangeError, "diverged");
    assertEquals(warnings, ["runLog"]);
  });
}

Deno.test("a slow writer gets its lines in order, one at a time, and the run waits for the last", async () => {
  let busy = 0;
  let text = "";
  const log = runLog({
    commit: "c0ffee",
    async write(line) {
      assertEquals(++busy, 1);
      await new Promise((done) => setTimeout(done, text === "" ? 10 : 1));
      text += line;
      busy--;
    },
  });
  await toggling(log).run(4);
  assertEquals(parse(text).map(({ type, step }) => [type, step]), [
    ["start", 0],
    ["change", 1],
    ["change", 2],
    ["end", 4],
  ]);
});

Deno.test("a log cannot be open for two engines at once", async () => {
  const { log } = keptLog();
  const [first, second] = [walk({ hooks: [log] }), walk({ name: "second", hooks: [log] })];
  await first.step();
  await assertRejects(
    () => second.run(1),
    Error,
    "Cannot open run log runLog for second: the log is open for",
  );
  await first.close();
  await second.run(1);
});

Deno.test("a log whose config was damaged after it was made prevents the run, and names the path", async () => {
  const config = { rate: 1 };
  const { log, records } = keptLog({ config });
  const loop = walk({ hooks: [log] });
  config.rate = NaN;
  await assertRejects(() => loop.run(1), TypeError, "config.rate must be a finite number");
  config.rate = 2;
  await loop.run(1);
  assertEquals(records().length, 2);
});

Deno.test("runLog() refuses wrong options at once", () => {
  const write = () => {};
  const refused: [options: unknown, message: string][] = [
    [undefined, "either path or write is required; got neither"],
    [{}, "either path or write is required; got neither"],
    [{ path: "a", write }, "either path or write is required; got both"],
    [{ write: "out" }, 'write must be a function; got "out"'],
    [{ path: 5 }, "path must be a non-empty string or a file URL; got 5"],
    [{ path: "" }, 'path must be a non-empty string or a file URL; got ""'],
    [{ write, id: 7 }, "id must be a non-empty string; got 7"],
    [{ write, commit: "" }, 'commit must be a non-empty string; got ""'],
    [{ write, name: null }, "name must be a non-empty string; got null"],
    [{ write, config: { a: [NaN] } }, "config.a[0] must be a finite number; got NaN"],
  ];
  for (const [options, message] of refused) {
    assertThrows(() => runLog(options as RunLogOptions), TypeError, message);
  }
});

Deno.test("a log refuses a wrong saved state", () => {
  const { log } = keptLog();
  for (const state of [undefined, null, {}, { id: "a", segments: -1 }, { id: 1, segments: 1 }]) {
    assertThrows(() => log.load(state), TypeError, "its state must be { id, segments }");
  }
});
