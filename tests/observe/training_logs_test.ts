// Logs of training for people and for programs.
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { fileURLToPath } from "node:url";
import { ConsoleLog, JsonLog, postScalars, ScalarBuffer } from "../../src/observe/mod.ts";
import { jsonLine } from "../../src/observe/training/json_line.ts";
import type { TrainingBase } from "../../src/training/mod.ts";
import { doubles, line, trainAnyway } from "./training_line.ts";

function collecting(): { lines: string[]; write: (line: string) => void } {
  const lines: string[] = [];
  return { lines, write: (text) => void lines.push(text) };
}

/** Posts a number at each step. */
function posting(note?: string): object {
  return {
    name: "posting",
    onStepEnd: (ctx: TrainingBase) =>
      postScalars(ctx, {
        source: "posting",
        step: ctx.stepCount,
        values: { half: ctx.stepCount / 2 },
        ...(note !== undefined && { note }),
      }),
  };
}

const fails = { name: "fails", onError: "throw", onEpochEnd: () => raise() };

function raise(): never {
  throw new RangeError("no more");
}

function linesOf(path: string): Record<string, unknown>[] {
  return Deno.readTextFileSync(path).trimEnd().split("\n").map((text) => JSON.parse(text));
}

Deno.test("a console log has begin, epochs from 1, rows of batches, validation, totals and the end", async () => {
  const { lines, write } = collecting();
  const log = new ConsoleLog({ logEveryNBatches: 2, write });
  await using trainer = line([log], { epochs: 2, validation: doubles([1]) });
  await trainer.train();
  assertEquals(lines[0], "training line: 1 parameters on wasm, from epoch 1, hooks console_log");
  assertMatch(lines[1]!, /^run [-0-9a-f]{36}( {2}commit [0-9a-f]{40})?$/);
  assertEquals(lines.slice(2, 5), [
    "epoch 1",
    "epoch 1  batch 0  loss 4", // w = 0, x = 1: (2 - 0)²
    "epoch 1  batch 2  loss 29.2638", // w = 0.04, then 0.04 + 0.01 · 2 · 3.92 · 2 = 0.1968: (3 · 1.8032)²
  ]);
  assertMatch(lines[5]!, /^validation done {2}val\/loss \d/);
  assertMatch(lines[6]!, /^epoch 1 done {2}train\/loss \d+\.\d+ {2}val\/loss \d.* {2}\d+\.\d s$/);
  assertEquals(lines[7], "epoch 2");
  assertMatch(lines.at(-1)!, /^training completed {2}8 steps {2}\d+\.\d s$/);
  assertEquals(lines.length, 13);
});

Deno.test("logEveryNBatches is 10 by default; schedules and enableAfterEpoch select rows", async () => {
  const rows = async (options: object) => {
    const { lines, write } = collecting();
    await using trainer = line([new ConsoleLog({ write, ...options })], { epochs: 3 });
    await trainer.train();
    return lines.filter((text) => text.includes("batch")).map((text) => text.split("  loss")[0]);
  };
  assertEquals(await rows({}), ["epoch 1  batch 0", "epoch 3  batch 2"]); // rows 0 and 10
  assertEquals(await rows({ logEveryNBatches: 4, after: 1 }), [
    "epoch 2  batch 0",
    "epoch 3  batch 0",
  ]);
  assertEquals(await rows({ logEveryNBatches: 1, once: true }), ["epoch 1  batch 0"]);
  assertEquals(await rows({ logEveryNBatches: 4, enableAfterEpoch: 2 }), ["epoch 3  batch 0"]);
});

Deno.test("a level leaves out lower levels: warnings, and only errors", async () => {
  const said = async (level: "info" | "warning" | "error", hooks: object[]) => {
    const { lines, write } = collecting();
    const log = new ConsoleLog({ level, write, logEveryNBatches: 1 });
    await using trainer = line([log, ...hooks], { data: doubles([1, 2]) });
    await trainer.train().catch(() => {});
    return lines;
  };
  assertEquals(await said("warning", []), []);
  assertEquals((await said("warning", [posting("look")])).map((text) => text.trim()), [
    "step 1  posting  half 0.5  (look)",
    "step 2  posting  half 1  (look)",
  ]);
  const stopping = { name: "stopping", onStepEnd: (ctx: TrainingBase) => ctx.stop("enough") };
  const [end] = await said("warning", [stopping]);
  assertMatch(end!, /^training stopped: enough {2}1 steps/);
  assertEquals(await said("error", [fails, posting("look")]), [
    "error in epoch 1, step 2: RangeError: no more",
  ]);
  assert((await said("info", [])).length > 3);
});

