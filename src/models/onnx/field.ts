import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import type { OnnxOutputBinding } from "./bindings.ts";

/**
 * Adds the field of an output to the batch, unless the batch has it. Throws a TypeError if the batch has a field of
 * that name with another level or width.
 */
export function ensureField(
  model: string,
  { batch }: ResidentBatch,
  { field, level, width }: OnnxOutputBinding,
): void {
  const name = field!;
  if (!batch.has(name)) {
    const rows = (level === "node" ? batch.nodeCount : batch.size) * width;
    if (name === "charges") batch.ensure(name);
    else batch.set(name, new Float64Array(rows), { level: level!, width, fill: NaN });
  }
  const info = batch.fields().find((one) => one.name === name)!;
  if (info.level === level && info.width === width) return;
  throw new TypeError(
    `Cannot use ${model}: the field ${name} must be ${width} per ${level}; got ${info.width} per ${info.level}`,
  );
}
