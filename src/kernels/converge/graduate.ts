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
 * Marks the systems that met all criteria. For them, `converged` = 1 in this step only, and `status` = `target`. If
 * `stop` is nonzero, they finish. If any system met the criteria, the run halts after this step. The kernel then
 * resets `met` to 1 for the next step.
 *
 * If `source` is 0 or more, only systems with this status are considered. If `target` is negative, `status` does not
 * change.
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
