/** Values that a batch has from a file, or from another run, are not used as results of the run. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  Batch,
  ConvergenceHook,
  FIRE,
  fuse,
  hook,
  type HookWarning,
  LoggingHook,
  MemorySink,
  NVE,
  NVTLangevin,
  parseExtxyz,
  SizeAwareSampler,
  SnapshotHook,
  writeExtxyz,
} from "@hooke/hooke";
import { testOnGpu } from "../backend/gpu.ts";
import { ARGON, argon, assertSameBits, bitsOf, push } from "./atoms.ts";

const STRESS = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
const warningsIn = (warnings: HookWarning[]) =>
  warnings.map(({ error }) => (error as Error).message);

/** A frame as a relaxation writes it, with its stress and the status 1, and then the atoms moved. */
function fromFile(seed: number, cells = 1): string {
  const batch = Batch.from([argon(cells, seed)]);
  batch.set("stress", STRESS);
  batch.set("status", 1);
  batch.set("stepsDone", 40);
  return writeExtxyz(batch);
}

Deno.test("a stress of a file is in no frame of a run whose model gives none, and a warning says so once", async () => {
  const batch = Batch.from(parseExtxyz(fromFile(1) + fromFile(2)));
  assertEquals(batch.get("stress").slice(0, 9), STRESS);
  const warnings: HookWarning[] = [], sink = new MemorySink();
  await using md = new NVE({
    model: push(0.1),
    dt: 1,
    hooks: [new SnapshotHook({ sink, frequency: 2 })],
    onWarning: (warning) => void warnings.push(warning),
  });
  await md.run(batch, 4);
  assert(batch.get("stress").every(Number.isNaN));
  assertEquals(sink.length, 4);
  assert(!writeExtxyz(sink.read()).includes("stress"));
  const again = Batch.from(parseExtxyz(fromFile(1)));
  await md.run(again, 1);
  assert(again.get("stress").every(Number.isNaN));
  const [said, ...more] = warningsIn(warnings);
  assertEquals(more, []);
  assertMatch(
    said!,
    /^NVE removes the stress values of the batch, because no stress is computed: a push gives .*stress: true/,
  );
});

Deno.test("nor in those of a stream, whether systems take the slots of others or make the batch anew", async () => {
  for (const sizes of [[1, 1, 1, 1, 1, 1], [1, 2, 1, 1, 2]]) {
    const source = sizes.map((cells, seed) => parseExtxyz(fromFile(seed, cells))[0]!);
    const warnings: HookWarning[] = [], sink = new MemorySink();
    await using md = new NVE({
      model: push(0.1),
      dt: 1,
      onWarning: (warning) => void warnings.push(warning),
    });
    const sampler = new SizeAwareSampler(source, { maxSystems: 2 });
    await md.stream(sampler, { sinks: [sink], maxSteps: 3 });
    assertEquals([sink.length, warnings.length], [sizes.length, 1]);
    assert(sink.read().get("stress").every(Number.isNaN), `cells: ${sizes}`);
  }
});

Deno.test("a model that gives stresses replaces those of the file, without a warning", async () => {
  const batch = Batch.from(parseExtxyz(fromFile(1)));
  const warnings: HookWarning[] = [];
  await using md = new NVE({ model: ARGON, dt: 1, onWarning: (one) => void warnings.push(one) });
  await md.run(batch, 2);
  assert(batch.get("stress").every((x) => x !== 1 && Number.isFinite(x)));
  assertEquals(warnings, []);
});

const relaxing = (more: readonly object[] = [], hook = ConvergenceHook.fromFmax(0.01)) =>
  new FIRE({ model: ARGON, dt: 0.5, hooks: [hook, ...more] as never });

Deno.test("a status of a file does not say that a run has relaxed a system", async () => {
  const batch = Batch.from(parseExtxyz(fromFile(1, 2) + fromFile(2, 2)));
  assertEquals([...batch.get("status")], [1, 1]);
  const logged: number[] = [];
  const log = new LoggingHook({
    backend: "custom",
    writerFn: (_, rows) => void logged.push(...rows.map(({ status }) => status)),
  });
  await using opt = relaxing([log]);
  await opt.run(batch, 2);
  assertEquals([[...batch.get("status")], logged], [[0, 0], [0, 0, 0, 0]]);
  await opt.run(batch, 300);
  assertEquals([...batch.get("status")], [1, 1]);

  const other = Batch.from(parseExtxyz(fromFile(1, 2)));
  other.set("status", 3);
  await using three = relaxing([], new ConvergenceHook({ targetStatus: 3 }));
  await three.run(other, 1);
  assertEquals([...other.get("status")], [0]);
});

