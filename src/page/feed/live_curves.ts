/**
 * Curves of a running engine that form while it is watched.
 *
 * @module
 */

import type { DynamicsContext } from "../../dynamics/stages.ts";
import type { RunEvent } from "../protocol.ts";
import type { FRAME_FIELDS } from "./live_frames.ts";
import { PairSample, type Sliced } from "./pair_sample.ts";

type Curve = Extract<RunEvent, { readonly type: "curve" }>;

/** Part of the time that may be spent with counting pairs. */
const SHARE = 0.002;

/** Most points of a curve over time, and time between two of them, ms. */
const POINTS = 400, INTERVAL = 1000;

/** Computes curves of the first system from frames. */
export class LiveCurves {
  readonly #pairs = new PairSample();
  readonly #now: () => number;
  /** Positions at the first frame. */
  #origin: { readonly positions: Float64Array; readonly time: number } | undefined;
  #displacements: { readonly time: number; readonly msd: number }[] = [];
  #nextPoint = -Infinity;
  #nextPairs = -Infinity;

  /** Begins without curves. `now` returns the time in ms. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Takes a frame, and returns the curves that have changed. Curves cost a small part of the time. */
  take(ctx: DynamicsContext<typeof FRAME_FIELDS[number]>): readonly Curve[] {
    const curves: Curve[] = [];
    if (this.#now() >= this.#nextPoint) {
      this.#nextPoint = this.#now() + INTERVAL;
      const msd = this.#displacement(ctx);
      if (msd !== undefined) curves.push(msd);
    }
    if (this.#now() >= this.#nextPairs) {
      const begun = this.#now(), rdf = this.#distribution(ctx), took = this.#now() - begun;
      this.#nextPairs = begun + Math.max(INTERVAL, took / SHARE);
      if (rdf !== undefined) curves.push(rdf);
    }
    return curves;
  }

  #displacement({ batch, read }: DynamicsContext<typeof FRAME_FIELDS[number]>): Curve | undefined {
    const time = read.time[0]!, positions = unwrapped(read, batch.nodeOffsets[1]!);
    if (!(time >= 0)) return undefined; // steps of a relaxation take no time
    this.#origin ??= { positions, time };
    const { positions: first, time: begun } = this.#origin;
    if (first.length !== positions.length || time < begun) return undefined; // another system
    let sum = 0;
    for (let i = 0; i < positions.length; i++) sum += (positions[i]! - first[i]!) ** 2;
    const points = this.#displacements;
    points.push({ time: (time - begun) / 1000, msd: 3 * sum / positions.length });
    if (points.length > POINTS) this.#displacements = points.filter((_, i) => i % 2 === 0);
    return {
      type: "curve",
      name: "mean squared displacement",
      x: { label: "time since the page was opened, ps", values: points.map(({ time }) => time) },
      y: { label: "MSD, Å²", values: points.map(({ msd }) => msd) },
    };
  }

  #distribution({ batch, read }: DynamicsContext<typeof FRAME_FIELDS[number]>): Curve | undefined {
    const { pbc, positions, cell } = read;
    if (pbc[0] !== 1 || pbc[1] !== 1 || pbc[2] !== 1) return undefined; // it needs a density
    this.#pairs.add(positions, cell, batch.nodeOffsets[1]!);
    const { r, g } = this.#pairs.result();
    return {
      type: "curve",
      name: "radial distribution",
      x: { label: "r, Å", values: r },
      y: { label: "g(r)", values: g },
    };
  }
}

interface Placed {
  readonly positions: Sliced;
  readonly images: Sliced;
  readonly cell: ArrayLike<number>;
}

/** Returns the positions r + images · h of the first system, with `atoms` atoms, Å. */
function unwrapped({ positions, images, cell }: Placed, atoms: number): Float64Array {
  const all = new Float64Array(positions.slice(0, 3 * atoms));
  const n = new Int32Array(images.slice(0, 3 * atoms)), h = Array.from(cell).slice(0, 9);
  for (let i = 0; i < all.length; i += 3) {
    const a = n[i]!, b = n[i + 1]!, c = n[i + 2]!;
    if (a === 0 && b === 0 && c === 0) continue;
    all[i]! += a * h[0]! + b * h[3]! + c * h[6]!;
    all[i + 1]! += a * h[1]! + b * h[4]! + c * h[7]!;
    all[i + 2]! += a * h[2]! + b * h[5]! + c * h[8]!;
  }
  return all;
}

/** Returns the drift of the total energy since its first row; undefined for fewer than two rows. */
export function driftCurve(
  rows: readonly (readonly (number | null)[])[],
  perStep: number | undefined,
): Curve | undefined {
  if (rows.length < 2) return undefined;
  const first = rows[0]![1]!;
  return {
    type: "curve",
    name: "energy drift",
    x: perStep === undefined
      ? { label: "step", values: rows.map(([step]) => step!) }
      : { label: "time, ps", values: rows.map(([step]) => step! * perStep / 1000) },
    y: {
      label: "change of the total energy, eV",
      values: rows.map(([, total]) => total === null ? null : total! - first),
    },
  };
}
