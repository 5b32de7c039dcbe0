/**
 * Structures between the stages of a recipe.
 *
 * @module
 */

import { Batch } from "../../batch/batch.ts";
import { PROGRESS_FIELDS, RESULT_FIELDS } from "../../batch/fields/run_fields.ts";
import { storeOf, type System, systemOf } from "../../batch/system.ts";
import { initVelocities } from "../../batch/velocities.ts";
import type { FullStage } from "../recipe/stages.ts";

/** A structure on its way through the stages of a recipe. */
export interface Traveler {
  /** Number that selects its random numbers. */
  readonly noise: number;
  readonly system: System;
}

/** Fields that an engine adds, which the next stage must not see. */
const WRITTEN: ReadonlySet<string> = new Set([...PROGRESS_FIELDS, ...RESULT_FIELDS]);

/** Returns a structure without the fields of a run, except for the given results. A relaxation has no velocities. */
export function withoutProgress(
  system: System,
  hasVelocities: boolean,
  results: readonly string[] = [],
): System {
  const store = storeOf(system);
  const isKept = (name: string) =>
    results.includes(name) ||
    !WRITTEN.has(name) && (hasVelocities || name !== "velocities" && name !== "dofRemoved");
  return systemOf({
    ...store,
    fields: new Map([...store.fields].filter(([name]) => isKept(name))),
    infos: [{}],
  });
}

/** Seed of the random numbers of a stage, by its index: stages have different ones. */
export function seedOf(stage: number): number {
  return 2 * stage;
}

/** Returns structures as a stage begins with them. Dynamics draws velocities for those that have none. */
export function enter(
  travelers: readonly Traveler[],
  stage: FullStage,
  { index, hasStress }: { readonly index: number; readonly hasStress: boolean },
): System[] {
  return travelers.map(({ system: given, noise }) => {
    const system = withoutProgress(given, stage.stage === "md");
    const temperature = stage.stage === "md" && !system.has("velocities")
      ? stage.temperature
      : undefined;
    if (temperature === undefined && !hasStress) return system;
    const batch = Batch.from([system]);
    if (temperature !== undefined) {
      batch.set("systemId", [noise]);
      // Langevin noise moves the center of mass, too, so its three degrees of freedom have the temperature.
      const isLangevin = stage.stage === "md" && stage.integrator === "langevin";
      const removeCom = !isLangevin && system.nodeCount > 1;
      initVelocities(batch, temperature, { seed: seedOf(index) + 1, removeCom });
    }
    const entered = withoutProgress(batch.system(0), stage.stage === "md");
    if (!hasStress) return entered;
    const stressed = Batch.from([entered]);
    stressed.ensure("stress");
    return stressed.system(0);
  });
}
