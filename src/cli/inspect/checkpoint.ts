/**
 * Descriptions of checkpoints.
 *
 * @module
 */

import { isObject } from "../../base/object.ts";
import { readCheckpoint } from "../../checkpoint/mod.ts";
import type { Inspection } from "./inspection.ts";

/** Describes a checkpoint. Its checksums are verified. */
export async function inspectCheckpoint(file: string): Promise<Inspection> {
  const { kind, schema, data } = await readCheckpoint(file);
  const { loop, options, batch } = (isObject(data) ? data : {}) as Readonly<
    Record<string, unknown>
  >;
  const step = isObject(loop) ? loop.stepCount : undefined;
  const { systems, atoms } = await sizesOf(batch);
  return {
    lines: [
      `${file}: checkpoint of ${kind}, version ${schema}; its checksums are right`,
      ...(typeof step === "number" ? [`  steps     ${step}`] : []),
      ...(systems === undefined ? [] : [`  systems   ${systems} of ${atoms} atoms in all`]),
      ...(isObject(options) ? [`  options   ${optionsText(options)}`] : []),
    ],
    data: { type: "checkpoint", kind, schema, step, systems, atoms, options },
  };
}

async function sizesOf(saved: unknown): Promise<{ systems?: number; atoms?: number }> {
  if (!isObject(saved)) return {};
  const { Batch } = await import("../../batch/batch.ts");
  try {
    const batch = Batch.load(saved as never);
    return { systems: batch.size, atoms: batch.nodeCount };
  } catch {
    return {}; // the state of another engine, such as a trainer
  }
}

function optionsText(options: Readonly<Record<string, unknown>>): string {
  return Object.entries(options).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(", ");
}