Deno.test("systems that an engine has relaxed keep their status until something of them is changed", async () => {
  const batch = Batch.from([argon(2, 1), argon(2, 2)]);
  await using opt = relaxing();
  await opt.run(batch, 300);
  assertEquals([...batch.get("status")], [1, 1]);
  await opt.run(batch, 2);
  assertEquals([...batch.get("status")], [1, 1]);
  batch.get("positions")[0]! += 0.3;
  await opt.run(batch, 2);
  assertEquals([...batch.get("status")], [0, 1]);

  await opt.run(batch, 300);
  await using another = relaxing();
  await another.run(batch, 1); // they meet its criteria at once
  assertEquals([...batch.get("status")], [1, 1]);
  batch.get("positions")[0]! += 0.3;
  await using third = relaxing();
  await third.run(batch, 2);
  assertEquals([...batch.get("status")], [0, 1]);
});

testOnGpu("on a GPU, too, a system that begins to move has not converged", async () => {
  const batch = Batch.from(parseExtxyz(fromFile(1, 2) + fromFile(2, 2)));
  const hooks = [ConvergenceHook.fromFmax(0.01)];
  await using opt = new FIRE({ model: ARGON, dt: 0.5, device: "webgpu", hooks });
  await opt.run(batch, 2);
  assertEquals([...batch.get("status")], [0, 0]);
  await opt.run(batch, 300);
  assertEquals([...batch.get("status")], [1, 1]);
  batch.get("positions")[0]! += 0.3;
  await opt.run(batch, 2);
  assertEquals([...batch.get("status")], [0, 1]);
});

Deno.test("a status with another meaning stays: of a stage, of the user, and without convergence", async () => {
  const made = () => Batch.from(parseExtxyz(fromFile(1)));
  const alone = made();
  await using md = new NVE({ model: ARGON, dt: 1 });
  await md.run(alone, 2);
  assertEquals([...alone.get("status")], [1]);

  const sent = made();
  await using from = relaxing([], new ConvergenceHook({ sourceStatus: 1, targetStatus: 2 }));
  await from.run(sent, 1);
  assertEquals([...sent.get("status")], [1]);

  const both = made();
  const strict = new ConvergenceHook({ criteria: { key: "fmax", threshold: 1e-9 } });
  await using two = relaxing([new ConvergenceHook({ sourceStatus: 1, targetStatus: 2 })], strict);
  await two.run(both, 1);
  assertEquals([...both.get("status")], [1]);

  const own = made();
  own.set("status", 7);
  await using opt = relaxing();
  await opt.run(own, 1);
  assertEquals([...own.get("status")], [7]);

  const staged = made();
  await using all = fuse(
    relaxing(),
    new NVTLangevin({ model: ARGON, dt: 1, temperature: 40, friction: 0.01, nSteps: 5 }),
  );
  await all.run(staged, 1);
  assertEquals([[...staged.get("status")], [...staged.get("stageSteps")]], [[1], [0, 1]]);
});

Deno.test("a resumed relaxation goes on to the same bits, with the statuses that hooks had set", async () => {
  const marks = () =>
    hook({
      name: "marks",
      writes: ["status"],
      on: {
        dynamics: {
          AFTER_STEP({ stepCount, write }) {
            if (stepCount === 3) write.status[1] = 1;
          },
        },
      },
    });
  const path = `${await Deno.makeTempDir()}/opt.hooke`;
  const batch = Batch.from(parseExtxyz(fromFile(1, 2) + fromFile(2, 2)));
  await using opt = relaxing([marks()]);
  await opt.run(batch, 6);
  assertEquals([...batch.get("status")], [0, 1]);
  await opt.saveCheckpoint(path);
  await opt.run(batch, 6);

  await using again = relaxing([marks()]);
  const resumed = await again.loadCheckpoint(path);
  await again.run(resumed, 6);
  assertEquals([...resumed.get("status")], [0, 1]);
  assertSameBits(bitsOf(resumed), bitsOf(batch));
});
