/**
 * Chunks of a screening, which stream through the batch of an engine.
 *
 * @module
 */

import { openDevice } from "../../backend/open.ts";
import { Batch } from "../../batch/batch.ts";
import { System } from "../../batch/system.ts";
import { stamped } from "../../batch/sample_stamps.ts";
import type { Dynamics } from "../../dynamics/dynamics.ts";
import { SizeAwareSampler } from "../../dynamics/streaming/sampler.ts";
import { evaluateModel } from "../../models/evaluate.ts";
import type { Model } from "../../models/model.ts";
import type { StoredSink } from "../../sinks/sink.ts";
import { largestForce } from "../../campaign/run/largest_force.ts";
import type { Structure } from "../run/structures.ts";
import { type Failure, reasonOf } from "./sources.ts";
import type { ScreenResult } from "./ledger.ts";

/** What a chunk needs besides its structures. */
export interface ChunkParts {
  /** Returns an engine that no stream has used after an error. */
  readonly engine: (isNew: boolean) => Promise<Dynamics>;
  /** Sink of the finished structures. */
  readonly sink: StoredSink;
  readonly settings: { readonly steps: number; readonly batchAtoms: number | undefined };
  /** True if the engine runs on a GPU. */
  readonly isGpu: boolean;
  readonly signal: AbortSignal;
  /** True if the engine can drop structures that diverge. */
  readonly canDrop: boolean;
  finished(results: readonly ScreenResult[]): void;
  failed(failure: Failure): void;
}

/** Streams the structures of a chunk. A structure that ends the stream with an error is set aside. */
export async function runChunk(
  structures: readonly Structure[],
  parts: ChunkParts,
): Promise<void> {
  const done = new Set<number>();
  const all = structures.map((_, i) => i);
  try {
    await streamSome(structures, all, done, parts);
  } catch (error) {
    if (parts.signal.aborted) throw error;
    // An error that names no structure: each of the others runs alone, so that it hits only its own.
    for (const i of all.filter((i) => !done.has(i))) {
      if (parts.signal.aborted) return;
      try {
        await parts.engine(true);
        await streamSome(structures, [i], done, parts);
      } catch (alone) {
        done.add(i);
        parts.failed(failureOf(structures[i]!, reasonOf(alone)));
      }
    }
    await parts.engine(true);
  }
}

/** Fields that number systems and steps within a stream. */
const OF_STREAM = ["sourceIndex", "sourceId", "step", "time"];

function failureOf({ file, frame, system }: Structure, reason: string): Failure {
  return { file, frame, atoms: system.nodeCount, reason };
}

async function streamSome(
  structures: readonly Structure[],
  chosen: readonly number[],
  done: Set<number>,
  { engine, sink, settings, isGpu, signal, canDrop, finished, failed }: ChunkParts,
): Promise<void> {
  const md = await engine(false);
  const systems = chosen.map((i) => structures[i]!.system);
  const sizes = systems.map(({ nodeCount }) => nodeCount);
  const { batchAtoms = batchAtomsFor(sizes, isGpu) } = settings;
  const sampler = new SizeAwareSampler(systems, { maxAtoms: Math.max(batchAtoms, ...sizes) });
  const graduates = {
    async write(frame: Batch, mask?: ArrayLike<number | boolean>): Promise<void> {
      const ids = frame.get("sourceId");
      // Steps, times and places of the stream mean nothing to the reader of the results, and take time to write.
      for (const name of OF_STREAM) if (frame.has(name)) frame.remove(name);
      await sink.write(frame, mask);
      const slots = Array.from(ids, (_, slot) => slot).filter((slot) =>
        mask === undefined || Boolean(mask[slot])
      );
      finished(slots.map((slot) => {
        const i = chosen[ids[slot]!]!;
        done.add(i);
        return resultOf(frame, slot, structures[i]!);
      }));
    },
    flush: () => sink.flush?.(),
  };
  const { failures } = await md.stream(sampler, {
    sinks: [graduates],
    maxSteps: settings.steps,
    ...(canDrop && { onDiverged: "drop" as const }),
  });
  if (signal.aborted) await writeFinished(md, graduates);
  for (const { sourceIndex, reason } of failures) {
    const i = chosen[sourceIndex]!;
    if (done.has(i)) continue;
    done.add(i);
    failed(failureOf(structures[i]!, reason.replace(DIVERGED, "diverged")));
  }
}

