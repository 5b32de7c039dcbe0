/**
 * Collection of the scalars of a run.
 *
 * @module
 */

import type { BaseContext } from "../../hooks/protocol/context.ts";
import { show } from "../../base/show.ts";
import type { OptimizerView, TrainerState } from "../../training/context.ts";
import type { NamedScalars } from "./scalar_snapshot.ts";

/** Function that computes a custom scalar from the context. */
export type ScalarOf = (ctx: BaseContext) => number;

/** Options of {@linkcode collectScalars}. */
export interface CollectOptions {
  /**
   * Lowest status of a converged system.
   *
   * @default 1
   */
  readonly convergedStatus?: number;
  /**
   * Custom scalars: functions of the context, by the names of the scalars.
   *
   * @default {}
   */
  readonly scalars?: Readonly<Record<string, ScalarOf>>;
}

/** Fields of dynamics that `collectScalars` reads. */
export const COLLECTED: readonly ("energy" | "fmax" | "temperature" | "status")[] = [
  "energy",
  "fmax",
  "temperature",
  "status",
];

/** Members that contexts of any kind may have. */
interface AnyContext extends BaseContext {
  readonly read?: Readonly<Record<string, ArrayLike<number>>>;
  readonly loss?: number;
  readonly metrics?: NamedScalars;
  readonly optimizers?: readonly OptimizerView[];
  readonly epoch?: number;
  readonly state?: TrainerState;
}

/**
 * Returns the scalars of a context by name.
 *
 * In dynamics these are `energy`, `fmax` and `temperature` as means over the systems, with `energy/max` and so on if
 * there are several; `converged_fraction`, `active_fraction`, `dynamics/num_graphs`, `dynamics/active_count`,
 * `dynamics/converged_count`, and `dynamics/status/1/count` for each status. The hook must name `energy`, `fmax`,
 * `temperature` and `status` in `reads`. In training these are `loss/total`, the metrics by their names,
 * `optimizer/0/group_0/lr`, `training/epoch`, `training/samples_seen`. In all other loops, there are only the custom
 * scalars.
 *
 * @param ctx context that a hook receives
 * @param stage literal of the stage, such as `"dynamics/AFTER_STEP"`
 * @throws {TypeError} if a custom scalar is not a number
 *
 * @example
 * ```ts
 * import { type BaseContext, Loop, stages } from "@hooke/hooke/hooks";
 * import { collectScalars } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const WalkStage = stages<BaseContext>()("walk", ["AFTER_STEP"]);
 * const loop = new Loop({ kinds: WalkStage, step: (loop) => loop.fire(WalkStage.AFTER_STEP) });
 * const seen: unknown[] = [];
 * loop.hooks.add({
 *   stage: WalkStage.AFTER_STEP,
 *   frequency: 1,
 *   call: (ctx: BaseContext, stage: string) =>
 *     void seen.push(collectScalars(ctx, stage, { scalars: { half: (ctx) => ctx.stepCount / 2 } })),
 * });
 * await loop.run(2);
 * assertEquals(seen, [{ half: 0 }, { half: 0.5 }]);
 * ```
 */
export function collectScalars(
  ctx: BaseContext,
  stage: string,
  { convergedStatus = 1, scalars = {} }: CollectOptions = {},
): Record<string, number> {
  const [kind] = stage.split("/");
  const found = kind === "dynamics"
    ? dynamicsScalars(ctx, convergedStatus)
    : kind === "training"
    ? trainingScalars(ctx, stage)
    : {};
  for (const [name, scalar] of Object.entries(scalars)) {
    const value: unknown = scalar(ctx);
    if (typeof value !== "number") {
      throw new TypeError(
        `Cannot collect scalar ${name}: its function must return a number; got ${show(value)}`,
      );
    }
    found[name] = value;
  }
  return found;
}

/** Returns counts and fractions of the converged and active systems, and the number of systems of each status. */
export function statusScalars(
  status: ArrayLike<number>,
  convergedStatus: number,
): Record<string, number> {
  const all = Array.from(status), count = all.length;
  const converged = all.filter((one) => one >= convergedStatus).length;
  const found: Record<string, number> = {
    ["converged_fraction"]: count === 0 ? 0 : converged / count,
    ["active_fraction"]: count === 0 ? 0 : (count - converged) / count,
    "dynamics/num_graphs": count,
    "dynamics/active_count": count - converged,
    "dynamics/converged_count": converged,
  };
  for (const one of new Set(all)) {
    found[`dynamics/status/${one}/count`] = all.filter((other) => other === one).length;
  }
  return found;
}

function dynamicsScalars(ctx: AnyContext, convergedStatus: number): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name of ["energy", "fmax", "temperature"]) {
    const values = Array.from(ctx.read![name]!);
    if (values.length === 0) continue;
    found[name] = values.reduce((sum, value) => sum + value, 0) / values.length;
    if (values.length > 1) found[`${name}/max`] = values.reduce(greater);
  }
  return Object.assign(found, statusScalars(ctx.read!.status!, convergedStatus));
}

function trainingScalars(ctx: AnyContext, stage: string): Record<string, number> {
  const { optimizers = [], metrics = {}, loss, state, epoch } = ctx;
  // Ends of epochs and validations, whose metrics cover all their batches.
  const isWhole = /_END$/.test(stage) && !/(STEP|BATCH)_END$/.test(stage);
  const found: Record<string, number> = {};
  // At the end of an epoch `loss` is the loss of the last batch only.
  if (!isWhole && loss !== undefined) found["loss/total"] = loss;
  for (const [name, value] of Object.entries(metrics)) {
    if (name !== "loss") found[name] = value;
  }
  for (const [i, { groups }] of optimizers.entries()) {
    for (const [j, { lr }] of groups.entries()) found[`optimizer/${i}/group_${j}/lr`] = lr;
  }
  if (epoch !== undefined) found["training/epoch"] = epoch;
  if (state !== undefined) found["training/samples_seen"] = state.samplesSeen;
  return found;
}

/** Returns whether a scalar of training describes a step, not the epoch or validation that ends with the step. */
export function isOfStep(name: string): boolean {
  return name.startsWith("optimizer/") || name.startsWith("training/");
}

/** Returns the greater of two numbers; NaN if either is NaN. */
function greater(a: number, b: number): number {
  return b > a || Number.isNaN(b) ? b : a;
}
