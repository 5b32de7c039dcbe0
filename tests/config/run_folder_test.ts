// Run folders: their content, their locks, resuming, and refusals.
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import type { Batch } from "../../src/batch/mod.ts";
import {
  nextRunFolder,
  openRunFolder,
  parseRunLog,
  readRun,
  resume,
  type RunFolder,
  RunFolderBusyError,
  type RunFolderOptions,
} from "../../src/config/runs/mod.ts";
import { parseLock } from "../../src/config/runs/run_lock.ts";
import { langevin } from "../../src/dynamics/mod.ts";
import { GraphBuilder } from "../../src/onnx/mod.ts";
import { parseScalarLines } from "../../src/observe/mod.ts";
import { MemorySink, openSink, readTensorBoard } from "../../src/sinks/mod.ts";
import { adam, meanSquaredError, tensorData, Trainer } from "../../src/training/mod.ts";
import { ARGON, bitsOf, crystals } from "../dynamics/atoms.ts";
import { engine } from "../observe/modified.ts";

async function inFolder(test: (path: string) => Promise<void>): Promise<void> {
  const parent = await Deno.makeTempDir();
  try {
    await test(`${parent}/run`);
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

const dynamics = () =>
  engine(langevin({ dt: 2, temperature: 50, friction: 0.02, seed: 3 }), {
    model: ARGON,
    device: "wasm",
    hooks: [],
  });

const names = (path: string) => [...Deno.readDirSync(path)].map(({ name }) => name).sort();

function trainer(): Trainer {
  const builder = new GraphBuilder("line");
  const x = builder.input("x", "f32", ["B", 1]);
  const w = builder.parameter("w", [0], [1, 1]);
  builder.output("y", builder.op("MatMul", [x, w], "f32"), ["B", 1]);
  return new Trainer({
    model: builder.build(),
    loss: meanSquaredError({ target: "wanted" }),
    epochs: 6,
    data: tensorData({
      x: { data: Float32Array.of(1, 2, 3, 4, 5, 6), dims: [6, 1] },
      wanted: { data: Float32Array.of(2, 4, 6, 8, 10, 12), dims: [6, 1] },
    }, { batchSize: 2, seed: 1 }),
    optimizers: adam({ lr: 0.05 }),
  });
}

/** A trainer that stops after a number of steps. */
function stoppedAfter(steps: number): Trainer {
  const made = trainer();
  made.hooks.add({
    name: "stopper",
    stage: "training/STEP_END",
    frequency: 1,
    call: (ctx: { stepCount: number; stop(reason: string): void }) =>
      ctx.stepCount === steps && ctx.stop("a part"),
  } as never);
  return made;
}

/** Runs dynamics in a folder, from its checkpoint, up to a step. */
async function goOn(path: string, until: number, options: RunFolderOptions = {}): Promise<Batch> {
  await using folder = await openRunFolder(path, { config: { dt: 2 }, ...options });
  await using md = dynamics();
  folder.attach(md);
  const batch = (await resume(folder, md))?.batch ?? crystals(2);
  return await md.run(batch, until - md.stepCount);
}

const ENDINGS = ["xyz", "jsonl", "db", "zarr"];

for (const ending of ENDINGS) {
  Deno.test(`a .${ending} in a run folder may be opened before the folder or after it`, () =>
    inFolder(async (path) => {
      const trajectory = `${path}/trajectory.${ending}`;
      for (const steps of [10, 20]) {
        await using sink = await openSink(trajectory);
        await goOn(path, steps, { trajectory: { sink, frequency: 5 } });
      }
      await using folder = await openRunFolder(path);
      await using sink = await openSink(trajectory);
      assertEquals([sink.length, folder.path], [8, path]); // two systems at four steps
    }));

  Deno.test(`a run folder that refuses a run removes the empty .${ending} of a sink that was opened before`, () =>
    inFolder(async (path) => {
      await goOn(path, 10);
      const before = names(path), other = { config: { dt: 3 } };
      const early = (name: string) => openSink(`${path}/${name}.${ending}`);
      {
        await using sink = await early("trajectory");
        await using deep = await early("frames/all");
        const refused = () => openRunFolder(path, { ...other, trajectory: { sink } });
        await assertRejects(refused, RangeError, "differs in dt");
        assertEquals([sink.length, deep.length], [0, 0]);
      }
      {
        await using _sink = await early("trajectory");
        const now = new Date().toISOString(), host = "elsewhere";
        const holder = { pid: 1, host, startTime: null, since: now, heartbeat: now };
        await Deno.writeTextFile(`${path}/lock`, `${JSON.stringify({ schema: 1, ...holder })}\n`);
        await assertRejects(() => openRunFolder(path), RunFolderBusyError, host);
        await Deno.writeTextFile(`${path}/lock`, "");
      }
      {
        await using _sink = await early("trajectory");
        await assertRejects(() => openRunFolder(path, { trajectry: 1 } as object), TypeError);
      }
      assertEquals(names(path), before);

      // Sinks of a run of this process stay unchanged.
      await using _folder = await openRunFolder(path);
      await using sink = await early("trajectory");
      await assertRejects(() => openRunFolder(path), RunFolderBusyError);
      await assertRejects(() => openRunFolder(`${path}/.`, { trajectry: 1 } as object), TypeError);
      await sink.write(crystals(1));
      await sink.flush();
      assertEquals(names(path).includes(`trajectory.${ending}`), true);
    }));

  Deno.test(`a run folder that refuses a run keeps a .${ending} that has systems, or existed before`, () =>
    inFolder(async (path) => {
      await Deno.mkdir(path);
      await (await openSink(`${path}/empty.${ending}`)).close();
      await using empty = await openSink(`${path}/empty.${ending}`);
      await using full = await openSink(`${path}/full.${ending}`);
      await full.write(crystals(1));
      await full.flush();
      await assertRejects(
        () => openRunFolder(path),
        RangeError,
        `contains other files: full.${ending}. Remove them, or use another folder`,
      );
      await empty.write(crystals(1));
      await full.close();
      await empty.flush();
      assertEquals(names(path), [`empty.${ending}`, `full.${ending}`]);
    }));
}

Deno.test("a run of dynamics leaves config, run log, scalars, checkpoints and a report", () =>
  inFolder(async (path) => {
    await goOn(path, 50, { checkpoints: { every: 20, keep: 2 }, scalars: { frequency: 10 } });
    assertEquals(names(path), [
      "checkpoints",
      "config.json",
      "lock",
      "logs",
      "report.html",
      "runs.jsonl",
    ]);
    assertEquals(names(`${path}/checkpoints`), ["step-000000040.hooke", "step-000000050.hooke"]);
    const { schema, config, id } = JSON.parse(await Deno.readTextFile(`${path}/config.json`));
    assertEquals([schema, config], [1, { dt: 2 }]);
    const log = parseRunLog(await Deno.readTextFile(`${path}/runs.jsonl`));
    assertEquals(log.map(({ type, step }) => [type, step]), [["start", 0], ["end", 50]]);
    assert(log.every((record) => record.id === id));
    const steps = [0, 10, 20, 30, 40, 49];
    // Steps at which no hook is due are done in one call.
    assertEquals(
      log[0]!.hooks.map(({ name, stages, frequency }) => [name, stages.length, frequency]),
      [
        ["runReport", 0, 1],
        ["runLog", 0, 1],
        ["reporter", 1, 10],
        ["checkpoints", 1, 20],
      ],
    );
    const rows = parseScalarLines(await Deno.readTextFile(`${path}/logs/scalars.jsonl`));
    assertEquals(rows.map(({ step }) => step), steps);
    const events = await readTensorBoard(`${path}/logs/tensorboard`);
    assertEquals(events.map(({ step }) => step), steps);
    const run = await readRun(path);
    assertEquals(run.history.series("energy").steps, steps);
    assertMatch(
      await Deno.readTextFile(`${path}/report.html`),
      /<h1>run <span class="status completed">/,
    );
  }));

Deno.test("a run that was stopped resumes with the same bits, including its hooks and logs", () =>
  inFolder(async (path) => {
    const whole = await dynamics().run(crystals(2), 60);
    await goOn(path, 25);
    await goOn(path, 40);
    const last = await goOn(path, 60);
    assertEquals(bitsOf(last), bitsOf(whole));
    const { records, history } = await readRun(path);
    assertEquals(records.map(({ type, segment, step }) => [type, segment, step]), [
      ["start", 0, 0],
      ["end", 0, 25],
      ["start", 1, 25],
      ["end", 1, 40],
      ["start", 2, 40],
      ["end", 2, 60],
    ]);
    assertEquals(history.series("energy").steps, [0, 10, 20, 24, 30, 39, 40, 50, 59]);
  }));

Deno.test("a line of the run log that lacks only its newline is kept when the folder is opened again", () =>
  inFolder(async (path) => {
    await goOn(path, 4);
    const log = `${path}/runs.jsonl`, whole = await Deno.readTextFile(log);
    await Deno.writeTextFile(log, whole.trimEnd());
    await using folder = await openRunFolder(path, { config: { dt: 2 } });
    assertEquals(folder.path, path);
    assertEquals(await Deno.readTextFile(log), whole);
  }));

Deno.test("a training resumes in mid-epoch with the same bits", () =>
  inFolder(async (path) => {
    await using whole = trainer();
    await whole.train();
    for (const steps of [4, 11, 18]) {
      await using folder = await openRunFolder(path, { checkpoints: { every: 3 } });
      await using part = stoppedAfter(steps);
      folder.attach(part);
      await resume(folder, part);
      await part.train();
      assertEquals(part.stepCount, steps);
    }
    await using folder = await openRunFolder(path);
    await using last = stoppedAfter(99);
    folder.attach(last);
    assertEquals((await resume(folder, last))?.step, 18);
    assertEquals(await last.parameter("w"), await whole.parameter("w"));
    const { records, history } = await readRun(path);
    assertEquals(records.filter(({ type }) => type === "end").map(({ step }) => step), [4, 11, 18]);
    assertEquals(history.series("train/loss").steps, [3, 6, 9, 12, 15, 18]);
  }));

Deno.test("the newest undamaged checkpoint is used, and damaged ones are reported", () =>
  inFolder(async (path) => {
    await goOn(path, 30, { checkpoints: { every: 10 } });
    for (const step of [20, 30]) {
      const file = `${path}/checkpoints/step-0000000${step}.hooke`;
      const bytes = await Deno.readFile(file);
      await Deno.writeFile(
        file,
        step === 20 ? bytes.with(200, bytes[200]! ^ 1) : bytes.subarray(0, 99),
      );
    }
    await using folder = await openRunFolder(path);
    await using md = dynamics();
    folder.attach(md);
    const found = await resume(folder, md);
    assertEquals([found?.step, md.stepCount], [10, 10]);
    assertEquals(found?.passedOver.map(({ path }) => path.slice(-8, -6)), ["30", "20"]);
    assertMatch(found!.passedOver[1]!.error.message, /step-000000020.hooke/);
  }));

Deno.test("a checkpoint of another engine or of a newer version is refused, not skipped", () =>
  inFolder(async (path) => {
    await goOn(path, 10);
    await using folder = await openRunFolder(path);
    await using other = trainer();
    await assertRejects(() => resume(folder, other), TypeError, "its kind must be");
  }));

Deno.test("frames that a resumed run repeats are not duplicated", () =>
  inFolder(async (path) => {
    const sink = new MemorySink();
    // Like a sink in a file, it can be read in slices.
    const stored = Object.assign(sink, {
      slice(
        { from = 0, to = Infinity, steps }: {
          from?: number;
          to?: number;
          steps?: readonly [number, number];
        },
      ) {
        const all = sink.read(), step = all.get("step");
        return Promise.resolve(all.select(Array.from(step, (one, i) =>
          i >= from && i < to && (steps === undefined || (one >= steps[0] && one <= steps[1])))));
      },
    });
    const options = { trajectory: { sink: stored, frequency: 4 }, checkpoints: { every: 10 } };
    await goOn(path, 28, options);
    await Deno.remove(`${path}/checkpoints/step-000000028.hooke`);
    const steps = () => [...sink.read().get("step")];
    assertEquals(steps().length, 14);
    const before = bitsOf(sink.read(), undefined, ["positions"]);
    await goOn(path, 30, options); // from step 20 on: 20 and 24 are repeated
    assertEquals(steps(), [0, 4, 8, 12, 16, 20, 24, 28].flatMap((step) => [step, step]));
    assertEquals(
      bitsOf(
        sink.read().select(
          steps().map((step) =>
            step < 28
          ),
        ),
        undefined,
        ["positions"],
      ),
      before,
    );
  }));

Deno.test("frames before each checkpoint are flushed first: a kill loses only frames that are repeated", () =>
  inFolder(async (path) => {
    const sink = new MemorySink();
    let taken = 0;
    const seen: [number, number][] = []; // checkpoints, and frames that were flushed
    const buffered = {
      write: (batch: Batch) => (taken++, sink.write(batch)),
      flush: () => void seen.push([names(`${path}/checkpoints`).length, taken]),
    };
    await goOn(path, 25, {
      checkpoints: { every: 10, keep: 9 },
      trajectory: { sink: buffered, frequency: 4 },
    });
    assertEquals(seen.slice(0, 3), [[0, 3], [1, 5], [2, 7]]); // at steps 10, 20 and 25
  }));

Deno.test("a trajectory that cannot be flushed for a checkpoint ends the run, instead of a warning", () =>
  inFolder(async (path) => {
    let isFull = true;
    const failing = { // like sinks: each error is reported once
      write: () => {},
      flush() {
        if (!isFull) return;
        isFull = false;
        throw new Error("no space left");
      },
    };
    const trajectory = { sink: failing, frequency: 50 };
    await assertRejects(
      () => goOn(path, 20, { checkpoints: { every: 10 }, trajectory }),
      Error,
      "no space left",
    );
  }));

Deno.test("damaged checkpoints, and those of later steps, do not displace new ones", () =>
  inFolder(async (path) => {
    await goOn(path, 60, { checkpoints: { every: 20, keep: 1 } });
    const first = `${path}/checkpoints/step-000000060.hooke`;
    await Deno.remove(first);
    await goOn(path, 20, { checkpoints: { every: 20, keep: 1 } }); // a new run
    await Deno.writeTextFile(first, "damaged");
    await goOn(path, 30, { checkpoints: { every: 20, keep: 1 } });
    assertEquals(names(`${path}/checkpoints`), ["step-000000030.hooke", "step-000000060.hooke"]);
    const last = await goOn(path, 40);
    assertEquals(bitsOf(last), bitsOf(await dynamics().run(crystals(2), 40)));
  }));

Deno.test("two runs never have one folder; the error names the holder, which can release the folder", () =>
  inFolder(async (path) => {
    const first = await openRunFolder(path);
    const error = await assertRejects(
      () => openRunFolder(path),
      RunFolderBusyError,
      `process ${Deno.pid}`,
    );
    assertEquals([error.path, error.holder?.pid, error.holder?.host], [
      path,
      Deno.pid,
      Deno.hostname(),
    ]);
    assertMatch(error.holder!.startTime!, /^\d+$/);
    await readRun(path); // reading is allowed
    await first.close();
    await first.close();
    await using _second = await openRunFolder(path);
  }));

Deno.test("the error of a locked folder names the machine, unless its name may not be read", () => {
  const since = "2026-01-02T03:04:05.000Z";
  const holder = { pid: 7, host: "node-3", startTime: null, since, heartbeat: since };
  const { message } = new RunFolderBusyError("argon", holder);
  assertStringIncludes(message, `argon: process 7 on node-3 has locked it since ${since}.`);
  const unknown = new RunFolderBusyError("argon", { ...holder, host: "unknown" });
  assertStringIncludes(unknown.message, `argon: process 7 has locked it since ${since}.`);
});

Deno.test("a machine with a recent heartbeat keeps the folder, one without loses it", () =>
  inFolder(async (path) => {
    await (await openRunFolder(path)).close();
    const holder = (heartbeat: Date) => ({
      schema: 1,
      pid: 7,
      host: "elsewhere",
      startTime: null,
      since: "2026-01-01T00:00:00.000Z",
      heartbeat: heartbeat.toISOString(),
    });
    const write = (value: unknown) =>
      Deno.writeTextFile(`${path}/lock`, `${JSON.stringify(value).padEnd(511)}\n`);
    await write(holder(new Date(Date.now() - 30_000)));
    await assertRejects(() => openRunFolder(path), RunFolderBusyError, "process 7 on elsewhere");
    await write(holder(new Date(Date.now() - 90_000)));
    await (await openRunFolder(path)).close();
    await write({ ...holder(new Date()), schema: 2 });
    await assertRejects(() => openRunFolder(path), RangeError, "its schema must be at most 1");
    // If a clock is wrong, the time when the file was written decides.
    await write(holder(new Date("9999-01-01")));
    await assertRejects(() => openRunFolder(path), RunFolderBusyError, "process 7 on elsewhere");
    const before = new Date(Date.now() - 90_000);
    await Deno.utime(`${path}/lock`, before, before);
    await (await openRunFolder(path)).close();
  }));

Deno.test("a lock file that was removed or moved does not release the lock", () =>
  inFolder(async (path) => {
    await using _folder = await openRunFolder(path);
    await Deno.remove(`${path}/lock`);
    await assertRejects(() => openRunFolder(path), RunFolderBusyError);
    await assertRejects(() => openRunFolder(path), RunFolderBusyError);
  }));

Deno.test("a lock that was cut off does not hold; another file of that name is refused, and stays", () =>
  inFolder(async (path) => {
    await (await openRunFolder(path)).close();
    for (const text of ["", '{"sch', '{"schema":1,"pid":12']) {
      await Deno.writeTextFile(`${path}/lock`, text);
      await (await openRunFolder(path)).close();
    }
    for (const text of ["a lock of mine", "{}\n", '{"schema":1,"pid":"x"}\n', "[]\n"]) {
      await Deno.writeTextFile(`${path}/lock`, text);
      await assertRejects(() => openRunFolder(path), SyntaxError, `Cannot read ${path}/lock: `);
      assertEquals(await Deno.readTextFile(`${path}/lock`), text);
    }
    assertThrows(
      () => parseLock('{"schema":1,"pid":1}\n', "L"),
      SyntaxError,
      "host must be a string",
    );
  }));

Deno.test("a folder whose run failed in its first step accepts another configuration", () =>
  inFolder(async (path) => {
    const fail = { name: "fail", stage: "dynamics/BEFORE_STEP", frequency: 1, onError: "throw" };
    const call = () => {
      throw new Error("no such model");
    };
    for (const dt of [3, 4]) {
      await using folder = await openRunFolder(path, { config: { dt } });
      await using md = dynamics();
      folder.attach(md);
      md.hooks.add({ ...fail, call } as never);
      await assertRejects(() => md.run(crystals(1), 5), Error, "no such model");
    }
    await goOn(path, 5);
    const { records, id } = await readRun(path);
    assertEquals(records.map(({ type, step }) => [type, step]), [
      ["start", 0],
      ["end", 0],
      ["start", 0],
      ["end", 0],
      ["start", 0],
      ["end", 5],
    ]);
    assertEquals(new Set(records.map((record) => record.id)).size, 3);
    assertEquals(records.at(-1)!.id, id);
    await assertRejects(
      () => openRunFolder(path, { config: { dt: 3 } }),
      RangeError,
      "got one that differs in dt",
    );
  }));

Deno.test("another configuration, a folder with other files and one of a newer version are refused, and stay unchanged", () =>
  inFolder(async (path) => {
    await goOn(path, 5);
    await assertRejects(
      () => openRunFolder(path, { config: { dt: 3 } }),
      RangeError,
      "the configuration must be that of the run in it; got one that differs",
    );
    await assertRejects(
      () => openRunFolder(path, { config: { dt: 2, seed: 1, more: { dt: 3 } } }),
      RangeError,
      "got one that differs in more, seed (hash ",
    );
    await using same = await openRunFolder(path, { config: { dt: 2.0 } });
    assertEquals(same.config, { dt: 2 });
    const other = `${path}-2`;
    await Deno.mkdir(other);
    await Deno.writeTextFile(`${other}/thesis.tex`, "");
    await assertRejects(() => openRunFolder(other), RangeError, "contains other files: thesis.tex");
    assertEquals(names(other), ["thesis.tex"]);
    await Deno.writeTextFile(`${path}-3`, "");
    await assertRejects(() => openRunFolder(`${path}-3`), Error, `${path}-3`);
    await Deno.mkdir(`${path}-4`);
    await Deno.writeTextFile(`${path}-4/config.json`, '{"schema":9}');
    await assertRejects(
      () => openRunFolder(`${path}-4`),
      RangeError,
      "its schema must be at most 1",
    );
    await assertRejects(() => readRun(`${path}-5`), RangeError, "it has no config.json");
  }));

Deno.test("a configuration is stored in the form that is hashed", () =>
  inFolder(async (path) => {
    const config = { at: new Date(0), sizes: Float32Array.of(1, 0.5) };
    await (await openRunFolder(path, { config })).close();
    const want = { at: "1970-01-01T00:00:00.000Z", sizes: [1, 0.5] };
    assertEquals((await readRun(path)).config, want);
    await (await openRunFolder(path, { config: want })).close();
  }));

Deno.test("errors name damaged files of a folder, with line or key", () =>
  inFolder(async (path) => {
    await goOn(path, 5);
    const damaged = async (file: string, change: (text: string) => string, message: string) => {
      const text = await Deno.readTextFile(`${path}/${file}`);
      await Deno.writeTextFile(`${path}/${file}`, change(text));
      await assertRejects(() => readRun(path), SyntaxError, message);
      await Deno.writeTextFile(`${path}/${file}`, text);
    };
    await damaged("config.json", () => "{", "/config.json: it is not JSON");
    await damaged(
      "config.json",
      (text) => text.replace('"begun": "', '"begun": "on '),
      "begun must be",
    );
    await damaged(
      "config.json",
      (text) => text.replace(/"id": "[^"]*"/, '"id": 3'),
      "id must be a non-empty string",
    );
    await damaged(
      "runs.jsonl",
      (text) => text.replace('"segment":0', '"segment":-1'),
      "line 1: segment",
    );
    await damaged(
      "runs.jsonl",
      (text) => text.replace('"status":"completed"', '"status":"fine"'),
      "line 2: outcome",
    );
    await damaged("runs.jsonl", (text) => `${text}\n`, "line 3: it is not JSON");
    await damaged(
      "logs/scalars.jsonl",
      (text) => text.replace('"step":0', '"step":"0"'),
      "line 1: its step",
    );
    // A line that a kill has cut off is not damage.
    await Deno.writeTextFile(`${path}/runs.jsonl`, '{"type":"sta', { append: true });
    assertEquals((await readRun(path)).records.length, 2);
    await (await openRunFolder(path)).close();
    assert((await Deno.readTextFile(`${path}/runs.jsonl`)).endsWith("}\n"));
  }));

Deno.test("checkpoints that cannot be written are a warning; the run, its logs and its report continue", () =>
  inFolder(async (path) => {
    const warnings: string[] = [];
    await using folder = await openRunFolder(path, { checkpoints: { every: 5 } });
    await using md = engine(langevin({ dt: 2, temperature: 50, friction: 0.02, seed: 3 }), {
      model: ARGON,
      device: "wasm",
      hooks: [],
      onWarning: ({ hook, error }: { hook: string; error: unknown }) =>
        warnings.push(`${hook}: ${(error as Error).message}`),
    });
    folder.attach(md);
    md.hooks.add({
      name: "blocker",
      stage: "dynamics/AFTER_STEP",
      frequency: 1,
      once: true,
      call: async () => {
        for (const step of ["05", "10", "12"]) { // folders in place of the checkpoints
          await Deno.mkdir(`${path}/checkpoints/step-0000000${step}.hooke/full`, {
            recursive: true,
          });
        }
      },
    } as never);
    await md.run(crystals(1), 12);
    assertEquals(md.stepCount, 12);
    assert(
      warnings.length >= 2 &&
        warnings.every((text) => text.startsWith("checkpoints: Cannot write")),
      warnings.join(),
    );
    assertEquals((await readRun(path)).history.series("energy").steps, [0, 10, 11]);
    assertMatch(
      await Deno.readTextFile(`${path}/report.html`),
      /Hook checkpoints has failed \d time/,
    );
  }));

Deno.test("a folder belongs to one engine; the next new folder has a number", () =>
  inFolder(async (path) => {
    const folder: RunFolder = await openRunFolder(path);
    await using md = dynamics(), other = dynamics();
    folder.attach(md);
    assertThrows(() => folder.attach(other), Error, "the folder belongs to NVTLangevin");
    await folder.close();
    assertThrows(() => folder.attach(other), Error, "the folder was closed");
    const parent = path.replace(/\/run$/, "");
    assertEquals(await nextRunFolder(parent), `${parent}/run-2`);
    assertEquals(await nextRunFolder(parent, "md"), `${parent}/md`);
    assertEquals(await nextRunFolder(`${parent}/none`), `${parent}/none/run`);
  }));

Deno.test("wrong options are refused by name, before anything is created", () =>
  inFolder(async (path) => {
    const refused = (options: unknown, error: typeof TypeError | typeof RangeError, text: string) =>
      assertRejects(() => openRunFolder(path, options as RunFolderOptions), error, text);
    await refused({ confg: 1 }, TypeError, "its options must be among config");
    await refused({ config: { f: () => 1 } }, TypeError, "config.f");
    await refused(
      { checkpoints: { every: 0 } },
      RangeError,
      "checkpoints.every must be a positive integer",
    );
    await refused(
      { checkpoints: { often: 1 } },
      TypeError,
      "checkpoints must be among every, everySeconds, keep",
    );
    await refused({ checkpoints: { everySeconds: 0 } }, RangeError, "checkpoints.everySeconds");
    await refused({ override: 1 }, TypeError, "override must be true or false");
    await refused({ trajectory: {} }, TypeError, "trajectory.sink must be a sink");
    await refused({ report: "pdf" }, TypeError, 'report must be "html", "markdown" or false');
    await refused({ profile: 1 }, TypeError, "profile must be true or false");
    await assertRejects(() => Deno.stat(path), Deno.errors.NotFound);
  }));

Deno.test("checkpoints are also written by the clock, and override accepts another configuration", () =>
  inFolder(async (path) => {
    const checkpoints = { every: 1e6, everySeconds: 1e-9, keep: 5 };
    await goOn(path, 30, { config: { dt: 1 }, checkpoints });
    const written = names(`${path}/checkpoints`);
    assert(written.length >= 2, String(written)); // by steps, there would be only the last
    await assertRejects(() => goOn(path, 40, { config: { dt: 2 }, checkpoints }), RangeError, "dt");
    await goOn(path, 40, { config: { dt: 2 }, checkpoints, override: true });
    const { config, records } = await readRun(path);
    assertEquals(config, { dt: 2 });
    const starts = records.filter(({ type }) => type === "start") as { configHash: string }[];
    assertEquals(new Set(starts.map(({ configHash }) => configHash)).size, 2);
  }));

Deno.test("a folder cannot be closed while its engine writes to it", () =>
  inFolder(async (path) => {
    const folder = await openRunFolder(path, {});
    const md = dynamics();
    folder.attach(md);
    await md.step(crystals(1));
    await assertRejects(() => folder.close(), Error, "still writes to it");
    await assertRejects(() => openRunFolder(path, {}), RunFolderBusyError);
    await md.close();
    await folder.close();
    await (await openRunFolder(path, {})).close();
  }));
