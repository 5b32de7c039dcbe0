/**
 * The newest structures of a running engine.
 *
 * @module
 */

import type { DynamicsContext } from "../../dynamics/stages.ts";
import type { ViewerFrame } from "../protocol.ts";
import type { Sliced } from "./pair_sample.ts";

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

/** A copy of a system, with the numbers that the engine has. */
interface Copied extends Pick<ViewerFrame, "step" | "label" | "cell" | "pbc"> {
  readonly numbers: ArrayLike<number>;
  readonly positions: ArrayLike<number>;
  readonly fields: Readonly<Record<string, ArrayLike<number>>>;
}

/** Copies of the systems that clients have asked for. */
export class LiveFrames {
  readonly #wanted = new Map<number, number>([[0, Infinity]]);
  readonly #frames = new Map<number, Copied>();
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

  /**
   * Returns the newest frame of a system, with these of its fields, by default all; undefined if there is none yet.
   * Later ones follow as long as it is asked for.
   */
  of(system: number, fields?: readonly string[]): ViewerFrame | undefined {
    if (system !== 0) this.#wanted.set(system, this.#now() + WANTED);
    const copied = this.#frames.get(system);
    return copied && frameOf(copied, fields);
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
      // The views are valid during this call only. Copies are converted when a client asks, which many never do.
      const perAtom = (values: Sliced) => values.slice(3 * from, 3 * to);
      const { cell, pbc } = read, { file } = batch.infos[system] ?? {};
      const lattice = Float32Array.from({ length: 9 }, (_, i) => cell[9 * system + i]!);
      this.#frames.set(system, {
        step: stepCount + 1,
        ...(typeof file === "string" && { label: file }),
        numbers: read.numbers.slice(from, to),
        positions: perAtom(read.positions),
        ...(lattice.some((one) => one !== 0) && { cell: lattice }),
        pbc: [pbc[3 * system] === 1, pbc[3 * system + 1] === 1, pbc[3 * system + 2] === 1],
        fields: { forces: perAtom(read.forces), velocities: perAtom(read.velocities) },
      });
    }
    this.#step = stepCount + 1;
  }
}

/** Returns a frame with these fields. Typed arrays convert whole arrays faster than a loop. */
function frameOf(copied: Copied, wanted?: readonly string[]): ViewerFrame {
  const all = Object.keys(copied.fields);
  const has = (name: string) => wanted === undefined || wanted.includes(name);
  const further = all.filter((name) => !has(name));
  const fields = all.filter(has).map((name) => [name, new Float32Array(copied.fields[name]!)]);
  return {
    ...copied,
    numbers: new Uint8Array(copied.numbers),
    positions: new Float32Array(copied.positions),
    fields: Object.fromEntries(fields),
    ...(further.length > 0 && { further }),
  };
}