/** Largest number of atoms in a batch whose size the user does not choose. */
export const MOST_ATOMS = 8192;

/**
 * Returns the number of atoms in a batch: an eighth of all atoms, so that the first structures are finished long
 * before the last ones, within limits. A GPU needs about as long for a small batch as for a large one.
 */
export function batchAtomsFor(sizes: readonly number[], isGpu: boolean): number {
  const all = sizes.reduce((sum, size) => sum + size, 0);
  return isGpu ? MOST_ATOMS : Math.min(MOST_ATOMS, Math.max(128, Math.ceil(all / 8)));
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

/** Finds structures that would end a stream, before they join it. */
export class Gate {
  readonly #model: Model;
  /** Elements with which the model has been evaluated, and the reason if it refused them. */
  readonly #elements = new Map<string, string | undefined>();

  constructor(model: Model) {
    this.#model = model;
  }

  /** Returns the reason why a structure cannot be relaxed; undefined if it can. */
  async refusal(structure: Structure): Promise<string | undefined> {
    const { system } = structure;
    if (system.nodeCount === 0) return "it has no atoms";
    const lost = system.positions.findIndex((x) => !Number.isFinite(x));
    if (lost >= 0) return `the position of atom ${Math.floor(lost / 3)} is not finite`;
    if (!system.cell.every(Number.isFinite)) return "its cell is not finite";
    const symbols = [...new Set(system.symbols)];
    const refused = symbols.find((symbol) => this.#elements.get(symbol) !== undefined);
    if (refused !== undefined) return atomOf(system, refused, this.#elements.get(refused)!);
    const fresh = symbols.filter((symbol) => !this.#elements.has(symbol));
    if (fresh.length === 0) return undefined;
    const reason = await this.#try(system);
    if (reason === undefined) {
      for (const symbol of fresh) this.#elements.set(symbol, undefined);
      return undefined;
    }
    const culprit = await this.#culprit(fresh, reason);
    if (culprit === undefined) return reason;
    // All other structures with that element are refused, too.
    this.#elements.set(culprit, reason);
    return atomOf(system, culprit, reason);
  }

  /**
   * Returns the element that is the reason of a refusal; undefined if it is not clear. A message may also name the
   * elements that the model has, so of several elements it is the one of which the model refuses a single atom.
   */
  async #culprit(fresh: readonly string[], reason: string): Promise<string | undefined> {
    const named = fresh.filter((symbol) => namesElement(reason, symbol));
    if (fresh.length === 1) return named[0];
    for (const symbol of named) {
      const alone = await this.#try(new System({ symbols: [symbol], positions: [0, 0, 0] }));
      if (alone !== undefined && namesElement(alone, symbol)) return symbol;
    }
    return undefined;
  }

  /** Evaluates the model for a system. Returns the message if it refuses the system. */
  async #try(system: System): Promise<string | undefined> {
    const { backend } = await openDevice("wasm");
    try {
      await evaluateModel(this.#model, Batch.from([system]), backend);
      return undefined;
    } catch (error) {
      return reasonOf(error);
    } finally {
      backend.dispose();
    }
  }
}

/** Returns a reason with the index of the first atom of an element in this structure, which is not that in a batch. */
function atomOf(system: System, symbol: string, reason: string): string {
  const atom = new RegExp(`\\batom \\d+ of system .*? is ${symbol}\\b`);
  return reason.replace(atom, `atom ${system.symbols.indexOf(symbol)} is ${symbol}`);
}

function namesElement(reason: string, symbol: string): boolean {
  return new RegExp(`\\b${symbol}\\b`).test(reason);
}
