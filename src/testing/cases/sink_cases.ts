/**
 * Test cases for sinks, which must return systems in order and unchanged.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import type { System } from "../../batch/system.ts";
import type { Sink, Slice, StoredSink } from "../../sinks/sink.ts";
import { claim, claimRefused } from "../claims.ts";
import {
  claimLength,
  claimSame,
  everyField,
  frame,
  isStored,
  type Lost,
  type MakeSinkTrial,
  onSink,
  sliced,
  structure,
} from "../sinks/sink_trial.ts";
import type { TestCase } from "./test_case.ts";

/** Returns cases for writing and reading back. */
export function readingCases(open: MakeSinkTrial, lost: readonly Lost[]): TestCase[] {
  return [
    onSink(open, "systems are read as written, in order", async (sink) => {
      const batches = [frame(0, [0, 1, 2]), frame(10, [1]), frame(20, [2, 0])];
      for (const batch of batches) await sink.write(batch);
      claimLength(sink, 6);
      claimSame(await sink.read(), batches.flatMap((batch) => batch.systems()), lost);
    }),
    onSink(
      open,
      "fields of every level and dtype are restored bitwise, edges and integers included",
      async (sink) => {
        const batch = everyField();
        await sink.write(batch);
        await sink.write(batch, [0, 1, 1]);
        const all = batch.systems();
        claimSame(await sink.read(), [...all, all[1]!, all[2]!], lost);
      },
    ),
    onSink(open, "systems with and without a field can be mixed", async (sink) => {
      const [plain, more] = [Batch.from([structure(1)]), Batch.from([structure(2)])];
      more.set("own", 7, { level: "node", dtype: "i32", fill: -1 });
      for (const batch of [plain, more, plain]) await sink.write(batch);
      const systems = [plain, more, plain].map((batch) => batch.system(0));
      claimSame(await sink.read(), systems, lost);
    }),
    onSink(open, "info of a system is restored", async (sink) => {
      const info = { label: "a b", n: 3, x: -1.5e-7, on: true, words: ["x", "1"], five: "5" };
      const batch = Batch.from([{ ...structure(1), info }, structure(2)]);
      await sink.write(batch);
      claimSame(await sink.read(), batch.systems(), lost);
    }),
    onSink(
      open,
      "a rejected system does not affect those before and after it",
      async (sink) => {
        const [a, b] = [frame(1, [0, 1]), frame(2, [3])];
        const odd = Batch.from([{ ...structure(2), info: { large: 1n } }]);
        await sink.write(a);
        const isTaken = await isKept(sink, odd);
        await sink.write(b);
        const kept = isTaken ? [a, odd, b] : [a, b];
        claimSame(await sink.read(), kept.flatMap((batch) => batch.systems()), lost);
      },
    ),
    onSink(open, "drained systems are removed", async (sink) => {
      const [a, b] = [frame(1, [0, 1]), frame(2, [3])];
      await sink.write(a);
      claimSame(await sink.drain(), a.systems(), lost);
      claimLength(sink, 0);
      await claimRefused(() => sink.read(), RangeError);
      await claimRefused(() => sink.drain(), RangeError);
      await sink.write(b);
      claimSame(await sink.read(), b.systems(), lost);
    }),
  ];
}

/** Returns whether a sink accepts a batch. Some sinks refuse at once, others when they write to the file. */
async function isKept(sink: Sink, batch: Batch): Promise<boolean> {
  try {
    await sink.write(batch);
    if (isStored(sink)) await sink.flush();
    return true;
  } catch (error) {
    claim(
      error instanceof TypeError,
      () => `A system that cannot be stored must give a TypeError; got ${error}`,
    );
    return false;
  }
}

/** Returns cases for reading slices. */
export function sliceCases(open: MakeSinkTrial, lost: readonly Lost[]): TestCase[] {
  return [
    onSink(open, "slices agree with those of a list", async (sink) => {
      claim(isStored(sink), () => "a sink that keeps must have slice() and flush()");
      await claimSlices(sink, lost);
    }),
  ];
}

