/**
 * Molecular dynamics and structure relaxation: engines, their stages, and what systems converge by.
 *
 * @module
 */

export type { KernelDevice } from "./context.ts";
export type { SavedDynamics, SavedRun } from "./checkpoint.ts";
export type { CellOptions } from "./cell_options.ts";
export { ConvergenceHook } from "./convergence.ts";
export type {
  ConvergenceDevice,
  ConvergenceOptions,
  ConvergenceParts,
  Criterion,
  CustomCriterion,
  KeySource,
} from "./convergence.ts";
export { DivergedError } from "./diverged_error.ts";
export { Dynamics } from "./dynamics.ts";
export type { DynamicsKind, DynamicsOptions, FirstHooks } from "./dynamics_options.ts";
export type { DeviceInUse, DeviceRequest } from "./engine_device.ts";
export { FIRE, fire } from "./fire.ts";
export type { FIREOptions } from "./fire.ts";
export { FIRE2, fire2 } from "./fire2.ts";
export type { FIRE2Options } from "./fire2.ts";
export type { Integrator, OpenIntegrator, ParameterRule, PerSystem } from "./integrator.ts";
export { checkParameter, parameter, Rule } from "./integrator.ts";
export { LBFGS, lbfgs } from "./lbfgs.ts";
export type { LBFGSOptions } from "./lbfgs.ts";
export { NVE, velocityVerlet } from "./nve.ts";
export type { NVEOptions } from "./nve.ts";
export { langevin, NVTLangevin } from "./nvt_langevin.ts";
export type { NVTLangevinOptions } from "./nvt_langevin.ts";
export type { Bath, StepTime } from "./parts.ts";
export { drift, kick, kickDrift, thermalize } from "./parts.ts";
export type {
  ConvergedContext,
  DynamicsBase,
  DynamicsContext,
  DynamicsFields,
  DynamicsStages,
} from "./stages.ts";
export { DynamicsStage } from "./stages.ts";
