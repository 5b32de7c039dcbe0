import { defineKernel, type Kernel } from "../kernel.ts";

const args = {} as const;

/** The end of a step: the systems that did it are one step older. */
export const advance: Kernel<typeof args> = defineKernel(
  "advance",
  args,
  (_, { systems, active, ages }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] !== 0) ages[s]! += 1;
    }
  },
);
