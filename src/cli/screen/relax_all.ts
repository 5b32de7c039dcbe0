/**
 * The stream of a screening through the batch of an engine.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import { stamped } from "../../batch/sample_stamps.ts";
import { largestForce } from "../../campaign/run/largest_force.ts";
import type { Dynamics } from "../../dynamics/dynamics.ts";
import { SizeAwareSampler, type StreamSampler } from "../../dynamics/streaming/sampler.ts";
import type { StoredSink } from "../../sinks/sink.ts";
import { inFlags } from "../frame/failure.ts";
import type { Structure } from "../run/structures.ts";
import type { ScreenResult } from "./ledger.ts";
import { ReadAhead } from "./read_ahead.ts";
import { type Failure, reasonOf } from "./sources.ts";

/** Parts of a stream besides its structures. */
export interface StreamParts {
  /** Returns an engine that no stream has used after an error. */
  readonly engine: (isNew: boolean) => Promise<Dynamics>;
  /** Sink of the finished structures. */
  readonly sink: Pick<StoredSink, "write" | "flush">;
  readonly settings: { readonly steps: number; readonly batchAtoms: number | undefined };
  /** True if the engine runs on a GPU. */
  readonly isGpu: boolean;
  readonly signal: AbortSignal;
  /** True if the engine can drop structures that diverge. */
  readonly canDrop: boolean;
  finished(result: ScreenResult): void;
  failed(failure: Failure): void;
}

/**
 * Relaxes the structures of a source in one stream. A structure that ends the stream with an error is set aside.
 *
 * @throws {Error} if structures cannot be read or written, such as on a full disk: no structure is the cause
 */
export async function relaxAll(
  source: AsyncIterator<Structure>,
  given: StreamParts,
): Promise<void> {
  const sink = new Results(given.sink), parts = { ...given, sink };
  const sampler = await ReadAhead.begin(source, { ...parts.settings, isGpu: parts.isGpu });
  const finish = (index: number) => sampler.finish(index);
  while (!sampler.isDry && !parts.signal.aborted) {
    try {
      await streamSome(sampler, finish, parts);
    } catch (error) {
      if (parts.signal.aborted || sampler.hasFailed || sink.hasFailed) throw error;
      const left = sampler.finishAll();
      if (left.length === 0) throw error; // another stream would end in the same way
      // An error that names no structure: each of the others runs alone, so that it hits only its own.
      await relaxEach(left, parts);
      await parts.engine(true);
    }
  }
}

type SafeParts = StreamParts & { readonly sink: Results };

/** The sink of the finished structures. It knows whether writing has failed for another reason than a structure. */
class Results {
  readonly #sink: Pick<StoredSink, "write" | "flush">;
  hasFailed = false;

  constructor(sink: Pick<StoredSink, "write" | "flush">) {
    this.#sink = sink;
  }

  async write(frame: Batch, mask?: ArrayLike<number | boolean>): Promise<void> {
    await this.#watched(() => this.#sink.write(frame, mask));
  }

  async flush(): Promise<void> {
    await this.#watched(() => this.#sink.flush());
  }

  async #watched(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // Sinks refuse a structure that their format cannot hold by errors of these classes; it is set aside.
      this.hasFailed ||= !(error instanceof TypeError || error instanceof RangeError);
      throw error;
    }
  }
}

/** Relaxes structures one by one. */
async function relaxEach(structures: readonly Structure[], parts: SafeParts): Promise<void> {
  for (const structure of structures) {
    if (parts.signal.aborted) return;
    let left: Structure | undefined = structure;
    const finish = () => {
      const [one] = [left];
      left = undefined;
      return one;
    };
    try {
      await parts.engine(true);
      const sampler = new SizeAwareSampler([structure.system], { maxSystems: 1 });
      await streamSome(sampler, finish, parts);
    } catch (error) {
      if (parts.sink.hasFailed) throw error;
      if (finish() !== undefined) parts.failed(failureOf(structure, inFlags(reasonOf(error))));
    }
  }
}

/** Fields that number systems and steps within a stream. */
const OF_STREAM = ["sourceIndex", "sourceId", "step", "time"];

function failureOf({ file, frame, system }: Structure, reason: string): Failure {
  return { file, frame, atoms: system.nodeCount, reason };
}

/**
 * Runs a stream to its end.
 *
 * @param finish returns the structure with an index, and forgets it; `undefined` if it is already finished
 */
async function streamSome(
  sampler: StreamSampler,
  finish: (index: number) => Structure | undefined,
  { engine, sink, settings, signal, canDrop, finished, failed }: StreamParts,
): Promise<void> {
  const md = await engine(false);
  const graduates = {
    async write(frame: Batch, mask?: ArrayLike<number | boolean>): Promise<void> {
      const ids = frame.get("sourceId");
      // Steps, times and places of the stream mean nothing to the reader of the results, and take time to write.
      for (const name of OF_STREAM) if (frame.has(name)) frame.remove(name);
      await sink.write(frame, mask);
      for (let slot = 0; slot < ids.length; slot++) {
        if (mask !== undefined && !mask[slot]) continue;
        const structure = finish(ids[slot]!);
        if (structure !== undefined) finished(resultOf(frame, slot, structure));
      }
    },
    flush: () => sink.flush(),
  };
  await md.stream(sampler, {
    sinks: [graduates],
    maxSteps: settings.steps,
    ...(canDrop && { onDiverged: "drop" as const }),
    onFailure: ({ sourceIndex, reason }) => {
      const structure = finish(sourceIndex);
      if (structure === undefined) return;
      failed(failureOf(structure, inFlags(reason).replace(DIVERGED, "diverged")));
    },
  });
  if (signal.aborted) await writeFinished(md, graduates);
}

/** Writes the structures of an interrupted stream that are finished, but that no refill has written yet. */
async function writeFinished(
  md: Dynamics,
  sink: { write(frame: Batch, mask: readonly boolean[]): Promise<void> },
): Promise<void> {
  const { batch, stream } = await md.save();
  const isFinished = (stream?.slots ?? []).map((slot) => slot.finishedAt >= 0 && !slot.isWritten);
  if (!isFinished.includes(true)) return;
  const step = stream!.slots.map(({ finishedAt }) => finishedAt);
  await sink.write(stamped(Batch.load(batch), { step, time: step.map(() => NaN) }), isFinished);
}

/** Beginning of the message about a diverged system. Its step counts those of all structures. */
const DIVERGED = /^System \d+ \(.*?\) diverged (?:at step \d+ of \w+|before the first step of \w+)/;

function resultOf(frame: Batch, slot: number, { file, frame: index }: Structure): ScreenResult {
  return {
    type: "screened",
    file,
    frame: index,
    atoms: frame.nodeOffsets[slot + 1]! - frame.nodeOffsets[slot]!,
    status: frame.get("status")[slot] === 1 ? "converged" : "not converged",
    steps: frame.has("stepsDone") ? frame.get("stepsDone")[slot]! : null,
    energy: frame.get("energy")[slot]!,
    fmax: largestForce(frame, slot),
    reason: "",
  };
}
