/**
 * Test suites for custom backends, models and sinks, and a scripted trainer for tests of hooks. They work with any
 * test runner.
 *
 * @example Test a custom model
 * ```ts
 * import { potential } from "@hooke/hooke/models";
 * import { modelSuite } from "@hooke/hooke/testing";
 *
 * // Springs of 1 eV/Å² from each atom to the origin.
 * const springs = () =>
 *   potential(({ positions, forces }) => {
 *     let energy = 0;
 *     for (const [i, x] of positions.entries()) {
 *       energy += x * x / 2;
 *       forces[i]! -= x;
 *     }
 *     return energy;
 *   });
 * const cases = modelSuite(springs, {
 *   systems: [{ symbols: ["H", "O", "H"], positions: [0, 0.8, 0.6, 0, 0, 0.1, 0, -0.8, 0.6] }],
 *   breaks: ["translation", "extensivity"], // it does matter where an atom is
 * });
 * // In a file of tests: for (const { name, run } of cases) Deno.test(name, run);
 * for (const { run } of cases) await run();
 * ```
 *
 * @module
 */

export { assertNear, assertSameBits } from "./assert_near.ts";
export { backendSuite } from "./backend_suite.ts";
export type { BackendSuiteOptions } from "./backend_suite.ts";
export type { MakeBackend } from "./cases/kernel_cases.ts";
export type { Held } from "./cases/memory_cases.ts";
export type { MakeModel } from "./model_bench.ts";
export { modelSuite } from "./model_suite.ts";
export type { ModelSuiteOptions } from "./model_suite.ts";
export type { WordsOf } from "./cases/noise_cases.ts";
export type { ScriptedGroup } from "./scripted/scripted_optimizer.ts";
export type { SavedScript, TestTrainer } from "./scripted/scripted_trainer.ts";
export { scriptedTrainer } from "./scripted/scripted_trainer.ts";
export { sinkSuite } from "./sinks/sink_suite.ts";
export type { SinkSuiteOptions } from "./sinks/sink_suite.ts";
export type { Lost, MakeSinkTrial, SinkTrial } from "./sinks/sink_trial.ts";
export type { Symmetry } from "./cases/symmetry_cases.ts";
export type { TestCase } from "./cases/test_case.ts";
export type { Tolerance } from "./tolerances.ts";
export { KERNEL_TOLERANCES } from "./tolerances.ts";
export type {
  NumbersByName,
  ScriptedEpoch,
  ScriptParts,
  TrainingScript,
} from "./scripted/training_script.ts";
