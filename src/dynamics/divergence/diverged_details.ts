/**
 * Details of a divergence for its error: the cause, the atom, and the name of the system.
 *
 * @module
 */

import type { Batch } from "../../batch/batch.ts";
import { systemName } from "../../batch/store.ts";
import { after } from "../../base/sequence.ts";
import { Control } from "../../kernels/kernel.ts";
import type { DivergedCause, DivergedDetails } from "../diverged_error.ts";
import { firstNotFinite } from "../engine/dynamics_checks.ts";
import type { Integrator } from "../integrators/integrator.ts";
import { perSystem } from "../integrators/parameters.ts";
import { pairFailure, tooManyPairs } from "./pair_failure.ts";
import type { RunParts } from "../step/run_engine.ts";

/** Causes by the number in `Control.CAUSE`. The number of `"forces"` also stands for an energy that is not finite. */
const CAUSES: readonly DivergedCause[] = ["positions", "forces", "bonds", "velocities", "pairs"];

/** Returns the details of the divergence that the control words of a batch report. */
export function detailsOf(
  run: RunParts,
  control: Int32Array,
): DivergedDetails | PromiseLike<DivergedDetails> {
  const { engine: { integrator, model }, state } = run;
  const system = control[Control.DIVERGED]! - 1;
  const cause = CAUSES[control[Control.CAUSE]!]!;
  const known = namingOf(integrator, state.batch, [system]);
  if (cause === "bonds") return { ...known, cause };
  if (cause === "forces") {
    return after<string | undefined, DivergedDetails>(
      run.model.fault?.(system),
      (fault) =>
        after(firstNotFinite(state, "forces", system), (atom) => ({
          ...known,
          cause: atom === undefined && fault === undefined ? "energy" : cause,
          atom,
          fault,
          model: model.name,
        })),
    );
  }
  if (cause === "velocities") {
    return after(firstNotFinite(state, cause, system), (atom) => ({ ...known, cause, atom }));
  }
  if (cause === "pairs") {
    return after(tooManyPairs(state, system), (found) => ({ ...known, ...found, cause }));
  }
  return after<DivergedDetails, DivergedDetails>(pairFailure(state, system), (failure) => ({
    ...known,
    ...failure,
  }));
}

/**
 * Returns the details that every cause has: the names of the diverged systems, and the time step of the first of
 * them, fs.
 */
export function namingOf(
  integrator: Integrator,
  batch: Batch,
  systems: readonly number[],
): Pick<DivergedDetails, "names" | "dt"> {
  const names = systems.map((system) => systemName(batch.infos, system));
  return { names, dt: dtOf(integrator, batch, systems[0]!) };
}

/**
 * Returns the time step of a system, fs. Returns `undefined` if steps take no time, the integrator has several
 * stages, or the time step cannot be read.
 */
export function dtOf(
  { name, dt, stages }: Integrator,
  batch: Batch,
  system: number,
): number | undefined {
  if (dt === undefined || stages !== undefined) return undefined;
  if (typeof dt === "number") return dt;
  try {
    return perSystem(name, "dt", dt, batch)[system];
  } catch {
    return undefined; // The engine holds the field with the time steps; the error is reported without it.
  }
}
