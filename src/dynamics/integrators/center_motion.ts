import type { Integrator } from "./integrator.ts";

/** Returns whether a center of mass at rest stays at rest under an integrator. */
export function keepsCenter({ keepsMomentum }: Integrator): boolean {
  return keepsMomentum === true;
}

/** Returns whether an integrator sets centers of mass in motion for good, as a bath does. */
export function isBath(integrator: Integrator): boolean {
  return integrator.dt !== undefined && !keepsCenter(integrator);
}
