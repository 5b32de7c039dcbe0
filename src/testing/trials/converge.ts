/** Kernels that find out what has converged, and what then. */
import { call } from "../../backend/backend.ts";
import { criterion, Level, Reduce } from "../../kernels/criterion.ts";
import { graduate } from "../../kernels/graduate.ts";
import type { Trials } from "../trial.ts";
import type { Member } from "../world.ts";

/** Kernel → how it is tried. */
export const CONVERGE: Trials = {
  criterion(world) {
    const met = world.systems("i32", 1, () => [1]);
    const args = { real: world.atom("forces"), f64: undefined, width: 3, level: Level.NODE };
    return {
      calls: [call(criterion, { ...args, reduce: Reduce.NORM, threshold: 3.1, met })],
      looks: { met },
    };
  },
  graduate(world) {
    const i32 = (from: (member: Member) => number) =>
      world.systems("i32", 1, (member) => [from(member)]);
    const [met, converged, status] = [
      i32(({ id }) => id % 2),
      i32(() => 7),
      i32(({ id }) => id % 3),
    ] as const;
    const args = { met, converged, status, source: 1, target: 9, stop: 1 };
    return {
      calls: [call(graduate, args)],
      looks: { met, converged, status, active: world.lab.frame.active },
      always: ["met", "converged"],
    };
  },
};
