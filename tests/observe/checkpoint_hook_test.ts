// Checkpoints by steps and by the clock.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { checkpointsIn } from "../../src/checkpoint/mod.ts";
import { langevin } from "../../src/dynamics/mod.ts";
import { CheckpointHook, type CheckpointHookOptions, SnapshotHook } from "../../src/observe/mod.ts";
import { MemorySink } from "../../src/sinks/mod.ts";
import { ARGON, assertSameBits, bitsOf, crystals } from "../dynamics/atoms.ts";
import { type EngineBackend, where } from "../dynamics/backends.ts";
import { onEngines } from "../dynamics/on_engines.ts";
import { parametersOf, smallTrainer } from "../training/small_trainer.ts";
import { engine } from "./modified.ts";
import { test } from "../suite.ts";

const BATH = { dt: 2, temperature: 50, friction: 0.02, seed: 3 };

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function bath(backend: EngineBackend, hooks: readonly object[], warnings: string[] = []) {
  return engine(langevin(BATH), {
    model: ARGON,
    ...where(backend),
    hooks,
    onWarning: ({ hook, error }: { hook: string; error: Error }) =>
      warnings.push(`${hook}: ${error.message}`),
  });
}

const stepsIn = async (folder: string) => (await checkpointsIn(folder)).map(({ step }) => step);

/** Delays each step. */
const slow = {
  name: "slow",
  stage: "dynamics/AFTER_STEP",
  frequency: 1,
  call: () => new Promise<void>((resolve) => setTimeout(resolve, 2)),
};

Deno.test(
  "by steps: the newest few are kept, including the last; each resumes with the bits of an uninterrupted run",
  onEngines((backend) =>
    inFolder(async (parent) => {
      await using plain = bath(backend, []);
      const want = bitsOf(await plain.run(crystals(2), 50));
      const folder = `${parent}/not/there`;
      await using md = bath(backend, [new CheckpointHook({ folder, everySteps: 8, keepLast: 3 })]);
      assertSameBits(bitsOf(await md.run(crystals(2), 50)), want);
      assertEquals(await stepsIn(folder), [50, 48, 40]);
      for (const { path, step } of await checkpointsIn(folder)) {
        await using again = bath(backend, []);
        const batch = await again.loadCheckpoint(path);
        assertEquals(again.stepCount, step);
        assertSameBits(bitsOf(await again.run(batch, 50 - step)), want);
      }
    })
  ),
);

test("a folder has the checkpoints of one run at a time: another is refused until the first has ended", () =>
  inFolder(async (folder) => {
    const begun = Promise.withResolvers<void>(), refused = Promise.withResolvers<void>();
    const waits = {
      name: "waits",
      stage: "dynamics/BEFORE_STEP",
      frequency: 1,
      call: () => (begun.resolve(), refused.promise),
    };
    await using first = bath("wasm", [new CheckpointHook({ folder }), waits]);
    const run = first.run(crystals(1), 30);
    await begun.promise;
    await using second = bath("wasm", [new CheckpointHook({ folder })]);
    const error = await assertRejects(() => second.run(crystals(1), 1), Error, folder);
    assertEquals((error as { code?: string }).code, "EBUSY");
    refused.resolve();
    await run;
    await using third = bath("wasm", [new CheckpointHook({ folder })]);
    await third.run(await third.loadLatest(folder) ?? crystals(1), 1);
    assertEquals(await stepsIn(folder), [31]);
  }));

/** Delays each step, and stops the run at step 60 or when the folder has enough checkpoints, however slow the disk is. */
function until(folder: string, isEnough: (steps: readonly number[]) => boolean) {
  return {
    name: "until",
    stage: "dynamics/AFTER_STEP",
    frequency: 1,
    call: async (ctx: { stepCount: number; stop(reason: string): void }) => {
      await new Promise<void>((resolve) => setTimeout(resolve, 2));
      if (ctx.stepCount >= 59 && isEnough(await stepsIn(folder))) ctx.stop("enough");
    },
  };
}

test("by the clock: a checkpoint after each interval", () =>
  inFolder(async (folder) => {
    const options = { folder, everySeconds: 0.02, keepLast: 99, atEnd: false };
    const enough = until(folder, ({ length }) => length >= 3);
    await using md = bath("wasm", [enough, new CheckpointHook(options)]);
    const begun = performance.now();
    await md.run(crystals(1), 10_000);
    const seconds = (performance.now() - begun) / 1000;
    const steps = (await stepsIn(folder)).filter((step) => step > 0); // without that of the beginning
    assert(md.stepCount < 10_000, "the clock wrote no checkpoints");
    assert(steps.length >= 2 && steps.length <= seconds / 0.02, `${steps} in ${seconds} s`);
  }));

