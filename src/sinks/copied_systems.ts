/**
 * What a sink takes of a batch that is written to it.
 *
 * @module
 */

import { Batch } from "../batch/batch.ts";
import { batchOfData } from "../batch/batch_of_data.ts";
import type { FieldInfo } from "../batch/fields/fields.ts";
import { show } from "../base/show.ts";
import type { System } from "../batch/system.ts";
import type { SystemMask } from "./sink.ts";

/**
 * A copy of the systems that are meant, or `undefined` where there are none.
 *
 * @param action how errors begin: "write to a memory sink"
 * @throws {TypeError} for what is no batch or no mask
 * @throws {RangeError} for a mask of another length, or of other values
 * @throws {Error} while an engine holds the batch
 */
export function taken(
  batch: Batch,
  mask: SystemMask | undefined,
  action: string,
): Batch | undefined {
  if (!(batch instanceof Batch)) {
    throw new TypeError(
      `Cannot ${action}: it must be given a batch; got ${show(batch)}`,
    );
  }
  const flags = mask === undefined
    ? new Uint8Array(batch.size).fill(1)
    : flagsOf(mask, batch, action);
  return flags.includes(1) ? batch.select(flags) : undefined;
}

function flagsOf(mask: unknown, { size }: Batch, action: string): Uint8Array {
  const isList = Array.isArray(mask) || (ArrayBuffer.isView(mask) && "length" in mask);
  if (!isList) {
    throw new TypeError(
      `Cannot ${action}: the mask must be a list of flags; got ${show(mask)}`,
    );
  }
  const flags: unknown[] = Array.from(mask as ArrayLike<unknown>);
  if (flags.length !== size) {
    throw new RangeError(
      `Cannot ${action}: the mask must have a flag for each of ${size} systems: current length is ${flags.length}`,
    );
  }
  const wrong = flags.findIndex((flag) => typeof flag !== "boolean" && flag !== 0 && flag !== 1);
  if (wrong === -1) return Uint8Array.from(flags, Number);
  throw new RangeError(
    `Cannot ${action}: each flag of the mask must be 0, 1, true or false: current flag ${wrong} is ${
      show(flags[wrong])
    }`,
  );
}

/** One system with every field that any had so far: what comes must go together with it. */
export class FieldPattern {
  #pattern: System | undefined;
  // Frames of a run have the same fields over and over: those need no second look.
  #last: readonly FieldInfo[] = [];

  /** Throws a TypeError for a system whose fields differ from those of earlier ones; it is as if it had not come. */
  join(batch: Batch): void {
    const fields = batch.fields();
    const isSame = this.#pattern !== undefined && fields.length === this.#last.length &&
      fields.every((info, i) => isSameField(info, this.#last[i]!));
    if (isSame) return;
    const first = batch.system(0);
    this.#pattern = this.#pattern === undefined
      ? first
      : batchOfData([this.#pattern, first]).system(0);
    this.#last = fields;
  }

  /** Forgets what came. */
  clear(): void {
    this.#pattern = undefined;
    this.#last = [];
  }
}

function isSameField(a: FieldInfo, b: FieldInfo): boolean {
  return a === b ||
    a.name === b.name && a.level === b.level && a.dtype === b.dtype && a.width === b.width &&
      a.unit === b.unit && Object.is(a.fill, b.fill);
}

/** Returns about as many bytes as the arrays of a batch take. */
export function bytesOf(batch: Batch): number {
  return batch.fields().reduce((sum, { name }) => sum + batch.get(name).byteLength, 0);
}
