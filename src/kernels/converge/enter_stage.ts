import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  awake: "i32 changed",
  status: "i32",
  first: "number",
  end: "number",
  notes: "number",
} as const;

/**
 * Restricts updates to the systems of some stages until the kernel runs again. Only systems whose `status` is at
 * least `first` and below `end` stay active. Kernels treat all others as finished.
 *
 * If `notes` is nonzero, the kernel first saves the active systems to `awake`. Otherwise it starts from the systems
 * that were saved last, so that a range of all stages makes every saved system active again.
 */
export const enterStage: Kernel<typeof args> = defineKernel(
  "enter_stage",
  args,
  ({ awake, status, first, end, notes }, { systems, active }) => {
    for (let s = 0; s < systems; s++) {
      if (notes !== 0) awake[s] = active[s]!;
      const isIn = first <= status[s]! && status[s]! < end;
      active[s] = isIn ? awake[s]! : 0;
    }
  },
);
