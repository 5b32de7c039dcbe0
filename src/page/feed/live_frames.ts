/**
 * The newest structures of a running engine.
 *
 * @module
 */

import type { DynamicsContext } from "../../dynamics/stages.ts";
import type { ViewerFrame } from "../protocol.ts";

/** Fields that are read for a frame. */
export const FRAME_FIELDS = [
  "numbers",
  "positions",
  "images",
  "cell",
  "pbc",
  "forces",
  "velocities",
  "time",
  "systemId",
] as const;

type FrameField = typeof FRAME_FIELDS[number];

/** Time after which a system that is no longer asked for is no longer copied, ms. */
const WANTED = 5_000;

/** Copies of the systems that clients have asked for. */
export class LiveFrames {
  readonly #wanted = new Map<number, number>([[0, Infinity]]);
  readonly #frames = new Map<number, ViewerFrame>();
  readonly #now: () => number;
  #step: number | undefined;

  /** Begins without frames. `now` returns the time in ms. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Step of the newest frames; undefined before the first. */
  get step(): number | undefined {
    return this.#step;
  }

  /** Returns the newest frame of a system; undefined if there is none yet. Later ones follow as long as it is asked for. */
  of(system: number): ViewerFrame | undefined {
    if (system !== 0) this.#wanted.set(system, this.#now() + WANTED);
    return this.#frames.get(system);
  }

  /** Copies the structures of a step. */
  take({ batch, stepCount, read }: DynamicsContext<FrameField>): void {
    const now = this.#now();
    for (const [system, until] of this.#wanted) {
      if (until < now || system >= batch.size) {
        if (system !== 0) this.#wanted.delete(system);
        this.#frames.delete(system);
        continue;
      }
      const [from, to] = [batch.nodeOffsets[system]!, batch.nodeOffsets[system + 1]!];
      // The views are valid during this call only. Typed arrays convert whole arrays faster than a loop.
      const perAtom = (values: { slice(start: number, end: number): ArrayLike<number> }) =>
        new Float32Array(values.slice(3 * from, 3 * to));
      const { cell, pbc } = read, { file } = batch.infos[system] ?? {};
      const lattice = Float32Array.from({ length: 9 }, (_, i) => cell[9 * system + i]!);
      this.#frames.set(system, {
        step: stepCount + 1,
        ...(typeof file === "string" && { label: file }),
        numbers: new Uint8Array(read.numbers.slice(from, to)),
        positions: perAtom(read.positions),
        ...(lattice.some((one) => one !== 0) && { cell: lattice }),
        pbc: [pbc[3 * system] === 1, pbc[3 * system + 1] === 1, pbc[3 * system + 2] === 1],
        fields: { forces: perAtom(read.forces), velocities: perAtom(read.velocities) },
      });
    }
    this.#step = stepCount + 1;
  }
}
