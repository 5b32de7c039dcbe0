/**
 * How gradient rules prove themselves. An entry point of its own, as it needs packages for ONNX that nothing else of
 * `testing` does.
 *
 * @module
 */

export type { RuleCase, RuleInput } from "./rule_case.ts";
export { checkRule } from "./rule_check.ts";
