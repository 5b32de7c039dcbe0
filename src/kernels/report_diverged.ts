import { Control } from "./kernel.ts";

/**
 * Reports that a system has diverged, with a number for `Control.CAUSE`, and halts the run. Of several systems in a
 * step, the one with the lowest index is reported, with the cause that was found first. Programs do not run after the
 * step, so a report of an earlier step is never replaced.
 */
export function reportDiverged(control: Int32Array, system: number, cause: number): void {
  const known = control[Control.DIVERGED]!;
  if (known === 0 || system + 1 < known) {
    control[Control.DIVERGED] = system + 1;
    control[Control.CAUSE] = cause;
  }
  control[Control.HALT] = 1;
}
