// Rows of a log for each system and step, and errors while writing.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ConvergenceHook, Dynamics, FIRE, fireRelaxer, NVE } from "../../src/dynamics/mod.ts";
import { LoggingHook, type LoggingHookOptions, type LogRow } from "../../src/observe/mod.ts";
import { ARGON, bitsOf, crystals } from "../dynamics/atoms.ts";
import { BACKENDS, on, where } from "../dynamics/backends.ts";

const HEADER = "step,time,systemId,status,energy,fmax,temperature";

async function inFolder(test: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(`${folder}/log.csv`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Cells of a file, without its header, as numbers; NaN for empty ones. */
async function read(path: string): Promise<number[][]> {
  const [header, ...lines] = (await Deno.readTextFile(path)).split("\n");
  assertEquals(header, HEADER);
  assertEquals(lines.pop(), "");
  return lines.map((line) => line.split(",").map((cell) => cell === "" ? NaN : Number(cell)));
}

/** A log whose rows go to a list. */
function toList(options: Partial<LoggingHookOptions> = {}): { hook: LoggingHook; rows: LogRow[] } {
  const rows: LogRow[] = [];
  const writerFn = (_step: number, more: readonly LogRow[]) => void rows.push(...more);
  return { hook: new LoggingHook({ ...options, backend: "custom", writerFn }), rows };
}

Deno.test(
  "a CSV log has a row for each system at every n-th step, with all digits of the fields",
  on(BACKENDS, (backend) =>
    inFolder(async (path) => {
      const { hook: list, rows } = toList({ frequency: 4 });
      const log = new LoggingHook({ backend: "csv", logPath: path, frequency: 4 });
      await using md = new NVE({ model: ARGON, dt: [1, 2], ...where(backend), hooks: [log, list] });
      const batch = crystals(2);
      batch.set("systemId", [5, 9]);
      await md.run(batch, 10);
      const cells = await read(path);
      assertEquals(cells.map(([step, time, id]) => [step, time, id]), [
        [0, 1, 5],
        [0, 2, 9],
        [4, 5, 5],
        [4, 10, 9],
        [8, 9, 5],
        [8, 18, 9],
      ]);
      const { step, time, systemId, status, energy, fmax, temperature } = rows[3]!;
      assertEquals(cells[3], [step, time, systemId, status, energy, fmax, temperature]);
      assert(energy < -2 && fmax > 0 && temperature > 5, `${energy} ${fmax} ${temperature}`);
    })),
);

Deno.test("rows belong to their step: the last one equals the batch after the run", async () => {
  const { hook, rows } = toList();
  await using md = new NVE({ model: ARGON, dt: 2, device: "reference", hooks: [hook] });
  const batch = await md.run(crystals(1), 7);
  assertEquals(rows.length, 7);
  assertEquals(rows.at(-1)!.energy, batch.get("energy")[0]);
  const forces = batch.get("forces");
  const norms = Array.from({ length: 32 }, (_, i) => Math.hypot(...forces.slice(3 * i, 3 * i + 3)));
  assert(Math.abs(rows.at(-1)!.fmax - Math.max(...norms)) < 1e-12);
});

Deno.test("a run at step 0 that appends to rows of an earlier run is warned of, a second run of one hook is not", () =>
  inFolder(async (path) => {
    const run = async (log: LoggingHook, load?: string) => {
      const warnings: string[] = [];
      await using md = new NVE({
        model: ARGON,
        dt: 1,
        device: "reference",
        hooks: [log],
        onWarning: ({ error }) => void warnings.push((error as Error).message),
      });
      await md.run(load === undefined ? crystals(1) : await md.loadCheckpoint(load), 2);
      await md.saveCheckpoint(`${path}.hooke`);
      return warnings;
    };
    const make = () => new LoggingHook({ backend: "csv", logPath: path });
    await Deno.writeTextFile(path, `${HEADER}\n`);
    const first = make();
    assertEquals(await run(first), []);
    assertEquals(await run(first), []);
    assertEquals(await run(make(), `${path}.hooke`), []);
    const [said, ...more] = await run(make());
    assertEquals(more, []);
    assert(
      said!.startsWith(`${path} holds rows of an earlier run, and NVE begins at step 0: `),
      said,
    );
  }));

Deno.test("a second run of the same hook and a later program append to the file, under one header", () =>
  inFolder(async (path) => {
    const make = () => new LoggingHook({ backend: "csv", logPath: path, frequency: 2 });
    const batch = crystals(1);
    {
      await using md = new NVE({ model: ARGON, dt: 1, device: "reference", hooks: [make()] });
      await md.run(batch, 3);
      await md.run(batch, 3);
      assertEquals((await read(path)).map(([step]) => step), [0, 2, 4]);
    }
    await using later = new NVE({ model: ARGON, dt: 1, device: "reference", hooks: [make()] });
    await later.run(batch, 1);
    assertEquals((await read(path)).map(([step]) => step), [0, 2, 4, 0]);
  }));

Deno.test("a run that resumes from a checkpoint writes the rows of an uninterrupted run", () =>
  inFolder(async (path) => {
    const make = (path: string) =>
      new NVE({
        model: ARGON,
        dt: 1,
        device: "reference" as const,
        hooks: [new LoggingHook({ backend: "csv", logPath: path, frequency: 3 })],
      });
    await using whole = make(`${path}.whole`);
    await whole.run(crystals(2), 12);
    await using first = make(path);
    await first.run(crystals(2), 5);
    const saved = await first.save();
    await using second = make(path);
    await second.run(await second.load(saved), 7);
    assertEquals(await Deno.readTextFile(path), await Deno.readTextFile(`${path}.whole`));
  }));

Deno.test("a file with another header is an error before the first step, and stays unchanged", () =>
  inFolder(async (path) => {
    await Deno.writeTextFile(path, "step,energy\n0,1\n");
    const log = new LoggingHook({ backend: "csv", logPath: path });
    await using md = new NVE({ model: ARGON, dt: 1, device: "reference", hooks: [log] });
    await assertRejects(() => md.run(crystals(1), 3), RangeError, 'got "step,energy"');
    assertEquals([md.stepCount, await Deno.readTextFile(path)], [0, "step,energy\n0,1\n"]);
  }));

Deno.test("time is an empty cell if steps take no time; status and rows of relaxed systems stay", () =>
  inFolder(async (path) => {
    const log = new LoggingHook({ backend: "csv", logPath: path, frequency: 5, atEnd: true });
    const hooks = [ConvergenceHook.fromFmax(0.02), log];
    await using opt = new FIRE({ model: ARGON, dt: 0.5, device: "reference", hooks });
    const batch = await opt.run(crystals(2, 0), 300);
    assertEquals([...batch.get("status")], [1, 1]);
    const rows = await read(path);
    assert(rows.every(([_, time]) => Number.isNaN(time)));
    assertEquals((await Deno.readTextFile(path)).split("\n")[1]!.split(",")[1], "");
    const end = rows.slice(-2);
    assertEquals(end.map(([step, , , status]) => [step, status]), [
      [opt.stepCount - 1, 1],
      [opt.stepCount - 1, 1],
    ]);
    assertEquals(end.map(([, , , , energy]) => energy!), [...batch.get("energy")]);
  }));

Deno.test("custom columns are numbers for all systems or one for each, of the fields they read", async () => {
  const { hook, rows } = toList({
    reads: ["kineticEnergy", "positions"],
    customScalars: {
      atoms: (ctx) => ctx.batch.nodeCount,
      kinetic: ({ read }) => read.kineticEnergy!,
      firstX: ({ read, batch }) =>
        Array.from(batch.nodeOffsets.slice(0, -1), (at) => read.positions![3 * at]!),
    },
  });
  await using md = new NVE({ model: ARGON, dt: 1, device: "reference", hooks: [hook] });
  const batch = await md.run(crystals(2), 1);
  assertEquals(hook.columns.slice(-3), ["atoms", "kinetic", "firstX"]);
  assertEquals(rows.map(({ atoms }) => atoms), [64, 64]);
  assertEquals(rows.map(({ firstX }) => firstX), [
    batch.get("positions")[0],
    batch.get("positions")[96],
  ]);
  // T = 2 K / (f k), f = 3 × 32 − 3
  for (const { kinetic, temperature } of rows) {
    assert(Math.abs(temperature! - 2 * kinetic! / (93 * 8.617333262e-5)) < 1e-6);
  }
});

Deno.test("a column that returns something else stops the run with an error that names it", async () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [[1, 2, 3], "one for each of 2 systems; got [1, 2, 3]"],
    ["1", 'got "1"'],
    [undefined, "undefined"],
    [["a", "b"], '["a", "b"]'],
  ];
  for (const [value, message] of wrong) {
    const { hook } = toList({ customScalars: { mine: () => value as number } });
    await using md = new NVE({ model: ARGON, dt: 1, device: "reference", hooks: [hook] });
    const error = await assertRejects(() => md.run(crystals(2), 2), TypeError, message);
    assert(error.message.startsWith("Cannot log mine"));
    assertEquals(md.stepCount, 0);
  }
});

