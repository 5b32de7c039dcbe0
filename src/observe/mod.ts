/**
 * Ready-made hooks.
 *
 * @example Where the time of a loop goes
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

export type { ChromeTrace, CompleteEvent, MetadataEvent } from "./chrome_trace.ts";
export { ConvergedSnapshotHook } from "./converged_snapshot_hook.ts";
export type { ConvergedSnapshotHookOptions } from "./converged_snapshot_hook.ts";
export { SnapshotHook } from "./snapshot_hook.ts";
export type { SnapshotHookOptions } from "./snapshot_hook.ts";
export { EnergyDriftError, EnergyDriftMonitorHook } from "./energy_drift_monitor_hook.ts";
export type { DriftMetric, EnergyDriftMonitorHookOptions } from "./energy_drift_monitor_hook.ts";
export { RadialDistributionHook } from "./radial_distribution_hook.ts";
export type {
  RadialDistribution,
  RadialDistributionHookOptions,
} from "./radial_distribution_hook.ts";
export { DiffusionHook } from "./diffusion_hook.ts";
export type { Diffusion, DiffusionHookOptions } from "./diffusion_hook.ts";
export { VelocityAutocorrelationHook } from "./velocity_autocorrelation_hook.ts";
export type {
  VelocityAutocorrelation,
  VelocityAutocorrelationHookOptions,
} from "./velocity_autocorrelation_hook.ts";
export { AverageStressHook } from "./average_stress_hook.ts";
export type { AverageStress, AverageStressHookOptions } from "./average_stress_hook.ts";
export type { CorrelationOptions } from "./correlation_options.ts";
export type { ElementName } from "./element_choice.ts";
export type { SavedSystems } from "./observed_systems.ts";
export { NaNDetectorHook, NonFiniteError } from "./nan_detector_hook.ts";
export type { NaNDetectorHookOptions, NotFinite } from "./nan_detector_hook.ts";
export { AlignCellHook } from "./align_cell_hook.ts";
export type { AlignCellHookOptions } from "./align_cell_hook.ts";
export type { AtomChoice, AtomView } from "../batch/atom_choice.ts";
export { BiasedPotentialHook } from "./biased_potential_hook.ts";
export type {
  BiasedPotentialHookOptions,
  BiasFunction,
  BiasModel,
  BiasView,
} from "./biased_potential_hook.ts";
export { FreezeAtomsHook } from "./freeze_atoms_hook.ts";
export type { FreezeAtomsHookOptions, FreezeStage } from "./freeze_atoms_hook.ts";
export { MaxForceClampHook } from "./max_force_clamp_hook.ts";
export type { MaxForceClampHookOptions } from "./max_force_clamp_hook.ts";
export { Checkpoint } from "./checkpoint.ts";
export type { CheckpointOptions } from "./checkpoint.ts";
export type { RankedCheckpoint } from "./checkpoint_ranking.ts";
export { CheckpointHook } from "./checkpoint_hook.ts";
export type { CheckpointHookOptions, KeptEngine } from "./checkpoint_options.ts";
export { ModelCheckpoint } from "./model_checkpoint.ts";
export type { CheckpointWeights, ModelCheckpointOptions } from "./model_checkpoint_options.ts";
export { EarlyStopping } from "./early_stopping.ts";
export type { EarlyStoppingOptions } from "./early_stopping.ts";
export type { MonitorMode, MonitorOptions } from "./monitored.ts";
export { GradientMonitor } from "./gradient_monitor.ts";
export type { GradientMonitorOptions } from "./gradient_monitor.ts";
export type { GradientReport, GradientVerdict, LayerGradient } from "./gradient_report.ts";
export type { Histogram } from "./gradient_numbers.ts";
export { LrMonitor } from "./lr_monitor.ts";
export type { LrMonitorOptions } from "./lr_monitor.ts";
export { ActivationStats } from "./activation_stats.ts";
export type { ActivationStatsOptions } from "./activation_stats.ts";
export { Validation } from "./validation.ts";
export type { ValidationOptions } from "./validation.ts";
export { Ema } from "./ema.ts";
export type { EmaOptions } from "./ema.ts";
export { AccumulateGradients } from "./accumulate_gradients.ts";
export type { AccumulateGradientsOptions } from "./accumulate_gradients.ts";
export { ClipGradients } from "./clip_gradients.ts";
export type { ClipGradientsOptions } from "./clip_gradients.ts";
export { NanGuard } from "./nan_guard.ts";
export type { NanGuardMode, NanGuardOptions } from "./nan_guard.ts";
export { NotFiniteError } from "./not_finite_error.ts";
export type { NotFiniteTensor } from "./not_finite_error.ts";
export { Webhook } from "./webhook.ts";
export type { WebhookEvent, WebhookOccasion, WebhookOptions } from "./webhook.ts";
export { CheckpointUpload } from "./checkpoint_upload.ts";
export type { CheckpointUploadOptions, UploadedCheckpoint } from "./checkpoint_upload.ts";
export { Heartbeat } from "./heartbeat.ts";
export type { HeartbeatOptions } from "./heartbeat.ts";
export { ConsoleLog } from "./console_log.ts";
export type { ConsoleLogOptions, LogLevel } from "./console_log.ts";
export { JsonLog } from "./json_log.ts";
export type { JsonLogOptions } from "./json_log.ts";
export { postScalars, Scalars, scalars } from "./scalars.ts";
export type { ScalarRow } from "./scalars.ts";
export type { HookName, RowWriter, TrainingHookTimes } from "./training_options.ts";
export { WrapPeriodicHook } from "./wrap_periodic_hook.ts";
export type { WrapPeriodicHookOptions } from "./wrap_periodic_hook.ts";
export { LoggingHook } from "./logging_hook.ts";
export type { LogContents, LoggingHookOptions, LogTarget } from "./logging_hook.ts";
export type { LogWriter } from "./log_output.ts";
export type { CustomScalar, LogRow } from "./log_table.ts";
export type { HookTimes } from "./hook_options.ts";
export type { OtelContext, ProfileSpan, ProfileTracer } from "./open_telemetry.ts";
export type { ProfilerOptions } from "./profiler_options.ts";
export { Profiler } from "./profiler.ts";
export { ProgressHook } from "./progress_hook.ts";
export type { ProgressHookOptions } from "./progress_hook.ts";
export { ProfileSummary } from "./summary.ts";
export type { Milliseconds, TransitionSummary } from "./transition.ts";
export { collectScalars } from "./collect_scalars.ts";
export type { CollectOptions, ScalarOf } from "./collect_scalars.ts";
export { consoleReporter } from "./console_reporter.ts";
export type { ConsoleReporterOptions } from "./console_reporter.ts";
export { openTelemetryReporter } from "./open_telemetry_reporter.ts";
export type { OpenTelemetryReporterOptions } from "./open_telemetry_reporter.ts";
export type { ScalarGauge, ScalarMeter } from "./open_telemetry.ts";
export { plot } from "./plot.ts";
export type { PlotOptions, PlottedRun } from "./plot.ts";
export { Reporter } from "./reporter.ts";
export type { ReporterOptions } from "./reporter_options.ts";
export { ScalarHistory } from "./scalar_history.ts";
export type { SavedHistory, ScalarHistoryOptions, ScalarSeries } from "./scalar_history.ts";
export { jsonlReporter, tensorBoardReporter } from "./scalar_reporter.ts";
export type {
  JsonlReporterOptions,
  ReporterTimes,
  ScalarReporter,
  TensorBoardReporterOptions,
} from "./scalar_reporter.ts";
export { parseScalarLines } from "./scalar_snapshot.ts";
export type { NamedScalars, ScalarSnapshot } from "./scalar_snapshot.ts";
