/**
 * Copies of the systems that are written to a sink.
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
 * Returns a copy of the selected systems, or `undefined` if no system is selected.
 *
 * @param action beginning of error messages: "write to a memory sink"
 * @throws {TypeError} if the batch or the mask is of the wrong kind
 * @throws {RangeError} if the mask has another length or other values
 * @throws {Error} while an engine holds the batch
 */
export function copySystems(
  batch: Batch,
  mask: SystemMask | undefined,
  action: string,
): Batch | undefined {
  if (!(batch instanceof Batch)) {
    throw new TypeError(
      `Cannot ${action}: its argument must be a batch; got ${show(batch)}`,
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
      `Cannot ${action}: the mask must have ${size} flags, one per system; got ${flags.length}`,
    );
  }
  const wrong = flags.findIndex((flag) => typeof flag !== "boolean" && flag !== 0 && flag !== 1);
  if (wrong === -1) return Uint8Array.from(flags, Number);
  throw new RangeError(
    `Cannot ${action}: each flag of the mask must be 0, 1, true or false; got ${
      show(flags[wrong])
    } for system ${wrong}`,
  );
}

/** The fields of all systems written so far. Further systems must agree with them. */
export class FieldPattern {
  #pattern: System | undefined;
  // Frames of a run have the same fields again and again. The last list makes their check cheap.
  #last: readonly FieldInfo[] = [];

  /** Adds the fields of a batch. If they differ from those of earlier systems, throws a TypeError and adds no field. */
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

  /** Forgets all fields. */
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

/** Returns the approximate size in bytes of the arrays of a batch. */
export function bytesOf(batch: Batch): number {
  return batch.fields().reduce((sum, { name }) => sum + batch.get(name).byteLength, 0);
}