async function claimSlices(
  sink: StoredSink,
  lost: readonly Lost[],
): Promise<void> {
  const kept: System[] = [];
  for (let step = 0; step < 60; step += 10) {
    const batch = frame(step, [0, 1, 2].filter((id) => (step / 10 + id) % 3 !== 0));
    kept.push(...batch.systems());
    await sink.write(batch);
  }
  const plain = Batch.from([structure(9)]); // This batch has no step and time.
  kept.push(plain.system(0));
  await sink.write(plain);
  for (const slice of SLICES) {
    const meant = sliced(kept, slice);
    if (meant.length === 0) await claimRefused(() => sink.slice(slice), RangeError);
    else claimSame(await sink.slice(slice), meant, lost);
  }
  await claimRefused(() => sink.slice({ from: -1 }), RangeError, "from");
  await claimRefused(() => sink.slice({ steps: 3 } as unknown as Slice), TypeError, "steps");
  await claimRefused(() => sink.slice({ form: 3 } as Slice), TypeError, '"form"');
}

const SLICES: readonly Slice[] = [
  {},
  { from: 3 },
  { to: 2 },
  { from: 2, to: 5 },
  { from: 5, to: 5 },
  { to: 1000 },
  { time: [5, 15] },
  { time: [5.1, 9.9] },
  { steps: [10, 30] },
  { systems: [1] },
  { systems: [0, 2], steps: [20, 50] },
  { systems: [0], time: [0, 20], from: 1, to: 6 },
  { systems: [9] },
  { systems: [] },
];

/** Returns cases for writing, which every sink must pass, even if it cannot read. */
export function writingCases(open: MakeSinkTrial): TestCase[] {
  return [
    onSink(
      open,
      "masks of any form select systems; an empty mask selects nothing",
      async (sink) => {
        const batch = frame(0, [0, 1, 2]);
        for (
          const mask of [
            [false, true, true],
            [0, 1, 1],
            Int32Array.of(0, 1, 1),
            Uint8Array.of(0, 1, 1),
          ]
        ) await sink.write(batch, mask);
        await sink.write(batch, [0, 0, 0]);
        await sink.write(batch, new Uint8Array(3));
        claimLength(sink, 8);
      },
    ),
    onSink(
      open,
      "invalid batches and masks are rejected completely",
      async (sink) => {
        const batch = frame(0, [0, 1, 2]);
        const write = (value: unknown, mask?: unknown) => () =>
          sink.write(value as Batch, mask as number[]);
        await claimRefused(write(batch, [1, 1]), RangeError, "got 2");
        await claimRefused(write(batch, [0, 1, 2]), RangeError, "got 2 for system 2");
        await claimRefused(write(batch, "101"), TypeError, '"101"');
        await claimRefused(write(batch, null), TypeError, "null");
        await claimRefused(write(batch.system(0)), TypeError, "a batch");
        await sink.flush?.();
        claimLength(sink, 0);
      },
    ),
    onSink(open, "systems whose fields disagree with earlier ones are rejected", async (sink) => {
      const [int, float] = [frame(0, [0]), frame(0, [1])];
      int.set("tag", 1, { level: "system", dtype: "i32", fill: 0 });
      float.set("tag", 0.5, { level: "system", dtype: "f64" });
      await sink.write(int);
      await claimRefused(() => sink.write(float), TypeError, '"tag"');
      await sink.flush?.();
      claimLength(sink, 1);
    }),
    onSink(open, "a closed sink rejects writes", async (sink) => {
      await sink.write(frame(0, [0]));
      await sink.close();
      await sink.close();
      await claimRefused(() => sink.write(frame(1, [0])), Error, "closed");
      claimLength(sink, 1);
    }),
    onSink(open, "a cleared sink is empty, and can be written again", async (sink) => {
      await sink.clear();
      await sink.write(frame(0, [0, 1]));
      await sink.clear();
      claimLength(sink, 0);
      await sink.write(frame(1, [2]));
      await sink.flush?.();
      claimLength(sink, 1);
    }),
    onSink(
      open,
      "nothing is lost without await, and awaited writes resolve",
      async (sink) => {
        const batch = frame(3, Array.from({ length: 20 }, (_, i) => i));
        const waits: (void | PromiseLike<void>)[] = [];
        for (let i = 0; i < 25; i++) waits.push(sink.write(batch));
        await Promise.all(waits);
        await sink.flush?.();
        claimLength(sink, 500);
      },
    ),
  ];
}
