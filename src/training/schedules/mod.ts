/**
 * Learning-rate schedules: factors by which learning rates are multiplied during a run.
 *
 * @module
 */

export { constant } from "./constant.ts";
export type { CosineOptions } from "./cosine.ts";
export { cosine } from "./cosine.ts";
export type { ExponentialOptions } from "./exponential.ts";
export { exponential } from "./exponential.ts";
export type { LinearOptions } from "./linear.ts";
export { linear } from "./linear.ts";
export type { OneCycleOptions } from "./one_cycle.ts";
export { oneCycle } from "./one_cycle.ts";
export type { PiecewiseOptions } from "./piecewise.ts";
export { piecewise } from "./piecewise.ts";
export type { PlateauOptions } from "./plateau.ts";
export { plateau } from "./plateau.ts";
export type { Schedule } from "./schedule.ts";
export type { WarmupOptions } from "./warmup.ts";
export { warmup } from "./warmup.ts";
