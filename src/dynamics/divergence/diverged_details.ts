/**
 * The details of a divergence, for its error: the quantity that is not finite, its atom, and the remedy.
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

/** Numbers of `Control.CAUSE` → the cause; that of a model may be an energy as well. */
const CAUSES: readonly DivergedCause[] = ["positions", "forces", "bonds", "velocities", "pairs"];

/** Returns the details of the divergence that these words of `Control` report. */
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
    return after(tooManyPairs(state, system), (flat) => ({ ...known, cause, flat }));
  }
  return after<DivergedDetails, DivergedDetails>(pairFailure(state, system), (failure) => ({
    ...known,
    ...failure,
  }));
}

/** Returns the details that say which systems they are, and how long a step is. */
export function namingOf(
  integrator: Integrator,
  batch: Batch,
  systems: readonly number[],
): Pick<DivergedDetails, "names" | "dt"> {
  const names = systems.map((system) => systemName(batch.infos, system));
  return { names, dt: dtOf(integrator, batch, systems[0]!) };
}

/** Returns the time step of a system, fs; `undefined` if steps take no time, or differ from stage to stage. */
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
    return undefined; // a field that the engine holds: the error goes without it
  }
}