Deno.test("a slow writer gets every step in order, one after another, before the run ends", async () => {
  const steps: number[] = [];
  let busy = 0;
  const log = new LoggingHook({
    backend: "custom",
    writerFn: async (step) => {
      assertEquals(++busy, 1);
      await new Promise((done) => setTimeout(done, 1));
      busy--;
      steps.push(step);
    },
  });
  await using md = new NVE({ model: ARGON, dt: 1, device: "reference", hooks: [log] });
  await md.run(crystals(1), 100);
  assertEquals(steps, Array.from({ length: 100 }, (_, i) => i));
});

Deno.test("a writer's error stops the run: at once, some steps later, or when the run ends", async (t) => {
  const runs: readonly (readonly [string, (step: number) => void | Promise<void>, number])[] = [
    ["thrown", (step) => {
      if (step === 2) throw new Error("the tape is full");
    }, 2],
    ["rejected", async (step) => {
      await Promise.resolve();
      if (step === 2) throw new Error("the tape is full");
    }, 70], // limit of writes in flight
    ["rejected for the last row", async (step) => {
      await new Promise((done) => setTimeout(done, 1));
      if (step === 299) throw new Error("the tape is full");
    }, 300],
  ];
  for (const [name, writerFn, stepCount] of runs) {
    await t.step(name, async () => {
      const log = new LoggingHook({ backend: "custom", writerFn });
      await using md = new NVE({ model: ARGON, dt: 1, device: "reference", hooks: [log] });
      await assertRejects(() => md.run(crystals(1), 300), Error, "the tape is full");
      assert(md.stepCount <= stepCount, `${md.stepCount}`);
    });
  }
  await t.step("with another error policy it is a warning", async () => {
    const warnings: unknown[] = [];
    const { hook } = toList({ customScalars: { mine: () => [] } });
    await using md = new NVE({
      model: ARGON,
      dt: 1,
      device: "reference",
      onWarning: ({ error }) => void warnings.push(error),
    });
    md.hooks.add(hook, { onError: "warn" });
    await md.run(crystals(1), 3);
    assertEquals(warnings.length, 3);
  });
  await t.step("a full disk", async () => {
    const log = new LoggingHook({ backend: "csv", logPath: "/dev/full" });
    await using md = new NVE({ model: ARGON, dt: 1, device: "reference", hooks: [log] });
    await assertRejects(() => md.run(crystals(1), 3), Error, "no space left");
  });
});

