/**
 * Ready-made hooks: snapshots, logs, checkpoints, monitors, observables, reports, plots and profiles.
 *
 * @example Time between the stages of a loop
 * ```ts
 * import { type BaseContext, Loop, stages } from "@hooke/hooke/hooks";
 * import { Profiler } from "@hooke/hooke/observe";
 * import { assertEquals } from "@std/assert";
 *
 * const WalkStage = stages<BaseContext>()("walk", ["BEFORE_STEP", "AFTER_STEP"]);
 * const loop = new Loop({
 *   kinds: WalkStage,
 *   step(loop) {
 *     loop.fire(WalkStage.BEFORE_STEP);
 *     loop.fire(WalkStage.AFTER_STEP);
 *   },
 * });
 * const profiler = new Profiler({ frequency: 10 });
 * loop.hooks.add(profiler, { order: "first" });
 * await loop.run(100);
 * const row = profiler.summary().find("walk/BEFORE_STEP", "walk/AFTER_STEP");
 * assertEquals(row?.count, 10);
 * ```
 *
 * @module
 */

export type { ChromeTrace, CompleteEvent, MetadataEvent } from "./profile/chrome_trace.ts";
export { ConvergedSnapshotHook } from "./atoms/converged_snapshot_hook.ts";
export type { ConvergedSnapshotHookOptions } from "./atoms/converged_snapshot_hook.ts";
export { SinkHook } from "./atoms/sink_hook.ts";
export type { SystemMark } from "./atoms/system_mark.ts";
export { SnapshotHook } from "./atoms/snapshot_hook.ts";
export type { SnapshotHookOptions } from "./atoms/snapshot_hook.ts";
export { TrajectoryHook } from "./atoms/trajectory_hook.ts";
export type { TrajectoryHookOptions } from "./atoms/trajectory_hook.ts";
export { ThermoHook } from "./atoms/thermo_hook.ts";
export type { ThermoHookOptions } from "./atoms/thermo_hook.ts";
export type { ThermoRow } from "./atoms/thermo_row.ts";
export { EnergyDriftError, EnergyDriftMonitorHook } from "./atoms/energy_drift_monitor_hook.ts";
export type {
  DriftMetric,
  EnergyDriftMonitorHookOptions,
} from "./atoms/energy_drift_monitor_hook.ts";
export { ObservableHook } from "./observables/observable_hook.ts";
export type { SystemStatistics } from "./observables/observable_hook.ts";
export { RadialDistributionHook } from "./observables/radial_distribution_hook.ts";
export type {
  RadialDistribution,
  RadialDistributionHookOptions,
} from "./observables/radial_distribution_hook.ts";
export { DiffusionHook } from "./observables/diffusion_hook.ts";
export type { Diffusion, DiffusionHookOptions } from "./observables/diffusion_hook.ts";
export { VelocityAutocorrelationHook } from "./observables/velocity_autocorrelation_hook.ts";
export type {
  VelocityAutocorrelation,
  VelocityAutocorrelationHookOptions,
} from "./observables/velocity_autocorrelation_hook.ts";
export { AverageStressHook } from "./atoms/average_stress_hook.ts";
export type { AverageStress, AverageStressHookOptions } from "./atoms/average_stress_hook.ts";
export type { CorrelationOptions } from "./observables/correlation_options.ts";
export type { ElementName } from "./atoms/element_choice.ts";
export type { SavedSystems } from "./observables/observed_systems.ts";
export { NaNDetectorHook, NotFiniteFieldError } from "./atoms/nan_detector_hook.ts";
export type { NaNDetectorHookOptions, NotFinite } from "./atoms/nan_detector_hook.ts";
export { AlignCellHook } from "./atoms/align_cell_hook.ts";
export type { AlignCellHookOptions } from "./atoms/align_cell_hook.ts";
export type { AtomChoice, AtomView } from "../batch/atom_choice.ts";
export { BiasedPotentialHook } from "./atoms/biased_potential_hook.ts";
export type {
  BiasedPotentialHookOptions,
  BiasFunction,
  BiasModel,
  BiasView,
} from "./atoms/biased_potential_hook.ts";
export { FreezeAtomsHook } from "./atoms/freeze_atoms_hook.ts";
export type { FreezeAtomsHookOptions, FreezeStage } from "./atoms/freeze_atoms_hook.ts";
export { MaxForceClampHook } from "./atoms/max_force_clamp_hook.ts";
export type { MaxForceClampHookOptions } from "./atoms/max_force_clamp_hook.ts";
export type { RankedCheckpoint } from "./checkpoints/checkpoint_ranking.ts";
export { CheckpointHook } from "./checkpoints/checkpoint_hook.ts";
export type {
  CheckpointableEngine,
  CheckpointHookOptions,
} from "./checkpoints/checkpoint_options.ts";
export { ModelCheckpoint } from "./checkpoints/model_checkpoint.ts";
export type {
  CheckpointWeights,
  ModelCheckpointOptions,
} from "./checkpoints/model_checkpoint_options.ts";
export { EarlyStopping } from "./training/early_stopping.ts";
export type { EarlyStoppingOptions } from "./training/early_stopping.ts";
export type { MonitorMode, MonitorOptions } from "./training/monitored.ts";
export { GradientMonitor } from "./training/gradient_monitor.ts";
export type { GradientMonitorOptions } from "./training/gradient_monitor.ts";
export type { GradientReport, GradientVerdict, LayerGradient } from "./training/gradient_report.ts";
export { LrMonitor } from "./training/lr_monitor.ts";
export type { LrMonitorOptions } from "./training/lr_monitor.ts";
export { ActivationStats } from "./training/activation_stats.ts";
export type { ActivationStatsOptions } from "./training/activation_stats.ts";
export { Validation } from "./training/validation.ts";
export type { ValidationOptions } from "./training/validation.ts";
export { Ema } from "./training/ema.ts";
export type { EmaOptions } from "./training/ema.ts";
export { AccumulateGradients } from "./training/accumulate_gradients.ts";
export type { AccumulateGradientsOptions } from "./training/accumulate_gradients.ts";
export { ClipGradients } from "./training/clip_gradients.ts";
export type { ClipGradientsOptions } from "./training/clip_gradients.ts";
export { NanGuard } from "./training/nan_guard.ts";
export type { NanGuardMode, NanGuardOptions } from "./training/nan_guard.ts";
export { NotFiniteError } from "../training/not_finite_error.ts";
export type { NotFiniteTensor } from "../training/not_finite_error.ts";
export { Webhook } from "./any/webhook.ts";
export type { WebhookEvent, WebhookOccasion, WebhookOptions } from "./any/webhook.ts";
export { CheckpointUpload } from "./checkpoints/checkpoint_upload.ts";
export type {
  CheckpointUploadOptions,
  UploadedCheckpoint,
} from "./checkpoints/checkpoint_upload.ts";
export { Heartbeat } from "./any/heartbeat.ts";
export type { HeartbeatOptions } from "./any/heartbeat.ts";
export { ConsoleLog } from "./training/console_log.ts";
export type { ConsoleLogOptions, LogLevel } from "./training/console_log.ts";
export { JsonLog } from "./training/json_log.ts";
export type { JsonLogOptions } from "./training/json_log.ts";
export { postScalars, ScalarBuffer, scalars } from "./reporter/scalars.ts";
export type { Histogram, ScalarRow } from "./reporter/scalars.ts";
export type { HookName, RowWriter, TrainingHookTimes } from "./training/training_options.ts";
export { WrapPeriodicHook } from "./atoms/wrap_periodic_hook.ts";
export type { WrapPeriodicHookOptions } from "./atoms/wrap_periodic_hook.ts";
export { LoggingHook } from "./atoms/logging_hook.ts";
export type { LogContents, LoggingHookOptions, LogTarget } from "./atoms/logging_hook.ts";
export type { LogWriter } from "./any/log_output.ts";
export type { CustomScalar, LogRow } from "./atoms/log_table.ts";
export type { HookTimes } from "./any/hook_options.ts";
export type { OtelContext, ProfileSpan, ProfileTracer } from "./reporter/open_telemetry.ts";
export type { ProfilerOptions } from "./profile/profiler_options.ts";
export { Profiler } from "./profile/profiler.ts";
export { ProgressHook } from "./any/progress_hook.ts";
export type { ProgressHookOptions } from "./any/progress_hook.ts";
export { ProfileSummary } from "./profile/summary.ts";
export type { Milliseconds, TransitionSummary } from "./profile/transition.ts";
export { collectScalars } from "./reporter/collect_scalars.ts";
export type { CollectOptions, ScalarOf } from "./reporter/collect_scalars.ts";
export { openTelemetryReporter } from "./reporter/open_telemetry_reporter.ts";
export type { OpenTelemetryReporterOptions } from "./reporter/open_telemetry_reporter.ts";
export type { ScalarGauge, ScalarMeter } from "./reporter/open_telemetry.ts";
export { plot } from "./plot/plot.ts";
export type { PlotOptions, PlottedRun } from "./plot/plot.ts";
export { Reporter } from "./reporter/reporter.ts";
export type { ReporterOptions } from "./reporter/reporter_options.ts";
export { ScalarHistory } from "./reporter/scalar_history.ts";
export type {
  SavedHistory,
  ScalarHistoryOptions,
  ScalarSeries,
} from "./reporter/scalar_history.ts";
export { jsonlReporter, tensorBoardReporter } from "./reporter/scalar_reporter.ts";
export type {
  JsonlReporterOptions,
  ReporterTimes,
  ScalarReporter,
  TensorBoardReporterOptions,
} from "./reporter/scalar_reporter.ts";
export { parseScalarLines } from "./reporter/scalar_snapshot.ts";
export type { NamedScalars, ScalarSnapshot } from "./reporter/scalar_snapshot.ts";
