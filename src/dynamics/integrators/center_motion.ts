import type { Integrator } from "./integrator.ts";

/** Returns whether an integrator keeps a center of mass at rest. */
export function keepsCenter({ keepsMomentum }: Integrator): boolean {
  return keepsMomentum === true;
}

/**
 * Returns whether an integrator sets a center of mass in motion, as a Langevin thermostat does. Relaxations do not
 * count, because their steps take no time.
 */
export function isBath(integrator: Integrator): boolean {
  return integrator.dt !== undefined && !keepsCenter(integrator);
}
