// Frames: copies of a batch at one step, unaffected by later steps.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { Batch } from "../../src/batch/mod.ts";
import { ConvergenceHook, FIRE, NVE } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { ConvergedSnapshotHook, SnapshotHook } from "../../src/observe/mod.ts";
import { MemorySink, type SystemWriter } from "../../src/sinks/mod.ts";
import { ARGON, bitsOf, crystals, MOVING } from "../dynamics/atoms.ts";
import { BACKENDS, on, where } from "../dynamics/backends.ts";
import { onEngines } from "../dynamics/on_engines.ts";
import { test } from "../suite.ts";

/** A sink that keeps each batch as written. */
function frames(): SystemWriter & { readonly all: Batch[] } {
  const all: Batch[] = [];
  return { all, write: (batch) => void all.push(batch) };
}

Deno.test(
  "a snapshot is bitwise identical to the end of a run of as many steps",
  onEngines(async (backend) => {
    const sink = frames();
    const make = () => {
      const batch = crystals(2);
      batch.ensure("stress");
      batch.set("tags", Int32Array.from({ length: 64 }, (_, i) => i), { level: "node" });
      return batch;
    };
    const hooks = [new SnapshotHook({ sink, frequency: 7 })];
    await using md = new NVE({ model: ARGON, dt: [1, 2], ...where(backend), hooks });
    await md.run(make(), 20);
    assertEquals(sink.all.map((frame) => [...frame.get("step")]), [[0, 0], [7, 7], [14, 14]]);
    for (const [i, frame] of sink.all.entries()) {
      await using other = new NVE({ model: ARGON, dt: [1, 2], ...where(backend) });
      const batch = await other.run(make(), 7 * i + 1);
      const names = batch.fields().map(({ name }) => name) as typeof MOVING[number][];
      assert(names.includes("stress") && names.includes("velocities"), names.join());
      assertEquals(bitsOf(frame, undefined, names), bitsOf(batch, undefined, names));
      assertEquals([...frame.get("time")], [7 * i + 1, 2 * (7 * i + 1)]);
      assertEquals(frame.get("sourceId"), batch.get("systemId"));
    }
  }),
);

test("frames of a resumed run have their fields in the same order as those before", async () => {
  const sink = frames();
  await using md = new NVE({ model: ARGON, dt: 2, hooks: [new SnapshotHook({ sink })] });
  const batch = await md.run(crystals(1), 1);
  batch.set("time", [2], { level: "system", dtype: "f64", unit: "fs", fill: NaN }); // as in a checkpoint
  await md.run(batch, 1);
  const [first, later] = sink.all.map((frame) => frame.fields().map(({ name }) => name));
  assertEquals(later, first);
});

test("a frame has the batch's own edges and info, but not the neighbors of the engine", async () => {
  const sink = frames();
  const batch = crystals(1);
  const before = batch.fields().length;
  const hooks = [new SnapshotHook({ sink })];
  await using md = new NVE({ model: ARGON, dt: 1, device: "reference", hooks });
  await md.run(batch, 1);
  const more = ["forces", "energy", "stepsDone", "step", "time", "sourceId"];
  const names = sink.all[0]!.fields().map(({ name }) => name);
  assertEquals(names.filter((name) => !more.includes(name)).length, before);
  assertEquals([sink.all[0]!.edgeCount, sink.all[0]!.has("edges")], [0, false]);
  batch.setEdges([[0, 1]]);
  await md.run(batch, 1);
  assertEquals([...sink.all[1]!.get("edges")], [0, 1]);
});

Deno.test(
  "each system is written once, when it converges, with its final values",
  onEngines(async (backend) => {
    const relaxed = new MemorySink();
    const reported: number[][] = [];
    const report = hook({
      name: "report",
      on: {
        dynamics: {
          ON_CONVERGE: ({ stepCount, convergedMask }) =>
            void Array.from(convergedMask).forEach((flag, i) =>
              flag && reported.push([stepCount, i])
            ),
        },
      },
    });
    const hooks = [
      ConvergenceHook.fromFmax(0.01),
      new ConvergedSnapshotHook({ sink: relaxed }),
      report,
    ];
    const opt = new FIRE({ model: ARGON, dt: 0.5, ...where(backend), hooks, nSteps: 500 });
    await using _opt = opt;
    const batch = crystals(6, 0);
    await opt.run(batch);
    const steps = reported.map(([step]) => step!);
    assert(new Set(steps).size > 1 && steps.at(-1)! < 499, steps.join()); // not all at once
    const found = relaxed.read();
    assertEquals([...found.get("step")], steps);
    assertEquals([...found.get("sourceId")], reported.map(([, place]) => place!));
    for (const [place, id] of found.get("sourceId").entries()) {
      const names = MOVING.filter((name) => name !== "status" && name !== "stepsDone");
      assertEquals(bitsOf(found, place, names), bitsOf(batch, id, names));
    }
    assertEquals([...found.get("status")], [1, 1, 1, 1, 1, 1]);
    await opt.run(batch, 10); // all have converged
    assertEquals(relaxed.length, 6);
  }),
);

