/**
 * A single evaluation of a model without an engine.
 *
 * @module
 */

import { type Backend, type Buffer, call, type KernelCall } from "../backend/backend.ts";
import type { Batch } from "../batch/batch.ts";
import { ResidentBatch } from "../batch/resident/resident_batch.ts";
import { Control } from "../kernels/kernel.ts";
import { neighbors } from "../kernels/pairs/neighbors.ts";
import { type Model, outputsOf, type Wanted } from "./model.ts";

/** Options of {@linkcode evaluateModel}. */
export interface EvaluateOptions {
  /** Outputs to compute in addition to the forces. @default energies and stresses */
  readonly wanted?: Wanted;
  /** Initial value of forces, energies and virials, to which the model adds. @default 0 */
  readonly begin?: number;
  /** One flag per system: 1 to evaluate it, 0 to skip it. @default all 1 */
  readonly active?: readonly number[];
  /**
   * True if the positions of systems far from zero are relative to an origin per system, as in an engine with an
   * invariant model. @default false
   */
  readonly hasOrigins?: boolean;
}

/** Results of a model for a batch. */
export interface Evaluated {
  /** Energies in eV, one per system. */
  readonly energy: readonly number[];
  /** Forces in eV/Å, three per atom. */
  readonly forces: readonly number[];
  /** Virials Σ f ⊗ r in eV, nine per system. */
  readonly virial: readonly number[];
  /** Index of the first system with a value that is not finite; `undefined` if there is no such system. */
  readonly diverged: number | undefined;
}

/** Evaluates a model for a batch on a backend, as an engine does before its first step. */
export async function evaluateModel(
  model: Pick<Model, "open">,
  batch: Batch,
  backend: Backend,
  { wanted = { energy: true, stress: true }, begin = 0, active, hasOrigins = false }:
    EvaluateOptions = {},
): Promise<Evaluated> {
  const state = new ResidentBatch(batch, backend, hasOrigins);
  let open: ReturnType<Model["open"]> | undefined;
  try {
    open = model.open(state);
    const outputs = outputsOf(state);
    for (const buffer of Object.values(outputs)) {
      backend.write(buffer, new Float64Array(buffer.length).fill(begin));
    }
    if (active !== undefined) backend.write(state.frame.active, active);
    let diverged = await run(state, [...searches(state), ...(open.calls?.(wanted) ?? [])]);
    await open.compute?.(wanted);
    diverged ??= await run(state, open.add?.(wanted) ?? []);
    return { ...await readAll(backend, outputs), diverged };
  } finally {
    await open?.close?.();
    state.free();
  }
}

/** Returns the calls of the kernel `neighbors` for all pair lists of a state. */
export function searches(state: ResidentBatch): readonly KernelCall[] {
  const place = {
    positions: state.field("positions"),
    cell: state.field("cell"),
    pbc: state.field<"i32">("pbc"),
    images: state.images,
  };
  return Array.from(state.allPairs, (pairs) => call(neighbors, { pairs, ...place }));
}

/**
 * Runs kernels once. Returns the index of the first system with a value that is not finite; `undefined` if all values
 * are finite.
 */
async function run(
  state: ResidentBatch,
  calls: Parameters<ResidentBatch["prepare"]>[0],
): Promise<number | undefined> {
  if (calls.length === 0) return undefined;
  const program = state.prepare(calls);
  await state.backend.run(program, 0, 1);
  state.freePrograms([program]);
  const control = await state.backend.read(state.frame.control);
  const diverged = control[Control.DIVERGED]! - 1;
  return diverged < 0 ? undefined : diverged;
}

async function readAll<K extends string>(
  backend: Backend,
  buffers: Readonly<Record<K, Buffer>>,
): Promise<Record<K, number[]>> {
  const entries: [string, number[]][] = [];
  for (const [name, buffer] of Object.entries<Buffer>(buffers)) {
    entries.push([name, Array.from(await backend.read(buffer))]);
  }
  return Object.fromEntries(entries) as Record<K, number[]>;
}
