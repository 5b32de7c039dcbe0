/**
 * What a model says of structures as they are.
 *
 * @module
 */

import { type Backend, type Buffer, call } from "../backend/backend.ts";
import { Batch } from "../batch/batch.ts";
import { ResidentBatch } from "../batch/resident/resident_batch.ts";
import { Control } from "../kernels/kernel.ts";
import { neighbors } from "../kernels/pairs/neighbors.ts";
import { type Model, outputsOf, type Wanted } from "../models/model.ts";
import { claim } from "./claims.ts";
import { type Structure, systemFrom } from "./structure.ts";

/** What is asked for. */
export interface Asked {
  /** @default everything */
  readonly wanted?: Wanted;
  /** What forces, energies and virials are before the model adds its own. @default 0 */
  readonly begin?: number;
  /** 1 for each system that is updated, 0 for each at rest. @default all 1 */
  readonly active?: readonly number[];
}

/** What the model said of one structure. */
export interface Said {
  /** eV. */
  readonly energy: number;
  /** eV/Å, three per atom. */
  readonly forces: readonly number[];
  /** eV, nine. */
  readonly virial: readonly number[];
}

/** Asks a model about structures, as one batch, as an engine does. */
export async function evaluate(
  model: Model,
  structures: readonly Structure[],
  backend: Backend,
  { wanted = { energy: true, stress: true }, begin = 0, active }: Asked = {},
): Promise<Said[]> {
  const batch = Batch.from(structures.map(systemFrom));
  const state = new ResidentBatch(batch, backend);
  try {
    const open = model.open(state);
    const outputs = outputsOf(state);
    for (const buffer of Object.values(outputs)) {
      backend.write(buffer, new Float64Array(buffer.length).fill(begin));
    }
    if (active !== undefined) backend.write(state.frame.active, active);
    const place = {
      positions: state.field("positions"),
      cell: state.field("cell"),
      pbc: state.field<"i32">("pbc"),
      images: state.images,
    };
    const lists = Array.from(state.allPairs, (pairs) => call(neighbors, { pairs, ...place }));
    await run(state, [...lists, ...(open.calls?.(wanted) ?? [])]);
    await open.compute?.(wanted);
    await run(state, open.add?.(wanted) ?? []);
    const { energy, forces, virial } = await readAll(backend, outputs);
    return structures.map((_, s) => ({
      energy: energy[s]!,
      forces: forces.slice(3 * batch.nodeOffsets[s]!, 3 * batch.nodeOffsets[s + 1]!),
      virial: virial.slice(9 * s, 9 * s + 9),
    }));
  } finally {
    state.free();
  }
}

async function run(state: ResidentBatch, calls: Parameters<ResidentBatch["prepare"]>[0]) {
  if (calls.length === 0) return;
  const program = state.prepare(calls);
  await state.backend.run(program, 0, 1);
  state.freePrograms([program]);
  const control = await state.backend.read(state.frame.control);
  const lost = control[Control.DIVERGED]! - 1;
  claim(lost < 0, () => `System ${lost} has a position, a cell or a force that is no number`);
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
