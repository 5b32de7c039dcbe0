/**
 * The first part of the demo: crystals are relaxed. Nothing here is Deno's own: it runs in a page.
 *
 * @module
 */

import type { Batch } from "../batch/batch.ts";
import { ConvergenceHook } from "../dynamics/convergence/convergence_hook.ts";
import { FIRE } from "../dynamics/relaxers/fire.ts";
import { hook } from "../hook.ts";
import type { Model } from "../models/model.ts";
import type { PartOptions, PartResult } from "./demo_part.ts";

/** More than any crystal needs. */
const MOST_STEPS = 2000;

/** How to relax. */
export interface RelaxOptions extends PartOptions {
  /** What the forces come from. */
  readonly model: Model;
  /** When a crystal is relaxed, eV/Å. */
  readonly fmax: number;
}

/** How the relaxation went. */
export interface Relaxation extends PartResult {
  /** Steps until each crystal had relaxed, of those that had. */
  readonly steps: readonly number[];
  /** eV per atom, as each crystal was to begin with. */
  readonly before: readonly number[];
  /** eV per atom of those that have relaxed. */
  readonly after: readonly number[];
}

/** Relaxes the crystals of a batch. */
export async function relax(batch: Batch, options: RelaxOptions): Promise<Relaxation> {
  const { model, device, fmax, signal } = options;
  const atoms = batch.nodeCount / batch.size;
  let before: number[] = [];
  const look = hook({
    name: "energies before",
    once: true,
    reads: ["energy"],
    on: { dynamics: { BEFORE_STEP: ({ read }) => void (before = Array.from(read.energy)) } },
  });
  await using opt = new FIRE({
    model,
    dt: 0.5,
    device,
    ...(signal !== undefined && { signal }),
    hooks: [ConvergenceHook.fromFmax(fmax), look],
  });
  options.watch?.(opt.hooks);
  const begun = performance.now();
  await opt.run(batch, MOST_STEPS);
  const seconds = (performance.now() - begun) / 1000;
  const isRelaxed = (_: unknown, system: number) => batch.get("status")[system] === 1;
  const perAtom = (energies: ArrayLike<number>) => Array.from(energies, (energy) => energy / atoms);
  const steps = Array.from(batch.get("stepsDone"));
  return {
    steps: steps.filter(isRelaxed),
    before: perAtom(before),
    after: perAtom(batch.get("energy")).filter(isRelaxed),
    seconds,
    isInterrupted: signal?.aborted === true,
    stepCount: opt.stepCount,
    device: opt.device!,
  };
}
