import { defineKernel, type Kernel } from "./kernel.ts";

const args = {
  source: "real",
  target: "real changed",
} as const;

/** Copies vectors for later use: y = x, three numbers per atom. `source` is x, and `target` is y. */
export const remember: Kernel<typeof args> = defineKernel(
  "remember",
  args,
  ({ source, target }, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      for (let k = 3 * offsets[s]!; k < 3 * offsets[s + 1]!; k++) target[k] = source[k]!;
    }
  },
);
