import { checkRule, type RuleCase } from "../../../src/testing/onnx.ts";
import { few } from "../../suite.ts";

/** Largest number of values of a small case. */
const SMALL = 12;

/**
 * Checks a gradient rule. The fast suite checks the gradient of the gradient, which takes time by the square of how
 * many numbers there are, of small cases only; the slow suite of all.
 */
export function checkSlopes(rule: RuleCase): void {
  checkRule(few(sizeOf(rule) <= SMALL ? rule : { ...rule, order: 1 }, rule));
}

function sizeOf({ inputs }: RuleCase): number {
  const sizes = inputs.map((input) => input?.dims.reduce((product, n) => product * n, 1) ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}