Deno.test("a loss that is not finite is a warning", async () => {
  const { lines, write } = collecting();
  const log = new ConsoleLog({ level: "warning", write });
  await using trainer = line([log], { data: doubles([NaN]) });
  await trainAnyway(trainer);
  assertEquals(lines[0], "epoch 1  batch 0  loss NaN");
});

Deno.test("each log writes the rows that other hooks post once, and at most 256 rows wait", async () => {
  const { lines, write } = collecting();
  const json = new JsonLog({ outputDir: Deno.makeTempDirSync() });
  await using trainer = line([posting(), new ConsoleLog({ write }), json]);
  await trainer.train();
  const posted = lines.filter((text) => text.includes("posting  "));
  assertEquals(posted, [1, 2, 3, 4].map((step) => `step ${step}  posting  half ${step / 2}`));
  const rows = linesOf(json.path!).filter(({ event }) => event === "scalars");
  assertEquals(rows.map(({ step, values }) => [step, values]), [
    [1, { half: 0.5 }],
    [2, { half: 1 }],
    [3, { half: 1.5 }],
    [4, { half: 2 }],
  ]);
  const board = new ScalarBuffer();
  for (let step = 0; step < 300; step++) board.post({ source: "x", step, values: {} });
  assertEquals([board.after(0).length, board.after(0)[0]!.step, board.posted], [256, 44, 300]);
  assertEquals(board.after(298).map(({ step }) => step), [298, 299]);
});

Deno.test("a console log refuses wrong options", () => {
  assertThrows(() => new ConsoleLog({ logEveryNBatches: 0 }), RangeError, "a positive integer");
  assertThrows(() => new ConsoleLog({ level: "debug" as never }), TypeError, "level must be");
  assertThrows(() => new ConsoleLog({ write: 3 as never }), TypeError, "write must be a function");
  assertThrows(
    () => new ConsoleLog({ name: "" }),
    TypeError,
    "name must be a string that is not empty",
  );
  assertThrows(
    () => new ConsoleLog({ logEveryNBatche: 3 } as never),
    TypeError,
    "did you mean",
  );
  assertThrows(
    () => new ConsoleLog({ frequency: 3 } as never),
    TypeError,
    'frequency must be left out, because the option "logEveryNBatches" replaces it',
  );
  assertEquals(new ConsoleLog().name, "console_log");
  assertEquals(new ConsoleLog({ name: "mine" }).name, "mine");
});

Deno.test("a JSON log has every event, with the names of the documents", async () => {
  const outputDir = Deno.makeTempDirSync();
  const log = new JsonLog({ outputDir, logEveryNBatches: 3, config: { lr: 0.01 } });
  await using trainer = line([log], { epochs: 2, validation: doubles([1]) });
  await trainer.train();
  assertMatch(log.path!, /\/logs\/training_\d{4}-\d\d-\d\dT[\d-]+Z\.jsonl$/);
  const lines = linesOf(log.path!);
  assertEquals(lines.map(({ event }) => event), [
    "log_start",
    "train_begin",
    "batch",
    "batch",
    "validation",
    "epoch_end",
    "batch",
    "validation",
    "epoch_end",
    "train_end",
  ]);
  for (const { time, runId } of lines) {
    assertEquals(new Date(time as string).toISOString(), time);
    assertEquals(runId, log.runId);
  }
  const [, begin, first, second] = lines;
  assertEquals(begin!.config, { lr: 0.01 });
  assertEquals(begin!.model_params, 1);
  assertEquals((begin!.hooks as { name: string }[])[0]!.name, "json_log");
  assertEquals(begin!.parameters, [{ name: "w", dims: [1, 1], size: 1, optimizer: 0 }]);
  assertEquals([first!.epoch, first!.batch, first!.loss], [1, 0, 4]);
  assertEquals([second!.epoch, second!.batch], [1, 3]);
  const epochs = lines.filter(({ event }) => event === "epoch_end");
  assertEquals(epochs.map(({ epoch }) => epoch), [1, 2]);
  for (const { loss, val_loss, duration } of epochs) {
    assert([loss, val_loss, duration].every((x) => typeof x === "number"));
  }
  const end = lines.at(-1)!;
  assertEquals([end.status, end.total_batches, end.total_steps], ["completed", 8, 8]);
  assertEquals([end.best_epoch, end.best_loss], [2, epochs[1]!.val_loss]);
  assertEquals(end.final_loss, trainer.state.latestLoss);
  assert((end.training_time as number) > 0);
});

