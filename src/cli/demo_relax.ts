/**
 * First part of the demo: relaxation of crystals. This file uses no Deno API, so that it runs in a web page.
 *
 * @module
 */

import type { Batch } from "../batch/batch.ts";
import { ConvergenceHook } from "../dynamics/convergence/convergence_hook.ts";
import { FIRE } from "../dynamics/relaxers/fire.ts";
import { hook } from "../hook.ts";
import type { Model } from "../models/model.ts";
import type { PartOptions, PartResult } from "./demo_part.ts";
import { disposing } from "../base/disposing.ts";

/** Maximum number of steps, which is more than any crystal needs. */
const MOST_STEPS = 2000;

/** Options of {@linkcode relax}. */
export interface RelaxOptions extends PartOptions {
  /** Model that computes forces. */
  readonly model: Model;
  /** Largest force on an atom at which a crystal counts as relaxed, eV/Å. */
  readonly fmax: number;
}

/** Result of the relaxation. */
export interface Relaxation extends PartResult {
  /** Number of steps of each crystal that has converged. */
  readonly steps: readonly number[];
  /** Initial energy of each crystal, eV per atom. */
  readonly before: readonly number[];
  /** Final energy of each crystal that has converged, eV per atom. */
  readonly after: readonly number[];
}

/** Relaxes the crystals of a batch by FIRE. */
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
  const engine = new FIRE({
    model,
    dt: 0.5,
    device,
    ...(signal !== undefined && { signal }),
    hooks: [ConvergenceHook.fromFmax(fmax), look],
  });
  return await disposing(engine, async (opt) => {
    options.watch?.(opt.hooks);
    const begun = performance.now();
    await opt.run(batch, MOST_STEPS);
    const seconds = (performance.now() - begun) / 1000;
    const isRelaxed = (_: unknown, system: number) => batch.get("status")[system] === 1;
    const perAtom = (energies: ArrayLike<number>) =>
      Array.from(energies, (energy) => energy / atoms);
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
  });
}
