/**
 * The calls that check in each step that its numbers are finite.
 *
 * @module
 */

import { type Call, call } from "../../backend/backend.ts";
import type { Kernel } from "../../kernels/kernel.ts";
import { checkFinite } from "../../kernels/check_finite.ts";
import { kick } from "../../kernels/integrate/kick.ts";
import { fieldName } from "../../hooks/protocol/protocol.ts";
import { outputsOf, type Wanted } from "../../models/model.ts";
import type { StepParts } from "../step/step_parts.ts";

/**
 * Returns the check of a step between forces and the second half of the integrator: hooks have modified the forces by
 * then, and nothing has moved by them. Lists of pairs check positions and cells, so these are checked only without them.
 */
export function checkForces(parts: StepParts, { energy }: Wanted): Call[] {
  const { state } = parts, outputs = outputsOf(state);
  const isFound = !state.allPairs[Symbol.iterator]().next().done;
  return [call(checkFinite, {
    ...!isFound && { positions: state.field("positions"), cell: state.field("cell") },
    forces: outputs.forces,
    ...energy && !limitsForces(parts) && { energy: outputs.energy },
  })];
}

/** Returns the check of the velocities at the end of a step; no calls if the integrator does not change them. */
export function checkVelocities({ state, integrator: { pre, post } }: StepParts): Call[] {
  if (![...pre, ...post].some(({ args }) => "velocities" in args)) return [];
  return [call(checkFinite, { velocities: state.field("velocities") })];
}

/** Returns the same for steps that are not visited: a kick by finite forces leaves velocities finite. */
export function checkUnvisited(parts: StepParts): Call[] {
  const { integrator: { post } } = parts;
  const isKick = post.length === 1 && (post[0]!.kernel as Kernel) === (kick as unknown as Kernel);
  return isKick ? [] : checkVelocities(parts);
}

/** Returns whether hooks may replace forces that are not finite: the energy then says nothing about them. */
function limitsForces({ devices, writes }: StepParts): boolean {
  const isForces = (key: unknown) => fieldName(key as string) === "forces";
  return writes().has("forces") ||
    devices().some((hook) => hook.holds === undefined && hook.writes.some(isForces));
}