Deno.test("a JSON log says how a run ended: stopped, or with an error", async () => {
  const ended = async (hook: object) => {
    const log = new JsonLog({ outputDir: Deno.makeTempDirSync() });
    await using trainer = line([log, hook]);
    await trainer.train().catch(() => {});
    return linesOf(log.path!);
  };
  const stopping = { name: "stopping", onStepEnd: (ctx: TrainingBase) => ctx.stop("enough") };
  const stopped = (await ended(stopping)).at(-1)!;
  assertEquals([stopped.status, stopped.reason, stopped.total_batches], ["stopped", "enough", 1]);
  const failed = await ended(fails);
  const exception = failed.find(({ event }) => event === "exception")!;
  assertEquals(exception.error, { name: "RangeError", message: "no more" });
  assertEquals(failed.at(-1)!.status, "error");
});

Deno.test("lines are valid JSON for any values", async () => {
  const round: Record<string, unknown> = { big: 2n ** 70n, small: 5n, none: undefined };
  round.self = round;
  const config = {
    round,
    nan: NaN,
    inf: -Infinity,
    fn: Math.max,
    symbol: Symbol("s"),
    text: "a\nb\u2028",
    map: new Map([["a", new Set([1])]]),
    numbers: Float32Array.of(1, NaN),
    date: new Date(0),
    url: new URL("http://a/b"),
    error: new Error("e", { cause: 1n }),
    many: Array.from({ length: 1500 }, (_, i) => i),
    get broken(): never {
      throw new Error("unreadable");
    },
    toJSON: undefined,
  };
  const log = new JsonLog({ outputDir: Deno.makeTempDirSync(), config, logEveryNBatches: 1 });
  await using trainer = line([log], { data: doubles([NaN, Infinity]) });
  await trainAnyway(trainer);
  const lines = linesOf(log.path!);
  const { config: written } = lines[1] as { config: Record<string, unknown> };
  assertEquals(written.round, { big: String(2n ** 70n), small: 5, self: "[circular]" });
  assertEquals([written.nan, written.inf, written.fn], [null, "-Infinity", "[function max]"]);
  assertEquals([written.map, written.numbers], [{ a: [1] }, [1, null]]);
  assertEquals([written.date, written.url], ["1970-01-01T00:00:00.000Z", "http://a/b"]);
  assertEquals(written.error, { name: "Error", message: "e", cause: 1 });
  assertEquals((written.many as unknown[]).at(-1), "[1500 in all]");
  assertMatch(String(written.broken), /unreadable/);
  assertEquals(lines.find(({ event }) => event === "batch")!.loss, null);
  let deep: unknown = 1;
  for (let i = 0; i < 20; i++) deep = { deep };
  assertMatch(jsonLine(deep), /\[deeper\]/);
  assertEquals(jsonLine(undefined), "null");
});

Deno.test("a named file is appended to, after an incomplete line", async () => {
  const outputDir = Deno.makeTempDirSync();
  await Deno.mkdir(`${outputDir}/logs`);
  await Deno.writeTextFile(`${outputDir}/logs/run.jsonl`, '{"event":"old"}\n{"event":"ha');
  const log = new JsonLog({ outputDir, fileName: "run.jsonl" });
  await using trainer = line([log]);
  await trainer.train();
  const lines = (await Deno.readTextFile(log.path!)).trimEnd().split("\n");
  assertEquals(lines.slice(0, 2), ['{"event":"old"}', '{"event":"ha']);
  assertEquals(JSON.parse(lines[2]!).event, "log_start");
});

