/**
 * Suites that every backend and every model must pass, for backends and models of one's own, with any test runner.
 *
 * @module
 */

export { assertNear, assertSameBits } from "./assert_near.ts";
export { backendSuite } from "./backend_suite.ts";
export type { BackendSuiteOptions } from "./backend_suite.ts";
export type { OpenBackend } from "./kernel_cases.ts";
export type { Held } from "./memory_cases.ts";
export type { OpenModelOn } from "./model_bench.ts";
export { modelSuite } from "./model_suite.ts";
export type { ModelSuiteOptions } from "./model_suite.ts";
export type { WordsOf } from "./noise_cases.ts";
export type { Symmetry } from "./symmetry_cases.ts";
export type { TestCase } from "./test_case.ts";
export type { Tolerance } from "./tolerances.ts";
export { TOLERANCES } from "./tolerances.ts";
