/**
 * Hooke runs step loops (molecular dynamics, relaxation, training, or one of your own) and lets hooks into every
 * stage of them.
 *
 * @example Relax crystals, several at once
 * ```ts
 * import { Batch, ConvergenceHook, fcc, FIRE, lennardJones, rattle } from "@hooke/hooke";
 * import { assertEquals } from "@std/assert";
 *
 * const crystal = fcc({ element: "Ar", a: 5.26, cells: 2 });
 * const batch = Batch.from([rattle(crystal, 0.1, 1), rattle(crystal, 0.2, 2)]);
 * await using opt = new FIRE({
 *   model: lennardJones({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 }),
 *   dt: 0.5,
 *   nSteps: 500,
 *   hooks: [ConvergenceHook.fromFmax(0.01)],
 * });
 * await opt.run(batch);
 * assertEquals([...batch.get("status")], [1, 1]); // relaxed, both
 * ```
 *
 * @example A loop of one's own with a hook
 * ```ts
 * import { type BaseContext, hook, Loop, stages } from "@hooke/hooke";
 * import { assertEquals } from "@std/assert";
 *
 * interface Walk extends BaseContext { readonly x: number }
 * const WalkStage = stages<Walk>()("walk", ["AFTER_STEP"]);
 * const rows: string[] = [];
 * const log = hook({
 *   name: "log",
 *   frequency: 2,
 *   kinds: [WalkStage],
 *   on: { walk: { AFTER_STEP: (ctx) => void rows.push(`${ctx.stepCount}: ${ctx.x}`) } },
 * });
 * const loop = new Loop({
 *   kinds: WalkStage,
 *   context: { x: 0 },
 *   step: (loop) => {
 *     loop.context.x += 0.5;
 *     return loop.fire(WalkStage.AFTER_STEP);
 *   },
 * }, {
 *   hooks: [log],
 * });
 * await loop.run(3);
 * assertEquals(rows, ["0: 0.5", "2: 1.5"]);
 * ```
 *
 * @module
 */

export { Batch, fcc, initVelocities, kineticEnergies } from "./src/batch/mod.ts";
export { rattle, System, temperatureOf } from "./src/batch/mod.ts";
export type { SystemInput } from "./src/batch/mod.ts";
export { parseExtxyz, writeExtxyz } from "./src/batch/extxyz/mod.ts";

export { harmonicBonds, lennardJones, morse, pairPotential } from "./src/models/mod.ts";
export { potential, sum, tethers } from "./src/models/mod.ts";
export type { Model } from "./src/models/mod.ts";
export { ModelMismatchError, OnnxModel } from "./src/models/onnx.ts";
export { decodeModel, GraphBuilder, lennardJonesModel } from "./src/onnx/mod.ts";

export { FIRE, FIRE2, LBFGS } from "./src/dynamics/mod.ts";
export { NPH, NPT, NVE, NVTBussi, NVTLangevin, NVTNoseHoover } from "./src/dynamics/mod.ts";
export { BAR, ConvergenceHook, DivergedError, DynamicsStage } from "./src/dynamics/mod.ts";
export { fixAtoms, fixBonds, fixCenterOfMass, fixComponents } from "./src/dynamics/mod.ts";
export { fuse, SizeAwareSampler } from "./src/dynamics/mod.ts";
export type { ConvergedContext, DynamicsContext } from "./src/dynamics/mod.ts";

export { accuracy, adam, adamW, cosine, crossEntropy, dataLoader } from "./src/training/mod.ts";
export { energyForces, exponential, fineTune } from "./src/training/mod.ts";
export { meanAbsoluteError, meanSquaredError, normalNumbers, sgd } from "./src/training/mod.ts";
export { atomsData, splitDataset, tensorData } from "./src/training/mod.ts";
export { TrainingStage, warmup } from "./src/training/mod.ts";
export type { BatchEndContext, MetricsContext, TrainingContext } from "./src/training/mod.ts";

export { CsvSink, ExtxyzSink, MemorySink, openSink } from "./src/sinks/mod.ts";
export { openSystems, ZarrSink } from "./src/sinks/mod.ts";

export {
  CheckpointHook,
  ConvergedSnapshotHook,
  EnergyDriftMonitorHook,
} from "./src/observe/mod.ts";
export { LoggingHook, NaNDetectorHook, ProgressHook, SnapshotHook } from "./src/observe/mod.ts";
export { ClipGradients, ConsoleLog, EarlyStopping, GradientMonitor } from "./src/observe/mod.ts";
export { JsonLog, LrMonitor, ModelCheckpoint, NanGuard } from "./src/observe/mod.ts";
export { plot, Profiler, Reporter, tensorBoardReporter } from "./src/observe/mod.ts";

export { createHooks, getTrainer } from "./src/config/mod.ts";
export { Trainer } from "./src/config/trainer/trainer.ts";
export { openRunFolder, readRun, report, resume, runLog } from "./src/config/runs/mod.ts";

export { defineKind, field, hook, isHook, Loop, overload, slot, stages } from "./src/hook.ts";
export type { BaseContext, ContextOf, HookOf, HookWarning, Outcome } from "./src/hook.ts";
export type { Gate, Observe, Pipe, Replace, StageKind, StageOf } from "./src/hook.ts";
