import { Control, defineKernel, type Kernel } from "../kernel.ts";

const args = {
  met: "i32 changed",
  converged: "i32 changed",
  status: "i32 changed",
  source: "number",
  target: "number",
  stop: "number",
} as const;

/**
 * What becomes of the systems that met all criteria: `converged` = 1, for this step only, `status` = `target`, and
 * with `stop` ≠ 0 the system is at rest from now on. If there is any, the run halts after this step. `met` is 1
 * everywhere afterwards, ready for the next step.
 *
 * With `source` ≥ 0 only systems of that status are asked; with `target` < 0 their status stays.
 */
export const graduate: Kernel<typeof args> = defineKernel(
  "graduate",
  args,
  ({ met, converged, status, source, target, stop }, { systems, active, control }) => {
    for (let s = 0; s < systems; s++) {
      const isAsked = active[s] !== 0 && (source < 0 || status[s] === source);
      converged[s] = isAsked && met[s] !== 0 ? 1 : 0;
      met[s] = 1;
      if (converged[s] === 0) continue;
      if (target >= 0) status[s] = target;
      if (stop !== 0) active[s] = 0;
      control[Control.HALT] = 1;
    }
  },
  { canHalt: true },
);
