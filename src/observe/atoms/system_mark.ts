/**
 * Marks that identify a system in a sink.
 *
 * A checkpoint counts the systems of a sink. The count alone would fit any file that is long enough, even that of
 * another run, which a resumed run would then truncate. The mark of the last system distinguishes the files.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import type { RunFrame } from "../../batch/resident/run_frame.ts";
import type { Slice, SystemWriter } from "../../sinks/sink.ts";

/** Summary that identifies a system. */
export interface SystemMark {
  /** Number of atoms. */
  readonly atoms: number;
  /** Step of the frame; −1 for a frame without a step. */
  readonly step: number;
  /** Positions of the first four atoms, or of all if there are fewer, Å, three numbers per atom. */
  readonly positions: Float64Array;
}

/** State of a sink in a checkpoint. */
interface KnownSink {
  readonly length: number;
  readonly last?: SystemMark;
}

/** Number of coordinates that are compared. More of them would only enlarge checkpoints. */
const MOST = 12;

/** Returns the mark of the last system of a batch or a frame. A mark is returned unchanged. */
export function markIn(
  last: Batch | FrameMark | SystemMark | undefined,
): SystemMark | undefined {
  if (last instanceof FrameMark) return last.mark;
  if (last === undefined || "atoms" in last) return last;
  return markOf(last, last.get("positions"), last.has("step") ? last.get("step") : undefined);
}

/** Marks the last system of each frame in turn. A frame makes no objects; `mark` returns a copy. */
export class FrameMark {
  readonly #first = new Float64Array(MOST);
  #atoms = 0;
  #step = -1;

  /** Moves to a frame. The positions in the mark need not be all digits. */
  move(frame: RunFrame): void {
    const { nodeOffsets, size } = frame, from = nodeOffsets[size - 1]!;
    const positions = frame.rounded("positions") ?? frame.get("positions");
    this.#atoms = nodeOffsets[size]! - from;
    this.#step = frame.get("step")[size - 1]!;
    const count = Math.min(3 * this.#atoms, MOST);
    for (let i = 0; i < count; i++) this.#first[i] = positions[3 * from + i]!;
  }

  /** The mark of the last system of the frame. */
  get mark(): SystemMark {
    const positions = this.#first.slice(0, 3 * this.#atoms);
    return { atoms: this.#atoms, step: this.#step, positions };
  }
}

function markOf(
  { nodeOffsets, size }: Pick<Batch, "nodeOffsets" | "size">,
  positions: NumericArray,
  step?: NumericArray,
): SystemMark {
  const from = nodeOffsets[size - 1]!, to = nodeOffsets[size]!;
  const first = new Float64Array(Math.min(3 * (to - from), MOST));
  for (let i = 0; i < first.length; i++) first[i] = positions[3 * from + i]!;
  return { atoms: to - from, step: step?.[size - 1] ?? -1, positions: first };
}

/**
 * Checks that a sink has the systems that a checkpoint counted. If the sink cannot be read, only its length is
 * compared.
 *
 * @throws {RangeError} if the sink has fewer systems, or if the last of the counted systems is a different one
 */
export async function assertSameSystem(
  hook: string,
  sink: SystemWriter,
  { length, last }: KnownSink,
): Promise<void> {
  const { path, truncate } = sink as SystemWriter & { readonly path?: string };
  if (truncate === undefined) return;
  // A sink in memory is empty in each new process. It has not lost anything that could be restored.
  if (path === undefined && sink.length === 0) return;
  const name = path ?? "its sink";
  if (sink.length !== undefined && sink.length < length) {
    throw new RangeError(
      `Cannot resume ${hook}: ${name} holds ${sink.length} systems, and held ${length} when the checkpoint was ` +
        "written. Restore the missing systems, load an older checkpoint, or begin a new run with another file",
    );
  }
  if (length === 0 || last === undefined) return;
  const now = markIn(await systemAt(sink, length - 1));
  if (now === undefined || isSameMark(now, last)) return;
  throw new RangeError(
    `Cannot resume ${hook}: ${name} was written by another run. System ${
      length - 1
    } is of step ${now.step} with ` +
      `${now.atoms} atoms at other positions than in the checkpoint (step ${last.step}, ${last.atoms} atoms). ` +
      "Restore the file of this run, or begin a new run with another file",
  );
}

/** Returns a system of a sink; `undefined` if the sink cannot be read. */
export async function systemAt(sink: SystemWriter, index: number): Promise<Batch | undefined> {
  const { slice } = sink as { slice?(slice: Slice): Promise<Batch> };
  if (slice === undefined) return undefined;
  try {
    return await slice.call(sink, { from: index, to: index + 1 });
  } catch (error) {
    if (error instanceof TypeError) return undefined; // a table has no atoms
    throw error;
  }
}

/**
 * Returns whether two marks are equal. Positions are compared as float32, because a sink may store less precision
 * than it was given.
 */
export function isSameMark(now: SystemMark, last: SystemMark): boolean {
  const isEqual = (x: number, i: number) =>
    Object.is(Math.fround(x), Math.fround(last.positions[i]!));
  return now.atoms === last.atoms && now.step === last.step && now.positions.every(isEqual);
}
