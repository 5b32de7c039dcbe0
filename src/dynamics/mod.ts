/**
 * Molecular dynamics and structure relaxation: engines, their stages, and what systems converge by.
 *
 * @module
 */

export type { AtomChoice, AtomView } from "../batch/atom_choice.ts";
export { BAR, GIGAPASCAL } from "../kernels/constants.ts";
export type { PressureCoupling } from "./barostat.ts";
export type { SavedClock } from "./clock.ts";
export type { KernelDevice } from "./context.ts";
export type { SavedDynamics, SavedRun } from "./checkpoint.ts";
export type { CellOptions } from "./cell_options.ts";
export { fixAtoms, fixComponents, fixMasked } from "./fix_atoms.ts";
export type { Directions } from "./fix_atoms.ts";
export { fixBonds } from "./fix_bonds.ts";
export type { AtomPair, BondChoice, FixBondsOptions } from "./fix_bonds.ts";
export { fixCentreOfMass } from "./fix_centre_of_mass.ts";
export type { Constraint, Held, HeldBonds } from "./constraint.ts";
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
export type {
  FromField,
  Integrator,
  OpenIntegrator,
  ParameterRule,
  PerSystem,
} from "./integrator.ts";
export { checkParameter, parameter, Rule } from "./integrator.ts";
export { fuse, FusedDynamics } from "./fuse.ts";
export type { FuseOptions } from "./fuse.ts";
export { LBFGS, lbfgs } from "./lbfgs.ts";
export type { LBFGSOptions } from "./lbfgs.ts";
export { NPH, nph } from "./nph.ts";
export type { NPHOptions } from "./nph.ts";
export { NPT, npt } from "./npt.ts";
export type { NPTOptions } from "./npt.ts";
export type { OpenStages, StageBudget, StageRange } from "./open_stages.ts";
export { NVE, velocityVerlet } from "./nve.ts";
export type { NVEOptions } from "./nve.ts";
export { langevin, NVTLangevin } from "./nvt_langevin.ts";
export type { NVTLangevinOptions } from "./nvt_langevin.ts";
export { bathEnergy } from "./measures.ts";
export { bussi, NVTBussi } from "./nvt_bussi.ts";
export type { NVTBussiOptions } from "./nvt_bussi.ts";
export { noseHoover, NVTNoseHoover } from "./nvt_nose_hoover.ts";
export type { NVTNoseHooverOptions } from "./nvt_nose_hoover.ts";
export type { Bath, ChainBath, RescalingBath, StepTime } from "./parts.ts";
export { drift, kick, kickDrift, noseHooverChain, rescaleVelocities, thermalize } from "./parts.ts";
export type {
  AdmittedContext,
  ConvergedContext,
  DynamicsBase,
  DynamicsContext,
  DynamicsFields,
  DynamicsStages,
} from "./stages.ts";
export { DynamicsStage } from "./stages.ts";
export type { GraduateSink } from "./graduates.ts";
export type { SampleList, SampleSize, SampleSource } from "./sample_source.ts";
export { SizeAwareSampler } from "./sampler.ts";
export type { Room, Sample, SamplerOptions, SavedSampler } from "./sampler.ts";
export type { SavedStream, StreamCounts, StreamSlot } from "./saved_stream.ts";
export type { StreamFailure } from "./saved_stream.ts";
export type { StreamOptions, StreamSummary } from "./stream_options.ts";