test("both: the clock adds checkpoints in between, and the last one is that of the end", () =>
  inFolder(async (folder) => {
    const options = { folder, everySeconds: 0.02, everySteps: 25, keepLast: 9999 };
    const isClocked = (step: number) => step % 25 !== 0;
    const enough = until(folder, (steps) => steps.some(isClocked));
    await using md = bath("wasm", [enough, new CheckpointHook(options)]);
    await md.run(crystals(1), 10_000);
    const steps = await stepsIn(folder), end = md.stepCount;
    assert(end < 10_000, "the clock wrote no checkpoints");
    for (const step of [25, 50, end]) assert(steps.includes(step), `${step} of ${steps}`);
    assert(steps.some((step) => step !== end && isClocked(step)), `${steps}`);
  }));

test("a damaged or partial newest checkpoint is skipped for the one before, with a warning", () =>
  inFolder(async (folder) => {
    const hook = () => new CheckpointHook({ folder, everySteps: 10, keepLast: 3 });
    await using md = bath("wasm", [hook()]);
    await md.run(crystals(1), 30);
    const [newest, middle] = await checkpointsIn(folder);
    await Deno.truncate(newest!.path, 900);
    const bytes = await Deno.readFile(middle!.path);
    bytes[bytes.length >> 1]! ^= 1;
    await Deno.writeFile(middle!.path, bytes);
    const half = `${newest!.path}.01234567-89ab-cdef-0123-456789abcdef.tmp`;
    await Deno.writeTextFile(half, "half");

    const warnings: string[] = [];
    await using again = bath("wasm", [hook()], warnings);
    const batch = await again.loadLatest(folder);
    assertEquals(again.stepCount, 10);
    assertEquals(warnings.length, 2, warnings.join("\n"));
    for (const [i, { path }] of [newest!, middle!].entries()) assert(warnings[i]!.includes(path));
    await again.run(batch!, 20);
    await assertRejects(() => Deno.stat(half), Deno.errors.NotFound); // it would never be read
    await using other = bath("wasm", [hook()]);
    await other.loadLatest(folder);
    assertEquals(other.stepCount, 30);
    assertEquals(await other.loadLatest(`${folder}/none`), undefined);
  }));

test("folders and broken links that are named like checkpoints are skipped, with a warning", () =>
  inFolder(async (folder) => {
    const hook = () => new CheckpointHook({ folder, everySteps: 10, keepLast: 2 });
    await using md = bath("wasm", [hook()]);
    await md.run(crystals(1), 20);
    const odd = [55, 65, 75].map((step) => `${folder}/step-0000000${step}.hooke`);
    await Deno.mkdir(odd[0]!);
    await Deno.symlink(`${folder}/nowhere`, odd[1]!);
    await Deno.symlink(odd[2]!, odd[2]!);
    const warnings: string[] = [];
    await using again = bath("wasm", [hook()], warnings);
    const batch = await again.loadLatest(folder);
    assertEquals([again.stepCount, warnings.length], [20, 3]);
    for (const [i, path] of odd.reverse().entries()) {
      assert(warnings[i]!.includes(path), warnings[i]);
    }
    await again.run(batch!, 60); // it leads out of the folder: it is not removed, and not worth a warning
    assertEquals(warnings.length, 3, warnings.join("\n"));
    assertEquals(await stepsIn(folder), [80, 75, 55]);
  }));

test("a new run in a folder with checkpoints of an earlier one is refused until they are removed", () =>
  inFolder(async (folder) => {
    const run = async (steps: number) => {
      await using md = bath("wasm", [new CheckpointHook({ folder, everySteps: 10 })]);
      await md.run(crystals(1), steps);
    };
    await run(20);
    await assertRejects(
      () => run(10),
      Error,
      `${folder}: the folder holds checkpoints of another run, up to step 20. ` +
        "Resume that run with resume() of a run folder or with loadLatest(), ",
    );
    assertEquals(await stepsIn(folder), [20]);
    await Deno.remove(`${folder}/step-000000020.hooke`);
    await run(10);
    assertEquals(await stepsIn(folder), [10]);
  }));

test("a checkpoint at the beginning prevents duplicate frames after a kill", () =>
  inFolder(async (folder) => {
    const sink = new MemorySink();
    const go = async (steps: number) => {
      await using md = bath("wasm", [
        new CheckpointHook({ folder, everySteps: 100, atEnd: false }),
        new SnapshotHook({ sink, frequency: 5 }),
      ]);
      const batch = await md.loadLatest(folder) ?? crystals(1);
      await md.run(batch, steps);
    };
    sink.write(crystals(1)); // of another run
    await go(12); // and then it is killed
    assertEquals([sink.length, await stepsIn(folder)], [4, [0]]);
    await go(20);
    assertEquals(sink.read().get("step").slice(1), Int32Array.of(0, 5, 10, 15));
  }));

test("a run that fails before its first step reports only that error", () =>
  inFolder(async (folder) => {
    const warnings: string[] = [];
    await using md = bath("wasm", [new CheckpointHook({ folder })], warnings);
    const batch = crystals(1);
    batch.get("velocities")[0] = NaN;
    await assertRejects(() => md.run(batch, 5));
    assertEquals(warnings, []);
  }));

