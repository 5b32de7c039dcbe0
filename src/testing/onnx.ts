/**
 * How gradient rules prove themselves. An entry point of its own, as it needs packages for ONNX that nothing else of
 * `testing` does.
 *
 * @module
 */

export type { RuleCase, RuleInput } from "./rules/rule_case.ts";
export { checkRule } from "./rules/rule_check.ts";
