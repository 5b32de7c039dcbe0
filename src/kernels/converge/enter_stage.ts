import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  awake: "i32 changed",
  status: "i32",
  first: "number",
  end: "number",
  notes: "number",
} as const;

/**
 * Until it is run again, only the systems of some stages are updated: those that move, and whose `status` is from
 * `first` on and below `end`. All others are at rest, as far as kernels can tell.
 *
 * With `notes` ≠ 0 it is noted first who moves, in `awake`; without, those that were noted last are looked at. So a
 * range that has all stages lets everyone move again.
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
