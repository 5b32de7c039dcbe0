/**
 * Frames of runs, which sinks write without a copy of the batch.
 *
 * @module
 */

import { type Batch, storeOf } from "../batch.ts";
import type { FieldInfo, NumericArray } from "../fields/fields.ts";
import { heldIn } from "../fields/holder.ts";
import type { Info } from "../store.ts";

/** Fields that a frame has besides those of the batch. */
const STAMPS: readonly FieldInfo[] = [
  { name: "step", level: "system", dtype: "i32", width: 1, unit: "", fill: -1 },
  { name: "time", level: "system", dtype: "f64", width: 1, unit: "fs", fill: NaN },
  { name: "sourceId", level: "system", dtype: "i32", width: 1, unit: "", fill: -1 },
];

/**
 * The systems of a batch at a step of a run, while an engine holds them, with the fields `step`, `time` (fs) and
 * `sourceId`. Values are converted when they are read, and are valid until the engine goes on. The same object serves
 * all frames of a run, so that a frame of few atoms costs little.
 *
 * A sink with a method `writeFrame` receives such frames from a `SnapshotHook`.
 *
 * @example
 * ```ts
 * import { Batch, fcc, initVelocities, type RunFrame } from "@hooke/hooke/batch";
 * import { NVE } from "@hooke/hooke/dynamics";
 * import { lennardJones } from "@hooke/hooke/models";
 * import { SnapshotHook } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * // Keeps the first coordinate of each frame.
 * const first: number[] = [];
 * const sink = {
 *   write: (batch: Batch) => void first.push(batch.get("positions")[0]!),
 *   writeFrame: (frame: RunFrame) => void first.push(frame.get("positions")[0]!),
 * };
 * const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]);
 * initVelocities(batch, 40, { seed: 1 });
 * await using md = new NVE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 2,
 *   hooks: [new SnapshotHook({ sink, frequency: 10 })],
 * });
 * await md.run(batch, 21);
 * await md.close();
 * assertEquals([first.length, first.at(-1)], [3, batch.get("positions")[0]]);
 * ```
 */
export class RunFrame {
  readonly #wanted: ReadonlySet<string> | undefined;
  #batch: Batch | undefined;
  #held: Readonly<Record<string, NumericArray>> = {};
  #time = new Float64Array(0);
  #steps = new Int32Array(0);
  /** Values of this moment that `rounded` may return, because a search for signs of zeros has found none. */
  readonly #rounded = new Map<string, Float32Array>();
  /** Descriptions of the fields of the batch, and those of the frame. */
  #fields: { readonly known: readonly FieldInfo[]; readonly all: readonly FieldInfo[] } = {
    known: [],
    all: [],
  };

  /** Creates a frame without systems. If `wanted` is given, frames have only these fields of the batch. */
  constructor(wanted?: ReadonlySet<string>) {
    this.#wanted = wanted;
  }

  /**
   * Moves to a moment of a run. `held` has the fields that the engine holds: getters, or arrays that were read from a
   * device.
   */
  at(
    batch: Batch,
    held: Readonly<Record<string, NumericArray>>,
    step: number,
    time: ArrayLike<number>,
  ): this {
    this.#batch = batch;
    this.#held = held;
    this.#rounded.clear();
    if (this.#steps.length !== batch.size) {
      this.#steps = new Int32Array(batch.size);
      this.#time = new Float64Array(batch.size);
    }
    this.#steps.fill(step);
    this.#time.set(time);
    this.#findFields();
    return this;
  }

  /** Number of systems. */
  get size(): number {
    return this.#steps.length;
  }

  /** Number of atoms of all systems. */
  get nodeCount(): number {
    return this.nodeOffsets[this.size]!;
  }

  /** Number of edges of all systems. */
  get edgeCount(): number {
    return this.edgeOffsets[this.size]!;
  }

  /** Index of the first atom of each system, followed by the number of atoms. */
  get nodeOffsets(): Int32Array {
    return this.#batch!.nodeOffsets;
  }

  /** Index of the first edge of each system, followed by the number of edges. */
  get edgeOffsets(): Int32Array {
    return this.#batch!.edgeOffsets;
  }

  /** The `info` of each system. */
  get infos(): readonly Info[] {
    return this.#batch!.infos;
  }

  /** Returns the descriptions of all fields. The list is the same object as long as the fields stay the same. */
  fields(): readonly FieldInfo[] {
    return this.#fields.all;
  }

  /** Returns the values of a field in its type. The caller must not change or keep them. */
  get(name: string): NumericArray {
    if (name === "step") return this.#steps;
    if (name === "time") return this.#time;
    const own = name === "sourceId" ? "systemId" : name;
    if (!Object.hasOwn(this.#held, own)) return this.#batch!.get(own);
    return heldIn(this.#held)?.current(own) ?? this.#held[own]!;
  }

  /** Returns whether the engine computes a float64 field in float32. */
  isSingle(name: string): boolean {
    return this.rounded(name) !== undefined;
  }

  /**
   * Returns the values of a field that the engine computes in float32, or `undefined` if the values of `get` have more
   * digits, for example positions that the run has not changed.
   */
  single(name: string): Float32Array | undefined {
    return this.#keep(name, heldIn(this.#held)?.single(name)); // no digits include no signs of zeros
  }

  /** Returns the values of a field that the engine computes in float32, even if those of `get` have more digits. */
  rounded(name: string): Float32Array | undefined {
    return this.#rounded.get(name) ?? this.#keep(name, heldIn(this.#held)?.rounded(name));
  }

  #keep(name: string, values: Float32Array | undefined): Float32Array | undefined {
    if (values !== undefined) this.#rounded.set(name, values);
    return values;
  }

  /** Finds the fields anew if those of the batch have changed. Called for each frame, so it makes no list before. */
  #findFields(): void {
    const { fields } = storeOf(this.#batch!), last = this.#fields.known;
    let at = 0;
    for (const { info } of fields.values()) if (info === last[at]) at++;
    if (at === fields.size && at === last.length) return;
    const known = Array.from(fields.values(), ({ info }) => info);
    const isOfBatch = ({ name }: FieldInfo) =>
      this.#wanted?.has(name) !== false && !STAMPS.some((stamp) => stamp.name === name);
    this.#fields = { known, all: [...known.filter(isOfBatch), ...STAMPS] };
  }
}