Deno.test("a disabled log creates no file; enabled it begins one; events outside of a run are not written", async () => {
  const outputDir = Deno.makeTempDirSync(), log = new JsonLog({ outputDir });
  await using trainer = line([], { validation: doubles([1]) });
  const handle = trainer.addHook(log, { enabled: false });
  await trainer.train();
  assertEquals([log.path, [...Deno.readDirSync(outputDir)].length], [undefined, 0]);
  handle.enable();
  await trainer.validate();
  await trainer.train(2);
  await trainer.validate();
  assertEquals([...Deno.readDirSync(`${outputDir}/logs`)].length, 1);
  const events = linesOf(log.path!).map(({ event }) => event);
  assertEquals(events.filter((event) => event !== "batch"), [
    "log_start",
    "train_begin",
    "validation",
    "epoch_end",
    "train_end",
  ]);
});

Deno.test("an epoch that was cut short is not reported as done", async () => {
  const { lines, write } = collecting();
  const stopping = { name: "stopping", onStepEnd: (ctx: TrainingBase) => ctx.stop("enough") };
  await using trainer = line([new ConsoleLog({ write }), stopping]);
  await trainer.train();
  const ends = lines.filter((text) => text.includes("train/loss"));
  assertEquals(ends.map((text) => text.split("  ")[0]), ["epoch 1 stopped"]);
});

Deno.test("lines are in the file while training goes on, and a resumed run keeps its id", async () => {
  const log = new JsonLog({ outputDir: Deno.makeTempDirSync(), logEveryNBatches: 1 });
  const seen: number[] = [];
  const looking = { name: "looking", onStepEnd: () => void seen.push(linesOf(log.path!).length) };
  await using trainer = line([log, looking]);
  await trainer.train();
  assertEquals(seen, [2, 3, 4, 5]);
  const next = new JsonLog({ outputDir: new URL(`file://${Deno.makeTempDirSync()}/`) });
  await using resumed = line([next, looking], { epochs: 2 });
  await resumed.load(await trainer.save());
  assertEquals(next.runId, log.runId);
  await resumed.train();
  const { total_batches } = linesOf(next.path!).at(-1)!;
  assertEquals(total_batches, 8);
  assertThrows(() => next.load(3), TypeError, "its state must be a result of save()");
});

Deno.test("a JSON log that cannot be written stops the run", async () => {
  const file = Deno.makeTempFileSync(); // not a folder
  await using trainer = line([new JsonLog({ outputDir: file })]);
  await assertRejects(
    () => trainer.train(),
    Error,
    `Cannot create folder ${file}/logs: a part of its path is a file and not a folder`,
  );
  assertThrows(() => new JsonLog({} as never), TypeError, "outputDir is required: the folder");
  assertThrows(() => new JsonLog({ outputDir: 3 as never }), TypeError, "a path");
  assertThrows(
    () => new JsonLog({ outputDir: "x", fileName: "" }),
    TypeError,
    "the name of a file",
  );
});

Deno.test("a run that is killed leaves complete lines, up to its current batch", async () => {
  const outputDir = Deno.makeTempDirSync(), path = `${outputDir}/logs/run.jsonl`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", fileURLToPath(new URL("json_log_child.ts", import.meta.url)), outputDir],
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    for (let size = 0; size < 20_000;) {
      await new Promise((done) => setTimeout(done, 20));
      size = await Deno.stat(path).then((info) => info.size, () => 0);
    }
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
  const text = await Deno.readTextFile(path);
  assert(text.endsWith("\n"));
  const steps = linesOf(path).filter(({ event }) => event === "batch").map(({ step }) => step);
  assertEquals(steps, Array.from(steps, (_, i) => i + 1));
  assert(steps.length > 50, `${steps.length} batches`);
});

Deno.test("the last line of the console has the number of errors of hooks", async () => {
  const { lines, write } = collecting();
  const broken = {
    name: "broken",
    onError: "warn",
    onStepEnd() {
      throw new Error("on purpose");
    },
  };
  await using trainer = line([new ConsoleLog({ level: "warning", write }), broken], {
    onWarning: () => {},
  });
  const outcome = await trainer.train();
  assertEquals(outcome, { status: "completed", hookErrors: 4 });
  assertMatch(lines.at(-1)!, /^training completed {2}4 steps {2}.* s {2}\(4 errors of hooks\)$/);
});