test("a folder that cannot be written refuses the run before its first step, without a warning", () =>
  inFolder(async (parent) => {
    await Deno.writeTextFile(`${parent}/file`, "no folder");
    for (const folder of [`${parent}/file`, `${parent}/file/in`]) {
      for (const atBegin of [true, false]) {
        const warnings: string[] = [];
        await using md = bath("wasm", [new CheckpointHook({ folder, atBegin })], warnings);
        const error = await assertRejects(() => md.run(crystals(1), 45), Error);
        assertEquals([md.stepCount, warnings], [0, []]);
        assert(
          error.message.startsWith(`Cannot write checkpoints to ${folder}: a `),
          error.message,
        );
        assert("code" in error);
      }
    }
  }));

test("a checkpoint that a disk refuses later is a warning that names it, and does not stop the run", () =>
  inFolder(async (folder) => {
    const warnings: string[] = [];
    const blocked = [10, 20].map((step) => `${folder}/step-0000000${step}.hooke`);
    const blocking = {
      name: "blocking",
      stage: "dynamics/AFTER_STEP",
      frequency: 9,
      call: async () => {
        for (const path of blocked) await Deno.mkdir(`${path}/full`, { recursive: true });
      },
    };
    const hooks = [blocking, new CheckpointHook({ folder, everySteps: 10 })];
    await using md = bath("wasm", hooks, warnings);
    await md.run(crystals(1), 35);
    assertEquals([md.stepCount, warnings.length], [35, 2], warnings.join("\n"));
    for (const [i, path] of blocked.entries()) {
      assert(
        warnings[i]!.startsWith(`checkpoints: Cannot write checkpoint ${path}: `),
        warnings[i],
      );
    }
    assert((await stepsIn(folder)).includes(35));
  }));

test("no checkpoint is written if its snapshots cannot be flushed, and the error is reported", () =>
  inFolder(async (folder) => {
    const sink = new MemorySink();
    let flushes = 0;
    const full = {
      write: (...args: Parameters<MemorySink["write"]>) => sink.write(...args),
      flush() {
        if (++flushes === 2) throw new Error("no space left");
      },
    };
    const hooks = [
      new SnapshotHook({ sink: full, frequency: 5 }),
      new CheckpointHook({ folder, everySteps: 20, keepLast: 9 }),
    ];
    const warnings: string[] = [];
    await using md = bath("wasm", hooks, warnings);
    await assertRejects(() => md.run(crystals(1), 100), Error, "no space left");
    assertEquals(await stepsIn(folder), [0]);
    assertEquals(warnings.length, 1, warnings.join("\n"));
  }));

test("a checkpoint also waits for its option sinks, and is written while steps go on", () =>
  inFolder(async (folder) => {
    const seen: number[] = [];
    const sinks = [{
      flush: async () => {
        const begun = md.stepCount;
        while (md.stepCount === begun) await new Promise((resolve) => setTimeout(resolve, 1));
        seen.push((await stepsIn(folder)).length);
      },
    }];
    await using md = bath("wasm", [
      slow,
      new CheckpointHook({
        folder,
        everySteps: 10,
        keepLast: 9,
        atEnd: false,
        atBegin: false,
        sinks,
      }),
    ]);
    await md.run(crystals(1), 25);
    assertEquals(seen, [0, 1]); // neither existed before
    assertEquals(await stepsIn(folder), [20, 10]);
  }));

test("a trainer resumes from it as from its own checkpoint", () =>
  inFolder(async (folder) => {
    const more = { epochs: 6 };
    await using whole = smallTrainer([], more);
    await whole.train();
    await using first = smallTrainer([new CheckpointHook({ folder, everySteps: 5 })], {
      epochs: 3,
    });
    await first.train();
    assertEquals(await stepsIn(folder), [6]);
    const other = new CheckpointHook({ folder: `${folder}/other` });
    await using again = smallTrainer([other], more);
    await again.loadCheckpoint((await checkpointsIn(folder))[0]!.path);
    await again.train();
    assertEquals(await parametersOf(again), await parametersOf(whole));
  }));

test("wrong options are refused by name", () => {
  const make = (options: object) => () => new CheckpointHook(options as CheckpointHookOptions);
  assertThrows(make({}), TypeError, "folder");
  assertThrows(make({ folder: "x", every: 3 }), TypeError, "every");
  assertThrows(
    make({ folder: "x", everySteps: 0 }),
    RangeError,
    "everySteps must be a positive integer",
  );
  assertThrows(make({ folder: "x", everySeconds: -1 }), RangeError, "everySeconds must be");
  assertThrows(
    make({ folder: "x", keepLast: 1.5 }),
    RangeError,
    "keepLast must be a positive integer",
  );
  assertThrows(make({ folder: "x", sinks: 3 }), TypeError, "sinks must be a list");
});
