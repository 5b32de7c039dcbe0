/** Trials of kernels for convergence. */
import { call } from "../../backend/backend.ts";
import { criterion, Level, Reduce } from "../../kernels/converge/criterion.ts";
import { countStage } from "../../kernels/converge/count_stage.ts";
import { enterStage } from "../../kernels/converge/enter_stage.ts";
import { graduate } from "../../kernels/converge/graduate.ts";
import { spendBudget } from "../../kernels/converge/spend_budget.ts";
import type { Trials } from "../trial.ts";
import type { Member } from "../world.ts";

/** Trials of convergence and stages, by kernel. */
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
  enter_stage(world) {
    const awake = world.systems("i32", 1, () => [7]);
    const status = world.systems("i32", 1, ({ id }) => [id % 4]);
    return {
      calls: [call(enterStage, { awake, status, first: 1, end: 3, notes: 1 })],
      looks: { awake, active: world.lab.frame.active },
      always: ["awake"],
    };
  },
  count_stage(world) {
    const status = world.systems("i32", 1, ({ id }) => [id % 4]);
    const stage = world.systems("i32", 1, () => [7]);
    const steps = world.systems("i32", 3, ({ id }) => [id, 0, id % 5]);
    return {
      calls: [call(countStage, { status, stage, steps, stages: 3 })],
      looks: { stage, steps, active: world.lab.frame.active },
      always: ["stage"],
    };
  },
  spend_budget(world) {
    const status = world.systems("i32", 1, ({ id }) => [id % 4]);
    const steps = world.systems("i32", 3, ({ id }) => [9, id % 5, id % 3]);
    const begun = world.systems("i32", 3, ({ id }) => [0, id % 2, 0]);
    const spent = world.systems("i32", 1, () => [7]);
    const range = { stages: 3, first: 1, end: 3, budget: 3, stop: 1 };
    return {
      calls: [call(spendBudget, { status, steps, begun, spent, ...range })],
      looks: { spent, status, active: world.lab.frame.active },
      always: ["spent"],
    };
  },
};
