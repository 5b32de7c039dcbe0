/**
 * Molecular dynamics and structure relaxation: engines, integrators, constraints, convergence criteria and streams.
 *
 * @module
 */

export type { AtomChoice, AtomView } from "../batch/atom_choice.ts";
export { BAR, GIGAPASCAL } from "../kernels/constants.ts";
export type { PressureCoupling } from "./integrators/barostat.ts";
export type { SavedClock } from "./engine/clock.ts";
export type { KernelDevice } from "./context.ts";
export type { SavedDynamics, SavedRun } from "./engine/checkpoint.ts";
export type { CellOptions, RelaxerOptions } from "./relaxers/cell_options.ts";
export { fixMasked } from "./constraints/file_constraints.ts";
export { fixAtoms, fixComponents } from "./constraints/fix_atoms.ts";
export type { Directions } from "./constraints/fix_atoms.ts";
export { fixBonds } from "./constraints/fix_bonds.ts";
export type { AtomPair, BondChoice, FixBondsOptions } from "./constraints/fix_bonds.ts";
export { fixCenterOfMass } from "./constraints/fix_center_of_mass.ts";
export type { Constraint, Held, HeldBonds } from "./constraints/constraint.ts";
export { ConvergenceHook } from "./convergence/convergence_hook.ts";
export type {
  ConvergenceDevice,
  ConvergenceOptions,
  ConvergenceParts,
  Criterion,
  CustomCriterion,
  KeySource,
  NamedCriterion,
} from "./convergence/convergence_hook.ts";
export { DivergedError, UnstableError } from "./diverged_error.ts";
export { Dynamics } from "./dynamics.ts";
export type {
  DynamicsKind,
  DynamicsOptions,
  FirstHooks,
  FirstHooksOf,
} from "./engine/dynamics_options.ts";
export type { DeviceInUse, DeviceRequest } from "./engine/engine_device.ts";
export { FIRE, fireRelaxer } from "./relaxers/fire.ts";
export type { FIREOptions } from "./relaxers/fire.ts";
export { FIRE2, fire2Relaxer } from "./relaxers/fire2.ts";
export type { FIRE2Options } from "./relaxers/fire2.ts";
export type {
  ChainOptions,
  PressureOptions,
  StochasticThermostatOptions,
  TimeStepOptions,
} from "./integrators/shared_options.ts";
export type { Integrator, OpenIntegrator } from "./integrators/integrator.ts";
export type { FromField, PerSystem } from "./integrators/parameters.ts";
export type { NumberRule as ParameterRule } from "../base/check_number.ts";
export { checkParameter, parameter, Rule } from "./integrators/parameters.ts";
export { fuse, FusedDynamics } from "./stages/fuse.ts";
export type { FuseOptions } from "./stages/fuse.ts";
export { LBFGS, lbfgsRelaxer } from "./relaxers/lbfgs.ts";
export type { LBFGSOptions } from "./relaxers/lbfgs.ts";
export { NPH, nphIntegrator } from "./integrators/nph.ts";
export type { NPHOptions } from "./integrators/nph.ts";
export { NPT, nptIntegrator } from "./integrators/npt.ts";
export type { NPTOptions } from "./integrators/npt.ts";
export type { OpenStages, StageBudget, StageRange } from "./stages/open_stages.ts";
export { NVE, velocityVerlet } from "./integrators/nve.ts";
export type { NVEOptions } from "./integrators/nve.ts";
export { langevin, NVTLangevin } from "./integrators/nvt_langevin.ts";
export type { NVTLangevinOptions } from "./integrators/nvt_langevin.ts";
export { bathEnergy } from "./engine/measures.ts";
export { bussi, NVTBussi } from "./integrators/nvt_bussi.ts";
export type { NVTBussiOptions } from "./integrators/nvt_bussi.ts";
export { noseHoover, NVTNoseHoover } from "./integrators/nvt_nose_hoover.ts";
export type { NVTNoseHooverOptions } from "./integrators/nvt_nose_hoover.ts";
export type { Bath, ChainBath, RescalingBath } from "./integrators/baths.ts";
export type { StepTime } from "./integrators/motion.ts";
export { noseHooverChain, rescaleVelocities, thermalize } from "./integrators/baths.ts";
export { drift, kick, kickDrift } from "./integrators/motion.ts";
export type {
  AdmittedContext,
  ConvergedContext,
  DynamicsBase,
  DynamicsContext,
  DynamicsFieldName,
  DynamicsFields,
  DynamicsStageMap,
  StreamProgress,
} from "./stages.ts";
export { DynamicsStage } from "./stages.ts";
export type { GraduateSink } from "./streaming/graduates.ts";
export type { SampleList, SampleSize, SampleSource } from "./streaming/sample_source.ts";
export { SizeAwareSampler } from "./streaming/sampler.ts";
export type { Room, Sample, SavedSampler, StreamSampler } from "./streaming/sampler.ts";
export type { SamplerOptions } from "./streaming/sampler_options.ts";
export type { SavedStream, StreamCounts, StreamSlot } from "./streaming/saved_stream.ts";
export type { StreamFailure } from "./streaming/saved_stream.ts";
export type { StreamOptions, StreamSummary } from "./streaming/stream_options.ts";
