/**
 * Tests of gradient rules. This is a separate entry point, because it needs packages for ONNX that the rest of
 * `testing` does not.
 *
 * @module
 */

export type { RuleCase, RuleInput } from "./rules/rule_case.ts";
export { checkRule } from "./rules/rule_check.ts";