Deno.test(
  "a log does not change the results, is not reported by verify, and allows multi-step calls in between",
  on(BACKENDS, async (backend) => {
    const run = async (hooks: LoggingHook[], verify: boolean) => {
      const warnings: unknown[] = [];
      const onWarning = ({ error }: { error: unknown }) => void warnings.push(error);
      await using md = new NVE({
        model: ARGON,
        dt: 1,
        ...where(backend),
        hooks,
        verify,
        onWarning,
      });
      const batch = await md.run(crystals(2), 25);
      assertEquals(warnings, []);
      return bitsOf(batch);
    };
    const plain = await run([], false);
    assertEquals(await run([toList({ frequency: 4 }).hook], true), plain);
    assertEquals(await run([toList({ frequency: 10 }).hook, toList().hook], false), plain);
  }),
);

Deno.test("wrong options of a log are named when it is created", () => {
  const csv = { backend: "csv", logPath: "x.csv" };
  const wrong: readonly (readonly [unknown, typeof Error, string])[] = [
    [undefined, TypeError, "options must be an object"],
    [{}, TypeError, 'backend is required: "csv" or "custom"'],
    [{ backend: "tensorboard" }, TypeError, 'backend must be "csv" or "custom"'],
    [{ backend: "csv" }, TypeError, "logPath is required: the path"],
    [{ backend: "csv", logPath: 3 }, TypeError, "logPath must be a path"],
    [{ backend: "custom" }, TypeError, "writerFn is required: the function"],
    [{ backend: "custom", writerFn: "f" }, TypeError, "writerFn must be a function"],
    [{ ...csv, frequncy: 3 }, TypeError, "did you mean"],
    [{ ...csv, frequency: 0 }, RangeError, "frequency must be a positive integer"],
    [{ ...csv, frequency: "3" }, TypeError, "frequency"],
    [{ ...csv, stage: "dynamics/AFTER_STEPS" }, TypeError, "stage must be a dynamics stage"],
    [{ ...csv, reads: "energy" }, TypeError, "reads must be an array"],
    [{ ...csv, customScalars: { fmax: () => 1 } }, RangeError, 'got "fmax"'],
    [{ ...csv, customScalars: { step: () => 1 } }, RangeError, 'got "step"'],
    [{ ...csv, customScalars: { mine: 1 } }, TypeError, "column mine must be a function"],
    [{ ...csv, customScalars: [] }, TypeError, "customScalars"],
  ];
  for (const [options, error, message] of wrong) {
    assertThrows(() => new LoggingHook(options as LoggingHookOptions), error, message);
  }
  const md = new Dynamics(fireRelaxer({ dt: 0.1 }), { model: ARGON, device: "reference" });
  md.hooks.add(new LoggingHook({ backend: "csv", logPath: "x.csv", everySeconds: 1 }));
  assertEquals(md.hooks.has("LoggingHook"), true);
});