test("a full sink stops the run, and keeps its content; with another error policy it is a warning", async () => {
  const sink = new MemorySink({ capacity: 5 });
  await using md = new NVE({
    model: ARGON,
    dt: 1,
    device: "reference",
    hooks: [new SnapshotHook({ sink })],
  });
  await assertRejects(
    () => md.run(crystals(2), 10),
    RangeError,
    "capacity of 5; it has 4",
  );
  assertEquals([md.stepCount, sink.length], [2, 4]);
  const warnings: string[] = [];
  await using lenient = new NVE({
    model: ARGON,
    dt: 1,
    device: "reference",
    onWarning: ({ hook, step, error }) => void warnings.push(`${hook} ${step} ${error}`),
  });
  lenient.hooks.add(new SnapshotHook({ sink }), { onError: "warn" });
  await lenient.run(crystals(2), 2);
  assertEquals(warnings.length, 2);
  assert(warnings[1]!.startsWith("SnapshotHook 1 RangeError"), warnings[1]);
});

test("the run waits for a slow sink, which has all frames when the run ends", async () => {
  const steps: number[] = [];
  let flushed = 0;
  const sink: SystemWriter = {
    write: async (batch) => {
      await new Promise((done) => setTimeout(done, 1));
      steps.push(batch.get("step")[0]!);
    },
    flush: async () => {
      await Promise.resolve();
      flushed++;
    },
  };
  const hooks = [new SnapshotHook({ sink, frequency: 2, phase: 1, atEnd: true })];
  await using md = new NVE({ model: ARGON, dt: 1, device: "reference", hooks });
  await md.run(crystals(1), 7);
  assertEquals([steps, flushed], [[1, 3, 5, 6], 1]);
});

test(
  "snapshots do not change the results",
  on(BACKENDS, async (backend) => {
    const run = async (hooks: SnapshotHook[], verify: boolean) => {
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
    assertEquals(await run([new SnapshotHook({ sink: frames(), frequency: 6 })], false), plain);
    assertEquals(await run([new SnapshotHook({ sink: frames() })], true), plain);
  }),
);

test("the saved state of a hook stays the same while later frames are written", async () => {
  const sink = new MemorySink(), snapshots = new SnapshotHook({ sink, frequency: 5 });
  const direct = Object.assign(sink, { writeFrame: () => void sink.write(crystals(1)) });
  await using md = new NVE({ model: ARGON, dt: 1, hooks: [snapshots], device: "wasm" });
  const batch = await md.run(crystals(1), 6),
    early = snapshots.save()!,
    before = structuredClone(early);
  assertEquals([direct.length, before.last!.step, before.last!.positions.length], [2, 5, 12]);
  await md.run(batch, 10);
  assertEquals(early, before);
  assertEquals(snapshots.save()!.last!.step, 15);
});

test("wrong options of snapshots are named when they are created", () => {
  const sink = new MemorySink();
  const wrong: readonly (readonly [unknown, string])[] = [
    [{}, "sink is required: for example"],
    [{ sink: 3 }, "sink must be a sink"],
    [{ sink: {} }, "sink must be a sink"],
    [{ sink, frequncy: 3 }, "among sink"],
  ];
  for (const [options, message] of wrong) {
    for (const make of [SnapshotHook, ConvergedSnapshotHook]) {
      assertThrows(() => new make(options as { sink: MemorySink }), TypeError, message);
    }
  }
  assertThrows(() => new SnapshotHook({ sink, frequency: -1 }), RangeError, "frequency");
  const stage = "dynamics/NEVER" as "dynamics/AFTER_STEP";
  assertThrows(() => new SnapshotHook({ sink, stage }), TypeError, "a dynamics stage");
});

test("with fields a snapshot has those and what every batch has, bitwise identical to those of a complete one", async () => {
  const [all, some] = [new MemorySink(), new MemorySink()];
  const hooks = [
    new SnapshotHook({ sink: all, frequency: 3 }),
    new SnapshotHook({ sink: some, frequency: 3, fields: ["forces"] }),
  ];
  await using md = new NVE({ model: ARGON, dt: 2, device: "wasm", hooks });
  await md.run(crystals(2), 8);
  const names = some.read().fields().map(({ name }) => name).sort();
  assertEquals(names, [
    "cell",
    "forces",
    "masses",
    "numbers",
    "pbc",
    "positions",
    "sourceId",
    "step",
    "systemId",
    "time",
  ]);
  for (const name of names) assertEquals(some.read().get(name), all.read().get(name), name);
  // Energies are not read, so steps do not compute them.
  assertEquals([...hooks[1]!.reads], ["time", "frame"]);
  assertThrows(
    () => new SnapshotHook({ sink: some, fields: "forces" as never }),
    TypeError,
    "fields must be a list of names",
  );
});

test("a misspelled field of a snapshot ends the run in its first step; a custom field does not", async () => {
  const run = async (field: string) => {
    const hooks = [new SnapshotHook({ sink: frames(), fields: [field] })];
    await using md = new NVE({ model: ARGON, dt: 1, device: "reference", hooks });
    const batch = crystals(1);
    batch.set("tags", Int32Array.from({ length: batch.nodeCount }, (_, i) => i), {
      level: "node",
    });
    await md.run(batch, 1);
  };
  for (const [wrong, right] of [["force", "forces"], ["tag", "tags"]]) {
    await assertRejects(
      () => run(wrong!),
      RangeError,
      `Cannot take a snapshot by SnapshotHook: fields must name fields of the batch, and NVE has no "${wrong}"; did you mean ${right}?`,
    );
  }
  for (const field of ["tags", "stress", "time", "velocities"]) await run(field);
});
