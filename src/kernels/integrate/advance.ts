import { defineKernel, type Kernel } from "../kernel.ts";

const args = {} as const;

/** Ends a step: increases the age of the active systems by one. */
export const advance: Kernel<typeof args> = defineKernel(
  "advance",
  args,
  (_, { systems, active, ages }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] !== 0) ages[s]! += 1;
    }
  },
);
