/**
 * Test cases for sinks over time: random operations compared with a list, reopening, and limits.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import type { System } from "../../batch/system.ts";
import type { Sink } from "../../sinks/sink.ts";
import { claim, claimRefused } from "../claims.ts";
import {
  claimLength,
  claimSame,
  frame,
  isStored,
  type Lost,
  type MakeSinkTrial,
  onSink,
  sliced,
  structure,
} from "./sink_trial.ts";
import type { TestCase } from "../cases/test_case.ts";

/** Generates reproducible numbers from 0 to 1. */
function* seeded(seed: number): Generator<number, never> {
  for (let state = seed;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Returns cases that compare a sink with a list after random operations. */
export function listCases(open: MakeSinkTrial, lost: readonly Lost[]): TestCase[] {
  return [1, 2, 3].map((seed) =>
    onSink(open, `a sink agrees with a list: run ${seed}`, async (sink) => {
      const list: System[] = [];
      const numbers = seeded(seed);
      const upTo = (most: number) => Math.floor(numbers.next().value * most);
      for (let i = 0; i < 60; i++) await act(sink, list, { step: i, upTo, lost });
    })
  );
}

interface Act {
  readonly step: number;
  readonly lost: readonly Lost[];
  upTo(most: number): number;
}

async function act(sink: Sink, list: System[], { step, upTo, lost }: Act): Promise<void> {
  const kind = upTo(10);
  if (kind < 5) {
    const batch = frame(step, [0, 1, 2, 3].slice(0, 1 + upTo(4)));
    const mask = Array.from({ length: batch.size }, () => upTo(2));
    await sink.write(batch, mask);
    list.push(...batch.systems().filter((_, place) => mask[place] === 1));
    batch.get("positions").fill(99); // Do not await: the writer continues at once.
  } else if (kind === 5) await sink.flush?.();
  else if (kind === 6 && upTo(4) === 0) {
    await sink.clear();
    list.length = 0;
  } else if (kind === 7 && upTo(3) === 0 && list.length > 0) {
    claimSame(await sink.drain(), list, lost);
    list.length = 0;
  } else if (kind === 9 && sink.truncate !== undefined) {
    const length = upTo(list.length + 3);
    await sink.truncate(length);
    list.length = Math.min(length, list.length);
  } else if (kind === 8 && isStored(sink)) {
    const slice = { from: upTo(10), steps: [upTo(30), 20 + upTo(40)] as const, systems: [0, 2] };
    const meant = sliced(list, slice);
    if (meant.length > 0) claimSame(await sink.slice(slice), meant, lost);
  } else if (list.length > 0) claimSame(await sink.read(), list, lost);
  claimLength(sink, list.length);
}

/** Returns cases which check that a stored sink can be opened again and appended to. */
export function reopenCases(open: MakeSinkTrial, lost: readonly Lost[]): TestCase[] {
  const name = "a reopened sink appends to existing systems";
  return [
    onSink(open, name, async (sink, trial) => {
      const systems: System[] = [];
      let current = sink;
      for (let round = 0; round < 3; round++) {
        if (round > 0) current = await trial.reopen!();
        try {
          if (round === 1 && isStored(current)) await current.open();
          const before = systems.length;
          claim(
            round !== 1 || current.length === before,
            () => `length must be ${before}; got ${current.length}`,
          );
          const batch = frame(round, [0, round]);
          systems.push(...batch.systems());
          await current.write(batch);
          await current.flush?.();
          if (!lost.includes("systems")) claimSame(await current.read(), systems, lost);
        } finally {
          await current.close();
        }
        claimLength(current, systems.length);
      }
      if (!lost.includes("systems")) await claimDisagreement(await trial.reopen!());
    }),
  ];
}

/** Returns cases which check that a stored sink can be opened again and truncated to an earlier length. */
export function truncateCases(open: MakeSinkTrial, lost: readonly Lost[]): TestCase[] {
  const name = "a reopened sink can be truncated and continued";
  return [
    onSink(open, name, async (sink, trial) => {
      if (sink.truncate === undefined) return;
      const systems = [0, 1, 2, 3].flatMap((step) => frame(step, [0, 1, 2]).systems());
      for (const system of systems) await sink.write(Batch.from(system));
      await sink.close();
      for (const length of [20, 12, 7, 3, 0]) {
        const again = await trial.reopen!();
        try {
          await claimRefused(async () => await again.truncate!(-1), RangeError, "length");
          await again.truncate!(length);
          systems.length = Math.min(length, systems.length);
          claimLength(again, systems.length);
          const batch = frame(10 + length, [0]);
          systems.push(...batch.systems());
          await again.write(batch);
          await again.flush?.();
          if (!lost.includes("systems")) claimSame(await again.read(), systems, lost);
        } finally {
          await again.close();
        }
        claimLength(again, systems.length);
      }
    }),
  ];
}

/** Checks that a reopened sink compares the fields of new systems with those of stored systems. */
async function claimDisagreement(sink: Sink): Promise<void> {
  const other = Batch.from([structure(1)]);
  other.set("step", 0.5, { level: "system", dtype: "f64" });
  try {
    await claimRefused(
      async () => {
        await sink.write(other);
        await sink.flush?.();
      },
      TypeError,
      '"step"',
    );
  } finally {
    await sink.close();
  }
}

/** Returns cases which check that a sink with a limit accepts a batch completely or not at all. */
export function fullCases(
  open: (capacity: number) => ReturnType<MakeSinkTrial>,
  lost: readonly Lost[],
): TestCase[] {
  const name = "a full sink rejects a batch that does not fit completely";
  return [
    onSink(() => open(3), name, async (sink) => {
      const batch = frame(0, [0, 1]);
      await sink.write(batch);
      claim(
        sink.capacity === 3 && !sink.isFull,
        () => `a sink with 2 of 3 systems must not be full`,
      );
      await claimRefused(() => sink.write(batch), RangeError, "capacity");
      await sink.write(batch, [0, 1]);
      claim(
        sink.isFull && sink.length === 3,
        () => `a sink with 3 of 3 systems must be full; got a length of ${sink.length}`,
      );
      await sink.write(batch, [0, 0]); // An empty batch always fits.
      const [first, second] = batch.systems();
      claimSame(await sink.drain(), [first!, second!, second!], lost);
      claim(!sink.isFull, () => "an empty sink must not be full");
      await sink.write(batch);
    }),
  ];
}
